// Where an instance's SSH server is, from what a service says of it.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { namesThisComputer, readSshAddresses } from "../../../../src/domain/connection/ssh-address.ts";

const NOTHING = {
  image_runtype: undefined,
  ports: undefined,
  public_ipaddr: undefined,
  ssh_host: undefined,
  ssh_port: undefined,
};
const DIRECT = { public_ipaddr: " 142.214.185.187\n", ports: { "22/tcp": [{ HostIp: "0.0.0.0", HostPort: "20544" }] } };
const PROXY = { ssh_host: "ssh4.example.com", ssh_port: 11_244 };
const read = (given: object) => readSshAddresses({ ...NOTHING, ...given }).map(({ host, port }) => `${host}:${port}`);

describe("addresses of an SSH server", () => {
  test("the machine's own first, then the proxy", () =>
    assert.deepEqual(read({ ...DIRECT, ...PROXY }), ["142.214.185.187:20544", "ssh4.example.com:11244"]));
  test("the proxy's port is one higher with Jupyter", () =>
    assert.deepEqual(read({ ...PROXY, image_runtype: "jupyter_direct ssh_direct" }), ["ssh4.example.com:11245"]));
  test("the machine's own port is not", () =>
    assert.deepEqual(read({ ...DIRECT, image_runtype: "jupyter_direct ssh_direct" }), ["142.214.185.187:20544"]));
  test("none where the image runs its own entrypoint", () =>
    assert.deepEqual(read({ ...DIRECT, ...PROXY, image_runtype: "args" }), []));
  test("none where the service says nothing", () => assert.deepEqual(read({}), []));
  test("an IPv6 address", () => assert.deepEqual(read({ ...PROXY, ssh_host: "2001:db8::7" }), ["2001:db8::7:11244"]));
});

describe("a place where no machine can be", () => {
  for (const host of ["ssh4.sandbox.invalid", "SSH.INVALID", "192.0.2.7", "198.51.100.7", "203.0.113.7"])
    test(host, () => {
      assert.deepEqual(read({ ...PROXY, ssh_host: host }), []);
      assert.deepEqual(read({ ...DIRECT, ...PROXY, public_ipaddr: host }), ["ssh4.example.com:11244"]);
    });
  test("similar ones are places", () => {
    for (const host of ["invalid.example.com", "192.0.20.7", "1203.0.113.com"])
      assert.deepEqual(read({ ...PROXY, ssh_host: host }), [`${host}:11244`]);
  });
});

describe("this computer", () => {
  for (const host of ["127.0.0.1", "127.1.2.3", "localhost", "LOCALHOST", "x.localhost", "::1", "::", "0.0.0.0"])
    test(host, () => assert.equal(namesThisComputer(host), true));
  // Other ways to write it, and of the unspecified address, which connects to this computer as well.
  for (const host of ["127.1", "2130706433", "0x7f000001", "017700000001", "0177.0.0.1", "0", "0.0", "localhost."])
    test(host, () => assert.equal(namesThisComputer(host), true));
  for (const host of ["::ffff:127.0.0.1", "::ffff:7f00:1", "0:0:0:0:0:0:0:1", "0::1", "::0", "::ffff:0.0.0.0", "[::1]"])
    test(host, () => assert.equal(namesThisComputer(host), true));
  test("what names no host at all", () => assert.ok(["1.2.3.4.5", "1270.0.0.1"].every(namesThisComputer)));
  for (const host of ["2001:db8::7", "::ffff:8.8.8.8", "8.8.8.8", "ssh4.example.com"])
    test(`not ${host}`, () => assert.equal(namesThisComputer(host), false));
  for (const host of ["128.0.0.1", "localhost.example.com", "10.0.0.1", "::2", "notlocalhost"])
    test(`not ${host}`, () => assert.equal(namesThisComputer(host), false));
});

describe("what is no address is passed over", () => {
  const hosts = [
    "-oProxyCommand=x",
    "a b",
    "a'b",
    'a"b',
    "a\nb",
    "a;b",
    "$(x)",
    "`x`",
    "a/b",
    "",
    " ",
    "x".repeat(254),
    5,
  ];
  for (const host of hosts)
    test(`host ${JSON.stringify(host).slice(0, 30)}`, () => {
      assert.deepEqual(read({ ...PROXY, ssh_host: host }), []);
      assert.deepEqual(read({ ...DIRECT, public_ipaddr: host }), []);
    });
  const ports = [0, -1, 65_536, 70_000, 22.5, "22 ", "0", "1e3", "-22", "", null, [], {}, true];
  for (const port of ports)
    test(`port ${JSON.stringify(port)}`, () =>
      assert.deepEqual(read({ ...DIRECT, ports: { "22/tcp": [{ HostPort: port }] } }), []));
  const lists = [
    null,
    [],
    {},
    "22/tcp",
    { "22/tcp": null },
    { "22/tcp": [] },
    { "22/tcp": [null] },
    { "22/tcp": "20544" },
  ];
  for (const list of lists)
    test(`ports ${JSON.stringify(list)}`, () => assert.deepEqual(read({ ...DIRECT, ports: list }), []));
  test("a proxy's port that the shift would take out of range", () =>
    assert.deepEqual(read({ ...PROXY, ssh_port: 65_535, image_runtype: "jupyter" }), []));
});
