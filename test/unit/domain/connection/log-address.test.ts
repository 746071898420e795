// Which addresses of a log are opened.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { parseAddress } from "../../../../src/domain/base/address.ts";
import { isLogAddress } from "../../../../src/domain/connection/log-address.ts";

/** Of this computer. */
const own = ["192.168.0.7", "203.0.113.9", "2001:db8::9"];
const FAR = { address: parseAddress("https://gpu.example.com"), own, sandbox: false, reach: "public" } as const;
const INSIDE = { ...FAR, address: parseAddress("https://gpu.corp.example"), reach: "private" } as const;
const HERE = { address: parseAddress("http://127.0.0.1:8080"), own, sandbox: false, reach: "here" } as const;
const SANDBOX = { ...HERE, sandbox: true };

const CASES: readonly (readonly [url: string, far: boolean, inside: boolean, here: boolean, sandbox: boolean])[] = [
  ["https://store.example.com/logs/x?signature=y", true, true, true, false],
  ["http://store.example.com/logs/x", false, false, false, false],
  ["http://127.0.0.1:9/x", false, false, true, true],
  ["http://localhost:9/x", false, false, true, true],
  ["https://[::1]/x", false, false, true, true],
  ["https://[::ffff:127.0.0.1]/x", false, false, false, false],
  ["https://0.0.0.0/x", false, false, false, false],
  ["https://localhost./x", false, false, false, false],
  ["https://127.0.0.2/x", false, false, false, false],
  ["https://a.localhost/x", false, false, false, false],
  ["https://me:secret@store.example.com/x", false, false, false, false],
  ["http://me@127.0.0.1/x", false, false, false, false],
  ["http://127.0.0.1.example.com/x", false, false, false, false],
  ["http://169.254.169.254/latest", false, false, false, false],
  ["https://169.254.169.254/latest", false, true, true, false],
  ["https://192.168.0.1/x", false, true, true, false],
  ["https://0xa000001/x", false, true, true, false],
  ["https://[fd00::1]/x", false, true, true, false],
  ["https://[::ffff:10.0.0.1]/x", false, true, true, false],
  ["https://8.8.8.8/x", true, true, true, false],
  ["https://192.168.0.7/x", false, false, true, false],
  ["https://203.0.113.9/x", false, false, true, false],
  ["https://[2001:db8::9]/x", false, false, true, false],
  ["https://[2001:DB8:0::9]/x", false, false, true, false],
  ["https://[::ffff:8.8.8.8]/x", true, true, true, false],
  ["ftp://127.0.0.1/x", false, false, false, false],
  ["file:///etc/passwd", false, false, false, false],
];

describe("an address named by a service elsewhere, in a network of this computer's, on this computer, and by the sandbox", () => {
  for (const [url, ...expected] of CASES)
    test(url, () =>
      assert.deepEqual(
        [FAR, INSIDE, HERE, SANDBOX].map((owner) => isLogAddress(new URL(url), owner)),
        expected,
      ),
    );
});
