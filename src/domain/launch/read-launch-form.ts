// Reads the form of a launch's configuration: what it sends, and what keeps it from being sent (interface 4.3).
import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { parseLabel } from "../instance/label.ts";
import { parseBid } from "../offer/bid.ts";
import { parseDisk } from "../offer/disk.ts";
import { findEnvProblems } from "../template/environment/env-lint.ts";
import { parseEnvTable } from "../template/environment/env-table.ts";
import { canNameVariable } from "../template/environment/environment.ts";
import { parseImage, readRegistry } from "../template/image.ts";
import { MOST_ONSTART } from "../template/template-draft.ts";
import { addExport, hasExport } from "../template/template-lint.ts";
import { CreateInstanceBody } from "./create-request.ts";
import type { LaunchChoice, LaunchConfiguration } from "./launch-configuration.ts";
import { LAUNCH_FIELDS, type LaunchField, type LaunchForm, type LaunchFormContext, toKey } from "./launch-form.ts";

/** An `error` keeps the form from being used, a `warning` doesn't, and a `note` only explains. */
export interface LaunchProblem {
  readonly field: LaunchField;
  readonly severity: "error" | "warning" | "note";
  readonly message: string;
  /** Of the table of variables and ports. */
  readonly row?: number;
  /** Other values for fields of the form. */
  readonly fix?: { readonly label: string; readonly changes: Partial<LaunchForm> };
}

export interface ReadLaunchForm {
  /** Undefined while there are errors. */
  readonly choice: LaunchChoice | undefined;
  /** In the order of the form. */
  readonly problems: readonly LaunchProblem[];
}

type Say = (
  severity: LaunchProblem["severity"],
  field: LaunchField,
  message: string,
  more?: Pick<LaunchProblem, "row" | "fix">,
) => void;

/** Linux starts no program with a longer variable, counted in bytes with its name. */
const MOST_VARIABLE = 131_072;

/** Fields whose value isn't the template's or the default. */
export const listOwnFields = (form: LaunchForm, base: LaunchForm): readonly LaunchField[] =>
  LAUNCH_FIELDS.filter((field) => form[field] !== base[field]);

export function readLaunchForm(form: LaunchForm, context: LaunchFormContext): ReadLaunchForm {
  const problems: LaunchProblem[] = [];
  const say: Say = (severity, field, message, more) => void problems.push({ field, severity, message, ...more });
  const own = new Set(listOwnFields(form, context.base));
  // Without arguments, another mode has nothing to refuse.
  if (form.runtype !== "args" && form.args_str.trim() === "") own.delete("args_str");
  const onstart = buildLaunchScript(form, context);
  const configuration = {
    ...pickOwn(form, own),
    ...readEnv(form, context, say),
    ...readLogin(form, context, say),
    ...readVolumeInfo(form, say),
    ...(onstart === context.base.onstart ? {} : { onstart }),
  };
  const choice = {
    ...readMachine(form, context, say),
    image: readImage(form, context, say),
    runtype: context.hasTemplate && !own.has("runtype") ? undefined : form.runtype,
    configuration,
  };
  checkTogether(form, own, onstart, context, say);
  checkCharacters({ ...form, onstart }, own, context, problems, say);
  checkSchema({ ...choice, hasTemplate: context.hasTemplate }, say, problems);
  problems.sort(
    (one, other) =>
      LAUNCH_FIELDS.indexOf(one.field) - LAUNCH_FIELDS.indexOf(other.field) || (one.row ?? -1) - (other.row ?? -1),
  );
  return { choice: problems.some(({ severity }) => severity === "error") ? undefined : choice, problems };
}

/** Those that are sent as they are typed. */
function pickOwn(form: LaunchForm, own: ReadonlySet<LaunchField>): LaunchConfiguration {
  const { use_jupyter_lab, jupyter_dir, python_utf8, lang_utf8, vm, args_str, target_state, cancel_unavail } = form;
  const typed = { use_jupyter_lab, jupyter_dir, python_utf8, lang_utf8, vm, args_str, target_state, cancel_unavail };
  return Object.fromEntries(Object.entries(typed).filter(([field]) => own.has(field as LaunchField)));
}

/** The script that is sent, or the template's. */
export function buildLaunchScript(
  { onstart, onstart_order: order }: Pick<LaunchForm, "onstart" | "onstart_order">,
  { base }: { readonly base: Pick<LaunchForm, "onstart"> },
): string {
  if (order === "instead" || base.onstart === "") return onstart;
  return onstart.trim() === "" ? base.onstart : `${base.onstart.replace(/\n?$/, "\n")}${onstart}`;
}

function readImage(form: LaunchForm, { hasTemplate, base }: LaunchFormContext, say: Say): string | undefined {
  if (hasTemplate && form.image === base.image) return undefined;
  return attempt(say, "image", () => parseImage(form.image));
}

