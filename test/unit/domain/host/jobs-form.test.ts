// What a person may type for background jobs, the request it results in, and what each mistake says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { AppError } from "../../../../src/domain/base/error.ts";
import { BackgroundJobs } from "../../../../src/domain/host/background-jobs.ts";
import {
  checkJobsForm,
  EMPTY_JOBS_FORM,
  isTyped,
  JOBS_FIELDS,
  type JobsField,
  type JobsForm,
  readJobsForm,
} from "../../../../src/domain/host/jobs-form.ts";
import { quoteWord } from "../../../../src/lib/shell-words.ts";
import { seeded } from "../../../fuzz/answers.ts";

const FILLED: JobsForm = {
  ...EMPTY_JOBS_FORM,
  machine: "123",
  image: "pytorch/pytorch:latest",
  price_gpu: "4.80",
  price_inetu: "0.01",
  price_inetd: "0",
};

const problemsOf = (change: Partial<JobsForm>) => readJobsForm({ ...FILLED, ...change }).problems;

test("an empty form misses what is required, all at once and in its order", () => {
  const { jobs, problems } = readJobsForm(EMPTY_JOBS_FORM);
  assert.equal(jobs, undefined);
  assert.deepEqual(
    problems.map(({ field }) => field),
    ["machine", "image", "price_gpu", "price_inetu", "price_inetd"],
  );
  assert.equal(isTyped(EMPTY_JOBS_FORM), false);
});

test("what is required is enough; nothing is sent that wasn't entered", () => {
  assert.deepEqual(readJobsForm(FILLED).jobs, {
    machine: 123,
    image: "pytorch/pytorch:latest",
    price_gpu: 4.8,
    price_inetu: 0.01,
    price_inetd: 0,
  });
});

test("every field is sent as it was meant", () => {
  const whole: JobsForm = {
    ...FILLED,
    machine: " 123 ",
    price_gpu: "$ 4.80",
    args: "serve --name 'my model'",
    env: [
      { name: " MODE ", value: " fast " },
      { name: "", value: "" },
      { name: "EMPTY", value: "" },
    ],
    use_ssh: "off",
    onstart: " ./start.sh\n",
  };
  assert.deepEqual(readJobsForm(whole).jobs, {
    machine: 123,
    image: "pytorch/pytorch:latest",
    price_gpu: 4.8,
    price_inetu: 0.01,
    price_inetd: 0,
    args: ["serve", "--name", "my model"],
    env: { MODE: " fast ", EMPTY: "" },
    use_ssh: false,
    onstart: "./start.sh",
  });
  const asString = readJobsForm({ ...whole, args_kind: "string", use_ssh: "on" }).jobs;
  assert.deepEqual([asString?.args, asString?.args_str, asString?.use_ssh], [undefined, whole.args, true]);
});

const MISTAKES: readonly [change: Partial<JobsForm>, field: JobsField, message: RegExp][] = [
  ...["", "12.5", "-1", "0", "1e3", "9".repeat(20)].map(
    (machine) =>
      [{ machine }, "machine", /^Enter a machine ID: a whole number/] as [Partial<JobsForm>, JobsField, RegExp],
  ),
  [{ image: "" }, "image", /^Enter an image/],
  [{ image: "Not An Image" }, "image", /^This isn't a valid Docker image name/],
  [{ price_gpu: "" }, "price_gpu", /^Enter a price in dollars, 0 or more/],
  [{ price_gpu: "4,80" }, "price_gpu", /^Use a decimal point/],
  [{ price_inetu: "-1" }, "price_inetu", /^Enter a price/],
  [{ price_inetd: "1e9" }, "price_inetd", /^Enter a price/],
  [{ price_inetd: "NaN" }, "price_inetd", /^Enter a price/],
  [{ price_gpu: "99999999" }, "price_gpu", /^This price is too high/],
  [{ args: "a 'b" }, "args", /^Column 3: the quote ' isn't closed/],
  [{ args: 'a"b c\\"', args_kind: "string" }, "args", /^Column 2: the quote " isn't closed/],
  [{ args: "ab\\" }, "args", /^Column 3: nothing follows the backslash/],
  [{ args: "a\0" }, "args", /^Remove the invalid character/],
  [{ args: "a\0", args_kind: "string" }, "args", /^Remove the invalid character/],
  [{ onstart: "a\0" }, "onstart", /^Remove the invalid character/],
];

test("each mistake stands at its field, once", () => {
  for (const [change, field, message] of MISTAKES) {
    const problems = problemsOf(change);
    assert.equal(problems.length, 1, JSON.stringify([change, problems]));
    assert.equal(problems[0]?.field, field);
    assert.match(problems[0]?.message ?? "", message);
  }
});

test("variables are told by their row, and no message repeats a value", () => {
  const env = [
    { name: "A", value: "1" },
    { name: "", value: "secretvalue" },
    { name: "1A", value: "secretvalue" },
    { name: "A", value: "secretvalue" },
    { name: "__proto__", value: "secretvalue" },
    { name: "B", value: "secret\0value" },
  ];
  const problems = problemsOf({ env });
  assert.deepEqual(
    problems.map(({ field, row, part, message }) => [field, row, part, message.split(" ").slice(0, 2).join(" ")]),
    [
      ["env", 1, "name", "Enter a"],
      ["env", 2, "name", "Variable names"],
      ["env", 3, "name", "A is"],
      ["env", 4, "name", "Variable names"],
      ["env", 5, "value", "Remove the"],
    ],
  );
  assert.ok(problems.every(({ message }) => !message.includes("secret")));
});

test("the host checks the form again, and names the first field", () => {
  assert.equal(checkJobsForm(FILLED).machine, 123);
  assert.throws(
    () => checkJobsForm({ ...FILLED, image: "", price_gpu: "" }),
    (error) => error instanceof AppError && error.kind === "rejected" && "image" in (error.facts.fields ?? {}),
  );
});

test("2,000 forms of anything: a request or a reason, never both, never an error; and arguments stay what they were", () => {
  const random = seeded(41);
  const PARTS = [
    "1",
    ".",
    "-",
    ",",
    "$",
    "'",
    '"',
    "\\",
    " ",
    "a",
    "=",
    "A",
    "\0",
    "\ud83d",
    "__proto__",
    "/",
    ":",
    "9",
  ];
  const text = () =>
    Array.from({ length: Math.floor(random() * 6) }, () => PARTS[Math.floor(random() * PARTS.length)] ?? "").join("");
  let sent = 0;
  for (let round = 0; round < 2000; round += 1) {
    const anything = Object.fromEntries(
      JOBS_FIELDS.filter((field) => typeof EMPTY_JOBS_FORM[field] === "string").map((field) => [
        field,
        random() < 0.8 ? FILLED[field] : text(),
      ]),
    );
    const words = Array.from({ length: Math.floor(random() * 4) }, text);
    const isQuoted = random() < 0.5;
    const form = {
      ...FILLED,
      ...anything,
      args: isQuoted ? words.map(quoteWord).join(" ") : text(),
      args_kind: random() < 0.5 ? "list" : "string",
      use_ssh: "on",
      env: random() < 0.5 ? [] : [{ name: text(), value: text() }],
    } as JobsForm;
    const { jobs, problems } = readJobsForm(form);
    assert.equal(jobs === undefined, problems.length > 0);
    if (jobs === undefined) continue;
    sent += 1;
    assert.ok(BackgroundJobs.safeParse(jobs).success);
    if (isQuoted && form.args_kind === "list") assert.deepEqual(jobs.args ?? [], words);
  }
  assert.ok(sent > 100, `${sent} of them could be sent`);
});
