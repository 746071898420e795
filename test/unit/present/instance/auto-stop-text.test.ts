// What is said of ends promises no more than what keeps them: a window that is open, or an instance that has shown that it does.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AutoStopAction, InstanceAutoStop, SelfStopGuard } from "../../../../src/domain/instance/auto-stop.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  describeAutoStopNotice,
  describeEnded,
  describeHeldEnd,
} from "../../../../src/present/instance/auto-stop-notices.ts";
import {
  describeAutoStop,
  describeAutoStopWish,
  formatAutoStop,
  formatAutoStopWish,
  formatHours,
} from "../../../../src/present/instance/auto-stop-text.ts";

const NOW = new Date(2026, 10, 24, 14, 0).getTime();
const HOUR = 3_600_000;
const until = NOW + 4 * HOUR;
const INSTANCE = Instance.parse({ id: 5, label: "mine", actual_status: "running", dph_total: 0.82 });

describe("an end", () => {
  test("is short in a row, and whole elsewhere", () => {
    const words = (ending: AutoStopAction) => formatAutoStop({ until, ending }, NOW);
    assert.deepEqual((["remind", "stop", "destroy"] as const).map(words), [
      "reminder at 18:00",
      "stops at 18:00",
      "destroys at 18:00",
    ]);
    assert.equal(describeAutoStop({ until, ending: "stop" }, NOW), "18:00, stops (if VS Code is open and signed in)");
    assert.equal(formatAutoStop(undefined, NOW), undefined);
  });
  test("of another day has its date, and one that passed says so", () => {
    assert.match(
      formatAutoStop({ until: until + 24 * HOUR, ending: "stop" }, NOW) ?? "",
      /^stops at Wed, Nov 25, 18:00$/,
    );
    assert.equal(formatAutoStop({ until: NOW - HOUR, ending: "stop" }, NOW), "past its end time (13:00)");
    assert.equal(describeAutoStop({ until: NOW - HOUR, ending: "stop" }, NOW), "13:00 (passed)");
  });
  test("that is wished for is what will be, from the rental on", () => {
    assert.equal(formatAutoStopWish(undefined, NOW), "no auto-stop");
    assert.equal(
      formatAutoStopWish({ hours: 4, ending: "destroy" }, NOW),
      "4 h after renting, destroys (if VS Code is open and signed in)",
    );
    assert.equal(formatAutoStopWish({ until, ending: "remind" }, NOW), "18:00, reminder only (if VS Code is open)");
    assert.match(
      describeAutoStopWish({ hours: 4, ending: "destroy" }, NOW) ?? "",
      /destroys it and its disk at 18:00 if VS Code/,
    );
  });
  test("is told by what it does and what it costs", () => {
    const text = (kind: "soon" | "over" | "overdue", ending: AutoStopAction) =>
      describeAutoStopNotice(kind, { instance: INSTANCE, end: { until, ending }, launchPrice: undefined }, NOW);
    assert.equal(text("soon", "destroy"), "mine (5) and its disk will be destroyed at 18:00 if VS Code is open.");
    assert.equal(text("over", "remind"), "mine (5) has reached its end time and still costs $0.82/h.");
    assert.match(text("overdue", "stop"), /is past its end time \(18:00\) and still costs \$0\.82/);
  });
  test("that failed says that it is tried again", () => {
    const result = { id: 5, kind: "destroy", outcome: "failed", reason: "The service is down." } as const;
    assert.equal(
      describeEnded(INSTANCE, { until, ending: "destroy" }, result, NOW),
      "Instance mine (5) may still exist and cost money. The service is down. Cloud GPU keeps trying for a few minutes, then asks you.",
    );
  });
});

