// What is tidied away: nothing that a clock which is ahead for a moment only makes look old.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { InstanceId, OfferId } from "../../../src/domain/base/id.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { createGroupId, GroupJournal } from "../../../src/services/group/group-journal.ts";
import { AutoStopJournal } from "../../../src/services/instance/auto-stops/auto-stop-journal.ts";
import { IdleJournal } from "../../../src/services/instance/idle/idle-journal.ts";
import { createOrderToken, OrderJournal } from "../../../src/services/instance/order-journal.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { LaunchJournal } from "../../../src/services/launch/launch-journal.ts";
import { makeUserData } from "../support.ts";

const DAY = 86_400_000;
const mark = { version: 1, origin: "http://127.0.0.1:1", account: "a" } as const;
const id = InstanceId.parse(31_000_001);

interface Kept {
  readonly write: (at: number) => Promise<unknown>;
  readonly tidy: (now: number) => Promise<void>;
}

/** Each writes something that is over, and may be tidied away in time. */
const JOURNALS: Readonly<Record<string, (folder: string) => Kept>> = {
  launches: (folder) => {
    const journal = new LaunchJournal(folder);
    const write = async (at: number) => {
      const { token } = createIntent();
      await journal.prepare(token, { ...mark, at, offer: OfferId.parse(1), machine: "m", tracked: true });
      await journal.claim(token);
      await journal.note(token, "absent");
    };
    return { write, tidy: (now) => journal.tidy(now) };
  },
  orders: (folder) => {
    const journal = new OrderJournal(folder);
    const write = async (at: number) => {
      const token = createOrderToken();
      await journal.write(token, { ...mark, kind: "destroy", id, at, owner: "w" });
      await journal.note(token, "done");
    };
    return { write, tidy: (now) => journal.tidy(now) };
  },
  ends: (folder) => {
    const journal = new AutoStopJournal(folder);
    let count = 0;
    const write = async (at: number) => {
      count += 1;
      const autoStop = {
        ...mark,
        id: InstanceId.parse(count),
        until: at + 1000,
        ending: "stop",
        at,
        count: 1,
      } as const;
      await journal.noteOver(await journal.write(autoStop), autoStop.id);
    };
    return { write, tidy: (now) => journal.tidy(now) };
  },
  "idle orders": (folder) => {
    const journal = new IdleJournal(folder, realClock);
    let count = 0;
    const write = async (at: number) => {
      count += 1;
      const order = {
        ...mark,
        id: InstanceId.parse(count),
        wish: { minutes: 20, ending: "stop" },
        at,
        count: 1,
      } as const;
      await journal.noteOver(await journal.write(order));
    };
    return { write, tidy: (now) => journal.tidy(now) };
  },
  groups: (folder) => {
    const journal = new GroupJournal(folder);
    const write = async (at: number) => {
      const tokens = [createIntent().token, createIntent().token];
      const policy = { least: 2, rest: "ask", minutes: 20, deadline: at + 1000 } as const;
      await journal.prepare(createGroupId(), { ...mark, ...policy, name: "g", tokens, at, owner: "w" });
    };
    return { write, tidy: (now) => journal.tidy(now) };
  },
};

describe("nothing is tidied away", () => {
  for (const [what, open] of Object.entries(JOURNALS))
    test(`of ${what} that were written minutes ago, by a window that opens while the clock is ahead`, async () => {
      const folder = join(makeUserData().root, "files");
      const { write, tidy } = open(folder);
      const now = Date.now();
      await write(now - 2 * DAY);
      await write(now);
      const before = readdirSync(folder).sort();
      for (const ahead of [31, 400, 4000]) await tidy(now + ahead * DAY);
      assert.deepEqual(readdirSync(folder).sort(), before);
    });
});

describe("what is old is tidied away", () => {
  for (const [what, open] of Object.entries(JOURNALS))
    test(`of ${what}, once something newer shows how old it is`, async () => {
      const folder = join(makeUserData().root, "files");
      const { write, tidy } = open(folder);
      const now = Date.now();
      await write(now - 500 * DAY);
      const old = readdirSync(folder);
      await write(now);
      await tidy(now);
      const left = readdirSync(folder);
      assert.ok(left.length > 0);
      assert.deepEqual(
        old.filter((name) => left.includes(name)),
        [],
      );
    });
});
