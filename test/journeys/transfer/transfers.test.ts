// Files to a machine and back, by the real `ssh` and `tar`: all of them arrive as they are, or it is said what didn't.
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { closeSync, openSync, readFileSync, renameSync, statSync, utimesSync, writeFileSync, writeSync } from "node:fs";
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { AppError } from "../../../src/domain/base/error.ts";
import type { UploadList } from "../../../src/domain/transfer/upload-list.ts";
import { createLazy } from "../../../src/lib/task.ts";
import type { MachineLogin } from "../../../src/services/connection/run-there.ts";
import { startSsh } from "../../../src/services/connection/ssh/ssh-program.ts";
import { downloadFiles } from "../../../src/services/transfer/download.ts";
import { listUpload } from "../../../src/services/transfer/list-upload.ts";
import { packFiles } from "../../../src/services/transfer/pack-files.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import {
  findReplaced,
  settleBeside,
  settleDownload,
  settleEach,
} from "../../../src/services/transfer/settle-download.ts";
import { uploadFiles } from "../../../src/services/transfer/upload.ts";
import { findAgreed, rememberAgreed } from "../../../src/services/transfer/upload-memory.ts";
import { NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, eventually, shareBetweenTests } from "../support.ts";
import { TAR_END, tarPart } from "./tar-maker.ts";

shareBetweenTests();

/** One window, with a key of this computer in its account. */
const signInOnce = createLazy(signInForRuns);

/** A new machine that admits the key, and the folder that is its disk. */
async function machine() {
  const { alone: there, ...window } = await openMachine(await signInOnce());
  return { ...window, id: there.id, there };
}

function isAlive(id: number): boolean {
  try {
    return process.kill(id, 0);
  } catch {
    return false;
  }
}

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-transfer-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

type Tree = Readonly<Record<string, string | Readonly<{ text: string; mode: number }>>>;

/** Paths that end with a slash are folders. */
async function plant(folder: string, tree: Tree): Promise<void> {
  for (const [path, content] of Object.entries(tree)) {
    const place = join(folder, path);
    await mkdir(path.endsWith("/") ? place : dirname(place), { recursive: true });
    if (path.endsWith("/")) continue;
    await writeFile(place, typeof content === "string" ? content : content.text);
    if (typeof content !== "string") await chmod(place, content.mode);
  }
}

/** What is in a folder: contents, whether files can be run, and folders. */
async function readTree(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const { mode } = await lstat(path);
    const name = path.slice(folder.length + 1);
    if (entry.isDirectory()) found[`${name}/`] = "";
    else if (entry.isFile()) found[name] = `${(mode & 0o100) === 0 ? "-" : "x"} ${await readFile(path, "latin1")}`;
    else found[name] = "something else";
  }
  return found;
}

const ODD: Tree = {
  "plain.txt": "hello\n",
  "two words.txt": "a",
  'it\'s "quoted" $HOME `x`.txt': "b",
  "line\nbreak.txt": "c",
  "-rf": "d",
  "--checkpoint-action=exec=sh": "e",
  "Übung/größe ☃ 東京.txt": "f",
  "empty.bin": "",
  "empty folder/": "",
  "deep/er/and/deeper/": "",
  "run.sh": { text: "#!/bin/sh\n", mode: 0o755 },
  [`${"n".repeat(120)}/${"m".repeat(140)}.txt`]: "long",
  [`${"ü".repeat(60)}/${"ß".repeat(100)}.txt`]: "long and not ASCII",
  "bytes.bin": Buffer.from(Array.from({ length: 256 }, (_, at) => at)).toString("latin1"),
};

async function sendAll(there: MachineLogin, folder: string, remote: string, given?: UploadList) {
  const list = given ?? (await listUpload(folder, NEVER));
  return await uploadFiles({ machine: there, folder, list, remote }, NEVER, () => undefined);
}

