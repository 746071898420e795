// What a person is told of a launch no one waits for, and that each outcome is told once.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { InstanceId } from "../../../../../src/domain/base/id.ts";
import { type LaunchFact, type LaunchRecord, Prepared } from "../../../../../src/domain/launch/launch-record.ts";
import type { SignedIn } from "../../../../../src/services/core/session.ts";
import { LaunchNotices } from "../../../../../src/services/launch/outcome/launch-notices.ts";

const TOKEN = "vsc-aaaaaaaaaaaaaaaa";
const PREPARED = Prepared.parse({
  version: 1,
  origin: "o",
  account: "a",
  offer: 7,
  machine: "m",
  at: 1,
  tracked: true,
  owner: "other",
});

function record(facts: readonly LaunchFact[], ids: readonly number[] = [], token = TOKEN): LaunchRecord {
  return { token, prepared: PREPARED, facts: new Set(facts), ids: ids as readonly InstanceId[], late: new Set() };
}

const ACCOUNT = {} as SignedIn;

/** One window's notices, what it told, and how much unfinished work it shows to others. */
function newWindow(...alive: readonly string[]) {
  let works = 0;
  const liveness = {
    id: "me",
    isAlive: async (id: string) => alive.includes(id),
    begin: () => {
      works += 1;
      return () => {
        works -= 1;
      };
    },
    show: async () => {},
  };
  const notices = new LaunchNotices(liveness, () => ACCOUNT);
  const told: string[] = [];
  notices.onNotice(({ kind, record }) => void told.push(`${kind} ${record.ids.join(" ")}`.trim()));
  return { notices, told, works: () => works };
}

describe("a launch nobody waits for", () => {
  test("is followed from the moment it was claimed, and its first sight is kept", () => {
    const { notices, told } = newWindow();
    notices.follow(record([]), 1, false);
    notices.follow(record(["claimed", "not-sent"]), 2, false);
    assert.equal(notices.getWatching(TOKEN), undefined, "nothing left this machine");
    notices.follow(record(["claimed"]), 3, false);
    notices.follow(record(["claimed", "refused"]), 4, false);
    notices.follow(record(["claimed", "refused"]), 5, false);
    notices.follow(record(["claimed", "refused"], [1]), 6, false);
    notices.follow(record(["claimed", "refused"], [1]), 7, false);
    assert.deepEqual(notices.getWatching(TOKEN), {
      since: 3,
      empty: 0,
      refusedAt: 4,
      rentedAt: 6,
      secondLooks: 0,
      alarmed: 1,
      raised: 1,
      told: true,
    });
    assert.deepEqual(told, ["late 1"]);
  });

  test("that was rented after all is told once, also if it is noted again", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    assert.deepEqual(told, []);
    assert.ok(!notices.isUntold(record(["claimed"])), "it isn't rented");
    assert.ok(notices.isUntold(record(["claimed"], [1])));
    notices.follow(record(["claimed"], [1]), 2, false);
    assert.ok(!notices.isUntold(record(["claimed"], [1])));
    notices.follow(record(["claimed"], [1]), 3, false);
    assert.deepEqual(told, ["found 1"]);
  });

  test("that was found rented when this window began is not told again", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"], [1]), 1, false);
    notices.follow(record(["claimed"], [1]), 100_000, false);
    assert.deepEqual(told, []);
    assert.ok(!notices.isUntold(record(["claimed"], [1])));
  });

  test("that another living window tells is left to it; a denial taken back is told everywhere", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, true);
    notices.follow(record(["claimed"], [1]), 2, true);
    assert.deepEqual(told, []);
    notices.follow(record(["claimed"], [1]), 3, false);
    assert.deepEqual(told, ["found 1"], "that window died");
    const two = newWindow();
    two.notices.follow(record(["claimed", "refused"]), 1, true);
    two.notices.follow(record(["claimed", "refused"], [1]), 2, true);
    assert.deepEqual(two.told, ["late 1"]);
  });

  test("that was told by another window is not told again", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    notices.follow(record(["claimed", "told"], [1]), 2, false);
    assert.ok(!notices.isUntold(record(["claimed", "told"], [1])));
    notices.follow(record(["claimed"], [1]), 3, false);
    assert.deepEqual(told, []);
  });

  test("that was denied and found by a window that died is told half a minute later", () => {
    const { notices, told } = newWindow();
    const found = record(["claimed", "dismissed"], [1]);
    notices.follow(found, 1000, false);
    notices.follow(found, 30_999, false);
    assert.deepEqual(told, []);
    notices.follow(found, 31_000, false);
    assert.deepEqual(told, ["late 1"]);
    notices.follow(found, 90_000, false);
    assert.deepEqual(told, ["late 1"]);
  });

  test("that was kept as two machines by the person is nothing to tell", () => {
    const { notices, told } = newWindow();
    const kept = record(["claimed", "dismissed"], [1, 2]);
    notices.follow(kept, 0, false);
    notices.follow(kept, 40_000, false);
    assert.deepEqual(told, []);
  });

  test("that was not found is told once, by who is about to note it, unless the service had refused it", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    assert.ok(notices.tellAbsent(record(["claimed"])));
    assert.ok(notices.tellAbsent(record(["claimed"])), "the disk had failed to note it");
    notices.follow(record(["claimed", "absent"]), 2, false);
    assert.deepEqual(told, ["absent"]);
    const other = newWindow();
    other.notices.follow(record(["claimed", "refused"]), 1, false);
    assert.ok(other.notices.tellAbsent(record(["claimed", "refused"])));
    assert.deepEqual(other.told, []);
    const late = newWindow();
    late.notices.follow(record(["claimed"]), 1, true);
    late.notices.follow(record(["claimed", "absent"]), 2, false);
    assert.ok(late.notices.tellAbsent(record(["claimed", "absent"])));
    assert.deepEqual(late.told, [], "who noted it had told it");
    const unknown = newWindow();
    assert.ok(!unknown.notices.tellAbsent(record(["claimed"])));
  });

  test("that somebody in this window waits for isn't noted as not found: it may be rented yet", () => {
    const { notices, told } = newWindow();
    const launch = record(["claimed"]);
    notices.await(launch.token);
    notices.follow(launch, 1, false);
    assert.ok(!notices.tellAbsent(launch));
    notices.follow(record(["claimed", "absent"]), 2, false);
    notices.leave(launch.token, true);
    assert.ok(notices.tellAbsent(launch));
    assert.deepEqual(told, ["absent"]);
  });

  test("that the person dismissed is settled", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    notices.follow(record(["claimed", "dismissed"]), 2, false);
    assert.ok(!notices.isUntold(record(["claimed"], [1])));
    assert.deepEqual(told, []);
  });

  test("that is found again after it was declared over is told at once", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed", "absent"]), 1, false);
    notices.noteFoundAgain(record(["claimed", "absent"]));
    notices.follow(record(["claimed", "absent"], [1]), 2, true);
    assert.deepEqual(told, ["late 1"]);
    const other = newWindow();
    other.notices.noteFoundAgain(record(["claimed"]));
    assert.ok(!other.notices.isUntold(record(["claimed"], [1])), "nobody was told that it is not rented");
  });
});

