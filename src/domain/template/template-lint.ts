// Checks before a template is saved: what can't be sent, what has no effect, and what may surprise (interface 4.3).
import { t, toPlainText } from "../../lib/text.ts";
import { LEAST_DISK } from "../offer/disk.ts";
import { toFilters } from "../offer/filter.ts";
import { findFilterMistakes } from "../offer/filter-mistakes.ts";
import { findEnvProblems } from "./environment/env-lint.ts";
import { parseEnvTable } from "./environment/env-table.ts";
import { describeRegistry, readRegistry, splitImage, startsOnlyShell } from "./image.ts";
import { isPacked } from "./packed-script.ts";
import { MOST_ONSTART } from "./template-draft.ts";
import {
  comesWithSsh,
  getFormPosition,
  type ReadForm,
  readForm,
  type TemplateField,
  type TemplateForm,
} from "./template-form.ts";

/** An `error` prevents saving, a `warning` doesn't, a `note` only explains. */
export type Severity = "error" | "warning" | "note";

export interface Problem {
  readonly field: TemplateField;
  readonly severity: Severity;
  readonly message: string;
  /** The row of a table field, and the part of the row. */
  readonly row?: number;
  readonly part?: "field" | "operator" | "value";
  /** A fix: other values for fields of the form. */
  readonly fix?: { readonly label: string; readonly changes: Partial<TemplateForm> };
}

/** Makes variables visible in SSH sessions (interface 4.3, rule 5). */
export const EXPORT_ENV = "env >> /etc/environment";

/** Whether a script, which isn't packed, gives its variables to SSH sessions. */
export const hasExport = (script: string): boolean => /\/etc\/environment|\bprintenv\b|\bexport\s+-p\b/.test(script);

export const addExport = (script: string): string => (script === "" ? EXPORT_ENV : `${EXPORT_ENV}\n${script}`);

type Say = (severity: Severity, field: TemplateField, message: string, fix?: Problem["fix"]) => void;

/**
 * Everything to report about the form, in the order of its fields. Errors in `unchanged` fields become warnings: those
 * fields aren't sent, so they don't prevent saving.
 */
export function lintForm(
  form: TemplateForm,
  read: ReadForm = readForm(form),
  unchanged: ReadonlySet<TemplateField> = new Set(),
): Problem[] {
  const problems: Problem[] = read.problems.map((problem) => ({ severity: "error", ...problem }));
  const say: Say = (severity, field, message, fix) =>
    void problems.push({ field, severity, message, ...(fix ? { fix } : {}) });
  imageRules(form, say);
  modeRules(form, say);
  scriptRules(form, say);
  sharingRules(form, say);
  machineRules(form, read, say);
  problems.push(...mistakesInFilters(form, read), ...smallVram(form, read));
  for (const problem of findEnvProblems(form.env, form.private ? "private" : "public"))
    problems.push({ field: "env", ...problem });
  problems.sort((a, b) => getFormPosition(a.field) - getFormPosition(b.field) || (a.row ?? -1) - (b.row ?? -1));
  return problems.map((problem) =>
    problem.severity === "error" && unchanged.has(problem.field) ? { ...problem, severity: "warning" } : problem,
  );
}

