// What is read of what a machine's shell prints.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findAnswer, findComplaint } from "../../../../src/domain/connection/machine-answer.ts";
import { MASK, rememberServedSecret } from "../../../../src/lib/redact.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("our line is found behind whatever a profile printed", () => {
  assert.equal(findAnswer(bytes("Welcome!\n")), undefined);
  const printed = "Welcome!\ncloud-gpu-answers no\ncloud-gpu-answer folder\nrest";
  assert.deepEqual(findAnswer(bytes(printed)), { answer: "folder", end: printed.length - 4 });
  assert.deepEqual(findAnswer(bytes("größe\ncloud-gpu-answer file\n")), { answer: "file", end: 30 });
  assert.throws(() => findAnswer(bytes("x".repeat(100_000))), /printed unexpected output/);
});

test("the reason is the last line that is one", () => {
  const lines = [
    "Warning: Permanently added 'cloud-gpu-7' (ED25519) to the list of known hosts.",
    "tar: a: Cannot write: No space left on device",
    "tar: Exiting with failure status due to previous errors",
    "",
  ];
  assert.equal(findComplaint(lines.join("\n")), "a: Cannot write: No space left on device");
  assert.equal(findComplaint(lines[0] ?? ""), "");
  const ofSharing = [
    "mux_client_request_session: session request failed: Session open refused by peer\r",
    "Control socket connect(/tmp/cg-x/s): Connection refused\r",
  ];
  assert.equal(findComplaint(["no space", ...ofSharing].join("\n")), "no space", "a command of its own went on");
  assert.equal(findComplaint("\u001b[31mred\u001b[0m \u202eabc\r\n"), "[31mred[0m abc");
});

test("what was said before the script began is no reason, wherever it was cut", () => {
  assert.equal(findComplaint("bash: warning: setlocale\ncloud-gpu-begun\ntar: no space\n"), "no space");
  assert.equal(findComplaint("Welcome!\r\ncloud-gpu-begun\r\n"), "");
  assert.equal(findComplaint("cloud-gpu-begun\n"), "");
  assert.equal(findComplaint("un\ntar: no space\n"), "no space");
  assert.equal(findComplaint("This account is not available.\n"), "This account is not available.");
});

test("a secret that a machine repeats is masked, also where it would be cut", () => {
  const [secret, filler] = ["canary-of-a-complaint", "x".repeat(190)];
  rememberServedSecret(secret);
  assert.equal(findComplaint(`jupyter: ${secret} is taken\n`), `jupyter: ${MASK} is taken`);
  assert.equal(findComplaint(`${filler} ${secret}`), `${filler} ${MASK}`);
});

test("nor is its end left of a secret in a line so long that its beginning isn't read", () => {
  const secret = "canary-of-a-complaint-0123456789-abcdef";
  rememberServedSecret(secret);
  const said = findComplaint(`jupyter: ${"x".repeat(5000)} ${secret}${"y".repeat(4000 - 30)}`);
  assert.ok(!said.includes(secret.slice(-20)), said);
});
