// A template as a workspace file: JSON with comments. The workspace may come from anyone, so the file isn't trusted.
import { applyEdits, findNodeAtLocation, modify, type Node, type ParseError, parseTree } from "jsonc-parser";
import * as z from "zod";
import { templateFileSuffix } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { TemplateHash, TemplateId } from "../base/id.ts";
import { Condition, StoredFilters } from "../offer/filter.ts";
import { FILTER_FIELDS } from "../offer/filter-rows.ts";
import { toDisplayName } from "./template.ts";
import { listChangedFields } from "./template-changes.ts";
import { TemplateDraft } from "./template-draft.ts";
import { type FileToLint, lintFile } from "./template-file-lint.ts";
import { createFileProblem, type FileProblem, findExcess } from "./template-file-problem.ts";
import {
  comesWithSsh,
  NEW_TEMPLATE,
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  type WholeDraft,
} from "./template-form.ts";
import { TemplateLaunch, TemplateRun } from "./template-proposals.ts";
import { Lines } from "./template-text.ts";

export const FILE_SUFFIX = templateFileSuffix;

/** A file name for a template, made of its name. */
export function toFileName({ name }: { readonly name: string }): string {
  const words = toDisplayName(name, 60)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-");
  return `${words.replace(/^-|-$/g, "") || "template"}${FILE_SUFFIX}`;
}
/** The maximum number of problems reported: no one reads more, and a foreign file may cause tens of thousands. */
const MOST_PROBLEMS = 100;

/**
 * The last state that the file and the service had in common: the template, its hash at the time, the service's address, and the user whose
 * template it is. Older files lack the last two. No user is written for a template that isn't the account's own.
 */
export const Sync = z.strictObject({
  id: TemplateId.optional(),
  hash: TemplateHash,
  base: z.string().max(2000).optional(),
  user: z.int().optional(),
});
export type Sync = z.infer<typeof Sync>;

/** A known field needs a known comparison. Anything else a service stored is kept. */
const FileFilters = StoredFilters.superRefine((filters, context) => {
  for (const [field, entry] of Object.entries(filters)) {
    if (!Object.hasOwn(FILTER_FIELDS, field)) continue;
    for (const issue of Condition.safeParse(entry).error?.issues ?? [])
      context.addIssue({ ...issue, path: [field, ...issue.path] });
  }
});

/**
 * Excludes the registry token, because files are shared. Missing fields have the defaults of a new template, except for
 * `use_ssh`, which follows `runtype` as in the form.
 */
export const TemplateFile = TemplateDraft.omit({ docker_login_pass: true }).extend({
  docker_login_repo: z.string().optional(),
  docker_login_user: z.string().optional(),
  readme: Lines.optional(),
  onstart: Lines.optional(),
  extra_filters: FileFilters.optional(),
  $schema: z.string().optional(),
  $sync: Sync.optional(),
  run: TemplateRun.optional(),
  launch: TemplateLaunch.optional(),
});

type TemplateFile = z.infer<typeof TemplateFile>;
type SomeFields = { readonly [Field in keyof TemplateFile]?: TemplateFile[Field] | undefined };

export interface ReadTemplateFile {
  /** Undefined if the file can't be read; then at least one problem is an error. */
  readonly draft: WholeDraft | undefined;
  /** Also of a file that can't be read otherwise. */
  readonly sync: Sync | undefined;
  /** What to run on an instance of the template. It isn't part of the template itself. */
  readonly run: TemplateRun | undefined;
  /** What a launch from the file changes of the template. */
  readonly launch: TemplateLaunch | undefined;
  readonly problems: readonly FileProblem[];
  /** The position of the lock. */
  readonly syncAt: { readonly offset: number; readonly length: number } | undefined;
}

