// What is put before a start script, where it can be, and what a machine's answer about its end means.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  buildSelfStopScript,
  describeNoSelfStop,
  findNoSelfStop,
  findSelfStopScript,
  isLater,
  isSelfStopAddress,
  judgeEnd,
  keepsEnd,
  type SelfStopState,
  withSelfStop,
} from "../../../../src/domain/instance/self-stop.ts";
import { packScript, unpackScript } from "../../../../src/domain/template/packed-script.ts";

const BASE = "https://console.vast.ai";
const UNTIL = 1_764_000_000_000;
const script = (ending: "stop" | "destroy" = "destroy", base = BASE) =>
  buildSelfStopScript({ base, until: UNTIL, ending });

describe("the script", () => {
  test("is at most 700 characters long, whatever happens at the end", () => {
    for (const ending of ["stop", "destroy"] as const) assert.ok(script(ending).length <= 700, ending);
  });

  test("holds nothing but numbers and an address that means nothing to a shell", () => {
    for (const base of [BASE, "https://gpu.example.com:8443/a/b.c", "http://127.0.0.1:5000", "http://localhost"])
      assert.ok(isSelfStopAddress(base), base);
    const bad = [
      ...["http://gpu.example.com", "http://127.0.0.1.example.com", "http://[::1]:5000", "ftp://a.b", "https://", ""],
      ...["https://a.b/$(id)", "https://a.b/'", "https://a.b;id", "https://a.b/a b", "https://a.b/*", "https://a.b\n"],
      ...["https://a.b`id`", "https://a.b&id", "https://user@a.b", "https://a.b/?x", "https://a.b/{}", "https://a.b//"],
    ];
    for (const base of bad) {
      assert.ok(!isSelfStopAddress(base), base);
      assert.throws(() => script("stop", base), RangeError);
      assert.deepEqual(findNoSelfStop(base, undefined), { kind: "address" });
    }
    for (const until of [Number.NaN, Number.POSITIVE_INFINITY, -1, 0])
      assert.throws(() => buildSelfStopScript({ base: BASE, until, ending: "stop" }), RangeError);
  });

  test("stands before the person's own, after the line that says which shell reads it", async () => {
    assert.equal(withSelfStop(undefined, "X\n"), "X\n");
    assert.equal(withSelfStop("echo hi", "X\n"), "X\necho hi");
    assert.equal(withSelfStop("#!/bin/bash\necho hi\n", "X\n"), "#!/bin/bash\nX\necho hi\n");
    assert.equal(withSelfStop("#!/bin/bash", "X\n"), "#!/bin/bash\nX\n");
    const long = `#!/bin/bash\n${"echo hello\n".repeat(500)}`;
    const packed = await packScript(long);
    const whole = withSelfStop(packed, script());
    assert.equal(await unpackScript(whole.replace(script(), "")), long, "the packed one is whole behind it");
  });

  test("isn't offered where it can't work, and the reason is said", () => {
    assert.equal(findNoSelfStop(BASE, undefined), undefined);
    assert.equal(findNoSelfStop(BASE, "#!/usr/bin/env bash\n"), undefined);
    const python = findNoSelfStop(BASE, "#!/usr/bin/env python3\n");
    assert.ok(python);
    assert.match(describeNoSelfStop(python), /isn't a shell script/);
    const room = 4048 - script("stop").length;
    assert.equal(findNoSelfStop(BASE, "x".repeat(room)), undefined, "the longest that fits");
    const long = findNoSelfStop(BASE, "x".repeat(room + 12));
    assert.deepEqual(long, { kind: "too-long", by: 12 });
    assert.match(describeNoSelfStop({ kind: "too-long", by: 12 }), /12 characters too long\. The maximum is 4,048/);
    assert.match(describeNoSelfStop({ kind: "no-start" }), /runs no start script/);
    assert.match(describeNoSelfStop({ kind: "address" }), /doesn't use HTTPS/);
  });

  test("is recognized only as it was written", () => {
    for (const one of [script(), script("stop"), script("stop", "http://127.0.0.1:5000")])
      for (const onstart of [withSelfStop(undefined, one), withSelfStop("#!/bin/sh\necho hi\n", one)])
        assert.equal(findSelfStopScript(onstart), one);
    for (const other of [
      "",
      "echo hi",
      ` ${script()}`,
      script().replace("sleep 9", "sleep 9;id"),
      script().slice(0, -3),
    ])
      assert.equal(findSelfStopScript(other), undefined, other.slice(0, 60));
    const foreign = script().replace("/dev/null", "/dev/nul; rm -rf ~");
    assert.equal(findSelfStopScript(foreign), undefined);
  });
});

const NOW = 1_764_000_000_000;
const AUTO_STOP = { until: NOW + 3_600_000, ending: "destroy" } as const;
const END: SelfStopState = {
  ...{ until: AUTO_STOP.until, written: AUTO_STOP.until / 1000, ending: "destroy", count: 1, at: 5 },
  ...{ lives: true, isAccepted: true, wasDue: false },
};

describe("an instance's own end", () => {
  test("is verified only if it is the same, what keeps it runs, and the service accepts its key", () => {
    assert.deepEqual(judgeEnd(END, AUTO_STOP, NOW), { version: 1, at: NOW });
    assert.deepEqual(judgeEnd("missing", AUTO_STOP, NOW), { version: 1, at: NOW, doubt: "missing" });
    const doubt = (change: Partial<SelfStopState>) => judgeEnd({ ...END, ...change }, AUTO_STOP, NOW).doubt;
    assert.equal(doubt({ lives: false }), "ended");
    assert.equal(doubt({ isAccepted: false }), "refused");
    assert.equal(doubt({ ending: "stop" }), "other");
    assert.equal(doubt({ until: AUTO_STOP.until - 89_000 }), undefined, "clocks may differ a little");
    assert.equal(doubt({ until: AUTO_STOP.until - 91_000 }), "other");
    assert.equal(
      judgeEnd({ ...END, until: NOW + 5 }, AUTO_STOP, NOW).until,
      NOW + 5,
      "and which one it keeps is known",
    );
  });
  test("is none where there is no end, or only a reminder", () => {
    const none = { ...END, until: undefined, ending: undefined };
    assert.ok(keepsEnd(none, { until: null, ending: "remind" }));
    assert.ok(keepsEnd(none, { until: NOW, ending: "remind" }));
    assert.ok(!keepsEnd(none, AUTO_STOP));
    assert.ok(!keepsEnd(END, { until: null, ending: "remind" }));
  });
  test("that was set later has the higher count, and then the later time", () => {
    assert.ok(isLater({ count: 2, at: 1 }, { count: 1, at: 9 }));
    assert.ok(isLater({ count: 2, at: 3 }, { count: 2, at: 2 }));
    assert.ok(!isLater({ count: 2, at: 2 }, { count: 2, at: 2 }));
  });
});
