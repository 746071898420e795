// Background jobs as a form holds them: every field as typed, and the request it results in.
import * as z from "zod";
import { ShellWordsError, splitWords } from "../../lib/shell-words.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { BackgroundJobs, isVariableName } from "./background-jobs.ts";

const VariableRow = z.strictObject({ name: z.string(), value: z.string() });
export type VariableRow = z.infer<typeof VariableRow>;

/** In the order in which the form shows them. */
export const JobsForm = z.strictObject({
  machine: z.string(),
  image: z.string(),
  price_gpu: z.string(),
  price_inetu: z.string(),
  price_inetd: z.string(),
  args: z.string(),
  /** How the arguments are sent, if there are any. */
  args_kind: z.enum(["list", "string"]),
  env: z.array(VariableRow),
  use_ssh: z.enum(["default", "on", "off"]),
  onstart: z.string(),
});
export type JobsForm = z.infer<typeof JobsForm>;
export type JobsField = keyof JobsForm;
export const JOBS_FIELDS = Object.keys(JobsForm.shape) as JobsField[];

/** The interface names no default for any field, so nothing is filled in, prices least of all. */
export const EMPTY_JOBS_FORM: JobsForm = {
  machine: "",
  image: "",
  price_gpu: "",
  price_inetu: "",
  price_inetd: "",
  args: "",
  args_kind: "list",
  env: [],
  use_ssh: "default",
  onstart: "",
};

/** What keeps a form from being sent. `row` counts the rows of `env`, and `part` is what is wrong in the row. */
export interface JobsProblem {
  readonly field: JobsField;
  readonly message: string;
  readonly row?: number;
  readonly part?: "name" | "value";
}

interface ReadJobsForm {
  /** Undefined while there are problems. */
  readonly jobs: BackgroundJobs | undefined;
  /** In the order of the form. */
  readonly problems: readonly JobsProblem[];
}

type Say = (field: JobsField, message: string, place?: Pick<JobsProblem, "row" | "part">) => void;

/** Reads the typed text with the schema of the request, whose messages appear at the fields. */
export function readJobsForm(form: JobsForm): ReadJobsForm {
  const problems: JobsProblem[] = [];
  const say: Say = (field, message, place) => void problems.push({ field, message, ...place });
  const env = readVariables(form.env, say);
  const checked = BackgroundJobs.safeParse({
    machine: readWholeNumber(form.machine),
    image: form.image.trim(),
    price_gpu: readPrice("price_gpu", form, say),
    price_inetu: readPrice("price_inetu", form, say),
    price_inetd: readPrice("price_inetd", form, say),
    ...readArguments(form, say),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(form.use_ssh === "default" ? {} : { use_ssh: form.use_ssh === "on" }),
    ...(form.onstart.trim() === "" ? {} : { onstart: form.onstart.trim() }),
  });
  for (const { path, message } of checked.error?.issues ?? []) {
    const field = fieldOf(path[0]);
    // Names were checked row by row before.
    const row = field === "env" ? form.env.findIndex(({ name }) => name.trim() === path[1]) : undefined;
    if (!problems.some((known) => known.field === field && known.row === row))
      say(field, message, row === undefined ? {} : { row, part: "value" });
  }
  const place = ({ field, row = -1 }: JobsProblem) => JOBS_FIELDS.indexOf(field) + (row + 1) / (form.env.length + 1);
  problems.sort((one, other) => place(one) - place(other));
  return { jobs: problems.length === 0 ? checked.data : undefined, problems };
}

function fieldOf(part: PropertyKey | undefined): JobsField {
  return JOBS_FIELDS.find((name) => name === part) ?? "args";
}

function readWholeNumber(text: string): number {
  return /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
}

/** A comma is ambiguous. */
function readPrice(field: "price_gpu" | "price_inetu" | "price_inetd", form: JobsForm, say: Say): number {
  if (form[field].includes(",")) say(field, t("Use a decimal point, such as 0.35."));
  return readDollars(form[field]);
}

/** With or without a dollar sign. NaN for anything but a plain number. */
export function readDollars(typed: string): number {
  const text = typed.trim().replace(/^\$\s*/, "");
  return /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
}

/** The service accepts a list or a string, never both. Without any, the image starts unchanged. */
function readArguments({ args, args_kind: kind }: JobsForm, say: Say): Pick<BackgroundJobs, "args" | "args_str"> {
  const words = splitArguments(args);
  if (typeof words === "string") {
    say("args", words);
    return {};
  }
  if (words.length === 0) return {};
  return kind === "list" ? { args: words } : { args_str: args };
}

/** The words of the arguments as the service splits them, or what is wrong with them. */
export function splitArguments(text: string): string[] | string {
  try {
    return splitWords(text);
  } catch (error) {
    if (!(error instanceof ShellWordsError)) throw error;
    const [column, found] = [error.at + 1, text.charAt(error.at)];
    return found === "\\"
      ? t("Column {0}: nothing follows the backslash.", column)
      : t("Column {0}: the quote {1} isn't closed.", column, found);
  }
}

/** Rows that are still empty don't count. */
function readVariables(rows: readonly VariableRow[], say: Say): Record<string, string> {
  const variables = new Map<string, string>();
  for (const [row, { name: typed, value }] of rows.entries()) {
    const name = typed.trim();
    const place = { row, part: "name" } as const;
    if (name === "" && value === "") continue;
    if (name === "") say("env", t("Enter a name for the variable."), place);
    else if (!isVariableName(name))
      say("env", t("Variable names can contain only letters, digits, _, and ., and can't start with a digit."), place);
    else if (variables.has(name)) say("env", t("{0} is listed twice.", toPlainText(name, 60)), place);
    else variables.set(name, value);
  }
  return Object.fromEntries(variables);
}

/** Whether there is anything in the form that would be lost with it. */
export function isTyped(form: JobsForm): boolean {
  return JOBS_FIELDS.some((field) => (field === "env" ? form.env.length > 0 : form[field] !== EMPTY_JOBS_FORM[field]));
}

/** What a page sends isn't trusted. @throws AppError `rejected` naming the first field with a problem. */
export function checkJobsForm(form: JobsForm): BackgroundJobs {
  const { jobs, problems } = readJobsForm(form);
  if (jobs) return jobs;
  const [wrong] = problems;
  const message = wrong?.message ?? t("The form is invalid.");
  throw new AppError("rejected", message, { notSent: true, fields: { [wrong?.field ?? "args"]: message } });
}
