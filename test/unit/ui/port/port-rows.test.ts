// Which machines have rows for their ports.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import { createPortRows } from "../../../../src/ui/port/port-rows.ts";
import { editorWindow, signedIn } from "../../../journeys/support.ts";

const value = Instance.parse({
  ...{ id: 7, actual_status: "running", intended_status: "running", cur_state: "running" },
  ...{ image_runtype: "ssh_direct", public_ipaddr: "127.0.0.1", ports: { "8080/tcp": [{ HostPort: "40001" }] } },
});
const row = { value, raw: {}, launchPrice: undefined };

test("a machine that runs has rows for its ports, and one that is gone has none, whatever was last read of it", async () => {
  const window = await signedIn();
  const { rowsBelow } = createPortRows(window);
  assert.deepEqual(
    rowsBelow(row, "tag").map(({ view }) => view.accessible),
    ["Port 8080 of instance 7, open to everyone at 127.0.0.1:40001"],
  );
  assert.deepEqual(rowsBelow({ ...row, gone: true }, "tag"), []);
  assert.deepEqual(createPortRows(editorWindow()).rowsBelow(row, "tag"), [], "nobody is signed in");
});
