// The command line that logs in to a machine.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, test } from "node:test";
import {
  buildCommandArguments,
  buildForwardArguments,
  buildSshArguments,
  formatHostKeyAlias,
  formatSshCommand,
  readFastCiphers,
  readLoginOptions,
  readProxyCommand,
  readWay,
} from "../../../../src/domain/connection/ssh-command.ts";

const LOGIN = {
  address: { host: "1.2.3.4", port: 20_544 },
  alias: "cloud-gpu-example.com-31244",
  knownHosts: "/home/me/.ssh/cloud-gpu/known_hosts",
};

describe("the arguments of ssh", () => {
  const options = (args: readonly string[]) => args.flatMap((arg, at) => (args[at - 1] === "-o" ? [arg] : []));
  test("the place stands last, after the options' end", () =>
    assert.deepEqual(buildSshArguments(LOGIN).slice(-4), ["-p", "20544", "--", "root@1.2.3.4"]));
  test("what protects the person is explicit", () => {
    const given = options(buildSshArguments(LOGIN));
    for (const option of [
      "HostKeyAlias=cloud-gpu-example.com-31244",
      "StrictHostKeyChecking=accept-new",
      "ForwardAgent=no",
      "ForwardX11=no",
      "PermitLocalCommand=no",
    ])
      assert.ok(given.includes(option), option);
  });
  test("the person's own configuration is read, unless another is named", () => {
    assert.ok(!buildSshArguments(LOGIN).includes("-F"));
    assert.deepEqual(buildSshArguments({ ...LOGIN, config: "/tmp/x" }).slice(0, 2), ["-F", "/tmp/x"]);
  });
  test("a folder with a blank is one file for ssh", () =>
    assert.ok(
      options(buildSshArguments({ ...LOGIN, knownHosts: "/home/a b/known_hosts" })).includes(
        'UserKnownHostsFile="/home/a b/known_hosts"',
      ),
    ));
});

describe("a command without a terminal", () => {
  const given = buildCommandArguments({ ...LOGIN, identity: "/home/me/.ssh/id" }, "tar -xf - -C '/a b'");
  test("is the last argument, as it is", () =>
    assert.deepEqual(given.slice(-3), ["--", "root@1.2.3.4", "tar -xf - -C '/a b'"]));
  test("asks nobody, and keeps what protects the person", () => {
    for (const option of ["BatchMode=yes", "ClearAllForwardings=yes", "ForwardAgent=no", "IdentitiesOnly=yes"])
      assert.ok(given.includes(option), option);
  });
  test("uses the ciphers that are given, and a terminal is the person's", () => {
    const login = { ...LOGIN, ciphers: "aes256-gcm@openssh.com,aes256-ctr" };
    assert.ok(buildCommandArguments(login, "true").includes("Ciphers=aes256-gcm@openssh.com,aes256-ctr"));
    for (const args of [given, buildSshArguments(login)]) assert.ok(!args.some((one) => one.startsWith("Ciphers=")));
  });
});

describe("ciphers that processors have instructions for", () => {
  const [slow, small, large] = ["chacha20-poly1305@openssh.com", "aes128-gcm@openssh.com", "aes256-gcm@openssh.com"];
  for (const [what, printed, ciphers] of [
    ["come first of the usual ones", `${slow},aes128-ctr,${small},${large}`, `${small},${large},${slow},aes128-ctr`],
    ["stay in their order", `aes256-ctr,${large},${small}`, `${large},${small},aes256-ctr`],
    ["aren't added where they were ruled out", "aes256-ctr,aes256-cbc", undefined],
    ["nor any other", large, large],
  ] as const)
    test(what, () => assert.equal(readFastCiphers(`user root\nciphers ${printed}\nmacs x\n`), ciphers));
  test("aren't known where `ssh` says nothing", () => assert.equal(readFastCiphers(""), undefined));
});

describe("a forwarded port", () => {
  const given = buildForwardArguments(LOGIN, { local: 8081, remote: 8080 }, [["IdentityAgent", "~/agent.sock"]]);
  test("listens on loopback and leads to loopback", () =>
    assert.equal(given[given.indexOf("-L") + 1], "127.0.0.1:8081:127.0.0.1:8080"));
  test("is the only one: no other configuration is read, and nothing clears it", () => {
    assert.deepEqual(given.slice(0, 2), ["-F", "none"]);
    assert.ok(!given.includes("ClearAllForwardings=yes"));
  });
  test("keeps what protects the person, and what the login needs of their configuration", () => {
    for (const option of ["BatchMode=yes", "ForwardAgent=no", "ExitOnForwardFailure=yes", "IdentityAgent=~/agent.sock"])
      assert.ok(given.includes(option), option);
  });
});