/** Reads any text. Follows no references in it. `gpus` are the names of the GPUs on offer, as far as they are known. */
export function readTemplateFile(text: string, gpus: readonly string[] = []): ReadTemplateFile {
  const no = (problems: FileProblem[]): ReadTemplateFile => ({
    draft: undefined,
    sync: undefined,
    run: undefined,
    launch: undefined,
    problems: problems.slice(0, MOST_PROBLEMS),
    syncAt: undefined,
  });
  const tooMuch = findExcess(text);
  if (tooMuch) return no([tooMuch]);
  const errors: ParseError[] = [];
  const root = parseTree(text, errors, { allowTrailingComma: true });
  const problems = errors.slice(0, MOST_PROBLEMS).map(
    ({ offset, length }): FileProblem => ({
      severity: "error",
      message: t("Invalid JSON: check brackets, quotes, and commas."),
      offset,
      length,
      by: "syntax",
    }),
  );
  if (root?.type !== "object") {
    if (problems.length === 0) problems.push(createFileProblem(root, t("A template must be a JSON object: { … }.")));
    return no(problems);
  }
  const value = plainValue(root, problems);
  const read = TemplateFile.safeParse(value);
  for (const issue of read.error?.issues.slice(0, MOST_PROBLEMS) ?? []) problems.push(...schemaProblems(root, issue));
  const lock = findNodeAtLocation(root, ["$sync"]);
  const syncAt = lock && { offset: lock.offset, length: lock.length };
  if (!read.success || problems.length > 0) {
    if (errors.length === 0) problems.push(...restProblems({ text, root, gpus }, value, read.error?.issues ?? []));
    return { ...no(problems), sync: Sync.safeParse(Object(value).$sync).data, syncAt };
  }
  const { $sync: sync, run, launch } = read.data;
  const draft = toWholeDraft(read.data);
  return { draft, sync, run, launch, problems: lintFile({ text, root, gpus }, draft), syncAt };
}

/** The template alone, with every field. */
function toWholeDraft({ $schema: _, $sync: __, run: ___, launch: ____, ...fields }: SomeFields): WholeDraft {
  const given = Object.fromEntries(Object.entries(fields).filter(([, item]) => item !== undefined));
  return { ...leftOut(fields.runtype), ...(given as Partial<WholeDraft>), docker_login_pass: "" };
}

/** The values of fields that a file with this mode omits. */
function leftOut(runtype: WholeDraft["runtype"] = NEW_TEMPLATE.runtype): WholeDraft {
  return { ...NEW_TEMPLATE, use_ssh: comesWithSsh(runtype) };
}

/** The value as plain data. Keys that could reach a prototype, and duplicate keys, are reported and left out. */
function plainValue(node: Node, problems: FileProblem[]): unknown {
  if (node.type === "array") return (node.children ?? []).map((child) => plainValue(child, problems));
  if (node.type !== "object") return node.value;
  const entries = new Map<string, unknown>();
  for (const { children: [name, value] = [] } of node.children ?? []) {
    if (!name || !value) continue;
    const key = String(name.value);
    if (key === "__proto__") problems.push(createFileProblem(name, t("This name can't be used.")));
    else if (key === "docker_login_pass" && node.parent === undefined && value.value === "") continue;
    else if (key === "docker_login_pass" && node.parent === undefined)
      problems.push(
        createFileProblem(name, t("Registry tokens can't be stored in files. Enter the token in the template's form.")),
      );
    else if (entries.has(key)) problems.push(createFileProblem(name, t("{0} is listed twice.", toPlainText(key, 60))));
    else entries.set(key, plainValue(value, problems));
  }
  return Object.fromEntries(entries);
}

type Issue = NonNullable<ReturnType<typeof TemplateFile.safeParse>["error"]>["issues"][number];

function schemaProblems(root: Node, issue: Issue): FileProblem[] {
  const at = (path: readonly PropertyKey[]) =>
    findNodeAtLocation(
      root,
      path.map((step) => (typeof step === "number" ? step : String(step))),
    ) ?? root;
  if (issue.code === "unrecognized_keys") {
    const parent = at(issue.path);
    const names = new Map(parent.children?.map(({ children }) => [children?.[0]?.value, children?.[0]]));
    return issue.keys.slice(0, MOST_PROBLEMS).map((key) => {
      const name = names.get(key);
      return {
        ...createFileProblem(name ?? parent, t("“{0}” isn't a template field.", toPlainText(key, 60))),
        by: "schema" as const,
      };
    });
  }
  const missing = issue.code === "invalid_type" && issue.input === undefined && at(issue.path) === root;
  const name = issue.path.map(String).join(".");
  const message = missing ? t("{0} is missing.", name) : t("{0}: {1}", name, issue.message);
  const place = at(issue.path);
  const problem = createFileProblem(place === root ? undefined : place, message);
  const known = issue.code === "custom";
  return [{ ...problem, offset: place.offset, by: known ? "own" : "schema" }];
}

