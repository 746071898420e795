// The page of what was spent, and the file of it: amounts say what they are, and no label of anyone's becomes a formula.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { SeenInstance } from "../../../../src/domain/account/ledger.ts";
import type { Spent, Stretch } from "../../../../src/domain/account/spending.ts";
import { AppError } from "../../../../src/domain/base/error.ts";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { describeAbsence } from "../../../../src/present/account/away-text.ts";
import { buildSpendingView, readPeriod } from "../../../../src/present/account/spending-page.ts";
import { formatSpent } from "../../../../src/present/account/spending-text.ts";
import type { Spending } from "../../../../src/services/account/spending.ts";
import { formatSpendingCsv } from "../../../../src/services/account/spending-csv.ts";

const HOUR = 3_600_000;
const NOON = new Date(2026, 10, 24, 12).getTime();
const seen = (id: number, more: Partial<SeenInstance> = {}): SeenInstance => ({
  id: InstanceId.parse(id),
  low: 1,
  high: 1,
  gpu: "1× RTX 4090",
  ...more,
});
const stretch = (one: SeenInstance, hours: number, more: Partial<Stretch> = {}): Stretch => ({
  seen: one,
  from: NOON - hours * HOUR,
  to: NOON,
  low: 1,
  high: 1,
  certainty: "observed",
  ...more,
});
const facts = (stretches: readonly Stretch[], more: Partial<Spending> = {}) => ({
  ...readPeriod("week", NOON),
  stretches,
  since: 0,
  unread: [],
  charged: { kind: "unknown", error: new AppError("unsupported", "no") } as Spending["charged"],
  sandbox: false,
  ...more,
});

test("an amount says how well it is known", () => {
  const text = (observed: number, low = 0, high = low, isOpen = false): string =>
    formatSpent({ observed, inferred: { low, high }, isOpen } satisfies Spent);
  assert.equal(text(12.4), "$12.40");
  assert.equal(text(0.076, 0, 20), "$0.08–$20.08");
  assert.equal(text(12.4, 5), "about $17.40");
  assert.equal(text(1, 0.2, 3.8), "$1.20–$4.80");
  assert.equal(text(0), "$0.00");
  assert.equal(text(0.0123), "$0.012");
  assert.equal(text(2, 0, 0, true), "at least $2.00");
  assert.equal(text(0, 0, 0, true), "unknown");
  assert.equal(text(100, 0, 0.4), "$100.20", "less than two in a hundred isn't worth a range");
});