function readMachine(form: LaunchForm, { isBid, freeGb, leastBid }: LaunchFormContext, say: Say) {
  const diskGb = attempt(say, "disk", () => parseDisk(form.disk, { disk_space: freeGb })) ?? Number.NaN;
  const label = attempt(say, "label", () => parseLabel(form.label)) ?? "";
  const bid = isBid ? attempt(say, "price", () => parseBid(form.price, { min_bid: leastBid })) : undefined;
  return { diskGb, label, bid };
}

function attempt<T>(say: Say, field: LaunchField, read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    // It stands at its field, which needs no name there.
    const said = error.message.replace(/^[^\s:：]{1,20}[:：]\s*/, "");
    say("error", field, said.charAt(0).toUpperCase() + said.slice(1));
    return undefined;
  }
}

/** The entries that differ from the template's, whose own stay whatever the request says (interface 4.3, rule 6). */
function readEnv({ env: flags }: LaunchForm, { base }: LaunchFormContext, say: Say): Pick<LaunchConfiguration, "env"> {
  const inherited = readEntries(base.env);
  const table = parseEnvTable(flags);
  // What the template has is its service's to read.
  const sources = new Set(parseEnvTable(base.env).rows.map(({ source }) => source));
  const saidOfBase = new Set(findEnvProblems(base.env, "launch").map(({ message }) => message));
  for (const { severity, message, row } of findEnvProblems(flags, "launch")) {
    const one = row === undefined ? undefined : table.rows[row];
    const isInherited = one ? sources.has(one.source) : saidOfBase.has(message);
    // The request has names and mappings that every service takes.
    const isRefused = severity === "error" || one?.kind !== "variable" || !canNameVariable(one.name);
    say(isRefused && !isInherited ? "error" : "warning", "env", message, row === undefined ? {} : { row });
  }
  for (const [row, one] of table.rows.entries())
    if (one.kind === "variable" && !sources.has(one.source) && isTooLong(one))
      say("error", "env", t("{0} is too long: a variable can have at most 131,071 bytes.", toPlainText(one.name, 60)), {
        row,
      });
  const typed = readEntries(flags);
  const lost = [...inherited.keys()].filter((key) => !typed.has(key));
  if (lost.length > 0) {
    const names = toPlainText(lost.slice(0, 5).join(", "), 200);
    say("note", "env", t("The template's {0} stays: a launch can change an entry, but not remove it.", names));
  }
  const own = [...typed].filter(([key, value]) => inherited.get(key) !== value);
  return own.length === 0 ? {} : { env: Object.fromEntries(own) };
}

const isTooLong = ({ name, value }: { readonly name: string; readonly value: string }): boolean =>
  new TextEncoder().encode(`${name}=${value}`).length >= MOST_VARIABLE;

function readEntries(flags: string): ReadonlyMap<string, string> {
  const entries = new Map<string, string>();
  for (const row of parseEnvTable(flags).rows) {
    if (row.kind === "raw") continue;
    const isValue = row.kind === "variable" || (row.kind === "option" && row.flag === "-h");
    entries.set(toKey(row), isValue ? row.value : "1");
  }
  return entries;
}

