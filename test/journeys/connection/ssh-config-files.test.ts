// The files of SSH on a person's computer: ours are always whole, theirs get one line after a question and give it back.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { chmod, link, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import type { AppError } from "../../../src/domain/base/error.ts";
import { InstanceId } from "../../../src/domain/base/id.ts";
import { buildCommandArguments, buildSshArguments, type SshLogin } from "../../../src/domain/connection/ssh-command.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { silentLog } from "../../../src/lib/log.ts";
import { RemoteWindows } from "../../../src/services/connection/remote-windows.ts";
import { OwnSshConfig } from "../../../src/services/connection/ssh/own-ssh-config.ts";
import { PersonSshConfig } from "../../../src/services/connection/ssh/person-ssh-config.ts";
import type { SshFiles } from "../../../src/services/connection/ssh/ssh-files.ts";
import { SshMachines } from "../../../src/services/connection/ssh/ssh-machines.ts";
import { cleanUp, signedIn } from "../support.ts";

const HAS_SSH = spawnSync("ssh", ["-V"], { stdio: "ignore" }).error === undefined;
const skip = !HAS_SSH && "OpenSSH is not installed";
const posix = process.platform === "win32" && "files have no such permissions or links there";
const run = promisify(execFile);

const window = await signedIn();

/** A home of its own, as one editor of the person sees it. */
async function home(clock = realClock) {
  const root = await mkdtemp(join(tmpdir(), "cloud-gpu-ssh-"));
  cleanUp(() => rm(root, { recursive: true, force: true, maxRetries: 5 }));
  const files: SshFiles = {
    folder: join(root, "cloud-gpu"),
    knownHosts: join(root, "cloud-gpu", "known_hosts"),
    ownConfig: join(root, "cloud-gpu", "config"),
    person: () => ({ path: join(root, "config"), isUsual: false }),
    usual: [join(root, "config"), join(root, "no-such-file")],
  };
  const machines = new SshMachines(files.folder, clock, silentLog);
  const own = new OwnSshConfig(files, machines, clock);
  const person = new PersonSshConfig(files, clock);
  const { session } = window;
  const windows = new RemoteWindows({ clock: realClock, session, files, machines, own, person });
  return { root, files, machines, own, person, windows, config: join(root, "config") };
}
type Home = Awaited<ReturnType<typeof home>>;

const loginOf = ({ files }: Pick<Home, "files">, id: number, port = 20_000 + id): SshLogin => ({
  address: { host: "127.0.0.1", port },
  alias: `cloud-gpu-example.com-${id}`,
  knownHosts: files.knownHosts,
});
const note = (at: Home, id: number) => at.machines.put(window.me(), InstanceId.parse(id), loginOf(at, id));
const hostsIn = async ({ files }: Home) =>
  [...(await readFile(files.ownConfig, "utf8")).matchAll(/^Host .*-(\d+)$/gm)].map(([, id]) => Number(id));
const refusal = (said: RegExp) => (error: AppError) => error.kind === "rejected" && said.test(error.message);
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at);

/** Everything that `ssh` would do for a host, by the person's configuration. */
async function settingsOf({ config }: Home, host: string): Promise<string> {
  return (await run("ssh", ["-F", config, "-G", "--", host])).stdout;
}

/** What `ssh` prints of a login that gives nothing away. */
const KEYS_ONLY = [
  ...["preferredauthentications publickey", "passwordauthentication no", "kbdinteractiveauthentication no"],
  ...["hostbasedauthentication no", "forwardagent no", "forwardx11 no", "permitlocalcommand no", "tunnel false"],
];