/** A login to a machine that does what the script says, whatever it is asked. */
async function standIn(there: MachineLogin, script: string): Promise<MachineLogin> {
  const program = join(await scratch(), "ssh");
  await writeFile(program, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return { ...there, program };
}

const watch = { report: () => undefined, mayGoOn: async () => false };

describe("files", { skip }, () => {
  test("go up and come back as they are, whatever their names", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await plant(folder, ODD);
    await writeFile(join(folder, "large.bin"), Buffer.alloc(3_000_001, "large"));
    const remote = join(home, "workspace", "my 'own' project");
    const done = await sendAll(there, folder, remote);
    assert.deepEqual([done.changed, done.missing], [[], []]);
    const expected = await readTree(folder);
    assert.deepEqual(await readTree(remote), expected);
    const into = await scratch();
    const arrived = await downloadFiles({ machine: there, remote, into }, NEVER, watch);
    assert.deepEqual([arrived.complaint, arrived.name, arrived.report.names], ["", "my 'own' project", 1]);
    const place = await settleDownload(arrived, into, []);
    const { "line\nbreak.txt": _, ...rest } = expected;
    assert.deepEqual(await readTree(place), rest, "but for a name with a line break");
    assert.deepEqual(await readdir(into), ["my 'own' project"], "the temporary folder is gone");
  });

  test("that are small leave together: each write is encrypted and read by itself", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    const names = Array.from({ length: 100 }, (_, at) => `${at}.txt`);
    await plant(folder, Object.fromEntries(names.map((name) => [name, "small"])));
    let writes = 0;
    const start: typeof startSsh = (...given) => {
      const running = startSsh(...given);
      const { stdin } = running;
      const write = stdin.write.bind(stdin);
      stdin.write = (...args: unknown[]) => {
        writes += 1;
        return Reflect.apply(write, stdin, args);
      };
      return running;
    };
    const { files } = await sendAll({ ...there, start }, folder, join(home, "small"));
    assert.equal(files, 100);
    assert.deepEqual(await readTree(join(home, "small")), await readTree(folder));
    assert.ok(writes > 0 && writes < 10, `${writes} writes`);
  });

  test("that are there already are replaced, and others stay", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await plant(folder, { "a.txt": "new", "in/b.txt": "new" });
    const remote = join(home, "project");
    await plant(remote, { "a.txt": "a longer old one", "other.txt": "theirs" });
    await sendAll(there, folder, remote);
    const tree = await readTree(remote);
    assert.deepEqual([tree["a.txt"], tree["other.txt"], tree["in/b.txt"]], ["- new", "- theirs", "- new"]);
  });

  for (const tar of ["tar", "busybox tar", "bsdtar"]) {
    const [program = tar, ...args] = tar.split(" ");
    const isThere = spawnSync(program, [...args, "--help"], { stdio: "ignore" }).error === undefined;
    test(`leave folders there as they are, and links to folders, with ${tar}`, {
      skip: !isThere && `needs ${tar}`,
    }, async () => {
      const { there, home } = await machine();
      const own = spawnSync("sh", ["-c", `command -v ${program}`], { encoding: "utf8" }).stdout.trim();
      const script = `#!/bin/sh\nexec ${[own, ...args].join(" ")} "$@"\n`;
      await writeFile(join(home, ".local", "bin", "tar"), script, { mode: 0o755 });
      const [folder, remote, large] = [await scratch(), join(home, "p"), join(home, "large disk")];
      await plant(folder, {
        ...{
          "checkpoints/.gitkeep": "",
          "checkpoints/sub/new.txt": "new",
          "shared/a.txt": "a",
          "shared/b/c/d.txt": "d",
        },
        ...{ "out/": "", "logs/": "", "gone/x.txt": "x", "fresh/run.sh": { text: "x", mode: 0o755 } },
      });
      await plant(large, { "checkpoints/1.bin": "trained", "out/2.bin": "results", "b/": "" });
      // A file in a folder's way: busybox says so, and the others replace it.
      const inTheWay = tar === "busybox tar" ? {} : { gone: "a file" };
      await plant(remote, { "shared/mine.txt": "mine", "logs/": "", ...inTheWay });
      await symlink(join(large, "checkpoints"), join(remote, "checkpoints"));
      await symlink("../large disk/out", join(remote, "out"));
      await symlink(join(large, "b"), join(remote, "shared", "b"));
      const folders = ["p/shared", "p/logs", "large disk/checkpoints", "large disk/out"].map((path) =>
        join(home, path),
      );
      for (const path of folders) {
        // Only an administrator can give a folder to someone else.
        if (process.getuid?.() === 0) await chown(path, 1234, 1234);
        await chmod(path, 0o2770);
      }
      const look = () => Promise.all(folders.map((path) => lstat(path).then(({ mode, uid, gid }) => [mode, uid, gid])));
      const before = await look();
      const done = await sendAll(there, folder, remote);
      assert.deepEqual([done.changed, done.missing], [[], []]);
      assert.deepEqual(await look(), before);
      const { checkpoints, out, "shared/b": b, ...rest } = await readTree(remote);
      assert.deepEqual([checkpoints, out, b], ["something else", "something else", "something else"]);
      assert.deepEqual(rest, {
        ...{ "shared/": "", "shared/mine.txt": "- mine", "shared/a.txt": "- a", "logs/": "", "gone/": "" },
        ...{ "gone/x.txt": "- x", "fresh/": "", "fresh/run.sh": "x x" },
      });
      assert.deepEqual(await readTree(large), {
        ...{
          "checkpoints/": "",
          "checkpoints/1.bin": "- trained",
          "checkpoints/.gitkeep": "- ",
          "checkpoints/sub/": "",
        },
        ...{ "checkpoints/sub/new.txt": "- new", "out/": "", "out/2.bin": "- results" },
        ...{ "b/": "", "b/c/": "", "b/c/d.txt": "- d" },
      });
    });
  }

  test("that shrink, grow or vanish on the way are named, and all others arrive", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    const size = 12_000_000;
    await plant(folder, { "1 vanishes.txt": "x", "9 last.txt": "whole" });
    for (const name of ["2 shrinks.bin", "3 grows.bin"]) await writeFile(join(folder, name), Buffer.alloc(size, "y"));
    const list = await listUpload(folder, NEVER);
    await rm(join(folder, "1 vanishes.txt"));
    let isTouched = false;
    const done = await uploadFiles({ machine: there, folder, list, remote: join(home, "p") }, NEVER, (now) => {
      // The archive is read ahead by 8 MB, so the first one is still being read.
      if (isTouched || now.missing.length === 0) return;
      isTouched = true;
      spawnSync("truncate", ["-s", "11500000", join(folder, "2 shrinks.bin")]);
      spawnSync("sh", ["-c", 'echo more >> "$0"', join(folder, "3 grows.bin")]);
    });
    assert.deepEqual(done.missing, ["1 vanishes.txt"]);
    assert.ok(done.changed.includes("2 shrinks.bin"), done.changed.join());
    const tree = await readTree(join(home, "p"));
    assert.equal(tree["9 last.txt"], "- whole");
    assert.equal((await lstat(join(home, "p", "2 shrinks.bin"))).size, size, "filled up to what was promised");
  });

  test("that are written to while they are read are named, also with the size and time that they had", async () => {
    const folder = await scratch();
    // The archive is read ahead by 8 MB, so a file of which the first part came is still being read.
    const size = 12_288_000;
    const bytes = (char: string) => Buffer.alloc(size, char);
    const rewrite = (path: string, text: string | Buffer, at: number) => {
      const file = openSync(path, "r+");
      writeSync(file, Buffer.from(text), 0, text.length, at);
      closeSync(file);
    };
    const changes: Readonly<Record<string, (path: string) => void>> = {
      rewritten: (path) => rewrite(path, bytes("b"), 0),
      patched: (path) => rewrite(path, "b", 4_000_000),
      "set back": (path) => {
        const { atime, mtime } = statSync(path);
        rewrite(path, "b", size - 1);
        utimesSync(path, atime, mtime);
      },
      replaced: (path) => {
        writeFileSync(`${path} new`, bytes("b"));
        renameSync(`${path} new`, path);
      },
      read: (path) => void readFileSync(path),
    };
    const names = Object.keys(changes);
    for (const name of names) await writeFile(join(folder, name), bytes("a"));
    const files = names.map((path) => ({ path, size, isExecutable: false }));
    const { archive, report } = packFiles(folder, { files, folders: [] }, NEVER);
    let [came, begun] = [0, 0];
    for await (const chunk of archive) {
      came += chunk.length;
      const next = names[begun];
      if (next === undefined || came <= begun * (512 + size) + 512) continue;
      changes[next]?.(join(folder, next));
      begun += 1;
    }
    assert.deepEqual([begun, report.files], [names.length, names.length]);
    assert.deepEqual(report.changed, ["rewritten", "patched", "set back", "replaced"]);
  });

  test("that are small and written to while they are read are named, too", async () => {
    const folder = await scratch();
    await plant(folder, { "small.txt": "a".repeat(100_000), "still.txt": "b".repeat(100_000) });
    const script =
      'const fs = require("fs"); const f = fs.openSync(process.argv[1], "r+"); for (let at = 0; at < 1e7; at += 1) fs.writeSync(f, "b", 5);';
    const writer = spawn(process.execPath, ["-e", script, join(folder, "small.txt")], { stdio: "ignore" });
    cleanUp(() => writer.kill("SIGKILL"));
    const files = ["small.txt", "still.txt"].map((path) => ({ path, size: 100_000, isExecutable: false }));
    const changed = new Set<string>();
    await eventually(async () => {
      const { archive, report } = packFiles(
        folder,
        { files: Array.from({ length: 200 }, () => files).flat(), folders: [] },
        NEVER,
      );
      for await (const _ of archive);
      for (const path of report.changed) changed.add(path);
      return changed.size > 0;
    }, "it is named");
    assert.deepEqual([...changed], ["small.txt"]);
  });

  test("of a folder that became a link after it was listed stay", async () => {
    const { there, home } = await machine();
    const [folder, outside] = [await scratch(), await scratch()];
    await plant(folder, { "in/deep/config": "mine", "top.txt": "mine" });
    await plant(outside, { "deep/config": "a secret" });
    const list = await listUpload(folder, NEVER);
    await rename(join(folder, "in"), join(folder, "was in"));
    await symlink(outside, join(folder, "in"));
    const link = join(await scratch(), "link");
    await symlink(folder, link);
    const done = await sendAll(there, link, join(home, "p"), list);
    assert.deepEqual([done.missing, done.files], [["in/deep/config"], 1]);
    assert.deepEqual(await readTree(join(home, "p")), { "in/": "", "in/deep/": "", "top.txt": "- mine" });
  });

  test("whose names are no text, or that vanish while they are listed, are named", {
    skip: process.platform !== "linux" && "names are text here",
  }, async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await plant(folder, { "a.txt": "a" });
    await writeFile(Buffer.concat([Buffer.from(`${folder}/b`), Buffer.of(0xff)]), "b");
    const done = await sendAll(there, folder, join(home, "p"));
    assert.deepEqual([done.files, done.missing], [1, ["b\ufffd"]]);
  });

  test("count as arrived only if the machine says so: a shell that just ends is no answer", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await plant(folder, { "a.txt": "a" });
    for (const script of ["exit 0", "cat >/dev/null", "cat >/dev/null; echo stored"]) {
      const sending = sendAll(await standIn(there, script), folder, join(home, "p"));
      await assert.rejects(sending, /ended the session too early\. .* Some files may have arrived/);
    }
    const noisy = await standIn(there, `yes Welcome | head -c 300000\nexec ${there.program} "$@"`);
    assert.equal((await sendAll(noisy, folder, join(home, "p"))).files, 1);
  });

  test("of which one arrived in part may be there, and it is said", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await writeFile(join(folder, "large.bin"), Buffer.alloc(30_000_000, "x"));
    const sending = sendAll(await standIn(there, "head -c 9000000 >/dev/null; exit 255"), folder, join(home, "p"));
    await assert.rejects(sending, /connection to instance \d+ was lost\. Some files may have arrived in/);
  });

  test("a folder that can't be written there says so, in the machine's words", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await plant(folder, { "a.txt": "a" });
    await writeFile(join(home, "file"), "in the way");
    await assert.rejects(sendAll(there, folder, join(home, "file", "below")), (error: AppError) => {
      assert.equal(error.kind, "rejected");
      assert.match(error.message, /^Instance \d+ reported an error: .*(Not a directory|File exists)/);
      return true;
    });
  });

  test("a full disk there says so, and that some may have arrived", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await plant(folder, { "a.txt": "a".repeat(200_000) });
    // It complains as GNU tar does: the reason first, then a summary.
    const reason = "tar: a.txt: Cannot write: No space left on device";
    const summary = "tar: Exiting with failure status due to previous errors";
    const script = `#!/bin/sh\ncat >/dev/null\necho "${reason}" >&2\necho "${summary}" >&2\nexit 2\n`;
    await writeFile(join(home, ".local", "bin", "tar"), script, { mode: 0o755 });
    const said = /“a\.txt: Cannot write: No space left on device”\. Some files may have arrived in \S+\/p\.$/;
    await assert.rejects(sendAll(there, folder, join(home, "p")), said);
  });

  test("stop going up when the person cancels, and the machine keeps no program", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await writeFile(join(folder, "large.bin"), Buffer.alloc(200_000_000, "x"));
    const list = await listUpload(folder, NEVER);
    const leaving = new AbortController();
    const order = { machine: there, folder, list, remote: join(home, "p") };
    const sending = uploadFiles(order, leaving.signal, () => leaving.abort());
    await assert.rejects(sending, { name: "AbortError" });
    const remote = `${join(home, "p")} `;
    const isRunning = () => spawnSync("ps", ["axww"], { encoding: "utf8" }).stdout.includes(`-C ${remote.trim()}`);
    await eventually(() => !isRunning(), "tar has ended there");
  });

  test("stop coming down when the person cancels, and nothing is left here", async () => {
    const { there, home } = await machine();
    await plant(home, { "p/small.txt": "x" });
    await writeFile(join(home, "p", "z large.bin"), Buffer.alloc(100_000_000, "x"));
    const into = await scratch();
    const leaving = new AbortController();
    const options = { ...watch, report: () => leaving.abort() };
    const coming = downloadFiles({ machine: there, remote: join(home, "p"), into }, leaving.signal, options);
    await assert.rejects(coming, { name: "AbortError" });
    assert.deepEqual(await readdir(into), []);
  });

  test("stop also where a program that ssh started would live on", async () => {
    const { there } = await machine();
    const marker = join(await scratch(), "pid");
    // As the command of a proxy does, it keeps only the way for complaints.
    const stuck = await standIn(there, `sleep 20 <&- >&- & echo $! > ${marker}; exec sleep 20`);
    const leaving = new AbortController();
    const probing = probeTransfer(stuck, leaving.signal);
    await eventually(async () => (await readFile(marker, "utf8").catch(() => "")) !== "", "it runs");
    leaving.abort();
    const at = performance.now();
    await assert.rejects(probing, { name: "AbortError" });
    assert.ok(performance.now() - at < 5000);
    const left = Number(await readFile(marker, "utf8"));
    await eventually(() => !isAlive(left), "it ends as well");
  });

  test("a machine that is destroyed in the middle ends both, and nothing counts as arrived", async () => {
    const { there, home, id, service, connections, me } = await machine();
    const folder = await scratch();
    await writeFile(join(folder, "large.bin"), Buffer.alloc(100_000_000, "x"));
    await plant(home, { "p/small.txt": "x" });
    await writeFile(join(home, "p", "large.bin"), Buffer.alloc(100_000_000, "x"));
    const list = await listUpload(folder, NEVER);
    const into = await scratch();
    const destroy = () => void service.world.destroy(id);
    const lost = (error: AppError) => error.kind === "offline" && /^The connection to instance/.test(error.message);
    const order = { machine: there, folder, list, remote: join(home, "q") };
    const remote = join(home, "p");
    const coming = downloadFiles({ machine: there, remote, into }, NEVER, { ...watch, report: destroy });
    await Promise.all([assert.rejects(uploadFiles(order, NEVER, destroy), lost), assert.rejects(coming, lost)]);
    assert.deepEqual(await readdir(into), []);
    await assert.rejects(connections.recheck(me(), id, there.login), /no longer in your account/);
  });

  test("a login that needs a question says what helps", async () => {
    const { there } = await machine();
    const locked = join(dirname(there.login.identity ?? ""), "locked");
    assert.equal(spawnSync("ssh-keygen", ["-q", "-t", "ed25519", "-N", "secret phrase", "-f", locked]).status, 0);
    const login = { ...there.login, identity: locked };
    await assert.rejects(
      probeTransfer({ ...there, login }, NEVER),
      /has a passphrase, add the key to your agent with ssh-add/,
    );
  });

  test("a machine without tar, and a path that isn't there, are said", async () => {
    const { there, home } = await machine();
    const into = await scratch();
    await assert.rejects(
      downloadFiles({ machine: there, remote: join(home, "nowhere"), into }, NEVER, watch),
      (error: AppError) =>
        error.kind === "not-found" && /^“\S+nowhere” doesn't exist on instance \d+\.$/.test(error.message),
    );
    assert.deepEqual(await readdir(into), []);
    // Stands in for a login to a machine on which there is nothing but a shell.
    const bare = { ...there, program: join(await scratch(), "ssh") };
    await symlink("/bin/sh", join(dirname(bare.program), "sh"));
    const script = `#!/bin/sh\nfor last; do :; done\nPATH="${dirname(bare.program)}" /bin/sh -c "$last"\n`;
    await writeFile(bare.program, script, { mode: 0o755 });
    await assert.rejects(probeTransfer(bare, NEVER), /has no tar program/);
  });

  test("go to and come from a place with a backslash in its name, also one that spells another sign", async () => {
    const { there, home } = await machine();
    const folder = await scratch();
    await plant(folder, { "f.txt": "x" });
    for (const name of ["a\\nb", "a\\", "\\\\a", "a\\101", "a\\'b", '\\"']) {
      const remote = join(home, "places", name);
      await sendAll(there, folder, remote);
      assert.deepEqual(await readTree(remote), await readTree(folder), name);
      for (const from of [remote, join(remote, "f.txt")]) {
        const arrived = await downloadFiles({ machine: there, remote: from, into: await scratch() }, NEVER, watch);
        assert.deepEqual([arrived.complaint, arrived.report.files], ["", 1], from);
        await arrived.remove();
      }
    }
  });

  for (const name of ["a\\b", ".git", "a\tb"])
    test(`one file whose name can't be used here says so: ${JSON.stringify(name)}`, async () => {
      const { there, home } = await machine();
      await plant(home, { [`p/${name}`]: "x" });
      const order = { machine: there, remote: join(home, "p", name), into: await scratch() };
      await assert.rejects(downloadFiles(order, NEVER, watch), /can't save a file named “.+”/);
    });

  test("one file comes alone, and one that is a link there comes as what it leads to", async () => {
    const { there, home } = await machine();
    await plant(home, { "p/-odd name.txt": "content", "real/in.txt": "in" });
    await symlink(join(home, "real"), join(home, "link"));
    const into = await scratch();
    const one = await downloadFiles({ machine: there, remote: join(home, "p", "-odd name.txt"), into }, NEVER, watch);
    await settleDownload(one, into, []);
    const folder = await downloadFiles({ machine: there, remote: join(home, "link"), into }, NEVER, watch);
    await settleDownload(folder, into, []);
    assert.deepEqual(await readTree(into), { "-odd name.txt": "- content", "link/": "", "link/in.txt": "- in" });
  });

  test("a machine that sends more than the one file that it announced is refused", async () => {
    const { there } = await machine();
    const [into, from] = [await scratch(), await scratch()];
    const parts = ["a.txt", "b.txt"].map((name) => tarPart({ name, data: name }));
    await writeFile(join(from, "archive"), Buffer.concat([...parts, TAR_END]));
    const liar = await standIn(there, `echo cloud-gpu-answer file; exec cat ${join(from, "archive")}`);
    await assert.rejects(downloadFiles({ machine: liar, remote: "/a.txt", into }, NEVER, watch), /Nothing was saved/);
    assert.deepEqual(await readdir(into), []);
  });

  test("what a profile prints is not part of them", async () => {
    const { there, home } = await machine();
    await plant(home, { "p/a.txt": "a" });
    const noisy = { ...there, program: join(await scratch(), "ssh") };
    await writeFile(
      noisy.program,
      `#!/bin/sh\necho Welcome; echo "cloud-gpu-answers none"\nexec ${there.program} "$@"\n`,
      {
        mode: 0o755,
      },
    );
    const into = await scratch();
    const arrived = await downloadFiles({ machine: noisy, remote: join(home, "p"), into }, NEVER, watch);
    await settleDownload(arrived, into, []);
    assert.deepEqual(await readTree(into), { "p/": "", "p/a.txt": "- a" });
  });

  test("links on the machine stay there and are counted; a file of two names comes twice", async () => {
    const { there, home } = await machine();
    await plant(home, { "p/a.txt": "a" });
    await symlink("/etc/passwd", join(home, "p", "link"));
    assert.equal(spawnSync("ln", [join(home, "p", "a.txt"), join(home, "p", "b.txt")]).status, 0);
    const into = await scratch();
    const arrived = await downloadFiles({ machine: there, remote: join(home, "p"), into }, NEVER, watch);
    assert.equal(arrived.report.links, 1);
    await settleDownload(arrived, into, []);
    assert.deepEqual(await readTree(join(into, "p")), { "a.txt": "- a", "b.txt": "- a" });
  });
});