function readLogin(
  { login_registry, login_user, login_token }: LaunchForm,
  { templateLogin }: LaunchFormContext,
  say: Say,
): Pick<LaunchConfiguration, "image_login"> {
  const registry = readRegistry(login_registry) ?? login_registry.trim();
  const parts = { login_registry: registry, login_user: login_user.trim(), login_token };
  const given = Object.values(parts).filter((part) => part !== "");
  if (given.length === 0) {
    if (templateLogin !== undefined)
      say("note", "login_registry", t("The template's login for {0} is used.", toPlainText(templateLogin, 100)));
    return {};
  }
  for (const [field, value] of Object.entries(parts) as [keyof typeof parts, string][]) {
    if (value === "") say("error", field, t("A registry login needs a registry, a user, and a token."));
    else if (/[\s"']/.test(value)) say("error", field, t("A registry login can't contain spaces or quotes."));
    else if (value.startsWith("-")) say("error", field, t("A registry login can't begin with a dash."));
  }
  return { image_login: `-u ${parts.login_user} -p ${parts.login_token} ${parts.login_registry}` };
}

function readVolumeInfo(form: LaunchForm, say: Say): Pick<LaunchConfiguration, "volume_info"> {
  const { volume, volume_id, volume_size, mount_path } = form;
  if (volume === "none") return {};
  const id = /^[1-9]\d{0,14}$/.test(volume_id.trim()) ? Number(volume_id) : undefined;
  if (id === undefined)
    say(
      "error",
      "volume_id",
      volume === "link"
        ? t("Enter the volume's ID, such as 5012.")
        : t("Enter the ID of a volume offer, such as 7301."),
    );
  const path = mount_path.trim();
  if (!/^\/./.test(path) || /\p{Cc}/u.test(path) || /(?:^|\/)\.\.(?:\/|$)/.test(path) || /^\/[/.]*$/.test(path))
    say("error", "mount_path", t("Enter an absolute path below /, such as /data, without .."));
  const size = /^\d{1,6}(?:\.\d+)?$/.test(volume_size.trim()) ? Number(volume_size) : undefined;
  if (volume === "create" && (size === undefined || size < 1))
    say("error", "volume_size", t("Enter a size of at least 1 GB."));
  const where = { volume_id: id ?? 1, mount_path: path };
  return {
    volume_info:
      volume === "create" ? { create_new: true, ...where, size: size ?? 1 } : { create_new: false, ...where },
  };
}

/** What no field is wrong about on its own. */
function checkTogether(
  form: LaunchForm,
  own: ReadonlySet<LaunchField>,
  onstart: string,
  { mustRun, hasTemplate, base }: LaunchFormContext,
  say: Say,
): void {
  const { runtype } = form;
  const hasJupyter = runtype.startsWith("jupyter");
  if (own.has("args_str") && runtype !== "args")
    say("error", "args_str", t("Only an image that starts its own entrypoint gets arguments."), {
      fix: { label: t("Use the Image's Own Entrypoint"), changes: { runtype: "args" } },
    });
  for (const field of ["use_jupyter_lab", "jupyter_dir"] as const)
    if (own.has(field) && !hasJupyter) say("warning", field, t("Has no effect without Jupyter."));
  if (form.vm && !runtype.startsWith("ssh"))
    say("error", "vm", t("People log in to a virtual machine with SSH. Choose an SSH mode."), {
      fix: { label: t("Use SSH"), changes: { runtype: "ssh_direct" } },
    });
  if (runtype !== "args") checkSshEnvironment(form, onstart, say);
  // What the template has isn't sent.
  const isSent = onstart !== base.onstart;
  if (isSent && onstart.length > MOST_ONSTART)
    say("note", "onstart", t("The script is longer than {0} characters, so it's sent compressed.", MOST_ONSTART));
  if (form.onstart_order === "instead" && own.has("onstart") && onstart.trim() === "" && hasTemplate)
    say("warning", "onstart", t("The template's start script won't run."));
  if (mustRun && form.target_state === "stopped")
    say("error", "target_state", t("Something runs on the instance as soon as it's rented, so it can't start later."));
  if (mustRun && runtype === "args" && !form.vm)
    say("error", "runtype", t("Something runs on the instance over SSH. Choose an SSH or Jupyter mode."));
  if (form.target_state === "stopped")
    say("note", "target_state", t("It's created without starting. Its disk is billed until you destroy it."));
  else if (own.has("cancel_unavail") && !form.cancel_unavail)
    say(
      "note",
      "cancel_unavail",
      t("If the machine can't start immediately, the instance waits, and its disk is billed."),
    );
}

/** What no program can be given, wherever nothing else is wrong. */
function checkCharacters(
  form: LaunchForm,
  own: ReadonlySet<LaunchField>,
  { base }: LaunchFormContext,
  problems: readonly LaunchProblem[],
  say: Say,
): void {
  const isOdd = (value: unknown) => /[\0\p{Cs}]/u.test(String(value));
  for (const field of LAUNCH_FIELDS) {
    const isSent = own.has(field) || (field === "onstart" && own.has("onstart_order"));
    // What isn't asked for isn't sent, and the template's entries aren't either.
    const isLeftOut = field === "mount_path" ? form.volume === "none" : field === "env" && isOdd(base.env);
    const isWrong = problems.some((one) => one.field === field && one.severity === "error");
    if (isSent && !isLeftOut && !isWrong && isOdd(form[field]))
      say("error", field, t("Remove the invalid character (NUL or a broken emoji)."));
  }
}

function checkSshEnvironment(form: LaunchForm, onstart: string, say: Say): void {
  const hasVariables = parseEnvTable(form.env).rows.some(({ kind }) => kind === "variable");
  if (!hasVariables || hasExport(onstart)) return;
  const changes = { onstart: addExport(form.onstart) };
  say("warning", "env", t("SSH sessions don't see these variables unless the start script exports them."), {
    fix: { label: t("Export in Start Script"), changes },
  });
}

const FIELD_OF: Readonly<Record<string, LaunchField>> = {
  image_login: "login_registry",
  volume_info: "volume_id",
};

/** The schema of the request has the last word. */
function checkSchema(
  { configuration, runtype, image, hasTemplate }: LaunchChoice & Pick<LaunchFormContext, "hasTemplate">,
  say: Say,
  problems: readonly LaunchProblem[],
): void {
  const { onstart: _, ...rest } = configuration;
  const checked = CreateInstanceBody.safeParse({
    ...rest,
    ...(runtype === undefined ? {} : { runtype }),
    ...(hasTemplate || image === undefined ? { image: "a" } : { image }),
  });
  for (const { path, message } of checked.error?.issues ?? []) {
    const first = String(path[0]);
    const field = FIELD_OF[first] ?? LAUNCH_FIELDS.find((one) => one === first) ?? "image";
    const isKnown = problems.some((one) => one.field === field && one.severity === "error");
    if (!isKnown && first !== "image_login" && first !== "volume_info") say("error", field, message);
  }
}
