// How long a list of many instances rests: no more requests for more instances, and readings close enough to know what is idle.
import assert from "node:assert/strict";
import { test } from "node:test";
import { continueSpell, isIdle, type QuietSpell } from "../../../../src/domain/instance/idle.ts";
import { calculateListPause } from "../../../../src/domain/instance/list-pause.ts";

/** Milliseconds of one page: they are a second apart, and the service takes its time. */
const PAGE = 1300;
const MINUTE = 60_000;

test("also for 500 instances, readings are close enough to say what is idle", () => {
  for (const pages of [1, 2, 3, 5, 8, 13, 20]) {
    const every = Math.max(MINUTE, calculateListPause(pages)) + pages * PAGE;
    let spell: QuietSpell | undefined;
    let at = 0;
    for (; at <= 31 * MINUTE + every; at += every)
      spell = continueSpell(spell, { at: { elapsed: at, now: at }, load: 0, source: "service" }, 10);
    const last = { elapsed: at - every, now: at - every };
    assert.ok(spell && isIdle(spell, { minutes: 30, at: last }), `${pages} pages: a reading every ${every / 1000} s`);
  }
});

test("one page rests as the person wants, and more of them for so long that they make for no more requests", () => {
  assert.equal(calculateListPause(1), 0);
  for (const pages of [2, 3, 5]) assert.ok(calculateListPause(pages) >= 75_000);
  assert.equal(calculateListPause(1000), 0);
});
