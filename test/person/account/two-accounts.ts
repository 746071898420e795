// Two accounts at one address, and what the first of them has rented and lost.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdir } from "node:fs/promises";
import { createServer, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { OfferId } from "../../../src/domain/base/id.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { LaunchJournal } from "../../../src/services/launch/launch-journal.ts";
import { sharedFolder } from "../support.ts";

/** Both services behind one address, told apart by the key: windows of this editor hear late of one another's settings. */
export async function oneDoor(alpha: Sandbox, beta: Sandbox): Promise<{ address: string; close: () => void }> {
  const door = createServer((request, response) => {
    const { port } = request.headers.authorization?.includes(beta.apiKey) ? beta : alpha;
    const { method, headers, url: path } = request;
    const onward = send({ host: "127.0.0.1", port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    });
    onward.on("error", () => response.destroy());
    request.pipe(onward);
  });
  door.listen(0, "127.0.0.1");
  await once(door, "listening");
  const close = () => {
    door.closeAllConnections();
    door.close();
  };
  return { address: `http://127.0.0.1:${(door.address() as AddressInfo).port}`, close };
}

/** Everything of an account begins with its name. */
export function mark({ world }: Sandbox, word: string): void {
  Object.assign(world.account, { username: `${word}@example.com` });
  for (const template of world.templates.list()) Object.assign(template, { name: `${word} ${template.name}` });
}

interface Lost {
  readonly userDataDir: string;
  readonly origin: string;
  readonly key: string;
  readonly machine: string;
}

/** A launch of an earlier window, in the account of this key, whose answer was lost. */
export async function loseLaunch({ userDataDir, origin, key, machine }: Lost): Promise<void> {
  const launches = join(sharedFolder({ userDataDir }), "launches");
  await mkdir(launches, { recursive: true });
  const journal = new LaunchJournal(launches);
  const { token } = createIntent();
  const account = createHash("sha256").update(`${origin}\n${key}`).digest("hex").slice(0, 16);
  const [at, offer] = [Date.now() - 60_000, OfferId.parse(77)];
  await journal.prepare(token, { version: 1, origin, account, offer, machine, price: 0.2, at, tracked: true });
  await journal.claim(token);
}

const MACHINES = {
  runner: { fate: "runs", isBid: false },
  "dead one": { fate: "exited", isBid: false },
  bidder: { fate: "runs", isBid: true },
} as const;
type Machine = keyof typeof MACHINES;

/** Machines of an account by these labels, as the names say; none of them is stopped yet. */
export function rentSome({ world }: Sandbox, labels = Object.keys(MACHINES) as readonly Machine[]): void {
  for (const label of labels) {
    const { fate, isBid } = MACHINES[label];
    const offer = world.offers.find(
      (one) => world.isRentable(one) && one.fate !== "gone" && (one.minBid !== null) === isBid,
    );
    assert.ok(offer);
    world.setFate(offer.id, fate);
    const bid = isBid ? { price: (offer.minBid ?? 0) + 1, type: "bid" } : {};
    createInstance(world, offer.id, { image: "pytorch/pytorch:latest", label, ...bid });
  }
}