describe("a launch somebody waits for", () => {
  test("is told by whoever waits, and this window shows that it is at work", () => {
    const { notices, told, works } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    notices.await(TOKEN);
    notices.await(TOKEN);
    assert.equal(works(), 1);
    assert.ok(!notices.isUntold(record(["claimed"], [1])));
    notices.follow(record(["claimed", "refused"], [1]), 2, false);
    notices.follow(record(["claimed", "refused"], [1]), 90_000, false);
    notices.noteFoundAgain(record(["claimed", "refused"]));
    assert.ok(!notices.isUntold(record(["claimed", "refused"], [1])));
    assert.deepEqual(told, []);
    notices.leave(TOKEN, false);
    assert.equal(works(), 0);
    assert.ok(!notices.isUntold(record(["claimed"], [1])));
  });

  test("is not open from its first sight on", () => {
    const { notices, told } = newWindow();
    notices.await(TOKEN);
    notices.follow(record(["claimed"]), 1, false);
    notices.leave(TOKEN, false);
    notices.follow(record(["claimed"], [1]), 2, false);
    assert.deepEqual(told, []);
  });

  test("and is left with an open end is told by a notice, and only then the work is over", () => {
    const { notices, told, works } = newWindow();
    notices.await(TOKEN);
    notices.leave(TOKEN, true);
    assert.equal(works(), 1);
    notices.follow(record(["claimed"]), 1, false);
    notices.follow(record(["claimed"], [1]), 2, false);
    assert.deepEqual([told, works()], [["found 1"], 0]);
  });

  test("again is at work again", () => {
    const { notices, works } = newWindow();
    notices.await(TOKEN);
    notices.leave(TOKEN, false);
    notices.await(TOKEN);
    assert.equal(works(), 1);
  });

  test("and is left with an open end is told, also if it was seen before anybody waited", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    notices.await(TOKEN);
    notices.leave(TOKEN, true);
    notices.follow(record(["claimed"], [1]), 2, false);
    assert.deepEqual(told, ["found 1"]);
  });

  test("stays at work when the account is left; what nobody waits for does not", () => {
    const { notices, told, works } = newWindow();
    notices.await(TOKEN);
    for (const token of ["vsc-b", "vsc-c"]) {
      notices.await(token);
      notices.leave(token, true);
    }
    assert.equal(works(), 3);
    notices.follow(record(["claimed"], [], "vsc-b"), 1, false);
    notices.clear();
    assert.equal(works(), 1);
    assert.equal(notices.getWatching("vsc-b"), undefined);
    assert.ok(!notices.isUntold(record(["claimed"], [1], "vsc-b")));
    assert.deepEqual(told, []);
  });

  test("what was open before the account was left is not told after", () => {
    const { notices } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    notices.clear();
    assert.ok(!notices.isUntold(record(["claimed"], [1])));
  });
});

