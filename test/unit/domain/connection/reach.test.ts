// How far an address leads, and whom a service may send there.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findFarthest, mayLeadTo, measureReach, type Reach } from "../../../../src/domain/connection/reach.ts";

const OWN = ["127.0.0.1", "192.168.1.5", "2001:db8:5::7", "fe80::1%eth0", "203.0.113.9"];

const REACHES: Readonly<Record<Reach, readonly string[]>> = {
  here: [
    ...["127.0.0.1", "127.9.9.9", "127.1", "0x7f000001", "0.0.0.0", "0", "::1", "::", "[::1]", "::ffff:127.0.0.1"],
    ...["::127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::", "0:0:0:0:0:0:0:1"],
    // Addresses of this computer, in whatever spelling.
    ...["192.168.1.5", "0xc0a80105", "2001:DB8:5:0::7", "fe80::1", "203.0.113.9"],
    ...["::ffff:203.0.113.9", "64:ff9b::cb00:7109", "2002:cb00:7109::1", "fe80::5efe:203.0.113.9"],
    // Behind a tunnel or a translator of the network's.
    ...["2001:0:808:808::80ff:fffe", "2001:0:7f00:1::f7f7:f7f7", "2001:0:808:808:8000:63bf:3f57:fefa", "2001::1"],
    ...["2a00:1:2:3::5efe:127.0.0.1", "2a00:1:2:3:200:5efe:7f00:1", "2a00:1:2:3:300:5efe:7f00:1"],
    ...["64:ff9b:1::7f00:1", "64:ff9b:1:7f00:0:100::", "64:ff9b:1:7f:0:1::", "64:ff9b:1:0:7f:0:100:0"],
    ...["64:ff9b:1:5:6:7:127.0.0.1", "64:ff9b:1::", "::ffff:0:127.0.0.1"],
  ],
  private: [
    ...["10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.0.1", "169.254.169.254", "100.64.0.1", "100.127.0.1"],
    ...["224.0.0.1", "255.255.255.255", "198.18.0.1", "fc00::1", "fd12::1", "fe80::2", "fec0::1", "ff02::1", "::2"],
    ...["::ffff:10.0.0.1", "64:ff9b::c0a8:1", "2002:a9fe:a9fe::1", "0xa9fea9fe"],
    ...[
      "2001:0:a00:1::f7f7:f7f7",
      "2001:0:808:808::f5ff:fffe",
      "2a00:1:2:3::5efe:10.0.0.1",
      "2a00::200:5efe:a9fe:a9fe",
    ],
    ...[
      "64:ff9b:1::a00:1",
      "64:ff9b:1:a00:1::",
      "64:ff9b:1:a00:1:0:808:808",
      "64:ff9b:1:c0:a8:100::",
      "::ffff:0:10.0.0.1",
    ],
    ...["64:ff9b:1:0:a:0:100:0", "fe80::5efe:8.8.8.8", "fd00::200:5efe:808:808"],
  ],
  public: [
    ...["8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "192.169.0.1", "223.255.255.1", "11.0.0.1"],
    ...["2001:db8::7", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1"],
    ...["2001:0:808:808::f7f7:f7f7", "2001:1::1", "2001:20::7f00:1", "2a00:1:2:3::5efe:8.8.8.8", "2a00::5eff:7f00:1"],
    ...["64:ff9b:1::808:808", "64:ff9b:1:808:8:800::", "64:ff9b:1:8:8:808::", "64:ff9b:1:0:8:808:800:0"],
    ...["2a00:1:2:3:800:5efe:7f00:1", "::ffff:0:8.8.8.8", "64:ff9c::7f00:1"],
  ],
};

for (const [reach, hosts] of Object.entries(REACHES))
  for (const host of hosts) test(`${host} is ${reach}`, () => assert.equal(measureReach(host, OWN), reach));

for (const name of ["localhost", "gpu.example.com", "127.0.0.1.nip.io", "a", ""])
  test(`where ${JSON.stringify(name)} leads is looked up`, () => assert.equal(measureReach(name, OWN), undefined));

test("who has addresses near and far is far", () => {
  assert.equal(findFarthest(["here", "public", "private"]), "public");
  assert.equal(findFarthest(["private", "here"]), "private");
  assert.equal(findFarthest([]), undefined);
});

describe("a service sends nobody nearer to this computer than it is itself", () => {
  const all = ["here", "private", "public"] as const;
  for (const [reach, allowed] of [
    ["public", ["public"]],
    ["private", ["private", "public"]],
    ["here", all],
  ] as const)
    test(reach, () =>
      assert.deepEqual(
        all.filter((found) => mayLeadTo({ reach, sandbox: false }, found)),
        allowed,
      ),
    );
  test("the sandbox only here", () =>
    assert.deepEqual(
      all.filter((found) => mayLeadTo({ reach: "here", sandbox: true }, found)),
      ["here"],
    ));
});
