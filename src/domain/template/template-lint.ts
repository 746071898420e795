// Checks before a template is saved: what can't be sent, what has no effect, and what may surprise (interface 4.3).
import { plain, t } from "../../lib/text.ts";
import { LEAST_DISK } from "../offer/disk.ts";
import { understood } from "../offer/filter.ts";
import { envProblems } from "./env-lint.ts";
import { parseEnvTable } from "./env-table.ts";
import { isPacked } from "./packed-script.ts";
import { MOST_ONSTART } from "./template-draft.ts";
import { comesWithSsh, type ReadForm, readForm, type TemplateField, type TemplateForm } from "./template-form.ts";

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

type Say = (severity: Severity, field: TemplateField, message: string, fix?: Problem["fix"]) => void;

/**
 * Everything to report about the form, in the order of its fields. Errors in `unchanged` fields become warnings: those
 * fields aren't sent, so they don't prevent saving.
 */
export function lint(
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
  for (const problem of envProblems(form.env, !form.private)) problems.push({ field: "env", ...problem });
  return problems.map((problem) =>
    problem.severity === "error" && unchanged.has(problem.field) ? { ...problem, severity: "warning" } : problem,
  );
}

function imageRules({ image, tag }: TemplateForm, say: Say): void {
  const last = image.slice(image.lastIndexOf("/") + 1);
  const inImage = /[:@]/.exec(last)?.[0];
  if (/\s/.test(image)) say("error", "image", t("An image's name holds no blanks."));
  else if (/^[a-z]+:\/\//i.test(image)) say("error", "image", t("Leave the scheme out: registry.example.com/name."));
  else if (/[A-Z]/.test(image.includes("/") ? image.slice(image.indexOf("/")) : image))
    say("warning", "image", t("Registries take lower-case names only."));
  if (inImage === "@") say("note", "image", t("The image is named by its digest; the tag is not used."));
  else if (inImage === ":" && image !== "") {
    const [name = "", own = ""] = [image.slice(0, image.lastIndexOf(":")), image.slice(image.lastIndexOf(":") + 1)];
    say("warning", "image", t("The tag “{0}” in the image wins over the tag below.", own), {
      label: t("Move It to the Tag"),
      changes: { image: name, tag: own },
    });
  }
  if (tag !== "" && !/^[A-Za-z0-9_@][A-Za-z0-9_.-]{0,127}$/.test(tag))
    say("error", "tag", t("A tag is made of letters, digits, _, . and -, at most 128 of them."));
}

function modeRules(form: TemplateForm, say: Say): void {
  const ssh = comesWithSsh(form.runtype);
  if (ssh && form.args_str !== "")
    say(
      "warning",
      "args_str",
      t("Arguments are ignored in this mode: they are used with “Image's own entrypoint” only."),
      {
        label: t("Remove Them"),
        changes: { args_str: "" },
      },
    );
  if (ssh && !form.use_ssh)
    say("warning", "use_ssh", t("This mode comes with SSH, and SSH access is off: there may be no shell."), {
      label: t("Turn It On"),
      changes: { use_ssh: true },
    });
  if (!ssh && (form.use_ssh || form.ssh_direct || form.jup_direct || form.use_jupyter_lab))
    say("warning", "runtype", t("SSH and Jupyter options have no effect in this mode."), {
      label: t("Turn Them Off"),
      changes: { use_ssh: false, ssh_direct: false, jup_direct: false, use_jupyter_lab: false },
    });
  if (form.runtype === "ssh" && (form.jup_direct || form.use_jupyter_lab || form.jupyter_dir !== ""))
    say("warning", "runtype", t("Jupyter options have no effect in SSH mode."), {
      label: t("Clear Them"),
      changes: { jup_direct: false, use_jupyter_lab: false, jupyter_dir: "" },
    });
  if (form.runtype === "jupyter" && form.jupyter_dir !== "" && !form.jupyter_dir.startsWith("/"))
    say("warning", "jupyter_dir", t("Write the directory from the root on, such as /workspace."));
  const variables = parseEnvTable(form.env).rows.some(({ kind }) => kind === "variable");
  // A packed script may export them, and unpacking it at every keystroke would cost too much.
  if (
    ssh &&
    variables &&
    !isPacked(form.onstart) &&
    !/\/etc\/environment|\bprintenv\b|\bexport\s+-p\b/.test(form.onstart)
  )
    say("warning", "env", t("SSH sessions do not see these variables unless the start script exports them."), {
      label: t("Export Them in the Start Script"),
      changes: { onstart: form.onstart === "" ? EXPORT_ENV : `${EXPORT_ENV}\n${form.onstart}` },
    });
}

function scriptRules({ onstart, runtype }: TemplateForm, say: Say): void {
  const works =
    onstart
      .replace(EXPORT_ENV, "")
      .replace(/^[ \t]*#.*$/gm, "")
      .trim() !== "";
  if (runtype !== "args" && !works)
    say(
      "warning",
      "onstart",
      t(
        "The image's own entrypoint is replaced in this mode: its application does not start unless this script starts it.",
      ),
    );
  if (runtype === "args" && works)
    say(
      "note",
      "onstart",
      t(
        "It runs after the service's entrypoint; in this mode the image's own entrypoint runs instead, so it may not run at all.",
      ),
    );
  if (onstart.includes("\r"))
    say("warning", "onstart", t("It has Windows line ends, on which shells stumble."), {
      label: t("Use Unix Line Ends"),
      changes: { onstart: onstart.replace(/\r\n?/g, "\n") },
    });
  if (onstart.startsWith("\uFEFF"))
    say("warning", "onstart", t("It starts with an invisible mark (BOM), on which shells stumble."), {
      label: t("Remove It"),
      changes: { onstart: onstart.slice(1) },
    });
  const bytes = new TextEncoder().encode(onstart).length;
  if (onstart.length <= MOST_ONSTART && bytes > MOST_ONSTART)
    say("warning", "onstart", t("{0} bytes: a service that counts bytes would refuse it.", bytes));
}

function sharingRules(form: TemplateForm, say: Say): void {
  const login = [form.docker_login_repo, form.docker_login_user].filter((part) => part !== "").length;
  if (login === 1)
    say("warning", "docker_login_user", t("Registry, user and token belong together; one of them is missing."));
  if (form.docker_login_pass !== "" && login < 2)
    say("warning", "docker_login_pass", t("A token without registry and user is not used."));
  if (!form.private && (login > 0 || form.docker_login_pass !== ""))
    say(
      "warning",
      "private",
      t("The registry login goes along with a public template: everybody who launches it uses it."),
    );
  if (form.href !== "" && !/^https:\/\/[^\s@/?#]+(?:[/?#]\S*)?$/i.test(form.href))
    say("warning", "href", t("Only https:// links without a user name can be opened."));
}

/** For a template that isn't stored yet: the service holds no token for it, so without one it would have none. */
export function missingToken(form: TemplateForm): Problem[] {
  const { docker_login_repo: server, docker_login_user: user, docker_login_pass: token } = form;
  if (server === "" || user === "" || token !== "") return [];
  const message = t("No token is typed. The template would be created without one.");
  return [{ field: "docker_login_pass", severity: "warning", message }];
}

function machineRules(form: TemplateForm, { draft, problems }: ReadForm, say: Say): void {
  const disk = draft.recommended_disk_space;
  const diskRead = !problems.some(({ field }) => field === "recommended_disk_space");
  if (diskRead && disk < LEAST_DISK)
    say("warning", "recommended_disk_space", t("Machines are rented with {0} GB at least.", LEAST_DISK));
  if (form.volume_info.trim() !== "")
    say("warning", "volume_info", t("It has no effect: a volume is attached by the launch, not by its template."), {
      label: t("Remove It"),
      changes: { volume_info: "" },
    });
  const filters = understood(draft.extra_filters);
  const kept = Object.keys(draft.extra_filters).filter((field) => !Object.hasOwn(filters, field));
  if (kept.length > 0)
    say(
      "warning",
      "extra_filters",
      t("Kept as stored, but not understood and not searched by: {0}.", plain(kept.join(", "), 120)),
    );
  const vram = filters.gpu_ram?.gte ?? filters.gpu_ram?.gt ?? filters.gpu_ram?.eq;
  if (typeof vram === "number" && vram > 0 && vram < 1000)
    say(
      "warning",
      "extra_filters",
      t("VRAM is compared in MB: {0} MB is less than any machine has. Write “{0} GB”.", vram),
    );
  if (filters.gpu_ram?.eq !== undefined)
    say("warning", "extra_filters", t("Cards report odd sizes of VRAM (24,564 MB for 24 GB): compare with ≥, not =."));
  for (const [field, condition] of Object.entries(filters))
    if (condition.in?.length === 0)
      say("warning", "extra_filters", t("{0} is one of nothing: no machine matches.", field));
  if (filters.vms_enabled?.eq === true)
    say(
      "note",
      "extra_filters",
      t("A VM takes the SSH keys registered before it is created; one added later cannot be recovered."),
    );
}
