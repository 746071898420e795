import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { createOrderToken, OrderJournal } from "../../../../src/services/instance/order-journal.ts";

const DAY = 86_400_000;
const NOW = 1_800_000_000_000;

test("finished orders are removed after a week, those for one end only together with the last of them", async (context) => {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-orders-"));
  context.after(() => rm(folder, { recursive: true, force: true }));
  const journal = new OrderJournal(folder);
  const give = async (days: number, reason?: string) => {
    const token = createOrderToken();
    const at = NOW + days * DAY;
    const order = {
      version: 1,
      kind: "stop",
      id: InstanceId.parse(5),
      origin: "o",
      account: "a",
      at,
      owner: "w",
    } as const;
    await journal.write(token, reason === undefined ? order : { ...order, reason });
    await journal.note(token, "revoked");
    return token;
  };
  const plain = await give(0);
  const [first, second] = [await give(0, "idl-1"), await give(6, "idl-1")];
  const other = await give(0, "idl-2");
  // Something newer shows how old they are.
  await give(50);
  const isThere = async (token: string) => (await journal.readState(token)) !== undefined;
  await journal.tidy(NOW + 8 * DAY);
  assert.deepEqual(await Promise.all([plain, other, first, second].map(isThere)), [false, false, true, true]);
  await journal.tidy(NOW + 14 * DAY);
  assert.deepEqual(await Promise.all([first, second].map(isThere)), [false, false]);
});
