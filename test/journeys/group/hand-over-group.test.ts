// A group that is handed over: files that other programs read, machines that they reach by them, and nothing of a person's replaced.
import assert from "node:assert/strict";
import { execFile, spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { GroupFacts } from "../../../src/domain/group/group-facts.ts";
import type { HandedFile, HandOver } from "../../../src/domain/group/hand-over/group-host.ts";
import { writeHandOver } from "../../../src/domain/group/hand-over/hand-over.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { readHandOver } from "../../../src/services/group/read-hand-over.ts";
import { findForeignFiles, writeFiles } from "../../../src/services/group/write-hand-over.ts";
import { type RunningGroup, runningGroup } from "../group-windows.ts";
import { cleanUp } from "../support.ts";

const has = (program: string) => spawnSync(program, ["--version"], { stdio: "ignore" }).error === undefined;
const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
const skip = !HAS_SSH && "OpenSSH is not installed";
const NEVER = new AbortController().signal;

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-hand-over-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Programs talk to a server in this process, so nothing may wait for them without letting it answer. */
const run = (program: string, words: readonly string[], cwd: string, env: Record<string, string> = {}) =>
  new Promise<{ readonly code: number; readonly text: string }>((resolve) => {
    const options = { cwd, timeout: 60_000, env: { ...process.env, ...env } };
    execFile(program, words, options, (error, out, err) =>
      resolve({ code: error ? Number(error.code ?? 1) : 0, text: out + err }),
    );
  });

const read = (window: RunningGroup, group: GroupFacts = window.group) =>
  readHandOver(window, window.me(), group, () => {}, NEVER);

const written = (files: readonly HandedFile[]) => files.filter((file) => "text" in file);

async function handOver(window: RunningGroup, folder: string) {
  const { given, left } = await read(window);
  await writeFiles({ folder, root: undefined, clock: realClock }, given, written(writeHandOver(given)));
  return { given, left };
}

describe("a group of machines that run", { skip }, () => {
  test("is handed over by names that ssh, Ansible and GNU parallel reach them by", async (context) => {
    const window = await runningGroup();
    const folder = await scratch();
    const { given, left } = await handOver(window, folder);
    assert.deepEqual(left, []);
    assert.deepEqual(
      given.hosts.map(({ rank }) => rank),
      [0, 1, 2],
    );
    assert.deepEqual((await readdir(folder)).filter((name) => !name.startsWith(".")).sort(), [
      "hosts.json",
      "hosts.txt",
      "inventory.yml",
      "parallel.slf",
    ]);
    const { hosts } = JSON.parse(await readFile(join(folder, "hosts.json"), "utf8"));
    assert.deepEqual(
      hosts.map(({ id }: { id: number }) => id),
      given.hosts.map(({ id }) => id),
    );
    for (const { alias, port } of given.hosts) {
      const { text } = await run("ssh", ["-F", given.sshConfig, "-G", alias], folder);
      assert.match(text, new RegExp(`^port ${port}$`, "m"));
      const said = await run("ssh", ["-F", given.sshConfig, "-o", "BatchMode=yes", alias, "echo", "here"], folder);
      assert.deepEqual(said, { code: 0, text: "here\n" });
    }
    if (has("ansible-inventory")) {
      const listed = await run("ansible-inventory", ["-i", "inventory.yml", "--list"], folder);
      const aliases = given.hosts.map(({ alias }) => alias);
      assert.deepEqual(JSON.parse(listed.text).sweep_7.hosts, aliases, listed.text);
      const words = ["-i", "inventory.yml", "all", "-m", "raw", "-a", "echo from-$((40+2))"];
      const { code, text } = await run("ansible", words, folder, { ANSIBLE_NOCOLOR: "1" });
      assert.equal(code, 0, text);
      assert.equal(text.split("from-42").length - 1, 3, text);
    } else context.diagnostic("Ansible is not installed, so its part was left out.");
    if (has("parallel")) {
      const words = ["--will-cite", "--sshloginfile", "parallel.slf", "echo got {}", ":::", "1", "2", "3", "4", "5"];
      const { code, text } = await run("parallel", words, folder);
      assert.equal(code, 0, text);
      assert.deepEqual(text.trim().split("\n").sort(), ["got 1", "got 2", "got 3", "got 4", "got 5"]);
    } else context.diagnostic("GNU parallel is not installed, so its part was left out.");
  });

  test("leaves out what isn't running, and says which and why", async () => {
    const window = await runningGroup();
    const [gone, stopped] = window.group.members;
    assert.ok(gone?.id && stopped?.id);
    await window.destroy(gone.id);
    await window.stop(stopped.id);
    await window.instances.collection.refresh();
    const now = window.groups.find(window.group.id);
    assert.ok(now);
    const { given, left } = await read(window, now);
    assert.deepEqual(
      given.hosts.map(({ rank }) => rank),
      [2],
    );
    assert.deepEqual(
      left.map(({ rank, why }) => [rank, why]),
      [
        [0, "This instance wasn't rented or no longer exists."],
        [1, "It isn't running."],
      ],
    );
  });

  test("is written nowhere once another account is signed in", async () => {
    const window = await runningGroup(2);
    await window.session.signOut();
    await assert.rejects(readHandOver(window, { ...window.me } as never, window.group, () => {}, NEVER));
  });
});

const HOSTS: HandOver = {
  id: "grp-aaaaaaaaaaaaaaaa",
  name: "sweep-7",
  wanted: 2,
  sshConfig: "/home/you/.ssh/cloud-gpu/config",
  identity: "/home/you/.ssh/id_ed25519",
  isVm: true,
  at: 0,
  hosts: [0, 1].map((rank) => ({
    ...{
      rank,
      id: (31_244 + rank) as never,
      alias: `cloud-gpu-3124${4 + rank}`,
      host: "203.0.113.7",
      port: 41_000 + rank,
    },
    ...{ overlayIp: `10.0.0.${2 + rank}`, gpus: 2, gpu: 'RTX "4090"', pricePerHour: 0.5, end: undefined },
  })),
};

describe("what is in the folder already", () => {
  const files = written(writeHandOver(HOSTS));
  const write = (folder: string, root?: string, given = HOSTS) =>
    writeFiles({ folder, root, clock: realClock }, given, files);

  test("is replaced without a question only as long as it is as it was written", async () => {
    const folder = await scratch();
    await writeFile(join(folder, "hosts.txt"), "mine\n");
    assert.deepEqual(await findForeignFiles(folder, HOSTS, files), ["hosts.txt"]);
    await write(folder);
    assert.deepEqual(await findForeignFiles(folder, HOSTS, files), []);
    const later = written(writeHandOver({ ...HOSTS, at: 1 }));
    assert.deepEqual(await findForeignFiles(folder, HOSTS, later), [], "an update asks nothing");
    await writeFile(join(folder, "inventory.yml"), `${await readFile(join(folder, "inventory.yml"), "utf8")}# mine\n`);
    assert.deepEqual(await findForeignFiles(folder, HOSTS, later), ["inventory.yml"]);
    await writeFile(join(folder, ".cloud-gpu-group.json"), "{");
    assert.equal((await findForeignFiles(folder, HOSTS, later)).includes("inventory.yml"), true);
  });

  test("is left alone if it is another group's", async () => {
    const folder = await scratch();
    await write(folder);
    const other = { ...HOSTS, id: "grp-bbbbbbbbbbbbbbbb" };
    await assert.rejects(findForeignFiles(folder, other, files), /files of another group/);
  });

  test("is never written through a link", async () => {
    const [folder, elsewhere] = [await scratch(), await scratch()];
    await writeFile(join(elsewhere, "secrets"), "kept\n");
    await symlink(join(elsewhere, "secrets"), join(folder, "hosts.txt"));
    assert.deepEqual(await findForeignFiles(folder, HOSTS, files), ["hosts.txt"]);
    await write(folder);
    assert.equal(await readFile(join(elsewhere, "secrets"), "utf8"), "kept\n");
    await symlink(elsewhere, join(folder, "cloud-gpu"));
    await assert.rejects(write(join(folder, "cloud-gpu", "sweep-7"), folder), /is a link to another place/);
    assert.deepEqual(await readdir(elsewhere), ["secrets"], "not even a folder was made there");
  });

  test("makes the folders that aren't there yet in a workspace", async () => {
    const root = await scratch();
    const folder = join(root, "cloud-gpu", "sweep-7");
    await write(folder, root);
    assert.ok((await readdir(folder)).includes("hosts.txt"));
  });

  test("stays as it was where the folder can't be written", {
    skip: process.getuid?.() === 0 && "root may write anywhere",
  }, async () => {
    const folder = await scratch();
    await chmod(folder, 0o500);
    await assert.rejects(write(folder), /can't be written \(EACCES\)/);
    await chmod(folder, 0o700);
    assert.deepEqual(await readdir(folder), []);
  });

  test("is a file in place of the folder: that is said", async () => {
    const folder = await scratch();
    await writeFile(join(folder, "taken"), "");
    await assert.rejects(write(join(folder, "taken")), /can't be written/);
  });
});

describe("the machines for GNU parallel", { skip: !has("parallel") && "GNU parallel is not installed" }, () => {
  const PIECES = [
    ",",
    ",,",
    " ",
    "  ",
    "'",
    '"',
    "#",
    "%",
    "@",
    ":",
    "/",
    "\\",
    "\\,",
    "$HOME",
    "`id`",
    "{}",
    "é",
    "漢",
    "~",
    "!",
    "a",
  ];
  const name = fc.array(fc.constantFrom(...PIECES), { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));
  const names = ["doe,john", "doe, john", String.raw`a\,b`, ",,,", "o'brien,#1"];
  for (const folder of [...names, ...fc.sample(name, { seed: 27, numRuns: 8 })])
    test(`are reached by the configuration in ${JSON.stringify(folder)}`, async () => {
      const place = await scratch();
      const bin = join(place, "bin");
      await mkdir(bin);
      const asked = join(place, "asked");
      await writeFile(join(bin, "ssh"), `#!/bin/sh\nprintf '%s\\n' "$1" "$2" "$3" >> '${asked}'\n`, { mode: 0o755 });
      const sshConfig = `/home/${folder}/.ssh/cloud-gpu/config`;
      const file = written(writeHandOver({ ...HOSTS, sshConfig })).find((one) => one.name === "parallel.slf");
      assert.ok(file);
      await writeFile(join(place, file.name), file.text);
      const words = ["--will-cite", "--sshloginfile", file.name, "echo {}", ":::", "1", "2", "3", "4"];
      const { code, text } = await run("parallel", words, place, { PATH: `${bin}:${process.env.PATH}`, HOME: place });
      assert.deepEqual({ code, text }, { code: 0, text: "" });
      const lines = (await readFile(asked, "utf8")).trimEnd().split("\n");
      const calls = Array.from({ length: lines.length / 3 }, (_, at) => lines.slice(at * 3, at * 3 + 3).join("\n"));
      const expected = HOSTS.hosts.map(({ alias }) => ["-F", sshConfig, alias].join("\n"));
      assert.deepEqual([...new Set(calls)].sort(), expected);
    });
});

describe("the scripts", () => {
  const script = (name: string) => {
    const file = written(writeHandOver(HOSTS)).find((one) => one.name === name);
    assert.ok(file);
    return file.text;
  };

  for (const name of ["torchrun.sh", "ray.sh"]) {
    test(`${name} is read by bash${has("shellcheck") ? " and shellcheck" : ""} without a word`, async () => {
      const folder = await scratch();
      await writeFile(join(folder, name), script(name));
      assert.deepEqual(await run("bash", ["-n", name], folder), { code: 0, text: "" });
      if (has("shellcheck")) assert.deepEqual(await run("shellcheck", [name], folder), { code: 0, text: "" });
    });
  }

  /** A stand-in for ssh that notes what it was asked, and answers as a machine would. */
  async function standIn(name: string, answer: string) {
    const folder = await scratch();
    await mkdir(join(folder, "bin"));
    await writeFile(
      join(folder, "bin", "ssh"),
      `#!/bin/sh\necho "$*" >> '${join(folder, "asked")}'\ncase "$*" in\n${answer}\nesac\n`,
    );
    await chmod(join(folder, "bin", "ssh"), 0o755);
    await writeFile(join(folder, name), script(name));
    await chmod(join(folder, name), 0o755);
    const startWith = (env: Record<string, string>, ...words: string[]) =>
      run("bash", [name, ...words], folder, { ...env, PATH: `${join(folder, "bin")}:${process.env.PATH}` });
    const start = (...words: string[]) => startWith({}, ...words);
    const asked = async () => (await readFile(join(folder, "asked"), "utf8")).trim().split("\n");
    return { start, startWith, asked, folder };
  }

  test("torchrun.sh starts a rank on each machine, and prefixes what it prints", async () => {
    const { start, asked } = await standIn("torchrun.sh", '*torchrun*) echo "line of a rank";;');
    const { code, text } = await start("train.py", "--name", "a b");
    assert.equal(code, 0, text);
    assert.deepEqual(text.trim().split("\n").sort(), ["[0] line of a rank", "[1] line of a rank"]);
    const ranks = (await asked()).filter((line) => line.includes(" torchrun "));
    assert.equal(ranks.length, 2);
    for (const rank of [0, 1])
      assert.ok(
        ranks.some((line) =>
          new RegExp(
            `cloud-gpu-3124${4 + rank} -- .*--nnodes=2 --nproc-per-node=2 --node-rank=${rank} --rdzv-backend=static --rdzv-endpoint=10\\.0\\.0\\.2:29500 .* train\\.py --name a\\\\ b`,
          ).test(line),
        ),
        ranks.join("\n"),
      );
  });

  /** What bash 3.2 doesn't have, as far as a newer one can be told to do without. */
  const AS_BASH_3 = `wait() { if [ "\${1-}" = -n ]; then echo "wait: -n: invalid option" >&2; return 2; fi; builtin wait "$@"; }
enable -n mapfile readarray
sed() { if [ "$1" = -u ]; then echo "sed: illegal option -- u" >&2; return 1; fi; command sed "$@"; }
`;
  for (const [what, answer] of Object.entries({
    "the first ends last": "*node-rank=0*) sleep 3; echo end;;\n*node-rank=1*) echo end;;",
    "the last ends last": "*node-rank=0*) echo end;;\n*node-rank=1*) sleep 3; echo end;;",
    "they end at once": "*torchrun*) echo end;;",
    "their last line has no end": "*torchrun*) printf end;;",
  }))
    test(`torchrun.sh lets all of them work to their end under an old bash where ${what}`, async () => {
      const { startWith, folder } = await standIn("torchrun.sh", answer);
      await writeFile(join(folder, "env"), AS_BASH_3);
      const { code, text } = await startWith({ BASH_ENV: join(folder, "env") }, "train.py");
      assert.deepEqual({ code, lines: text.trim().split("\n").sort() }, { code: 0, lines: ["[0] end", "[1] end"] });
    });

  test("torchrun.sh ends all of them with the first that fails", async () => {
    const { start, asked } = await standIn(
      "torchrun.sh",
      "*node-rank=1*) exit 3;;\n*node-rank=0*) sleep 30; echo late;;",
    );
    const { code, text } = await start("train.py");
    assert.notEqual(code, 0, text);
    assert.doesNotMatch(text, /late/);
    assert.equal((await asked()).filter((line) => line.includes("pkill -f -- '--rdzv-id=")).length, 2);
  });

  test("torchrun.sh ends no job whose name only begins with that of its own", { skip: !has("pgrep") }, async () => {
    const folder = await scratch();
    // Ranks of this job and of others. What would be ended is noted, and the shell that asks must not be among it.
    const { start } = await standIn(
      "torchrun.sh",
      [
        "*node-rank=1*) sleep 1; exit 3;;",
        "*node-rank=0*) job=$(echo \"$*\" | grep -o -e '--rdzv-id=[^ ]*')",
        'for more in "" 34 -2 .5 "=x"; do',
        `setsid sh -c 'echo $$ > "$0"; while [ -d "\${0%/*}" ]; do sleep 0.2; done' "${folder}/pid:$more" torchrun "$job$more" train.py < /dev/null > /dev/null 2>&1 &`,
        `done; setsid sh -c 'echo $$ > "$0"; while [ -d "\${0%/*}" ]; do sleep 0.2; done' "${folder}/pid:last" "$job" < /dev/null > /dev/null 2>&1 & sleep 30;;`,
        // Both hosts ask; one is enough.
        `*31244*pkill*) words=\${*#*-- }; sh -c "pgrep \${words#pkill }; :" > "${folder}/ended";;`,
      ].join("\n"),
    );
    await start("train.py");
    const idOf = async (name: string) => (await readFile(join(folder, `pid:${name}`), "utf8")).trim();
    const ended = (await readFile(join(folder, "ended"), "utf8")).trim().split("\n");
    assert.deepEqual(ended.sort(), [await idOf(""), await idOf("last")].sort());
    for (const name of ["34", "-2", ".5", "=x"]) assert.ok(await idOf(name));
  });

  test("ray.sh refuses different versions, and names both", async () => {
    const { start, asked } = await standIn(
      "ray.sh",
      "*cloud-gpu-31244*import*) echo 'Ray 2.58.0 Python 3.11.7';;\n*cloud-gpu-31245*import*) echo 'Ray 2.50.0 Python 3.12.1';;",
    );
    const { code, text } = await start("python", "train.py");
    assert.equal(code, 1);
    assert.match(
      text,
      /The versions differ: Ray 2\.58\.0 Python 3\.11\.7 on cloud-gpu-31244, Ray 2\.50\.0 Python 3\.12\.1 on cloud-gpu-31245/,
    );
    assert.equal(
      (await asked()).some((line) => line.includes("ray start")),
      false,
    );
  });

  test("ray.sh starts head and worker, submits the job, and stops both", async () => {
    const { start, asked } = await standIn(
      "ray.sh",
      "*import*) echo 'Ray 2.58.0 Python 3.11.7';;\n*submit*) echo 'the job ran';;",
    );
    const { code, text } = await start("python", "train.py");
    assert.equal(code, 0, text);
    assert.match(text, /the job ran/);
    const lines = await asked();
    const at = (shape: RegExp) => lines.findIndex((line) => shape.test(line));
    const order = [
      at(
        /31244 -- ray start --head --node-ip-address=10\.0\.0\.2 --port=6379 --dashboard-host=127\.0\.0\.1 --num-gpus=2/,
      ),
      at(/31245 -- ray start --address=10\.0\.0\.2:6379 --node-ip-address=10\.0\.0\.3/),
      at(/31244 -- ray status/),
      at(/31244 -- ray job submit --address=http:\/\/127\.0\.0\.1:8265 -- python train\.py/),
    ];
    assert.deepEqual(
      order,
      [...order].sort((a, b) => a - b),
      lines.join("\n"),
    );
    assert.ok(
      order.every((one) => one >= 0),
      lines.join("\n"),
    );
    assert.equal(lines.filter((line) => line.endsWith("-- ray stop")).length, 2);
  });

  test("can be run as they are written", async () => {
    const folder = await scratch();
    await writeFiles({ folder, root: undefined, clock: realClock }, HOSTS, written(writeHandOver(HOSTS)));
    assert.equal((await stat(join(folder, "ray.sh"))).mode & 0o777, 0o755);
    assert.equal((await stat(join(folder, "hosts.json"))).mode & 0o777, 0o644);
  });
});
