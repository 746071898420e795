// Our own SSH configuration file: one block for each machine, with nothing in it that a service could have written.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildProtectiveOptions, type SshLogin } from "../../../../src/domain/connection/ssh-command.ts";
import {
  findDifference,
  isHostAlias,
  formatSshConfig as textOf,
} from "../../../../src/domain/connection/ssh-config.ts";

const LOGIN: SshLogin = {
  address: { host: "1.2.3.4", port: 20_544 },
  alias: "cloud-gpu-example.com-7",
  knownHosts: "~/.ssh/cloud-gpu/known_hosts",
};

const sshConfigText = (logins: readonly SshLogin[]) => textOf(logins, LOGIN.knownHosts);

describe("the file", () => {
  test("has a block for each machine, sorted by name", () => {
    const text = sshConfigText([LOGIN, { ...LOGIN, alias: "cloud-gpu-example.com-10" }]);
    assert.deepEqual(text.match(/^Host .*$/gm), [
      "Host cloud-gpu-example.com-10",
      "Host cloud-gpu-example.com-7",
      "Host cloud-gpu-*",
    ]);
  });

  test("leads a name without a block nowhere, whatever the place of the host keys is called", () => {
    for (const text of [sshConfigText([]), textOf([], "/a\nProxyCommand x")]) {
      assert.deepEqual(text.match(/^Host .*$/gm), ["Host cloud-gpu-*"]);
      assert.match(text, /^ {2}HostName \S+\.invalid$/m);
      assert.match(text, /^ {2}ForwardAgent no$/m);
      assert.doesNotMatch(text, /^ProxyCommand/m);
    }
  });

  test("protects as the command line does", () => {
    const lines = sshConfigText([LOGIN]).split("\n");
    for (const [name, value] of buildProtectiveOptions(LOGIN)) assert.ok(lines.includes(`  ${name} ${value}`), name);
    for (const line of ["  HostName 1.2.3.4", "  Port 20544", "  User root"]) assert.ok(lines.includes(line), line);
  });

  test("keeps the forwardings that windows of the editor need", () =>
    assert.doesNotMatch(sshConfigText([LOGIN]), /ClearAllForwardings/i));

  test("names a key only where one is known, quoted where it must be", () => {
    assert.doesNotMatch(sshConfigText([LOGIN]), /Identit/);
    const text = sshConfigText([{ ...LOGIN, identity: "/home/a b/100%" }]);
    assert.match(text, /^ {2}IdentityFile "\/home\/a b\/100%%"\n {2}IdentitiesOnly yes$/m);
    assert.doesNotMatch(sshConfigText([{ ...LOGIN, identity: "/a\nProxyCommand x" }]), /ProxyCommand|Identit/);
  });

  test("gives a machine both of its names, and no name to two", () => {
    const [first, second] = ["cloud-gpu-a.com-7", "cloud-gpu-b.com-7"].map((alias) => ({ ...LOGIN, alias }));
    assert.ok(first && second);
    const name = "1xrtx4090-fr-7";
    assert.match(sshConfigText([{ ...first, name }]), /^Host cloud-gpu-a\.com-7 1xrtx4090-fr-7$/m);
    const both = sshConfigText([
      { ...second, name },
      { ...first, name },
    ]);
    assert.deepEqual(both.match(/^Host .*$/gm)?.slice(0, 2), [
      `Host cloud-gpu-a.com-7 ${name}`,
      "Host cloud-gpu-b.com-7",
    ]);
    for (const odd of ["work", "1xa-7 *", "1xa-7\nProxyCommand x", "*"])
      assert.equal(sshConfigText([{ ...LOGIN, name: odd }]), sshConfigText([LOGIN]), odd);
  });

  test("leads the name of a machine that ended nowhere, unless another has it", () => {
    const hosts = (logins: readonly SshLogin[]) =>
      textOf(logins, LOGIN.knownHosts, ["2xa-7", "1xa-7", "1xa-7", "work"])
        .match(/^Host .*$/gm)
        ?.at(-1);
    assert.equal(hosts([]), "Host cloud-gpu-* 1xa-7 2xa-7");
    assert.equal(hosts([{ ...LOGIN, name: "1xa-7" }]), "Host cloud-gpu-* 2xa-7");
  });

  const refused: Readonly<Record<string, Partial<SshLogin>>> = {
    "a host with a line end": { address: { host: "a\nProxyCommand x", port: 1 } },
    "a host with a blank": { address: { host: "a b", port: 1 } },
    "a host like an option": { address: { host: "-oProxyCommand=x", port: 1 } },
    "a port out of range": { address: { host: "a", port: 70_000 } },
    "a pattern for a name": { alias: "cloud-gpu-*" },
    "two names": { alias: "cloud-gpu-a b" },
    "a name of the person's": { alias: "github.com" },
    "a name in capitals": { alias: "cloud-gpu-A" },
    "a name that leads elsewhere": { alias: "cloud-gpu-../a" },
    "a file with a line end": { knownHosts: "/a\nProxyCommand x" },
  };
  for (const [what, part] of Object.entries(refused))
    test(`leaves out ${what}`, () =>
      assert.deepEqual(sshConfigText([{ ...LOGIN, ...part }, LOGIN]), sshConfigText([LOGIN])));
});

test("the name of a machine is a plain word of ours", () => {
  assert.ok(isHostAlias("cloud-gpu-sandbox-0123456789abcdef-7"));
  assert.ok(!isHostAlias("cloud-gpu-"));
  assert.ok(!isHostAlias("cloud-gpu-a..b"));
});

describe("what ssh would do", () => {
  const printed = (changes: Readonly<Record<string, string | undefined>> = {}) =>
    Object.entries({
      hostname: "1.2.3.4",
      port: "20544",
      user: "root",
      hostkeyalias: "cloud-gpu-example.com-7",
      userknownhostsfile: "/home/me/.ssh/cloud-gpu/known_hosts",
      stricthostkeychecking: "accept-new",
      controlmaster: "false",
      tunnel: "false",
      forwardagent: "no",
      serveraliveinterval: "15",
      ...changes,
    })
      .flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${value}`]))
      .join("\n");
  const differs = (changes?: Readonly<Record<string, string | undefined>>) =>
    findDifference(LOGIN, printed(changes), "/home/me/.ssh/cloud-gpu/known_hosts");

  test("is as written, in its own spelling", () => assert.equal(differs(), undefined));
  const cases: readonly [name: string, value: string | undefined][] = [
    ["HostName", "cloud-gpu-example.com-7"],
    ["Port", "22"],
    ["User", "me"],
    ["HostKeyAlias", undefined],
    ["UserKnownHostsFile", "/home/me/.ssh/known_hosts"],
    ["StrictHostKeyChecking", "no"],
    ["ForwardAgent", "yes"],
    ["ControlMaster", "auto"],
    ["PermitLocalCommand", "yes"],
  ];
  for (const [name, value] of cases)
    test(`differs in ${name}`, () => assert.equal(differs({ [name.toLowerCase()]: value }), name));
});