function imageRules({ image, tag }: TemplateForm, say: Say): void {
  const own = splitImage(image);
  if (/\s/.test(image)) say("error", "image", t("Image names can't contain spaces."));
  else if (/^[a-z]+:\/\//i.test(image)) say("error", "image", t("Remove the scheme. Enter registry.example.com/name."));
  else if (/[A-Z]/.test(image.includes("/") ? image.slice(image.indexOf("/")) : image))
    say("warning", "image", t("Registries accept only lowercase names."));
  if (own.digest !== undefined) say("note", "image", t("The image is specified by its digest, so the tag isn't used."));
  else if (own.tag !== undefined && tag !== "")
    say("warning", "image", t("The tag “{0}” in the image overrides the tag below.", own.tag), {
      label: t("Move to Tag"),
      changes: { image: own.name, tag: own.tag },
    });
  if (tag !== "" && !/^[A-Za-z0-9_@][A-Za-z0-9_.-]{0,127}$/.test(tag))
    say("error", "tag", t("Tags can contain only letters, digits, _, ., and -, up to 128 characters."));
}

function modeRules(form: TemplateForm, say: Say): void {
  const ssh = comesWithSsh(form.runtype);
  if (ssh && form.args_str !== "")
    say("warning", "args_str", t("Arguments are ignored in this mode. They apply only to “Image's Own Entrypoint”."), {
      label: t("Remove Arguments"),
      changes: { args_str: "" },
    });
  if (ssh && !form.use_ssh)
    say("warning", "use_ssh", t("This mode includes SSH, but SSH access is off. A shell may not be available."), {
      label: t("Turn On SSH Access"),
      changes: { use_ssh: true },
    });
  if (!ssh && (form.use_ssh || form.ssh_direct || form.jup_direct || form.use_jupyter_lab))
    say("warning", "runtype", t("SSH and Jupyter options have no effect in this mode."), {
      label: t("Turn Off Options"),
      changes: { use_ssh: false, ssh_direct: false, jup_direct: false, use_jupyter_lab: false },
    });
  if (!ssh && form.args_str.trim() === "" && startsOnlyShell(form.image))
    say(
      "warning",
      "runtype",
      t(
        "This image only starts a shell, which stops immediately in this mode. Choose SSH, or enter a program in Arguments.",
      ),
      { label: t("Use SSH"), changes: { runtype: "ssh", use_ssh: true, ssh_direct: true } },
    );
  if (form.runtype === "ssh" && (form.jup_direct || form.use_jupyter_lab || form.jupyter_dir !== ""))
    say("warning", "runtype", t("Jupyter options have no effect in SSH mode."), {
      label: t("Clear Jupyter Options"),
      changes: { jup_direct: false, use_jupyter_lab: false, jupyter_dir: "" },
    });
  if (form.runtype === "jupyter" && form.jupyter_dir !== "" && !form.jupyter_dir.startsWith("/"))
    say("warning", "jupyter_dir", t("Enter an absolute path, such as /workspace."));
  const variables = parseEnvTable(form.env).rows.some(({ kind }) => kind === "variable");
  // A packed script may export them, and unpacking it at every keystroke would cost too much.
  if (ssh && variables && !isPacked(form.onstart) && !hasExport(form.onstart))
    say("warning", "env", t("SSH sessions don't see these variables unless the start script exports them."), {
      label: t("Export in Start Script"),
      changes: { onstart: addExport(form.onstart) },
    });
}

function scriptRules({ image, onstart, runtype }: TemplateForm, say: Say): void {
  const works =
    onstart
      .replace(EXPORT_ENV, "")
      .replace(/^[ \t]*#.*$/gm, "")
      .trim() !== "";
  const hasApplication = image.trim() !== "" && !startsOnlyShell(image);
  if (runtype !== "args" && !works && hasApplication)
    say(
      "warning",
      "onstart",
      t("This mode replaces the image's own entrypoint. Its application doesn't start unless this script starts it."),
    );
  if (runtype === "args" && works)
    say(
      "note",
      "onstart",
      t(
        "The start script runs after the service's entrypoint. In this mode the image's own entrypoint runs instead, so the script may not run.",
      ),
    );
  if (onstart.includes("\r"))
    say("warning", "onstart", t("Windows line endings break shell scripts."), {
      label: t("Use Unix Line Endings"),
      changes: { onstart: onstart.replace(/\r\n?/g, "\n") },
    });
  if (onstart.startsWith("\uFEFF"))
    say(
      "warning",
      "onstart",
      t("The script starts with an invisible byte order mark (BOM), which breaks shell scripts."),
      {
        label: t("Remove"),
        changes: { onstart: onstart.slice(1) },
      },
    );
  const bytes = new TextEncoder().encode(onstart).length;
  if (onstart.length <= MOST_ONSTART && bytes > MOST_ONSTART)
    say("warning", "onstart", t("{0} bytes. Services that count bytes may refuse this script.", bytes));
}

function sharingRules(form: TemplateForm, say: Say): void {
  if (readRegistry(form.docker_login_repo) === undefined) say("error", "docker_login_repo", describeRegistry());
  const login = [form.docker_login_repo, form.docker_login_user].filter((part) => part !== "").length;
  if (login === 1)
    say("warning", "docker_login_user", t("Enter the registry, user, and token together. One of them is missing."));
  if (form.docker_login_pass !== "" && login < 2)
    say("warning", "docker_login_pass", t("A token has no effect without a registry and a user."));
  if (!form.private && (login > 0 || form.docker_login_pass !== ""))
    say("warning", "private", t("This template is public, so everyone who launches it uses this registry login."));
  if (form.href !== "" && !/^https:\/\/[^\s@/?#]+(?:[/?#]\S*)?$/i.test(form.href))
    say("warning", "href", t("Only https:// links without a user name can be opened."));
}

/** For a template that isn't stored yet: the service holds no token for it, so without one it would have none. */
export function findMissingToken(form: TemplateForm): Problem[] {
  const { docker_login_repo: server, docker_login_user: user, docker_login_pass: token } = form;
  if (server === "" || user === "" || token !== "") return [];
  const message = t("No registry token entered. The template will be created without one.");
  return [{ field: "docker_login_pass", severity: "warning", message }];
}

function mistakesInFilters({ extra_filters: rows }: TemplateForm, { draft }: ReadForm): Problem[] {
  return findFilterMistakes(toFilters(draft.extra_filters)).map(({ field, operator, part, message }) => {
    const row = rows.findIndex((one) => one.field.trim() === field && one.operator === operator);
    return { field: "extra_filters", severity: "error", row, part, message };
  });
}

/** A number of GB that was meant, and is read as MB. */
function smallVram({ extra_filters: rows }: TemplateForm, { draft }: ReadForm): Problem[] {
  const condition = toFilters(draft.extra_filters).gpu_ram ?? {};
  return (["eq", "lt", "lte", "gt", "gte"] as const).flatMap((operator): Problem[] => {
    const vram = condition[operator];
    if (typeof vram !== "number" || vram <= 0 || vram >= 1000) return [];
    const row = rows.findIndex((one) => one.field.trim() === "gpu_ram" && one.operator === operator);
    const value = `${vram} GB`;
    const changes = { extra_filters: rows.map((one, at) => (at === row ? { ...one, value } : one)) };
    const message = t("VRAM is compared in MB, and no machine has as little as {0} MB. Did you mean “{0} GB”?", vram);
    const fix = { label: t("Replace with {0}", value), changes };
    return [{ field: "extra_filters", severity: "warning", row, part: "value", message, fix }];
  });
}

function machineRules(form: TemplateForm, { draft, problems }: ReadForm, say: Say): void {
  const disk = draft.recommended_disk_space;
  const diskRead = !problems.some(({ field }) => field === "recommended_disk_space");
  if (diskRead && disk < LEAST_DISK)
    say("warning", "recommended_disk_space", t("The minimum disk is {0} GB.", LEAST_DISK));
  if (form.volume_info.trim() !== "")
    say("warning", "volume_info", t("This has no effect. Attach volumes when you launch, not in the template."), {
      label: t("Remove"),
      changes: { volume_info: "" },
    });
  const filters = toFilters(draft.extra_filters);
  const kept = Object.keys(draft.extra_filters).filter((field) => !Object.hasOwn(filters, field));
  if (kept.length > 0)
    say(
      "warning",
      "extra_filters",
      t(
        "These filters aren't recognized. They're kept but not used for searching: {0}.",
        toPlainText(kept.join(", "), 120),
      ),
    );
  if (filters.gpu_ram?.eq !== undefined)
    say("warning", "extra_filters", t("GPUs report uneven VRAM sizes (24,564 MB for 24 GB). Use ≥ instead of =."));
  for (const [field, condition] of Object.entries(filters))
    if (condition.in?.length === 0) say("warning", "extra_filters", t("{0}: pick at least one value.", field));
  if (filters.vms_enabled?.eq === true)
    say(
      "note",
      "extra_filters",
      t("A VM accepts only the SSH keys in your account when the VM is created. Keys added later don't work."),
    );
}