/** Personal configurations that give away as much as they can, each with other lines in another order. */
function drawConfigurations(count: number): readonly string[] {
  const lines = [
    ...["PasswordAuthentication yes", "KbdInteractiveAuthentication yes", "ChallengeResponseAuthentication yes"],
    ...["PreferredAuthentications password,keyboard-interactive", "PreferredAuthentications gssapi-with-mic,publickey"],
    ...["HostbasedAuthentication yes", "GSSAPIAuthentication yes", "GSSAPIDelegateCredentials yes", "SendEnv *"],
    ...["SendEnv LANG LC_* *_TOKEN", "ForwardAgent yes", "ForwardX11 yes", "ForwardX11Trusted yes", "Tunnel yes"],
    ...["PermitLocalCommand yes", "LocalCommand touch x", "NumberOfPasswordPrompts 9", "BatchMode no"],
  ];
  const heads = ["", "Host *\n", "Match all\n", "Host 127.0.0.1 cloud-gpu-*\n", 'Match exec "true"\n'];
  return Array.from({ length: count }, (_, draw) => {
    // Steps without a common divisor go through all of them.
    const order = lines.map((_, at) => lines[(at * 7 + draw * 5) % lines.length]);
    const head = heads[draw % heads.length];
    return `${head}${order.slice(0, 6 + ((draw * 3) % lines.length)).join("\n")}\n`;
  });
}

describe("a terminal", () => {
  const weaker = `Host *
  ForwardAgent yes
  ForwardX11 yes
  RemoteForward 9001 127.0.0.1:22
  ControlMaster auto
  ControlPath /tmp/%C
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  PermitLocalCommand yes
  LocalCommand touch x
  ServerAliveInterval 99
  Compression yes
`;

  test("logs in by the machine's name as it does by every option, and reads the person's configuration after ours", {
    skip,
  }, async () => {
    const at = await home();
    await writeFile(at.config, weaker);
    await note(at, 7);
    const login = loginOf(at, 7);
    const short = await at.own.buildTerminalArguments(login);
    assert.ok(short && short.join(" ").length < 200, short?.join(" "));
    const asked = async (args: readonly string[]) => {
      const { stdout } = await run("ssh", ["-G", ...args]);
      return new Set(stdout.trim().split("\n"));
    };
    const [byName, byOptions] = [await asked(short), await asked(buildSshArguments({ ...login, config: at.config }))];
    // Only what was typed differs.
    const differing = [...byName.symmetricDifference(byOptions)].filter((line) => !/^host /.test(line));
    assert.deepEqual(differing, []);
    assert.ok(byName.has("compression yes"), "what the person set otherwise holds");
    assert.ok(byName.has("forwardagent no") && ![...byName].some((line) => /^remoteforward /.test(line)));
  });

  test("keeps what the person's configuration says of a name whose address was judged", { skip }, async () => {
    const at = await home();
    await writeFile(at.config, "Match host *.example\n  IdentityFile ~/.ssh/gpu\n  Compression yes\n");
    const named = { ...loginOf(at, 7), address: { host: "machine.example", port: 20_007 } };
    await at.machines.put(window.me(), InstanceId.parse(7), named);
    const kept = [
      ["identityfile", "~/.ssh/gpu"],
      ["compression", "yes"],
    ] as const;
    const short = await at.own.buildTerminalArguments({ ...named, connectTo: "127.0.0.1", kept });
    const { stdout } = await run("ssh", ["-G", ...(short ?? [])]);
    const said = stdout.split("\n");
    for (const line of ["hostname 127.0.0.1", "identityfile ~/.ssh/gpu", "compression yes", "forwardagent no"])
      assert.ok(said.includes(line), `${line}\n${stdout}`);
  });

  test("is asked for a key and nothing else, and told nothing of this computer, whatever is configured", {
    skip,
  }, async () => {
    const at = await home();
    await note(at, 7);
    const login = loginOf(at, 7);
    await at.own.write();
    const drawn = drawConfigurations(12);
    for (const text of drawn) {
      await writeFile(at.config, text);
      const short = await at.own.buildTerminalArguments(login);
      assert.ok(short);
      await at.person.include();
      const options = { ...login, config: at.config };
      for (const [way, args] of [
        ["by the terminal's file", short],
        ["by options", buildSshArguments(options)],
        ["by the command of a transfer", buildCommandArguments(options, "true")],
        ["by the person's file", ["-F", at.config, login.alias]],
      ] as const) {
        const { stdout } = await run("ssh", ["-G", ...args]);
        const said = stdout.split("\n");
        for (const line of KEYS_ONLY) assert.ok(said.includes(line), `${way}: ${line}\n${text}\n${stdout}`);
        const sent = said.filter((line) => line.startsWith("sendenv "));
        if (args === short) assert.deepEqual(sent, [], text);
      }
      await at.person.exclude();
    }
  });

  test("of a machine that ended meanwhile reaches nothing, and protects as before", { skip }, async () => {
    const at = await home();
    await writeFile(at.config, weaker);
    await note(at, 7);
    const short = await at.own.buildTerminalArguments(loginOf(at, 7));
    assert.ok(short);
    const asked = async () => (await run("ssh", ["-G", ...short])).stdout;
    for (const end of [
      () => at.machines.remove(loginOf(at, 7).alias).then(() => at.own.write()),
      () => at.own.remove(),
    ]) {
      await end();
      const said = await asked();
      for (const line of [/^hostname \S+\.invalid$/m, /^user root$/m, /^forwardagent no$/m, /^permitlocalcommand no$/m])
        assert.match(said, line);
      assert.match(said, /^stricthostkeychecking accept-new$/m);
      assert.ok(!said.includes("/dev/null") && !said.includes("remoteforward"));
    }
    // Nor does a window, which is opened by the person's own file.
    await note(at, 8);
    await at.own.write();
    await at.person.include();
    const window = await settingsOf(at, loginOf(at, 7).alias);
    assert.match(window, /^hostname \S+\.invalid$/m);
    assert.match(window, /^forwardagent no$/m);
  });

  test("names every option where the files can't be written, or another window wrote another address", async () => {
    const at = await home();
    assert.equal(await at.own.buildTerminalArguments(loginOf(at, 7)), undefined, "nobody wrote it down");
    await note(at, 7);
    assert.equal(await at.own.buildTerminalArguments(loginOf(at, 7, 5)), undefined, "it moved");
    await mkdir(at.files.ownConfig, { recursive: true });
    assert.equal(await at.own.buildTerminalArguments(loginOf(at, 7)), undefined, "no file can be there");
  });
});

