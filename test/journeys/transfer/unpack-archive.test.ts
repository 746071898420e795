// Archives that a stranger's machine made to do harm, through the real unpacker: nothing outside the folder changes, nothing inside is
// a link, no limit is passed, and the editor stays awake.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { lstat, mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { describe, test } from "node:test";
import type { AppError } from "../../../src/domain/base/error.ts";
import { UNPACK_LIMITS, Unpacker, type UnpackLimits } from "../../../src/services/transfer/unpack-archive.ts";
import { seeded } from "../../fuzz/answers.ts";
import { cleanUp } from "../support.ts";
import { paxPart, TAR_END, type TarPart, tarPart } from "./tar-maker.ts";

async function scratch(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-unpack-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Unpacks into a folder, in pieces of some size. */
async function unpack(archive: Buffer, folder: string, options: { limits?: UnpackLimits; piece?: number } = {}) {
  const { piece = 65_536, ...rest } = options;
  const unpacker = new Unpacker(folder, rest);
  try {
    for (let at = 0; at < archive.length; at += piece) await unpacker.write(archive.subarray(at, at + piece));
  } finally {
    await unpacker.close();
  }
  return unpacker;
}

async function unpackAll(...parts: readonly Buffer[]) {
  const folder = await scratch();
  const unpacker = await unpack(Buffer.concat([...parts, TAR_END]), folder);
  return { folder, ...unpacker.report, isComplete: unpacker.isComplete };
}

const LIMITS: UnpackLimits = { entries: 60, bytes: 20_000, overhead: 60_000, spare: 0 };
const SEEDS = 500;

interface Stage {
  readonly root: string;
  readonly folder: string;
}

function makeParts(random: () => number, { root }: Stage): Buffer[] {
  const any = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const NAMES = [
    ...["a", "b", "A", "a/b", "a/b/c", "b/../../canary", "../canary", "../../canary", "/canary", `${root}/canary`],
    ...["..", ".", "./", "", "/", "a/", "link", "link/x", "link/../../canary", "C:\\x", "..\\canary", "con", "a:b"],
    ...["nul\u0000hidden", "line\nbreak", "\ufffd", "\u202egnp.exe", "x".repeat(300), "d/".repeat(80), "-rf", "ß/ö"],
    ...["outside", "outside/x", "../outside/x", "~/.ssh/authorized_keys", ".bashrc", "a//b", "./a/./b"],
  ];
  const name = () => any(NAMES);
  const data = () => Buffer.alloc(Math.floor(random() ** 3 * 9000), any(["x", "\0", "ustar"]));
  const plain = (more: TarPart = {}) =>
    tarPart({ name: name(), data: data(), mode: any([0o644, 0o755, 0o4777]), ...more });
  const KINDS: readonly (() => Buffer)[] = [
    plain,
    plain,
    plain,
    () => tarPart({ name: name(), type: "5" }),
    () =>
      tarPart({
        name: any(["link", "a", name()]),
        type: any(["1", "2"]),
        link: any(["../outside", root, "../canary", "a"]),
      }),
    () =>
      tarPart({ name: name(), type: any(["3", "4", "6", "7", "S", "V", "M", "D", "Z", "\0", "\xff"]), data: data() }),
    () =>
      paxPart({ path: name(), ...(random() < 0.3 ? { size: any(["0", "1", "512", "99999999999", "-1", "x"]) } : {}) }),
    () => paxPart({ linkpath: "../outside", "GNU.sparse.major": "1", "GNU.sparse.name": "../canary" }),
    () => paxPart({ path: `../canary\0${name()}`, mtime: any(["1e999", "-5", "x", "1.5"]) }),
    () => paxPart({ path: "../canary" }, "g"),
    () =>
      tarPart({
        name: "x",
        type: "x",
        data: any(["1\t1\t1\t1\t", "9999 path=a\n", "-1 path=a\n", "12 path\n", " ", "0 a=b\n"]),
      }),
    () => tarPart({ name: "././@LongLink", type: any(["L", "K"]), data: `${name()}\0` }),
    () => tarPart({ name: "big", type: any(["x", "L", "g"]), size: any([65_537, 8_000_000, 2 ** 40]) }),
    () => plain({ size: any([0, 1, 511, 100_000, 2 ** 33, 2 ** 62]) }),
    () => plain({ wrong: any([1, -1, 1000]) }),
    () => plain({ magic: any(["ustar  \0", "\0\0\0\0\0\0\0\0", "tsaru"]), prefix: any(["", "..", "/etc", "a"]) }),
    () => Buffer.alloc(512),
    () => Buffer.from(Array.from({ length: 700 }, () => Math.floor(random() * 256))),
    () => Buffer.concat(Array.from({ length: 100 }, (_, at) => tarPart({ name: `many/${at}` }))),
    () => Buffer.concat(Array.from({ length: 300 }, () => paxPart({ path: "a" }))),
  ];
  return Array.from({ length: 1 + Math.floor(random() * 14) }, () => any(KINDS)());
}

/** An archive of any parts, cut off or with a byte changed now and then. */
function makeArchive(seed: number, stage: Stage): { archive: Buffer; piece: number } {
  const random = seeded(seed);
  const parts = makeParts(random, stage);
  if (random() < 0.7) parts.push(TAR_END);
  let archive = Buffer.concat(parts);
  if (random() < 0.2) archive = archive.subarray(0, Math.floor(random() * archive.length));
  if (random() < 0.2 && archive.length > 0) archive[Math.floor(random() * archive.length)] = Math.floor(random() * 256);
  return { archive, piece: [1 + Math.floor(random() * 700), 512, 4096, 65_536][Math.floor(random() * 4)] ?? 512 };
}

/** @returns how many files and folders there are, and the bytes of all files. */
async function inspect(folder: string): Promise<{ count: number; bytes: number }> {
  let [count, bytes] = [0, 0];
  for (const name of await readdir(folder, { recursive: true })) {
    const stat = await lstat(join(folder, name));
    assert.ok(stat.isFile() || stat.isDirectory(), `${name} is a plain file or a folder`);
    assert.equal(stat.nlink === 1 || stat.isDirectory(), true, `${name} has one name`);
    if (stat.isFile() && process.platform !== "win32")
      assert.equal(stat.mode & 0o7022, 0, `${name}: ${stat.mode.toString(8)}`);
    count += 1;
    if (stat.isFile()) bytes += stat.size;
  }
  return { count, bytes };
}

test(`${SEEDS} hostile archives: nothing outside changes, nothing inside is a link, and the limits hold`, async () => {
  const root = await scratch();
  await writeFile(join(root, "canary"), "alive");
  await mkdir(join(root, "outside"));
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  const ends = { complete: 0, incomplete: 0, refused: 0 };
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const folder = join(root, "into");
    await mkdir(folder);
    const { archive, piece } = makeArchive(seed, { root, folder });
    try {
      const { isComplete, report } = await unpack(archive, folder, { limits: LIMITS, piece });
      ends[isComplete ? "complete" : "incomplete"] += 1;
      const { bytes } = await inspect(folder);
      assert.equal(bytes, report.bytes, `seed ${seed}`);
    } catch (error) {
      // Whatever is refused is refused in a sentence.
      assert.equal((error as AppError).name, "AppError", `seed ${seed}: ${error}`);
      assert.match((error as AppError).message, /Nothing was saved\.$|^Canceled\.$/);
      ends.refused += 1;
    }
    const { count, bytes } = await inspect(folder);
    assert.ok(count <= LIMITS.entries + 1 && bytes <= LIMITS.bytes, `seed ${seed}: ${count} entries, ${bytes} bytes`);
    await rm(folder, { recursive: true });
    assert.deepEqual((await readdir(root)).sort(), ["canary", "outside"], `seed ${seed}`);
  }
  delay.disable();
  assert.equal(await readFile(join(root, "canary"), "utf8"), "alive");
  assert.deepEqual(await readdir(join(root, "outside")), []);
  assert.ok(Math.min(...Object.values(ends)) > SEEDS / 20, `each way to end was met: ${JSON.stringify(ends)}`);
  assert.ok(delay.max / 1e6 < 1000, `the event loop was kept for ${delay.max / 1e6} ms at most`);
});