/** What is wrong with the fields that can be read, beside those that can't. */
function restProblems(read: FileToLint, value: unknown, issues: readonly Issue[]): FileProblem[] {
  const wrong = new Set(
    issues.flatMap((issue) =>
      issue.code === "unrecognized_keys" && issue.path.length === 0 ? issue.keys : issue.path[0],
    ),
  );
  const rest = Object.fromEntries(Object.entries(value as object).filter(([field]) => !wrong.has(field)));
  const checked = TemplateFile.partial().safeParse(rest);
  if (!checked.success) return [];
  return lintFile(read, toWholeDraft(checked.data), wrong);
}

/** `line:column`, both starting at 1 as in editors. */
export function formatPosition(text: string, offset: number): string {
  let [line, start] = [1, 0];
  for (let at = 0; at < Math.min(offset, text.length); at += 1) {
    const char = text.charAt(at);
    if (char !== "\n" && (char !== "\r" || (text[at + 1] === "\n" && at + 1 < offset))) continue;
    line += 1;
    start = at + 1;
  }
  return `${line}:${Math.min(offset, text.length) - start + 1}`;
}

/** The content to send, and what stays. @throws AppError `rejected` with the first problem and its position. */
export function readSendable(
  text: string,
): Pick<ReadTemplateFile, "sync" | "run" | "launch"> & { readonly draft: WholeDraft } {
  const { draft, problems, ...rest } = readTemplateFile(text);
  if (!draft || problems.some(({ severity }) => severity === "error")) throw refusal(text, problems);
  return { draft, ...rest };
}

function refusal(text: string, problems: readonly FileProblem[]): AppError {
  const wrong = problems.find(({ severity }) => severity === "error");
  return new AppError(
    "rejected",
    t("{0}: {1} Nothing was sent.", formatPosition(text, wrong?.offset ?? 0), wrong?.message ?? ""),
  );
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: "\n" } };

/** The form in a file: long texts become lists of lines, so that they can be read and compared. */
function written(field: TemplateField, value: unknown): unknown {
  const isLong = (field === "readme" || field === "onstart") && typeof value === "string" && value.includes("\n");
  return isLong ? value.split("\n") : value;
}

/** A new file: name, image, and whatever would mean something else if left out. Without a lock it was never pushed. */
export function createTemplateFile(draft: WholeDraft, sync?: Sync): string {
  const changed = new Set<TemplateField>(["name", "image", ...listChangedFields(leftOut(draft.runtype), draft)]);
  const fields = TEMPLATE_DRAFT_FIELDS.filter((field) => changed.has(field) && field !== "docker_login_pass");
  const entries = fields.map((field): [string, unknown] => [field, written(field, draft[field])]);
  return `${JSON.stringify({ ...Object.fromEntries(entries), ...(sync && { $sync: sync }) }, null, 2)}\n`;
}

/** The text with one field set. A list is written as a whole: laid out line by line, a long one would take minutes. */
function withValue(text: string, field: string, value: unknown): string {
  const put = (one: unknown) => applyEdits(text, modify(text, [field], one, FORMAT));
  if (!Array.isArray(value)) return put(value);
  const mark = crypto.randomUUID();
  const lines = JSON.stringify(value, null, 2).replaceAll("\n", "\n  ");
  const marked = put(mark);
  const [before = "", ...after] = marked.split(JSON.stringify(mark));
  return [before, ...after].join(lines);
}

/**
 * The file with this template and lock. Comments, order and wording stay where the meaning is the same.
 * @throws AppError `rejected` if the file can't be read.
 */
export function withTemplateContent(text: string, draft: WholeDraft, sync: Sync): string {
  const fill = (into: string): string => {
    const { draft: now, problems } = readTemplateFile(into);
    if (!now) throw refusal(into, problems);
    const changed = listChangedFields(now, { ...draft, docker_login_pass: now.docker_login_pass });
    return changed.reduce((filled, field) => withValue(filled, field, written(field, draft[field])), into);
  };
  // The default of an omitted field may depend on what was just written.
  return withValue(fill(fill(text)), "$sync", sync);
}

/** The new text of a file, with what the file said before of running and launching. */
export function withProposalsOf(before: string, text: string): string {
  const { run, launch } = readTemplateFile(before);
  return Object.entries({ run, launch }).reduce(
    (now, [name, value]) => (value ? withValue(now, name, value) : now),
    text,
  );
}

/** The file with another lock and nothing else changed. @throws AppError `rejected` if the file can't be read. */
export function withSync(text: string, sync: Sync): string {
  const { draft, problems } = readTemplateFile(text);
  if (!draft) throw refusal(text, problems);
  return applyEdits(text, modify(text, ["$sync"], sync, FORMAT));
}