test("a configuration that is a pipe is neither read nor waited for", { skip: posix }, async () => {
  const at = await home();
  assert.equal(spawnSync("mkfifo", [at.config]).status, 0);
  assert.equal(await at.person.includesOurs(), false);
  await assert.rejects(at.person.exclude(), refusal(/isn't a file/));
  await assert.rejects(at.person.check(), refusal(/isn't a file/));
});

describe("our configuration", () => {
  test("is the person's own, and written whole", { skip: posix }, async () => {
    const at = await home();
    await note(at, 7);
    await at.own.write();
    assert.deepEqual(await hostsIn(at), [7]);
    const modes = [
      at.files.folder,
      at.files.ownConfig,
      join(at.files.folder, "machines", "cloud-gpu-example.com-7.json"),
    ];
    const found = await Promise.all(modes.map(async (path) => (await stat(path)).mode & 0o777));
    assert.deepEqual(found, [0o700, 0o600, 0o600]);
    assert.deepEqual((await readdir(at.files.folder)).sort(), ["config", "machines"]);
  });

  test("holds the machines of all windows, however they write at the same moment", async () => {
    const at = await home();
    const windows = numbers(0, 4).map(() => {
      const machines = new SshMachines(at.files.folder, realClock, silentLog);
      return { ...at, machines, own: new OwnSshConfig(at.files, machines, realClock) };
    });
    await Promise.all(
      windows.map(async (one, which) => {
        for (const id of numbers(which * 100 + 1, 10)) {
          await note(one, id);
          await one.own.write();
        }
      }),
    );
    assert.deepEqual(
      (await hostsIn(at)).sort((a, b) => a - b),
      windows.flatMap((_, which) => numbers(which * 100 + 1, 10)),
    );
  });

  test("keeps all that is learned of a machine at the same moment, and nothing of one that ended", async () => {
    const at = await home();
    await note(at, 7);
    const { alias } = loginOf(at, 7);
    await Promise.all([
      at.machines.change(alias, { folder: "/data" }),
      at.machines.change(alias, { isPrepared: true }),
      at.machines.change(alias, { host: "10.0.0.7", port: 7 }),
    ]);
    const { folder, isPrepared, host, port } = (await at.machines.find(alias)) ?? {};
    assert.deepEqual([folder, isPrepared, host, port], ["/data", true, "10.0.0.7", 7]);
    await Promise.all([at.machines.change(alias, { folder: "/x" }), at.machines.remove(alias)]);
    assert.equal(await at.machines.find(alias), undefined);
    await note(at, 8);
    await Promise.all([note(at, 8), at.machines.change(loginOf(at, 8).alias, { isPrepared: true })]);
    assert.equal((await at.machines.find(loginOf(at, 8).alias))?.isPrepared, true);
  });

  test("is left whole by a program that is killed while it writes", { skip: posix }, async () => {
    const at = await home();
    for (const id of numbers(1, 40)) await note(at, id);
    await at.own.write();
    const before = await readFile(at.files.ownConfig, "utf8");
    const source = (name: string) => JSON.stringify(join(import.meta.dirname, "../../../src", name));
    // Writes the file again and again, each time with another machine or without it.
    const script = `
      import { replaceFile } from ${source("services/core/book/replace-file.ts")};
      import { realClock } from ${source("lib/clock.ts")};
      const [, path] = process.argv;
      const text = ${JSON.stringify(before)};
      console.log("begun");
      for (let turn = 0; ; turn += 1)
        await replaceFile({ path, text: turn % 2 ? text : text + "Host cloud-gpu-example.com-99\\n" + "#".repeat(200_000) + "\\n" }, realClock);
    `;
    for (const pause of [3, 17, 40]) {
      const child = execFile(process.execPath, ["--input-type=module", "-e", script, at.files.ownConfig]);
      await new Promise((resolve) => child.stdout?.once("data", resolve));
      await realClock.sleep(pause);
      const closed = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGKILL");
      await closed;
      const text = await readFile(at.files.ownConfig, "utf8");
      assert.ok(text === before || text.endsWith(`${"#".repeat(200_000)}\n`), "neither the old nor the new");
    }
    await at.own.write();
    assert.equal(await readFile(at.files.ownConfig, "utf8"), before, "the next window sets it right");
  });

  test("a file that somebody left half is removed once it is old", async () => {
    const at = await home({ ...realClock, now: () => Date.now() + 3_600_000 });
    await mkdir(at.files.folder, { recursive: true });
    const left = join(at.files.folder, "config.cloud-gpu-0123456789ab");
    await writeFile(left, "half");
    await note(at, 7);
    await at.own.write();
    assert.deepEqual((await readdir(at.files.folder)).sort(), ["config", "machines"]);
  });

  test("takes nothing from a record that somebody spoiled", async () => {
    const at = await home();
    await note(at, 7);
    const folder = join(at.files.folder, "machines");
    const good = await readFile(join(folder, "cloud-gpu-example.com-7.json"), "utf8");
    await writeFile(
      join(folder, "cloud-gpu-example.com-8.json"),
      good.replace("127.0.0.1", "a\\nProxyCommand touch x"),
    );
    await writeFile(join(folder, "cloud-gpu-example.com-9.json"), good);
    await writeFile(join(folder, "cloud-gpu-example.com-10.json"), "{");
    await writeFile(join(folder, "cloud-gpu-example.com-11.json"), "x".repeat(100_000));
    await at.own.write();
    assert.deepEqual(await hostsIn(at), [7]);
    assert.doesNotMatch(await readFile(at.files.ownConfig, "utf8"), /touch/);
  });

  test("that can't be written is said", async () => {
    const at = await home();
    await writeFile(at.files.folder, "a file in the folder's place");
    await assert.rejects(at.own.write(), refusal(/can't be written/));
  });
});

describe("the person's configuration", { skip }, () => {
  const HOSTS =
    "Host work\n  HostName work.example\n  Port 2222\n  User me\n\nMatch host *.lan\n  User lan\n\nHost *\n  ForwardAgent yes\n";

  test("gets our line at its top, and one copy of what it was", async () => {
    const at = await home();
    await writeFile(at.config, HOSTS, { mode: 0o644 });
    await at.windows.writeBlock(window.me(), InstanceId.parse(7), loginOf(at, 7));
    await at.windows.include(loginOf(at, 7));
    assert.equal(await readFile(at.config, "utf8"), `${at.person.line}\n${HOSTS}`);
    assert.equal(await readFile(at.person.backup, "utf8"), HOSTS);
    if (process.platform !== "win32") assert.equal((await stat(at.config)).mode & 0o777, 0o644);
    await writeFile(at.config, `# mine\n${HOSTS}`);
    await at.windows.include(loginOf(at, 7));
    assert.equal(await readFile(at.person.backup, "utf8"), `# mine\n${HOSTS}`, "as it was before the line");
    await at.windows.include(loginOf(at, 7));
    assert.equal(await readFile(at.person.backup, "utf8"), `# mine\n${HOSTS}`, "nothing was added, nothing is copied");
    if (process.platform !== "win32") assert.equal((await stat(at.person.backup)).mode & 0o777, 0o644);
    assert.deepEqual((await readdir(at.root)).sort(), ["cloud-gpu", "config", "config.before-cloud-gpu"]);
  });

  test("says the same of the person's own hosts, and what we wrote of our machines", async () => {
    const at = await home();
    await writeFile(at.config, HOSTS);
    const names = ["work", "box.lan", "github.com", "-x".slice(1)];
    const before = await Promise.all(names.map((name) => settingsOf(at, name)));
    const login = { ...loginOf(at, 7), identity: join(at.root, "a key") };
    await at.windows.writeBlock(window.me(), InstanceId.parse(7), login);
    await at.windows.include(login);
    assert.deepEqual(await Promise.all(names.map((name) => settingsOf(at, name))), before);
    assert.equal(await at.windows.findDifference(login), undefined);
    assert.match(await settingsOf(at, login.alias), /^forwardagent no$/m);
    assert.equal(await at.windows.removeFromConfig(), true);
    assert.equal(await readFile(at.config, "utf8"), HOSTS);
    assert.equal(await at.windows.removeFromConfig(), false);
  });

  test("keeps a line that the person wrote further down themselves", async () => {
    const at = await home();
    const text = `Host work\n  Port 22\n${at.person.line}\n`;
    await writeFile(at.config, text);
    assert.equal(await at.person.exclude(), false);
    await at.person.include();
    assert.equal(await readFile(at.config, "utf8"), `${at.person.line}\n${text}`);
    assert.equal(await at.person.exclude(), true);
    assert.equal(await readFile(at.config, "utf8"), text);
  });

  test("is copied beside it, not to where a link of that name leads", { skip: posix }, async () => {
    const at = await home();
    await writeFile(at.config, HOSTS);
    await writeFile(join(at.root, "precious"), "precious");
    await symlink(join(at.root, "precious"), at.person.backup);
    await at.person.include();
    assert.equal(await readFile(join(at.root, "precious"), "utf8"), "precious");
    assert.equal(await readFile(at.person.backup, "utf8"), HOSTS);
  });

  test("that is not there yet is made, and gone again afterwards", async () => {
    const at = await home();
    await at.windows.check(loginOf(at, 7));
    assert.deepEqual(await readdir(at.root), [], "a check makes nothing");
    await at.windows.writeBlock(window.me(), InstanceId.parse(7), loginOf(at, 7));
    await at.windows.include(loginOf(at, 7));
    assert.equal(await readFile(at.config, "utf8"), `${at.person.line}\n`);
    assert.equal(await at.windows.findDifference(loginOf(at, 7)), undefined);
    await at.windows.removeFromConfig();
    assert.deepEqual(await readdir(at.root), ["cloud-gpu"]);
  });

  test("that overrules our block is found out by the option", async () => {
    const at = await home();
    const login = loginOf(at, 7);
    await at.windows.writeBlock(window.me(), InstanceId.parse(7), login);
    for (const [line, option] of [
      ["Port 22", "Port"],
      ["StrictHostKeyChecking no", "StrictHostKeyChecking"],
      ["UserKnownHostsFile /dev/null", "UserKnownHostsFile"],
      ["ForwardAgent yes", "ForwardAgent"],
      ["HostKeyAlias other", "HostKeyAlias"],
    ] as const) {
      await writeFile(at.config, `Host *\n  ${line}\n${at.person.line}\n`);
      assert.equal(await at.windows.findDifference(login), option);
      assert.equal(await at.person.includesOurs(), false, "below a host it doesn't count");
    }
    await writeFile(at.config, "Host a\n");
    assert.equal(await at.windows.findDifference(login), "HostName", "without our line nothing is as written");
  });

  test("with an error in it is left alone, and ssh says where", async () => {
    const at = await home();
    const text = "Host a\n  Prot 22\n";
    await writeFile(at.config, text);
    await assert.rejects(
      at.windows.include(loginOf(at, 7)),
      refusal(/has an error, so Cloud GPU didn't change it\. .*line 2.*prot/i),
    );
    assert.equal(await readFile(at.config, "utf8"), text);
    assert.deepEqual(await readdir(at.root), ["config"]);
  });

  test("gives the line back if ssh can't read ours", async () => {
    const at = await home();
    await writeFile(at.config, HOSTS);
    await mkdir(at.files.folder);
    await writeFile(at.files.ownConfig, "Nonsense yes\n");
    await assert.rejects(at.windows.include(loginOf(at, 7)), refusal(/so the line was removed\. .*nonsense/i));
    assert.equal(await readFile(at.config, "utf8"), HOSTS);
  });

  test("that somebody else saves at the same moment keeps what they saved", async () => {
    const at = await home();
    await writeFile(at.config, HOSTS);
    const leftover = join(at.root, "config.cloud-gpu-0123456789ab");
    await writeFile(leftover, "half");
    const saved = `${HOSTS}# saved meanwhile\n`;
    let times = 0;
    const clock = {
      ...realClock,
      // The age of the leftover is asked for after the file was read and before it is replaced.
      now: () => {
        times += 1;
        if (times === 1) writeFileSync(at.config, saved);
        return realClock.now();
      },
    };
    await new PersonSshConfig(at.files, clock).include();
    assert.equal(await readFile(at.config, "utf8"), `${at.person.line}\n${saved}`);
    assert.ok(times > 1, "it was tried again");
  });
});

describe("left alone, and said so:", () => {
  const cases: readonly [what: string, said: RegExp, make: (config: string) => Promise<unknown>][] = [
    [
      "a link",
      /config is a link to another file/,
      async (config) => {
        await writeFile(`${config}.real`, "Host a\n");
        await symlink(`${config}.real`, config);
      },
    ],
    ["a link that leads nowhere", /is a link to another file/, (config) => symlink(`${config}.none`, config)],
    [
      "a file with two names",
      /is a link to another file/,
      async (config) => {
        await writeFile(`${config}.real`, "Host a\n");
        await link(`${config}.real`, config);
      },
    ],
    [
      "a file that is read-only",
      /is read-only/,
      async (config) => {
        await writeFile(config, "Host a\n");
        await chmod(config, 0o400);
      },
    ],
    ["a folder", /isn't a file/, (config) => mkdir(config)],
    ["a pipe", /isn't a file/, async (config) => void spawnSync("mkfifo", [config])],
    ["a file of more than 1 MB", /is larger than 1 MB/, (config) => writeFile(config, `#${"x".repeat(1_000_001)}`)],
    ["a file in another encoding", /isn't UTF-8 text/, (config) => writeFile(config, "Host ä\n", "latin1")],
    ["a file in UTF-16", /isn't UTF-8 text/, (config) => writeFile(config, "\uFEFFHost a\n", "utf16le")],
  ];
  for (const [what, said, make] of cases)
    test(what, { skip: posix }, async () => {
      const at = await home();
      await make(at.config);
      const before = await readdir(at.root);
      const state = async () => (await stat(at.config).catch(() => undefined))?.ino;
      const ino = await state();
      await assert.rejects(at.person.include(), refusal(said));
      await assert.rejects(at.windows.check(loginOf(at, 7)), refusal(said));
      assert.deepEqual(await readdir(at.root), before, "no copy, no temporary file");
      assert.equal(await state(), ino);
    });

  test("a line that the person put there themselves is found also in a link", { skip: posix }, async () => {
    const at = await home();
    await writeFile(`${at.config}.real`, `${at.person.line}\n`);
    await symlink(`${at.config}.real`, at.config);
    assert.equal(await at.person.includesOurs(), true);
    await assert.rejects(at.person.exclude(), refusal(/is a link/));
  });
});

describe("the name that people read", { skip }, () => {
  const NAME = "1xrtx4090-fr-7";
  const put = (at: Home, id: number, login: Partial<SshLogin> = {}) =>
    at.machines.put(window.me(), InstanceId.parse(id), { ...loginOf(at, id), name: NAME, ...login });
  const askFor = async (at: Home, name: string) => {
    await writeFile(at.config, `Include ${at.files.ownConfig}\nHost *\n  ForwardAgent yes\n`);
    return new Set((await settingsOf(at, name)).trim().split("\n"));
  };

  test("means to ssh what the other one means", async () => {
    const at = await home();
    await put(at, 7);
    await at.own.write();
    const [byName, byAlias] = [await askFor(at, NAME), await askFor(at, loginOf(at, 7).alias)];
    const differing = [...byName.symmetricDifference(byAlias)].filter((line) => !/^host /.test(line));
    assert.deepEqual(differing, []);
    assert.ok(byName.has("port 20007") && byName.has("forwardagent no"));
    assert.equal(await at.windows.findWindowName(loginOf(at, 7)), NAME);
  });

  test("stays when the machine is called otherwise, and after its record was written again", async () => {
    const at = await home();
    await put(at, 7);
    await put(at, 7, { name: "2xh100-us-7" });
    await put(at, 7, { name: undefined });
    assert.equal((await at.machines.find(loginOf(at, 7).alias))?.name, NAME);
  });

  test("is never shared by machines of two services, also if they have the same number", async () => {
    const at = await home();
    await put(at, 7);
    await put(at, 7, { alias: "cloud-gpu-other.com-7", address: { host: "127.0.0.1", port: 30_000 } });
    await at.own.write();
    assert.ok((await askFor(at, NAME)).has("port 20007"));
    assert.ok((await askFor(at, `${NAME}-2`)).has("port 30000"));
  });

  test("leads nowhere once its machine has ended, and is no one else's", async () => {
    const at = await home();
    await put(at, 7);
    await at.machines.remove(loginOf(at, 7).alias);
    await at.own.write();
    const said = await askFor(at, NAME);
    assert.ok(said.has("hostname machine-has-ended.invalid") && said.has("forwardagent no"));
    assert.deepEqual(await at.machines.readAll(), []);
    assert.equal((await at.machines.findByName(NAME))?.hasEnded, true);
    assert.equal((await at.machines.findByName(loginOf(at, 7).alias))?.hasEnded, true, "by its other name, too");
    await put(at, 7, { alias: "cloud-gpu-other.com-7" });
    assert.equal((await at.machines.find("cloud-gpu-other.com-7"))?.name, `${NAME}-2`);
  });

  test("comes back with a machine that a list had missed", async () => {
    const at = await home();
    await put(at, 7);
    await at.machines.remove(loginOf(at, 7).alias);
    await put(at, 7);
    assert.equal((await at.machines.findByName(NAME))?.hasEnded, false);
    assert.deepEqual(await at.machines.readEnded(), []);
  });

  test("isn't used for windows where the person's configuration has it for another machine", async () => {
    const at = await home();
    await put(at, 7);
    await at.own.write();
    await writeFile(at.config, `Host ${NAME}\n  Port 99\nInclude ${at.files.ownConfig}\n`);
    assert.equal(await at.windows.findWindowName(loginOf(at, 7)), loginOf(at, 7).alias);
  });
});
