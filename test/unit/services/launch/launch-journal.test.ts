// The launch journal in memory: which names count, what they say, who may send, and what is tidied away.
import assert from "node:assert/strict";
import { basename, join } from "node:path";
import { describe, test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { Prepared } from "../../../../src/domain/launch/launch-record.ts";
import type { Disk } from "../../../../src/services/core/book/disk.ts";
import {
  createAlreadySentError,
  LaunchJournal,
  wasSentBefore,
} from "../../../../src/services/launch/launch-journal.ts";

const DAY = 86_400_000;
const [A, B, C] = ["a", "b", "c"].map((letter) => `vsc-${letter.repeat(16)}`) as [string, string, string];

function prepared(at: number): Prepared {
  return Prepared.parse({ version: 1, origin: "o", account: "a", offer: 7, machine: "m", at, tracked: true });
}

/** A folder in memory, and in which order it was read and emptied. */
function inMemory(files: Readonly<Record<string, string>> = {}) {
  const kept = new Map(Object.entries(files).map(([name, text]) => [join("f", name), text]));
  const removed: string[] = [];
  const reads: string[] = [];
  const disk: Disk = {
    create: async (path, text) => {
      if (kept.has(path)) return false;
      kept.set(path, text);
      return true;
    },
    names: async () => [...kept.keys()].map((path) => basename(path)),
    read: async (path) => {
      reads.push(basename(path));
      const text = kept.get(path);
      if (text === undefined) throw new Error("ENOENT");
      return text;
    },
    remove: async (path) => {
      if (kept.delete(path)) removed.push(basename(path));
    },
  };
  return { journal: new LaunchJournal("f", disk), disk, kept, removed, reads };
}

const refusesAs = (code: string) => (error: unknown) =>
  error instanceof AppError &&
  error.kind === "rejected" &&
  error.facts.notSent === true &&
  error.message.includes(`couldn't save the launch (${code})`);

describe("reading", () => {
  test("takes a launch from its names, oldest first, with its rentals in order", async () => {
    const { journal } = inMemory({
      [`${B}.prepared`]: JSON.stringify(prepared(2)),
      [`${B}.claimed`]: "",
      [`${B}.late-12`]: "",
      [`${B}.rented-9`]: "",
      [`${B}.told`]: "",
      [`${A}.prepared`]: JSON.stringify(prepared(3)),
      [`${C}.claimed`]: "",
    });
    assert.deepEqual(await journal.read(), [
      { token: C, prepared: undefined, facts: new Set(["claimed"]), late: new Set(), ids: [] },
      { token: B, prepared: prepared(2), facts: new Set(["claimed", "told"]), late: new Set([12]), ids: [9, 12] },
      { token: A, prepared: prepared(3), facts: new Set(), late: new Set(), ids: [] },
    ]);
  });

  test("what cannot be read comes first, wherever it stands", async () => {
    for (const names of [
      [A, B, C],
      [C, B, A],
      [B, C, A],
    ]) {
      const files = names.map((token) => [`${token}.prepared`, token === B ? JSON.stringify(prepared(1)) : "{"]);
      const records = await inMemory(Object.fromEntries(files)).journal.read();
      assert.deepEqual(records.at(-1)?.prepared, prepared(1));
    }
  });

  test("knows every fact, and no other name", async () => {
    const facts = ["claimed", "not-sent", "refused", "absent", "dismissed", "looked", "told"];
    const { journal } = inMemory(Object.fromEntries(facts.map((fact) => [`${A}.${fact}`, ""])));
    assert.deepEqual([...((await journal.read())[0]?.facts ?? [])], facts);
    const odd = [
      `${A}.other`,
      `${A}.rented-`,
      `${A}.rented-07`,
      `${A}.rented-1x`,
      `${A}.rented-12345678901234567`,
      `${A}.claimed.tmp`,
      `x${A}.claimed`,
      `${A}x.claimed`,
      "vsc-aaaaaaaaaaaaaaa.claimed",
      "vsc-aaaaaaaaaaaaaaa1.claimed",
      "vsc-AAAAAAAAAAAAAAAA.claimed",
      "claimed",
    ];
    assert.deepEqual(await inMemory(Object.fromEntries(odd.map((name) => [name, ""]))).journal.read(), []);
  });

  test("an id no number can hold is no rental", async () => {
    const files = { [`${A}.claimed`]: "", [`${A}.rented-9999999999999999`]: "", [`${A}.rented-0`]: "" };
    const [record] = await inMemory(files).journal.read();
    assert.deepEqual(record?.ids, []);
  });

  test("reads a prepared file once, and again only while it cannot be read", async () => {
    const { journal, kept, reads } = inMemory({ [`${A}.prepared`]: "{" });
    assert.equal((await journal.read())[0]?.prepared, undefined);
    kept.set(join("f", `${A}.prepared`), JSON.stringify(prepared(1)));
    assert.deepEqual((await journal.read())[0]?.prepared, prepared(1));
    await journal.read();
    assert.equal(reads.length, 2);
  });

  test("a folder that cannot be read is an error that says so", async () => {
    const { disk } = inMemory();
    const locked = (thrown: unknown) => new LaunchJournal("f", { ...disk, names: () => Promise.reject(thrown) });
    await assert.rejects(locked(Object.assign(new Error("no"), { code: "EACCES" })).read(), refusesAs("EACCES"));
    await assert.rejects(locked(new Error("no")).read(), refusesAs(""));
    await assert.rejects(locked(undefined).read(), refusesAs(""));
    await assert.rejects(
      locked(Object.assign(new Error("no"), { code: "EACCES" })).prepare(A, prepared(1)),
      refusesAs("EACCES"),
    );
  });
});

describe("writing", () => {
  test("a launch is prepared and claimed once", async () => {
    const { journal, kept } = inMemory();
    await journal.prepare(A, prepared(1));
    assert.deepEqual(JSON.parse(kept.get(join("f", `${A}.prepared`)) ?? ""), prepared(1));
    await assert.rejects(journal.prepare(A, prepared(1)), wasSentBefore);
    await journal.claim(A);
    await assert.rejects(journal.claim(A), wasSentBefore);
    assert.equal(kept.get(join("f", `${A}.claimed`)), "");
  });

  test("a fact may be noted twice", async () => {
    const { journal } = inMemory();
    await journal.note(A, "told");
    await journal.note(A, "told");
    await journal.note(A, ["rented", 3]);
    assert.deepEqual(await journal.read(), [
      { token: A, prepared: undefined, facts: new Set(["told"]), late: new Set(), ids: [3] },
    ]);
  });

  test("a disk that fails is an error that says so", async () => {
    const { disk } = inMemory();
    const full = Object.assign(new Error("full"), { code: "ENOSPC" });
    const journal = new LaunchJournal("f", { ...disk, create: () => Promise.reject(full) });
    for (const work of [journal.prepare(A, prepared(1)), journal.claim(A), journal.note(A, "told")])
      await assert.rejects(work, refusesAs("ENOSPC"));
  });

  test("what was sent before is told from every other error", () => {
    assert.ok(wasSentBefore(createAlreadySentError()));
    assert.ok(!wasSentBefore(new AppError("rejected", "x")));
    assert.ok(!wasSentBefore({ facts: { code: "sent-before" } }));
    assert.ok(!wasSentBefore(undefined));
  });
});

describe("tidying", () => {
  const NOW = 100 * DAY;
  const files = (token: string, at: number, ...facts: readonly string[]) => ({
    [`${token}.prepared`]: JSON.stringify(prepared(at)),
    ...Object.fromEntries(facts.map((fact) => [`${token}.${fact}`, ""])),
  });

  test("removes a launch that has been over for 30 days, its claim first and what was prepared last", async () => {
    const { journal, kept, removed } = inMemory({
      ...files(A, NOW - 30 * DAY, "told", "claimed", "rented-7"),
      ...files(B, NOW - 30 * DAY + 1, "claimed", "rented-8"),
      ...files(C, NOW),
    });
    await journal.tidy(NOW);
    assert.deepEqual(removed, [`${A}.claimed`, `${A}.told`, `${A}.rented-7`, `${A}.prepared`]);
    assert.equal(kept.size, 4);
  });

  test("keeps what is open, doubled or unreadable, however old", async () => {
    const { journal, removed } = inMemory({
      ...files(A, 0, "claimed"),
      ...files(B, 0, "claimed", "rented-1", "rented-2"),
      [`${C}.dismissed`]: "",
    });
    await journal.tidy(NOW);
    assert.deepEqual(removed, []);
  });

  test("keeps one with a registry login as long as its instance may be rented", async () => {
    const withLogin = (at: number) => ({
      [`${A}.prepared`]: JSON.stringify({ ...prepared(at), login: "launch" }),
      ...{ [`${A}.claimed`]: "", [`${A}.rented-7`]: "" },
    });
    for (const [days, left] of [
      [399, 4],
      [400, 1],
    ] as const) {
      const now = 500 * DAY;
      const { journal, kept } = inMemory({ ...withLogin(now - days * DAY), ...files(B, now) });
      await journal.tidy(now);
      assert.equal(kept.size, left, `${days} days`);
    }
  });

  test("removes what never left, was not found, or was dismissed", async () => {
    for (const facts of [[], ["not-sent"], ["claimed", "absent"], ["claimed", "dismissed"]]) {
      const { journal, kept } = inMemory({ ...files(A, 0, ...facts), ...files(B, NOW) });
      await journal.tidy(NOW);
      assert.deepEqual(
        [...kept.keys()].map((path) => path.includes(B)),
        [true],
        facts.join(),
      );
    }
  });
});