describe("an archive without end", () => {
  const endless: Readonly<Record<string, { part: Buffer; said: RegExp }>> = {
    "of empty files": { part: tarPart({ name: "same" }), said: /more than 200,000 files/ },
    "of links": { part: tarPart({ name: "l", type: "2", link: "x" }), said: /more than 200,000 files/ },
    "of attributes": { part: paxPart({ path: "x".repeat(60_000) }), said: /contains hardly any file content/ },
    "of zeros after its end": { part: Buffer.alloc(65_536), said: /contains hardly any file content/ },
    "of devices with data": {
      part: tarPart({ name: "x", type: "Z", data: "x".repeat(60_000) }),
      said: /contains hardly any file content/,
    },
  };
  for (const [what, { part, said }] of Object.entries(endless))
    test(`${what} ends, and the editor is awake meanwhile`, async () => {
      const unpacker = new Unpacker(await scratch(), { limits: { ...UNPACK_LIMITS, overhead: 200e6 } });
      const chunk = Buffer.concat(Array.from({ length: Math.ceil(65_536 / part.length) }, () => part));
      let turns = 0;
      const timer = setInterval(() => {
        turns += 1;
      }, 1);
      const pour = async () => {
        for (;;) {
          await unpacker.write(chunk);
          // As a pipe does between two of its pieces.
          await new Promise((resolve) => setImmediate(resolve));
        }
      };
      await assert.rejects(pour(), said);
      clearInterval(timer);
      assert.ok(turns > 3, `${turns} turns of a timer`);
    });
});