test("of a printed configuration, only what a login needs is kept", () =>
  assert.deepEqual(
    readLoginOptions(
      'user root\nidentityagent ~/.1p/agent.sock\nidentityfile ~/.ssh/id\nidentityfile /a b/"c"\nremoteforward 1 2\nproxycommand x\n',
    ),
    [
      ["identityagent", "~/.1p/agent.sock"],
      ["identityfile", "~/.ssh/id"],
      ["identityfile", '"/a b/\\"c\\""'],
    ],
  ));

for (const [what, printed, way] of [
  ["nothing of its own", "hostname ssh5.example\n", []],
  ["another name", "hostname 10.0.0.9\n", [["hostname", "10.0.0.9"]]],
  ["a command", "hostname ssh5.example\nproxycommand nc -X 5 %h %p\n", ["nc -X 5 %h %p"]],
  ["none", "hostname ssh5.example\nproxycommand none\n", []],
  ["a jump host", "hostname ssh5.example\nproxyjump jumper\n", ['ssh -F "/a b/100%%" -W "[%h]:%p" jumper']],
  [
    "several",
    "hostname ssh5.example\nproxyjump a,me@b:2,you@[2001:db8::1]:22\n",
    ['ssh -F "/a b/100%%" -l you -p 22 -J a,me@b:2 -W "[%h]:%p" 2001:db8::1'],
  ],
  ["one that is an option", "hostname ssh5.example\nproxyjump -oProxyCommand=x\n", []],
  ["one that a shell would read", "hostname ssh5.example\nproxyjump a;x\n", []],
] as const)
  test(`a printed way to a host: ${what}`, () => {
    const found = readWay(printed, "ssh5.example", "/a b/100%").filter(
      ([name, value]) => name !== "hostname" || value !== "ssh5.example",
    );
    assert.deepEqual(
      found,
      way.map((one) => (typeof one === "string" ? ["proxycommand", one] : one)),
    );
  });

test("a percent sign in a folder's name stays one", () =>
  assert.ok(
    buildSshArguments({ ...LOGIN, knownHosts: "/home/100%/known_hosts" }).includes(
      "UserKnownHostsFile=/home/100%%/known_hosts",
    ),
  ));

describe("the command as text", () => {
  const throughShell = (text: string) =>
    execFileSync("/bin/sh", ["-c", `ssh() { printf '%s\\n' "$@"; }\n${text}`], { encoding: "utf8" })
      .trimEnd()
      .split("\n");
  for (const knownHosts of [LOGIN.knownHosts, "/home/a b/it's/known_hosts"])
    test(`a shell reads the very arguments, ${knownHosts}`, { skip: process.platform === "win32" }, () => {
      const login = { ...LOGIN, knownHosts };
      assert.deepEqual(throughShell(formatSshCommand(login)), [...buildSshArguments(login)]);
    });
});

describe("the name of a machine's host key", () => {
  const names: readonly [service: string, alias: string][] = [
    ["console.example.com", "cloud-gpu-console.example.com-7"],
    ["127.0.0.1:43343", "cloud-gpu-127.0.0.1-43343-7"],
    ["[::1]:80", "cloud-gpu-1-80-7"],
    ["Ünï cödé", "cloud-gpu-n-c-d-7"],
    ["-oX", "cloud-gpu-ox-7"],
  ];
  for (const [service, alias] of names) test(service, () => assert.equal(formatHostKeyAlias(service, 7), alias));
});

describe("a proxy command", () => {
  test("is handed to ssh as the person wrote it", () => {
    const proxyCommand = "nc -X connect -x 'proxy:3128' %h %p";
    assert.ok(buildSshArguments({ ...LOGIN, proxyCommand }).includes(`ProxyCommand=${proxyCommand}`));
    assert.ok(buildSshArguments(LOGIN).every((arg) => !arg.startsWith("ProxyCommand")));
  });
  test("of blanks is none", () => {
    assert.deepEqual([undefined, "", "  "].map(readProxyCommand), [undefined, undefined, undefined]);
    assert.equal(readProxyCommand("  nc %h %p "), "nc %h %p");
  });
  for (const text of ["nc %h\nLocalCommand x", "nc\r%h", "nc\u0000", "nc \u2028 x", "x".repeat(2001)])
    test(`is one line: ${JSON.stringify(text).slice(0, 30)}`, () =>
      assert.throws(() => readProxyCommand(text), RangeError));
});
