// The ports that a service lists for a machine, whatever else is in the list.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readMachinePorts } from "../../../../src/domain/connection/machine-port.ts";

const read = (ports: unknown) => readMachinePorts({ ports, public_ipaddr: "1.2.3.4" });
const at = (port: string) => [{ HostIp: "0.0.0.0", HostPort: port }];

describe("the ports of a machine", () => {
  test("are sorted by number, without that of SSH", () =>
    assert.deepEqual(read({ "8080/tcp": at("40001"), "22/tcp": at("40002"), "6006/tcp": null }), [
      { port: 6006, publicAt: undefined },
      { port: 8080, publicAt: { host: "1.2.3.4", port: 40_001 } },
    ]));

  test("are each listed once: the editor drops a list with the same row twice", () =>
    assert.deepEqual(
      read({ "08080/tcp": at("1"), " 8080/tcp": at("2"), "8080/tcp": at("3"), "8080 /tcp": at("4") }).map(
        ({ publicAt }) => publicAt?.port,
      ),
      [3],
    ));

  for (const name of [
    "0/tcp",
    "65536/tcp",
    "8080",
    "8080/udp",
    "8080/tcp/tcp",
    "__proto__",
    "-1/tcp",
    "1e3/tcp",
    "٣/tcp",
  ])
    test(`don't include ${name}`, () => assert.deepEqual(read(Object.fromEntries([[name, at("1")]])), []));
});