test("a person is asked above the limit of bytes, and No ends it", async () => {
  const large = tarPart({ name: "large", data: Buffer.alloc(30_000, "x") });
  const asked: number[] = [];
  const run = async (answer: boolean) => {
    const folder = await scratch();
    const options = { limits: LIMITS, mayGoOn: async (bytes: number) => asked.push(bytes) > 0 && answer };
    const unpacker = new Unpacker(folder, options);
    for (const piece of [large, large, TAR_END]) {
      await unpacker.write(piece.subarray(0, 5000));
      await unpacker.write(piece.subarray(5000));
    }
    return unpacker.report;
  };
  await assert.rejects(run(false), (error: AppError) => error.kind === "cancelled");
  assert.equal(asked.length, 1);
  const { files, bytes, repeated } = await run(true);
  assert.deepEqual([files, bytes, repeated], [1, 30_000, 1]);
  assert.equal(asked.length, 2, "once each time");
});

test("the disk is never filled", async () => {
  const folder = await scratch();
  const limits = { ...LIMITS, spare: Number.MAX_SAFE_INTEGER };
  await assert.rejects(unpack(tarPart({ name: "a", data: "x" }), folder, { limits }), /This computer's disk is full/);
});

test("a folder of somebody else's, which holds a link, is not walked through", async () => {
  const folder = await scratch();
  const outside = await scratch();
  await symlink(outside, join(folder, "in"));
  const archive = Buffer.concat([tarPart({ name: "in/x", data: "x" }), tarPart({ name: "b", data: "b" }), TAR_END]);
  const { report } = await unpack(archive, folder);
  assert.deepEqual([report.files, report.repeated], [1, 1]);
  assert.deepEqual(await readdir(outside), []);
});

test("no repository arrives: git would run what its configuration says", async () => {
  const canary = join(await scratch(), "canary");
  const config = `[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ${canary}; false\n`;
  const { folder, files, names } = await unpackAll(
    tarPart({ name: ".git/HEAD", data: "ref: refs/heads/main\n" }),
    tarPart({ name: ".git/config", data: config }),
    tarPart({ name: ".git/hooks/post-checkout", data: "#!/bin/sh\n", mode: 0o755 }),
    ...[".git/objects/", ".git/refs/"].map((name) => tarPart({ name, type: "5" })),
    tarPart({ name: "train.py", data: "x" }),
  );
  spawnSync("git", ["-C", folder, "status"]);
  await assert.rejects(lstat(canary));
  assert.deepEqual([await readdir(folder), files, names], [["train.py"], 1, 5]);
});

describe("a good archive", () => {
  test("is unpacked with its times and the executable bit, and what isn't a plain file is counted", async () => {
    const done = await unpackAll(
      tarPart({ name: "./", type: "5" }),
      tarPart({ name: "./run.sh", data: "#!/bin/sh\n", mode: 0o4711 }),
      tarPart({ name: "name", prefix: "pre/fix", data: "prefixed" }),
      tarPart({ name: "cut", prefix: "not a prefix", magic: "ustar  \0", data: "old" }),
      paxPart({ path: "größe", size: "3", mtime: "1700000000.5", comment: "x" }),
      tarPart({ name: "other", data: "abc", size: 0 }),
      tarPart({ name: "././@LongLink", type: "L", data: `${"long/".repeat(30)}end\0` }),
      tarPart({ name: "short", data: "long" }),
      tarPart({ name: "link", type: "2", link: "/etc/passwd" }),
      tarPart({ name: "device", type: "3" }),
      tarPart({ name: "../x", data: "x" }),
      tarPart({ name: "cut", data: "again" }),
    );
    assert.deepEqual([done.files, done.links, done.others, done.names, done.repeated], [5, 1, 1, 1, 1]);
    assert.ok(done.isComplete);
    assert.equal(await readFile(join(done.folder, "pre/fix/name"), "utf8"), "prefixed");
    assert.equal(await readFile(join(done.folder, "größe"), "utf8"), "abc");
    assert.equal(await readFile(join(done.folder, "cut"), "utf8"), "old");
    assert.equal(await readFile(join(done.folder, "long/".repeat(30), "end"), "utf8"), "long");
    assert.equal((await lstat(join(done.folder, "größe"))).mtimeMs, 1_700_000_000_000);
    if (process.platform !== "win32")
      assert.equal((await lstat(join(done.folder, "run.sh"))).mode & 0o4111, 0o111 & ~process.umask());
  });

  test("on a system without case, names that differ in it are one", async () => {
    const folder = await scratch();
    const unpacker = new Unpacker(folder, { isCaseless: true });
    for (const name of ["A/x", "a/X", "a/y", "Gro\u0308ße", "GRÖßE"])
      await unpacker.write(tarPart({ name, data: name }));
    await unpacker.write(TAR_END);
    await unpacker.close();
    assert.deepEqual([unpacker.report.files, unpacker.report.repeated], [3, 2]);
    assert.deepEqual((await readdir(folder, { recursive: true })).sort(), ["A", "A/x", "A/y", "Gro\u0308ße"]);
  });

  test("on a system without case, an i without a dot is another letter than one with it", async () => {
    const unpacker = new Unpacker(await scratch(), { isCaseless: true });
    for (const name of ["kiz", "kız"]) await unpacker.write(tarPart({ name, data: name }));
    await unpacker.write(TAR_END);
    await unpacker.close();
    assert.deepEqual([unpacker.report.files, unpacker.report.repeated], [2, 0]);
  });

  const formats = ["gnu", "oldgnu", "pax", "posix", "ustar"];
  const HAS_TAR = spawnSync("tar", ["--version"], { encoding: "utf8" }).stdout?.includes("GNU tar") === true;
  for (const format of formats)
    test(`of the real tar's format ${format} is read`, { skip: !HAS_TAR && "GNU tar is not installed" }, async () => {
      const from = await scratch();
      const long = `${"d".repeat(90)}/${"e".repeat(90)}`;
      await mkdir(join(from, long), { recursive: true });
      await writeFile(join(from, long, "file.txt"), "deep");
      await writeFile(join(from, "two words ü"), Buffer.alloc(70_000, "z"));
      // Before 1970, which only some formats can write.
      const time = new Date(-5e11);
      if (format !== "ustar") await utimes(join(from, "two words ü"), time, time);
      const { stdout } = spawnSync("tar", [`--format=${format}`, "-cf", "-", "-C", from, "."], { maxBuffer: 10e6 });
      const folder = await scratch();
      const { isComplete, report } = await unpack(stdout, folder, { piece: 1000 });
      assert.ok(isComplete);
      assert.deepEqual([report.files, report.names, report.repeated], [2, 0, 0]);
      assert.equal(await readFile(join(folder, long, "file.txt"), "utf8"), "deep");
      assert.equal((await readFile(join(folder, "two words ü"))).length, 70_000);
    });
});