describe("a download", { skip }, () => {
  const machineOnce = createLazy(machine);
  let arrivals = 0;

  async function arrive(there: Tree, here: Tree) {
    const { there: login, home } = await machineOnce();
    arrivals += 1;
    const remote = join(home, `${arrivals}`, "p");
    await plant(remote, there);
    const into = await scratch();
    await plant(join(into, "p"), here);
    const arrived = await downloadFiles({ machine: login, remote, into }, NEVER, watch);
    return { arrived, into };
  }

  test("goes into a folder that is there, and replaces only what was agreed to", async () => {
    const { arrived, into } = await arrive(
      { "a.txt": "new", "in/b.txt": "new", "c/": "" },
      { "a.txt": "old", "d.txt": "mine" },
    );
    const met = await findReplaced(arrived, into);
    assert.deepEqual(met, { replaced: ["a.txt"], isBlocked: false });
    await settleDownload(arrived, into, met.replaced);
    const tree = { "a.txt": "- new", "in/": "", "in/b.txt": "- new", "c/": "", "d.txt": "- mine" };
    assert.deepEqual(await readTree(join(into, "p")), tree);
    assert.deepEqual(await readdir(into), ["p"]);
  });

  test("that isn't to replace anything gets another name", async () => {
    const { arrived, into } = await arrive({ "a.txt": "new" }, { "a.txt": "old" });
    await mkdir(join(into, "p (2)"));
    assert.equal(await settleBeside(arrived, into), join(into, "p (3)"));
    assert.deepEqual(await readTree(into), {
      ...{ "p/": "", "p/a.txt": "- old", "p (2)/": "" },
      ...{ "p (3)/": "", "p (3)/a.txt": "- new" },
    });
  });

  test("isn't mixed into a folder where programs would do what new files say", async () => {
    for (const path of [".vscode/tasks.json", "a/.SSH/authorized_keys", ".claude/settings.json", "in/AGENTS.md"]) {
      const { arrived, into } = await arrive({ [path]: "{}" }, { "mine.txt": "mine" });
      assert.deepEqual(await findReplaced(arrived, into), { replaced: [], isBlocked: true });
    }
  });

  test("may bring back what programs follow as it is here, but nothing else in its place", async () => {
    const files = { ".envrc": "layout python", ".github/ci.yml": "on: push", "out.txt": "mine" };
    const same = await arrive({ ...files, "out.txt": "new" }, files);
    const { isBlocked, replaced } = await findReplaced(same.arrived, same.into);
    assert.deepEqual([isBlocked, [...replaced].sort()], [false, Object.keys(files)]);
    for (const there of ["layout PYTHON", "layout python; touch x", ""]) {
      const { arrived, into } = await arrive({ ".envrc": there }, files);
      assert.equal((await findReplaced(arrived, into)).isBlocked, true, there);
    }
    const { arrived, into } = await arrive(
      { ".envrc": "layout python" },
      { "mine.txt": "mine", elsewhere: "layout python" },
    );
    await symlink(join(into, "p", "elsewhere"), join(into, "p", ".envrc"));
    assert.equal((await findReplaced(arrived, into)).isBlocked, true, "a link is no file");
  });

  test("stops at a folder that becomes a link while files are moved into it", async () => {
    const names = Array.from({ length: 3000 }, (_, at) => `in/${String(at).padStart(4, "0")}`);
    const { arrived, into } = await arrive(Object.fromEntries(names.map((name) => [name, "new"])), { "a.txt": "old" });
    const [place, outside] = [join(into, "p", "in"), await scratch()];
    // For a moment, there is no folder at all.
    const settling = assert.rejects(
      settleDownload(arrived, into, []),
      /in” was created in the meantime|couldn't be moved/,
    );
    await eventually(async () => (await readdir(place).catch(() => [])).length > 0, "the first are there");
    await rename(place, join(into, "was in"));
    await symlink(outside, place);
    await settling;
    // One may be on its way between the look and the move.
    assert.ok((await readdir(outside)).length <= 1);
  });

  test("moves each file for itself where it may, and leaves the others where they are", async () => {
    const coming = { "a.txt": "new", "b.txt": "new", "c/d/e.txt": "new", "folder/f.txt": "new", "file/g.txt": "new" };
    const { arrived, into } = await arrive(
      { ...coming, "link/h.txt": "new", "new/HEAD": "new", "new/i": "new" },
      { "a.txt": "old", "b.txt": "old", "folder/f.txt/x": "old", file: "old", "new/refs/x": "old" },
    );
    const [place, outside] = [join(into, "p"), await scratch()];
    await symlink(outside, join(place, "link"));
    const left = await settleEach(arrived, place, ["a.txt", "folder/f.txt"]);
    const names = left.map((path) => path.join("/")).sort();
    assert.deepEqual(names, ["b.txt", "file/g.txt", "folder/f.txt", "link/h.txt", "new/HEAD"]);
    for (const [name, text] of [
      ["a.txt", "new"],
      ["b.txt", "old"],
      ["c/d/e.txt", "new"],
      ["new/i", "new"],
    ] as const)
      assert.equal(await readFile(join(place, name), "utf8"), text, name);
    for (const path of left) assert.equal(await readFile(join(arrived.path, ...path), "utf8"), "new");
    assert.deepEqual(
      [await readdir(outside), await readdir(into)].flat().filter((name) => name.includes("rest")),
      [],
    );
  });

  test("never goes through a link, nor over a file that came meanwhile", async () => {
    const { arrived, into } = await arrive({ "in/b.txt": "new" }, { "a.txt": "old" });
    const outside = await scratch();
    await symlink(outside, join(into, "p", "in"));
    assert.deepEqual(await findReplaced(arrived, into), { replaced: [], isBlocked: true });
    await assert.rejects(settleDownload(arrived, into, []), /in” was created in the meantime and wasn't replaced/);
    assert.deepEqual(await readdir(outside), []);
    assert.deepEqual(await readTree(join(into, "p (rest)")), { "in/": "", "in/b.txt": "- new" }, "and is whole still");
    const other = await arrive({ "in/b.txt": "new" }, { "in/b.txt": "meanwhile" });
    await assert.rejects(settleDownload(other.arrived, other.into, []), /b\.txt” was created in the meantime/);
    assert.equal((await readTree(join(other.into, "p")))["in/b.txt"], "- meanwhile");
    assert.equal((await readTree(join(other.into, "p (rest)")))["in/b.txt"], "- new");
  });
});

test("what was agreed to is remembered with the machine, for the last few folders", { skip }, async () => {
  const { sshMachines, there } = await machine();
  const { alias } = there.login;
  const agreed = { to: "/workspace/a", usual: "/workspace", files: 3, bytes: 10 };
  assert.equal(await findAgreed(sshMachines, alias, "/home/me/a"), undefined);
  for (let folder = 0; folder < 12; folder += 1) await rememberAgreed(sshMachines, alias, `/home/me/${folder}`, agreed);
  await rememberAgreed(sshMachines, alias, "/home/me/11", { ...agreed, files: 4 });
  assert.equal((await findAgreed(sshMachines, alias, "/home/me/11"))?.files, 4);
  assert.equal((await findAgreed(sshMachines, alias, "/home/me/5"))?.to, "/workspace/a");
  assert.equal(await findAgreed(sshMachines, alias, "/home/me/1"), undefined);
  assert.ok(!JSON.stringify(await sshMachines.find(alias)).includes("/home/me"), "it doesn't say where folders are");
});
