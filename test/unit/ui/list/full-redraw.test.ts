// A full redraw is repeated until the editor asks for the rows, and no longer.
import assert from "node:assert/strict";
import { test } from "node:test";
import { FullRedraw } from "../../../../src/ui/list/full-redraw.ts";

/** `answers[n]`: whether the editor asks for the rows after redraw n. */
function redraw({ answers, isVisible = true }: { answers: readonly boolean[]; isVisible?: boolean }) {
  let drawn = 0;
  const one: FullRedraw = new FullRedraw({
    clock: { now: () => 0, elapsed: () => 0, sleep: async () => {} },
    isVisible: () => isVisible,
    redraw: () => {
      if (answers[drawn]) one.noteAsked();
      drawn += 1;
    },
  });
  return { one, times: () => drawn };
}

test("an editor that asks is told once", async () => {
  const { one, times } = redraw({ answers: [true] });
  one.noteAsked();
  await one.begin();
  assert.equal(times(), 1);
});

test("an editor that took an earlier answer for the new one is told again, until it asks", async () => {
  const { one, times } = redraw({ answers: [false, false, true] });
  one.noteAsked();
  await one.begin();
  assert.equal(times(), 3);
});

test("an editor that never asks is told a few times; one that has not asked yet, or a view out of sight, once", async () => {
  const deaf = redraw({ answers: [] });
  deaf.one.noteAsked();
  await deaf.one.begin();
  assert.equal(deaf.times(), 4);
  const early = redraw({ answers: [] });
  await early.one.begin();
  assert.equal(early.times(), 1);
  const hidden = redraw({ answers: [], isVisible: false });
  hidden.one.noteAsked();
  await hidden.one.begin();
  assert.equal(hidden.times(), 1);
});
