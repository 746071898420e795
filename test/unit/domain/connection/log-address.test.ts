// Which addresses of a log are opened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAddress } from "../../../../src/domain/base/address.ts";
import { isLogAddress } from "../../../../src/domain/connection/log-address.ts";

const FAR = { address: parseAddress("https://gpu.example.com"), sandbox: false };
const HERE = { address: parseAddress("http://127.0.0.1:8080"), sandbox: false };
const SANDBOX = { ...HERE, sandbox: true };

const CASES: readonly (readonly [url: string, far: boolean, here: boolean, sandbox: boolean])[] = [
  ["https://store.example.com/logs/x?signature=y", true, true, false],
  ["http://store.example.com/logs/x", false, false, false],
  ["http://127.0.0.1:9/x", false, true, true],
  ["http://localhost:9/x", false, true, true],
  ["https://[::1]/x", false, true, true],
  ["https://[::ffff:127.0.0.1]/x", false, false, false],
  ["https://0.0.0.0/x", false, false, false],
  ["https://localhost./x", false, false, false],
  ["https://127.0.0.2/x", false, false, false],
  ["https://a.localhost/x", false, false, false],
  ["https://me:secret@store.example.com/x", false, false, false],
  ["http://me@127.0.0.1/x", false, false, false],
  ["http://127.0.0.1.example.com/x", false, false, false],
  ["http://169.254.169.254/latest", false, false, false],
  ["ftp://127.0.0.1/x", false, false, false],
  ["file:///etc/passwd", false, false, false],
];

describe("an address named by a service elsewhere, on this computer, and by the sandbox", () => {
  for (const [url, ...expected] of CASES)
    test(url, () =>
      assert.deepEqual(
        [FAR, HERE, SANDBOX].map((owner) => isLogAddress(new URL(url), owner)),
        expected,
      ),
    );
});