describe("a launch that rented two", () => {
  test("is an alarm for each further machine, and each is raised once", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    notices.follow(record(["claimed"], [1, 2]), 2, false);
    notices.follow(record(["claimed"], [1, 2]), 3, false);
    notices.follow(record(["claimed"], [1, 2, 3]), 4, false);
    assert.deepEqual(told, ["doubled 1 2", "doubled 1 2 3"]);
    assert.equal(notices.getWatching(TOKEN)?.raised, 3);
  });

  test("before this window began is one again, if a list still shows more than one", () => {
    const { notices, told } = newWindow();
    const doubled = record(["claimed"], [1, 2]);
    notices.noteDoubled(doubled, 2, true);
    assert.deepEqual(told, [], "it is not watched");
    notices.follow(doubled, 1, false);
    assert.deepEqual(told, []);
    notices.noteDoubled(doubled, 1, false);
    assert.equal(notices.getWatching(TOKEN)?.raised, 1, "a list with gaps proves nothing");
    notices.noteDoubled(doubled, 2, false);
    notices.noteDoubled(doubled, 2, true);
    assert.deepEqual(told, ["doubled 1 2"]);
    assert.equal(notices.getWatching(TOKEN)?.raised, 2);
  });

  test("is settled where a complete list shows one of them", () => {
    const { notices, told } = newWindow();
    const doubled = record(["claimed"], [1, 2]);
    notices.follow(doubled, 1, false);
    notices.noteDoubled(doubled, 1, true);
    notices.noteDoubled(doubled, 2, true);
    assert.deepEqual(told, []);
  });

  test("and that the person kept is no alarm any more, however many there are", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed"]), 1, false);
    notices.follow(record(["claimed", "dismissed"], [1, 2]), 2, false);
    notices.follow(record(["claimed", "dismissed"], [1, 2, 3]), 3, false);
    assert.ok(!told.some((notice) => notice.startsWith("doubled")));
  });

  test("counts as told, so that what is left of it isn't told later", () => {
    const { notices, told } = newWindow();
    notices.follow(record(["claimed", "refused"]), 1, false);
    notices.follow(record(["claimed", "refused"], [1, 2]), 2, false);
    assert.deepEqual(told, ["doubled 1 2"]);
    assert.equal(notices.getWatching(TOKEN)?.told, true);
  });
});

test("each notice names the account that the launch belongs to", () => {
  const { notices } = newWindow();
  const accounts: SignedIn[] = [];
  notices.onNotice(({ account }) => void accounts.push(account));
  notices.follow(record(["claimed"]), 1, false);
  notices.follow(record(["claimed"], [1, 2]), 2, false);
  assert.equal(accounts.length, 1);
  assert.equal(accounts[0], ACCOUNT);
});

test("elsewhere is another window that lives", async () => {
  const { notices } = newWindow("other", "me");
  assert.equal(await notices.isElsewhere(record([])), true);
  assert.equal(await newWindow().notices.isElsewhere(record([])), false);
  assert.equal(await notices.isElsewhere({ ...record([]), prepared: { ...PREPARED, owner: "me" } }), false);
  assert.equal(await notices.isElsewhere({ ...record([]), prepared: undefined }), false);
});

test("after its end it tells nothing", () => {
  const { notices, told } = newWindow();
  notices.follow(record(["claimed"]), 1, false);
  notices.dispose();
  notices.follow(record(["claimed"], [1]), 2, false);
  assert.deepEqual(told, []);
});