describe("the page", () => {
  test("groups by day, instance, template and project, the most expensive first", () => {
    const all = [
      stretch(seen(1, { template: "PyTorch", project: "paper" }), 2),
      stretch(seen(2, { template: "PyTorch", label: "train" }), 4),
      stretch(seen(3, { isStopped: true }), 4, { low: 0.1, high: 0.1 }),
    ];
    const rows = (group: "day" | "instance" | "template" | "project") =>
      buildSpendingView(facts(all), { period: "week", group }).rows;
    assert.deepEqual(rows("template"), [
      ["PyTorch", "2", "6.0 h", "$6.00"],
      ["No template", "1", "0 min", "$0.400"],
    ]);
    assert.deepEqual(
      rows("project").map(([name, , , amount]) => [name, amount]),
      [
        ["No project known", "$4.40"],
        ["paper", "$2.00"],
      ],
    );
    assert.deepEqual(
      rows("instance").map(([name]) => name),
      ["train (2)", "1× RTX 4090 (1)", "1× RTX 4090 (3)"],
    );
    assert.equal(rows("day").length, 1);
    assert.equal(rows("day")[0]?.[3], "$6.40");
  });

  test("draws a bar for each day or hour, also for those without anything", () => {
    const all = [stretch(seen(1), 2), stretch(seen(2), 1, { low: 0, high: 3, certainty: "inferred" })];
    const week = buildSpendingView(facts(all), { period: "week", group: "day" });
    assert.equal(week.bars.length, 7);
    assert.deepEqual([week.bars.at(-1)?.observed, week.bars.at(-1)?.inferred, week.bars.at(-1)?.possible], [2, 0, 3]);
    const today = buildSpendingView({ ...facts(all), ...readPeriod("today", NOON) }, { period: "today", group: "day" });
    assert.equal(today.bars.length, 12);
    assert.equal(today.bars.filter(({ observed }) => observed > 0).length, 2);
    assert.equal(week.total, "$2.00–$5.00");
  });

  test("says what isn't in it, and what the service charged or why that isn't known", () => {
    const remarks = (more: Partial<Spending>, sandbox = false) =>
      buildSpendingView(
        { ...facts([stretch(seen(1), 2)], more), sandbox },
        { period: "week", group: "day" },
      ).remarks.join(" ");
    assert.match(remarks({}), /Volumes and traffic aren't included/);
    assert.match(remarks({ since: undefined }), /Nothing has been recorded yet/);
    assert.match(remarks({ since: NOON - HOUR }), /Recorded since/);
    assert.doesNotMatch(remarks({ since: 0 }), /Recorded since/);
    const charge = (amount: number, source = "instance-1", isComplete = true) =>
      remarks({
        charged: {
          kind: "known",
          charges: { charges: [{ source, amount, label: undefined, instance: undefined }], isComplete },
        },
      });
    assert.match(charge(2.5), /The service charged \$2\.50 for this period/);
    assert.match(charge(2.5, "volume-1", false), /at least \$2\.50/);
    assert.match(
      remarks({ charged: { kind: "unknown", error: new AppError("not-allowed", "no") } }),
      /This API key doesn't have permission to read charges/,
    );
    assert.match(
      remarks({ charged: { kind: "unknown", error: new AppError("offline", "It is down.") } }),
      /It is down/,
    );
    assert.match(remarks({}, true), /Sandbox: nothing is charged/);
  });

  test("puts what was charged beside what was recorded, also for instances that were never seen", () => {
    const charged = {
      kind: "known",
      charges: {
        isComplete: true,
        charges: [
          { source: "instance-1", amount: 2.1, label: undefined, instance: InstanceId.parse(1) },
          { source: "instance-9", amount: 7, label: undefined, instance: InstanceId.parse(9) },
        ],
      },
    } as const;
    const { columns, rows } = buildSpendingView(facts([stretch(seen(1), 2), stretch(seen(2), 1)], { charged }), {
      period: "week",
      group: "instance",
    });
    assert.deepEqual(columns, ["Instance", "GPU Time", "Amount", "Charged"]);
    assert.deepEqual(
      rows.map((row) => row.slice(2)),
      [
        ["$2.00", "$2.10"],
        ["$1.00", ""],
        ["not recorded", "$7.00"],
      ],
    );
  });
});

test("periods are local days and months", () => {
  const { from, to } = readPeriod("last-month", NOON);
  assert.deepEqual([new Date(from).getDate(), new Date(from).getMonth(), new Date(to).getMonth()], [1, 9, 10]);
  assert.equal(readPeriod("month", NOON).to, NOON);
});

describe("the CSV", () => {
  const hostile = '=HYPERLINK("http://x","a"),\r\n"b"\t@SUM(1)';
  const text = formatSpendingCsv(
    facts([
      stretch(seen(1, { label: hostile, template: "+1", project: "-2", gpu: "@x" }), 2),
      stretch(seen(2, { label: "a,b\nc\ud800" }), 1, { low: 0, high: undefined, certainty: "inferred" }),
    ]),
  );

  test("is read by Python as it was written, and holds no formula", (context) => {
    const script =
      "import csv,json,sys;print(json.dumps(list(csv.DictReader(open(0,newline='',encoding='utf-8'),strict=True))))";
    let output: string;
    try {
      output = execFileSync("python3", ["-c", script], { input: text.toWellFormed(), encoding: "utf8" });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return context.skip("python3 isn't installed");
      throw error;
    }
    const rows = JSON.parse(output) as Record<string, string>[];
    assert.equal(rows.length, 2);
    assert.deepEqual(
      [rows[0]?.label, rows[0]?.template, rows[0]?.project, rows[0]?.gpu],
      [`'${hostile.replace("@SUM", "'@SUM")}`, "'+1", "'-2", "'@x"],
    );
    assert.deepEqual([rows[0]?.dollars_min, rows[0]?.certainty, rows[1]?.dollars_max], ["2", "observed", ""]);
    for (const row of rows) for (const value of Object.values(row)) assert.doesNotMatch(value, /^[=+\-@\t\r]/);
  });

  const FORMULAS = [
    "PyTorch;=cmd|' /C calc'!A0;",
    'PyTorch;"=cmd|calc',
    "a;+1;-1;@x",
    "a; =1",
    "a;\t=1",
    'a;""=1',
    "a\t=1\tb",
    "a|=1|b",
    "a|\n=1",
    "a\r\n=1",
    'a\n"=1',
    "a;＝1;＋1;－1;＠x",
    " =1",
    '"=1',
    ";=1",
    "\t=1",
    "=1",
    "a,=1",
  ];
  /** What stands before a sign and can't be seen, or is passed over. */
  const UNSEEN = [
    ...[
      " ",
      "  ",
      "\t",
      " \t ",
      "\u00a0",
      "\u3000",
      "\u2003",
      "\ufeff",
      "\u200b",
      "\u200c\u200d",
      "\u2060",
      "\u00ad",
      "\u180e",
    ],
    ...[
      "\u202e",
      "\u2066",
      "\u034f",
      "\u3164",
      "\ufe0f",
      "\u2800",
      "\u0000",
      "\u0001",
      "\u007f",
      "\u0085",
      "\u{e0020}",
      ' "\u200b" ',
    ],
  ];
  for (const [at, unseen] of UNSEEN.entries()) {
    const sign = ["=", "+", "-", "@", "＝", "＋", "－", "＠", "﹦", "﹢", "﹣", "﹫", "−"][at % 13];
    FORMULAS.push(`${unseen}${sign}1`, `a;${unseen}${sign}1`, `a|${unseen}${sign}1|b`, `a\t${unseen}${sign}1`);
  }
  FORMULAS.push(...["\v", "\f", "\u001c", "\u001e", "\u0085", "\u2028", "\u2029"].map((line) => `a${line}=1`));
  const BEGINS = /^[\s"\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*[=+\-@＝＋－＠﹦﹢﹣﹫−]/u;
  for (const [name, delimiter] of Object.entries({ comma: ",", semicolon: ";", tab: "\t", pipe: "|" }))
    test(`holds no formula for a program that splits it by ${name}`, (context) => {
      const written = formatSpendingCsv(
        facts(
          FORMULAS.flatMap((name) => [
            stretch(seen(1, { template: name }), 1),
            stretch(seen(2, { label: name, project: name, gpu: name }), 1),
          ]),
        ),
      );
      const script = `import csv,json,sys;print(json.dumps(list(csv.reader(open(0,newline='',encoding='utf-8'),delimiter=sys.argv[1]))))`;
      const { error, stdout } = spawnSync("python3", ["-c", script, delimiter], { input: written, encoding: "utf8" });
      if (error) return context.skip("python3 isn't installed");
      const cells = (JSON.parse(stdout) as string[][]).flat();
      assert.ok(
        cells.some((cell) => /calc/.test(cell)),
        "it was read",
      );
      for (const cell of cells)
        for (const line of cell.split(/[\p{Cc}\u2028\u2029]/u)) assert.doesNotMatch(line, BEGINS);
      if (delimiter === ",") assert.equal(cells.length, (1 + FORMULAS.length * 2) * 14);
    });

  test("has one record a line and no formula whatever is drawn, however Python splits it", (context) => {
    const piece = fc.constantFrom(
      ...[",", ";", "\t", "|", '"', "'", "\n", "\r", "\r\n", " ", "\u00a0", "\u200b", "\u2028", "\ufeff"],
      ...["=", "+", "-", "@", "＝", "−", "a", "two\nlines", "=cmd|' /C calc'!A0", 'x";"=1', "1", "é", "😀", "sep=;"],
    );
    const drawn = fc.array(piece, { minLength: 1, maxLength: 8 }).map((pieces) => pieces.join(""));
    const names = fc.sample(drawn, { seed: 28, numRuns: 3000 });
    const input = formatSpendingCsv(
      facts(names.map((name) => stretch(seen(1, { template: name, label: name, project: name, gpu: name }), 1))),
    );
    const script = `import csv,io,json,sys;t=sys.stdin.buffer.read().decode();print(json.dumps([list(csv.reader(io.StringIO(t,newline=''),delimiter=d)) for d in ',;\\t|']))`;
    const { error, stdout, stderr } = spawnSync("python3", ["-c", script], {
      ...{ input, encoding: "utf8", maxBuffer: 1e8 },
    });
    if (error) return context.skip("python3 isn't installed");
    assert.equal(stderr, "");
    const dialects = JSON.parse(stdout) as string[][][];
    assert.equal(dialects.length, 4);
    for (const record of dialects.flat())
      for (const cell of record)
        for (const line of cell.split(/[\p{Cc}\u2028\u2029]/u)) assert.doesNotMatch(line, BEGINS);
    const [header = [], ...records] = dialects[0] ?? [];
    assert.equal(records.length, names.length);
    const withoutMarks = (text = "") => text.replaceAll("'", "");
    for (const [at, record] of records.entries())
      for (const column of ["template", "label", "project", "gpu"])
        assert.equal(withoutMarks(record[header.indexOf(column)]), withoutMarks(names[at]));
  });

  test("leaves signs alone that begin nothing", () => {
    for (const name of ["a =1", "a-b", "x = 1; y", "1+1", "a @b", "a\u200b=1", "", " ", "; ;", "(=1)"]) {
      const [, line = ""] = formatSpendingCsv(facts([stretch(seen(1, { label: name }), 1)])).split("\r\n");
      assert.ok(name === "" ? !line.includes("'") : line.includes(`"${name}"`), line);
    }
  });

  test("takes no longer for a name of many blanks than for one of letters", () => {
    const measure = (name: string) => {
      const began = performance.now();
      formatSpendingCsv(facts([stretch(seen(1, { label: name }), 1)]));
      return performance.now() - began;
    };
    const letters = measure("a".repeat(300_000));
    assert.ok(measure("\t".repeat(300_000)) < 100 * (letters + 5));
  });

  test("has its header where nothing was spent, and lines of what was charged", () => {
    assert.match(formatSpendingCsv(facts([])), /^from,to,instance,[^\r]*certainty\r\n$/);
    const charges = [{ source: "instance-7", amount: 1.5, label: undefined, instance: InstanceId.parse(7) }];
    const [, line] = formatSpendingCsv(
      facts([], { charged: { kind: "known", charges: { charges, isComplete: true } } }),
    ).split("\r\n");
    assert.match(line ?? "", /Z",7,.*,1\.5,1\.5,"charged"$/);
  });
});

test("somebody who comes back is told in a few words, however many machines there are", () => {
  const many = Array.from({ length: 40 }, (_, at) => seen(at + 1, { label: `${"long ".repeat(50)}${at}` }));
  const spent = { observed: 0, inferred: { low: 17.1, high: 17.1 }, isOpen: false };
  const away = { from: 0, to: 9 * HOUR, spent, ended: many, stopped: [], begun: [], billed: many };
  const text = describeAbsence(away, () => false);
  assert.match(
    describeAbsence(away, ({ id }) => id === 1),
    / No longer rented: .* and 37 more\. Should have stopped or destroyed themselves by now: long .*\. Still billed: /,
  );
  assert.match(
    text,
    /^While you were away \(9 h\), your instances cost about \$17\.10\. No longer rented: .* and 37 more\. Still billed: /,
  );
  assert.ok(text.length < 500, `${text.length} characters`);
  const free = { observed: 0, inferred: { low: 0, high: 0 }, isOpen: false };
  assert.equal(
    describeAbsence(
      { from: 0, to: 72 * HOUR, spent: free, ended: [], stopped: [], begun: [seen(4)], billed: [seen(4)] },
      () => false,
    ),
    "While you were away (3 days): Newly rented: 1× RTX 4090.",
  );
});