describe("an end with a second step", () => {
  const first = { until, ending: "stop", stoppedHours: 24 } as const;
  const second = (second: "kept" | "unsure") => ({ until, ending: "destroy", stoppedHours: 24, second }) as const;
  test("says both, and what each needs", () => {
    assert.equal(formatAutoStop(first, NOW), "stops at 18:00, destroys 24 h later if still stopped");
    const then =
      "If it's still stopped 24 h later, it's destroyed (VS Code must be open and signed in until then, or you're asked)";
    assert.equal(describeAutoStop(first, NOW), `18:00, stops (if VS Code is open and signed in). ${then}`);
    const armed = { ...first, guard: { kind: "armed" } } as const;
    assert.equal(formatAutoStop(armed, NOW), "stops itself at 18:00, destroys 24 h later if still stopped");
    assert.equal(describeAutoStop(armed, NOW), `18:00, stops itself, even if this computer is off. ${then}`);
    assert.equal(formatAutoStop({ ...first, until: NOW - HOUR }, NOW), "past its end time (13:00)");
    assert.equal(formatAutoStop({ ...first, isDoubted: true }, NOW), "auto-stop unknown");
  });
  test("is told with what follows the stop", () => {
    const then =
      " If it's still stopped 24 h later and VS Code was open all that time, it's destroyed with its disk. Otherwise, you're asked.";
    const text = (kind: "soon" | "itself", end: InstanceAutoStop) =>
      describeAutoStopNotice(kind, { instance: INSTANCE, end, launchPrice: undefined }, NOW);
    assert.equal(text("soon", first), `mine (5) will be stopped at 18:00 if VS Code is open.${then}`);
    assert.equal(
      text("soon", { ...first, guard: { kind: "armed" } }),
      `mine (5) will stop itself at 18:00, even if this computer is off.${then}`,
    );
    assert.equal(
      text("itself", first),
      `mine (5) has stopped, as scheduled for 18:00. Its disk still costs money.${then}`,
    );
    assert.equal(
      describeEnded(INSTANCE, first, { id: INSTANCE.id, kind: "stop", outcome: "done" }, NOW),
      `mine (5) was stopped at its end time (18:00). Its disk still costs money.${then}`,
    );
  });

  test("then says the second alone, and only what can be held", () => {
    assert.equal(formatAutoStop(second("kept"), NOW), "destroys at 18:00 if still stopped");
    assert.equal(formatAutoStop(second("unsure"), NOW), "asks at 18:00 whether to destroy it");
    assert.match(
      describeAutoStop(second("kept"), NOW) ?? "",
      /^18:00, destroys it if it's still stopped \(VS Code must/,
    );
    assert.match(
      describeAutoStop(second("unsure"), NOW) ?? "",
      /^18:00, asks whether .* can't tell whether it was started/,
    );
  });
  test("is wished for as both", () => {
    const wish = { hours: 4, ending: "stop", stoppedHours: 24 } as const;
    assert.equal(
      formatAutoStopWish(wish, NOW),
      "4 h after renting, stops, then destroys 24 h later (if VS Code is open and signed in)",
    );
    assert.match(
      describeAutoStopWish(wish, NOW) ?? "",
      /stops it at 18:00 .* it's destroyed with its disk\. Otherwise, you're asked\.$/,
    );
  });
  test("is told by what is done at its time", () => {
    const text = (kind: "soon" | "overdue", end: InstanceAutoStop) =>
      describeAutoStopNotice(kind, { instance: INSTANCE, end, launchPrice: undefined }, NOW);
    assert.match(
      text("soon", second("kept")),
      /^mine \(5\) is still stopped\. It and its disk will be destroyed at 18:00/,
    );
    assert.match(
      text("overdue", second("unsure")),
      /can't tell whether it was started in between, so nothing was destroyed/,
    );
    assert.match(text("overdue", second("kept")), /couldn't stop or destroy it in time/);
    assert.equal(
      describeEnded(INSTANCE, second("kept"), { id: 5, kind: "destroy", outcome: "done" }, NOW),
      "mine (5) was still stopped, so it was destroyed as scheduled for 18:00.",
    );
  });
});

describe("an end that the instance keeps itself", () => {
  const armed = { kind: "armed" } as const;
  const unsure = (more: object = {}) => ({ kind: "unverified", ...more }) as const;
  test("is said so only once that is verified", () => {
    const row = (ending: AutoStopAction, guard: SelfStopGuard) => formatAutoStop({ until, ending, guard }, NOW);
    assert.equal(row("stop", armed), "stops itself at 18:00");
    assert.equal(row("destroy", armed), "destroys itself at 18:00");
    assert.equal(row("destroy", unsure()), "destroys at 18:00 (self-destroy not verified)");
    assert.equal(row("stop", unsure({ doubt: "refused" })), "stops at 18:00 (self-stop not verified)");
    assert.equal(row("stop", unsure({ doubt: "idle" })), "stops at 18:00", "it doesn't run");
    assert.equal(
      row("stop", unsure({ doubt: "other", until: until - HOUR })),
      "ends itself at 17:00",
      "which comes first",
    );
    const later = row("stop", unsure({ doubt: "other", until: until + HOUR }));
    assert.equal(later, "stops at 18:00 (self-stop not verified)");
  });
  test("is whole elsewhere, with the reason if it isn't sure", () => {
    const fact = (guard: SelfStopGuard) => describeAutoStop({ until, ending: "destroy", guard }, NOW);
    assert.equal(fact(armed), "18:00, destroys itself, even if this computer is off");
    const window = "18:00, destroys (if VS Code is open and signed in). ";
    assert.equal(fact(unsure()), `${window}Self-stop isn't verified yet.`);
    assert.match(fact(unsure({ doubt: "refused" })) ?? "", /the service rejected the instance's API key\.$/);
    assert.equal(fact(unsure({ doubt: "other", until: until - HOUR })), `${window}The instance ends itself at 17:00.`);
  });
  test("and no longer holds is said to be the instance's own", () => {
    const left = (guard: SelfStopGuard) => ({ until, ending: "destroy", guard, isLeft: true }) as const;
    const known = left(unsure({ doubt: "other", until }));
    assert.equal(formatAutoStop(known, NOW), "ends itself at 18:00");
    assert.equal(describeAutoStop(known, NOW), "18:00: the instance doesn't know that this end time was removed");
    assert.match(
      describeAutoStop(left(unsure({ doubt: "unread", until })), NOW) ?? "",
      /^possibly 18:00: the instance may not know/,
    );
  });
  test("that is wished for is promised no sooner than it is verified", () => {
    const wish = { hours: 4, ending: "stop", byItself: "https://gpu.example.com" } as const;
    assert.equal(
      formatAutoStopWish(wish, NOW),
      "4 h after renting, stops itself, even if this computer is off (verified once it runs)",
    );
    assert.match(
      describeAutoStopWish(wish, NOW) ?? "",
      /^Stops itself at 18:00, .* verifies this once the instance is running\.$/,
    );
    assert.match(
      describeAutoStopWish({ ...wish, ending: "destroy" }, NOW) ?? "",
      /^Destroys itself and its disk at 18:00/,
    );
  });
  test("with a second step says that one, too, which a window keeps", () => {
    const wish = { hours: 4, ending: "stop", byItself: "https://gpu.example.com", stoppedHours: 24 } as const;
    assert.match(
      formatAutoStopWish(wish, NOW),
      /^4 h after renting, stops itself, .* \(verified once it runs\)\. If it's still stopped 24 h later, it's destroyed/,
    );
    assert.match(
      describeAutoStopWish(wish, NOW) ?? "",
      /^Stops itself at 18:00, .* is running\. If it's still stopped 24 h later and VS Code was open/,
    );
  });
  test("is told by who keeps it", () => {
    const text = (kind: "soon" | "overdue" | "itself", guard: SelfStopGuard, ending: AutoStopAction = "destroy") =>
      describeAutoStopNotice(kind, { instance: INSTANCE, end: { until, ending, guard }, launchPrice: undefined }, NOW);
    assert.equal(
      text("soon", armed),
      "mine (5) will destroy itself and its disk at 18:00, even if this computer is off.",
    );
    assert.equal(text("soon", armed, "stop"), "mine (5) will stop itself at 18:00, even if this computer is off.");
    assert.match(text("soon", unsure()), /at 18:00 if VS Code is open\. Self-stop isn't verified yet/);
    assert.match(text("overdue", armed), /was set to destroy itself at 18:00, but still costs/);
    assert.match(text("overdue", armed, "stop"), /was set to stop itself at 18:00, but still costs/);
    assert.equal(text("itself", armed), "mine (5) no longer exists. It was scheduled to destroy itself at 18:00.");
    assert.match(text("itself", armed, "stop"), /has stopped, as scheduled for 18:00\. Its disk still costs money/);
  });
  const HELD = { instance: INSTANCE, until, why: "Instance 5 isn't responding.", isKnown: true, isTakenBack: false };
  test("that couldn't be moved still holds, and that is said", () => {
    const about = { ...HELD, isUnsure: false };
    assert.equal(
      describeHeldEnd("held", about, NOW),
      "Couldn't change the end time on mine (5). It will still end itself at 18:00. Instance 5 isn't responding.",
    );
    assert.match(
      describeHeldEnd("partly", about, NOW),
      /will still end itself at 18:00\. The new end time works only if VS Code/,
    );
  });
  test("that it never showed to keep isn't said to be kept", () => {
    const about = { ...HELD, isUnsure: false, isKnown: false };
    for (const kind of ["held", "partly"] as const) {
      const text = describeHeldEnd(kind, about, NOW);
      assert.match(text, /may (still )?end itself at 18:00/);
      assert.doesNotMatch(text, /end time on|will still end itself/);
    }
    const guard = { kind: "unverified", doubt: "unread", until } as const;
    assert.match(
      describeAutoStop({ until, ending: "destroy", guard }, NOW) ?? "",
      /The instance may end itself at 18:00\.$/,
    );
  });
  test("that may have been moved isn't said to hold, nor the new one", () => {
    const about = { ...HELD, isUnsure: true };
    assert.match(
      describeHeldEnd("held", about, NOW),
      /didn't confirm the new end time\. It may end itself at 18:00 or at the new time/,
    );
    const takenBack = describeHeldEnd("held", { ...about, isTakenBack: true }, NOW);
    assert.match(
      takenBack,
      /^mine \(5\) didn't confirm that its end time was removed\. It may still end itself at 18:00\./,
    );
    assert.match(
      describeHeldEnd("partly", about, NOW),
      /may still end itself at 18:00\. The new time works only if VS Code/,
    );
  });
});

test("spans are shown in the unit that fits", () => {
  assert.deepEqual([1, 1.5, 24, 48, 0.25].map(formatHours), ["1 h", "90 min", "24 h", "2 d", "15 min"]);
});
