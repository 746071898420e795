// What there is to say about the fields of a template file that can be read: what the form says of the same template, numbers as a file
// takes them, and secrets.
import { findNodeAtLocation, type Node, parseTree } from "jsonc-parser";
import { t, toPlainText } from "../../lib/text.ts";
import { type FilterRow, toWireNumber } from "../offer/filter-rows.ts";
import { isMemory } from "../offer/filter-units.ts";
import { describeUnknownGpu, findUnknownGpus } from "../offer/gpu-names.ts";
import { toFileEnv } from "./environment/env-secrets.ts";
import { type FileProblem, findExcess } from "./template-file-problem.ts";
import { readForm, type TemplateField, type TemplateForm, toForm, type WholeDraft } from "./template-form.ts";
import { lintForm, type Problem } from "./template-lint.ts";

export interface FileToLint {
  readonly text: string;
  readonly root: Node;
  /** Names of the GPUs on offer, as far as they are known. */
  readonly gpus: readonly string[];
}

/** Services hold addresses of registries that the form takes no more. Files of such templates can be launched all the same. */
const STORED: ReadonlySet<TemplateField> = new Set(["docker_login_repo"]);

/** `left` are the fields that can't be read. */
export function lintFile(read: FileToLint, draft: WholeDraft, left: ReadonlySet<unknown> = new Set()): FileProblem[] {
  // A tag that isn't written has its default, which nothing in the image can override.
  const hasTag = findNodeAtLocation(read.root, ["tag"]) !== undefined;
  const form = toForm(hasTag ? draft : { ...draft, tag: "" });
  // What a file tells of its secrets is more than a note.
  const isTold = ({ field, severity }: Problem) => field === "env" && severity === "note";
  const found = lintForm(form, readForm(form), STORED).filter((one) => !left.has(one.field) && !isTold(one));
  return [
    ...found.map((problem) => place(read.root, form, problem)),
    ...listSecrets(read, draft.env),
    ...listGpus(read),
  ];
}

function place(root: Node, form: TemplateForm, { severity, field, message, row }: Problem): FileProblem {
  const filter = field === "extra_filters" && row !== undefined ? form.extra_filters[row] : undefined;
  const inner = filter && findNodeAtLocation(root, [field, filter.field, filter.operator]);
  const node = inner ?? findNodeAtLocation(root, [field]);
  const problem = { severity, message, offset: node?.offset ?? root.offset, length: node?.length ?? 1 };
  const number = filter && inner && proposeNumber(filter, inner);
  return { ...problem, by: "own", ...number };
}

/** The form takes units, and a file takes none: `"20 GB"`, or 20 for VRAM, is a number of MB in a file. */
function proposeNumber(
  row: FilterRow,
  { value, offset, length }: Node,
): Pick<FileProblem, "message" | "fix"> | undefined {
  const isSmallVram = row.field === "gpu_ram" && typeof value === "number" && value > 0 && value < 1000;
  const written = isSmallVram ? `${value} GB` : value;
  const number = typeof written === "string" ? toWireNumber(row, written) : undefined;
  if (number === undefined) return undefined;
  const message = describeNumber(row, String(number), toPlainText(String(written), 40));
  return { message, fix: { label: t("Replace with {0}", String(number)), offset, length, text: String(number) } };
}

function describeNumber({ field, operator }: FilterRow, number: string, written: string): string {
  if (!isMemory(field)) return t("A file takes a plain number here: {0} for “{1}”.", number, written);
  return operator === "gte" || operator === "lt"
    ? t("A file takes MB here: {0} for “{1}”, because machines report a little less than they have.", number, written)
    : t("A file takes MB here: {0} for “{1}”.", number, written);
}

/** No one reads more, and a foreign file may cause hundreds of thousands. */
const MOST_SECRETS = 20;
const MOST_GPUS = 20;

/** Values that a file would leave out if it was saved from the service. The way out of one is that of all. */
function listSecrets({ text, root }: FileToLint, env: string): FileProblem[] {
  const node = findNodeAtLocation(root, ["env"]);
  if (!node) return [];
  const { text: emptied, names } = toFileEnv(env);
  const written = text.slice(node.offset, node.offset + node.length);
  const { offset, length } = node;
  const fix = { label: t("Remove Secret Values"), offset, length, text: JSON.stringify(emptied) };
  return names.slice(0, MOST_SECRETS).map((name): FileProblem => {
    const at = written.indexOf(`${name}=`);
    const where = at < 0 ? { offset, length } : { offset: offset + at, length: name.length };
    const message = t(
      "“{0}” looks like a secret, and files are shared. Leave its value empty and enter it in the template's form. A push keeps the value that the service has.",
      toPlainText(name, 60),
    );
    return { severity: "warning", message, ...where, by: "own", fix };
  });
}

function findGpuNodes(root: Node): Node[] {
  const condition = ["extra_filters", "gpu_name"];
  const eq = findNodeAtLocation(root, [...condition, "eq"]);
  const list = findNodeAtLocation(root, [...condition, "in"])?.children ?? [];
  return [...(eq ? [eq] : []), ...list].filter(({ type }) => type === "string").slice(0, MOST_GPUS);
}

/** The names of GPUs in a file, whatever else in it is wrong or not written yet. */
export function readAskedGpus(text: string): readonly string[] {
  const root = findExcess(text) ? undefined : parseTree(text, [], { allowTrailingComma: true });
  return root ? findGpuNodes(root).map(({ value }) => String(value)) : [];
}

/** A filter compares names letter by letter, so one that no one's GPU has finds nothing. */
function listGpus({ root, gpus }: FileToLint): FileProblem[] {
  return findGpuNodes(root).flatMap((node): FileProblem[] => {
    const [unknown] = findUnknownGpus([String(node.value)], gpus);
    if (!unknown) return [];
    const { offset, length } = node;
    const [closest] = unknown.closest;
    const replace = (name: string) => ({
      label: t("Replace with {0}", toPlainText(name, 60)),
      text: JSON.stringify(name),
    });
    const fix = closest === undefined ? {} : { fix: { ...replace(closest), offset, length } };
    return [{ severity: "warning", message: describeUnknownGpu(unknown), offset, length, by: "own", ...fix }];
  });
}
