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
    ["Port 8080 of instance 7, 127.0.0.1:40001, open to everyone"],
  );
  assert.deepEqual(rowsBelow({ ...row, gone: true }, "tag"), []);
  assert.deepEqual(createPortRows(editorWindow()).rowsBelow(row, "tag"), [], "nobody is signed in");
});

test("without an SSH server, the ports that the service published lead somewhere, and no others", async () => {
  const { rowsBelow } = createPortRows(await signedIn());
  const ports = { "8000/tcp": [{ HostPort: "40001" }], "9000/tcp": null, "5000/udp": [{ HostPort: "40002" }] };
  const api = { ...value, image_runtype: "args", ports };
  const rows = rowsBelow({ ...row, value: api }, "tag").map(({ view }) => [view.accessible, view.context]);
  assert.deepEqual(rows, [["Port 8000 of instance 7, 127.0.0.1:40001, open to everyone", "port isPublic"]]);
  assert.deepEqual(
    rowsBelow({ ...row, value: { ...api, image_runtype: "ssh_direct" } }, "tag").map(({ view }) => view.context),
    ["port canForward isPublic", "port canForward"],
  );
  assert.deepEqual(rowsBelow({ ...row, value: { ...api, public_ipaddr: undefined } }, "tag"), []);
});
