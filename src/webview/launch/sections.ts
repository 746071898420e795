// The sections of the form for a launch's configuration, in the order people think of them.
import { html, nothing } from "lit";
import type { LaunchField, LaunchForm, LaunchFormContext } from "../../domain/launch/launch-form.ts";
import { buildLaunchScript } from "../../domain/launch/read-launch-form.ts";
import { type EnvRow, parseEnvTable, withEntry } from "../../domain/template/environment/env-table.ts";
import { formatMode } from "../../domain/template/launch-mode.ts";
import { addExport, EXPORT_ENV, hasExport } from "../../domain/template/template-lint.ts";
import { t, toPlainText } from "../../lib/text.ts";
import {
  type Html,
  renderFrame,
  renderRadioGroup,
  renderSwitch,
  renderTextArea,
  renderTextField,
} from "../kit/controls.ts";
import { renderEnvTable } from "../kit/env-table.ts";
import { renderLengthMeter } from "../kit/length-meter.ts";
import { type LaunchFormPage, type LaunchTextField, renderSource } from "./form-page.ts";

interface LaunchSection {
  readonly id: string;
  readonly title: string;
  /** Whether it is about one instance, and isn't asked for several together. */
  readonly isOfOne?: boolean;
  readonly fields: readonly LaunchField[];
  readonly draw: (page: LaunchFormPage) => Html;
}

/** A function because the texts need the dictionary to be loaded. */
export function listLaunchSections({ isForSeveral }: LaunchFormContext): readonly LaunchSection[] {
  return listAll().filter(({ isOfOne }) => !(isForSeveral && isOfOne));
}

function listAll(): readonly LaunchSection[] {
  return [
    {
      id: "image",
      title: t("Image"),
      fields: ["image", "login_registry", "login_user", "login_token"],
      draw: image,
    },
    {
      id: "access",
      title: t("Access"),
      fields: ["runtype", "use_jupyter_lab", "jupyter_dir", "vm", "python_utf8", "lang_utf8"],
      draw: access,
    },
    { id: "environment", title: t("Environment and Ports"), fields: ["env"], draw: environment },
    { id: "start", title: t("Start Script"), fields: ["onstart_order", "onstart", "args_str"], draw: start },
    {
      id: "disk",
      isOfOne: true,
      title: t("Disk and Volume"),
      fields: ["disk", "volume", "volume_id", "volume_size", "mount_path"],
      draw: disk,
    },
    {
      id: "when",
      title: t("When to Start"),
      fields: ["target_state", "cancel_unavail", "price", "label"],
      draw: when,
    },
  ];
}

type TextOptions = NonNullable<Parameters<typeof renderTextField>[2]>;
const textOf = (page: LaunchFormPage, field: LaunchTextField, options: TextOptions = {}): Html =>
  renderTextField(page, field, { ...options, aside: renderSource(page, field) });

type FlagField = { [K in LaunchField]: LaunchForm[K] extends boolean ? K : never }[LaunchField];
const flagOf = (page: LaunchFormPage, field: FlagField): Html =>
  renderSwitch(page, field, page.model.form[field], (isOn) => page.set({ [field]: isOn }), renderSource(page, field));

function choiceOf<F extends LaunchField>(
  page: LaunchFormPage,
  field: F,
  options: Parameters<typeof renderRadioGroup<F, LaunchForm[F] & string>>[2],
): Html {
  const choose = (value: LaunchForm[F] & string) => {
    page.touch(field);
    page.set({ [field]: value });
  };
  const chosen = page.model.form[field] as LaunchForm[F] & string;
  return renderFrame(page, field, renderRadioGroup(page, field, options, chosen, choose), renderSource(page, field));
}

function image(page: LaunchFormPage): Html {
  const { busy, form, state } = page.model;
  const choose = html`<vscode-button secondary ?disabled=${busy !== undefined} @click=${page.chooseTag}
    >${busy === "tags" ? t("Loading…") : t("Choose Tag…")}</vscode-button
  >`;
  const hasLogin = [form.login_registry, form.login_user, form.login_token].some((part) => part !== "");
  const inherited = state.context.templateLogin;
  return html`${textOf(page, "image", { after: choose, placeholder: "pytorch/pytorch:latest" })}
    <details class="group" id="registry-login" ?open=${hasLogin}>
      <summary>${t("Registry Login")}</summary>
      ${textOf(page, "login_registry", { placeholder: toPlainText(inherited ?? "ghcr.io", 100) })}${textOf(page, "login_user")}
      ${textOf(page, "login_token", { type: "password" })}
    </details>`;
}

function modes() {
  return [
    {
      value: "ssh_direct",
      help: t("Uses port 22 of the machine. The image's own entrypoint doesn't start."),
    },
    {
      value: "ssh_proxy",
      help: t("Works even if the machine has no open ports. The image's own entrypoint doesn't start."),
    },
    {
      value: "jupyter_direct",
      help: t("Uses ports 8080 and 22 of the machine. The image's own entrypoint doesn't start."),
    },
    {
      value: "jupyter_proxy",
      help: t("The image's own entrypoint doesn't start."),
    },
    { value: "args", help: t("Runs the image's own entrypoint. No SSH or Jupyter.") },
  ] as const;
}

function access(page: LaunchFormPage): Html {
  const { form, own } = page.model;
  // An alias is the same mode.
  const chosen = { ssh: "ssh_proxy", jupyter: "jupyter_proxy" }[form.runtype as string] ?? form.runtype;
  const choose = (runtype: LaunchForm["runtype"]) => {
    page.touch("runtype");
    page.set({ runtype });
  };
  const radios = renderRadioGroup(
    page,
    "runtype",
    modes().map((mode) => ({ ...mode, name: formatMode(mode.value) })),
    chosen as (typeof MODES)[number],
    choose,
  );
  const hasJupyter = form.runtype.startsWith("jupyter");
  const show = (field: LaunchField, control: Html) => (hasJupyter || own.has(field) ? control : nothing);
  return html`${renderFrame(page, "runtype", radios, renderSource(page, "runtype"))}
  ${show("use_jupyter_lab", flagOf(page, "use_jupyter_lab"))}
  ${show("jupyter_dir", textOf(page, "jupyter_dir", { placeholder: "/workspace" }))}
  ${page.model.state.context.isForSeveral ? nothing : flagOf(page, "vm")}${flagOf(page, "python_utf8")}${flagOf(page, "lang_utf8")}`;
}
const MODES = ["ssh_direct", "ssh_proxy", "jupyter_direct", "jupyter_proxy", "args"] as const;

function environment(page: LaunchFormPage): Html {
  const { form, state } = page.model;
  const inherited = parseEnvTable(state.context.base.env).rows;
  const sourceOf = (row: EnvRow) => inherited.find((one) => isSameEntry(one, row));
  return renderEnvTable(
    {
      ...page,
      env: form.env,
      setEnv: (env, newRow) => page.set({ env }, newRow),
      restoring: (row) => {
        const source = sourceOf(row);
        if (source === undefined || source.kind === "raw") return source && "unchanged";
        if (row.kind === "variable" && source.kind === "variable" && row.value !== source.value)
          return (table, at) => withEntry(table, at, source);
        return "unchanged";
      },
    },
    renderSource(page, "env"),
  );
}

/** Whether two rows are about the same variable, port or option. */
function isSameEntry(one: EnvRow, other: EnvRow): boolean {
  if (one.kind === "variable" && other.kind === "variable") return one.name === other.name;
  if (one.kind === "port" && other.kind === "port") return one.host === other.host && one.container === other.container;
  if (one.kind === "option" && other.kind === "option") return one.flag === other.flag && one.value === other.value;
  return one.kind === "raw" && other.kind === "raw" && one.source === other.source;
}

function start(page: LaunchFormPage): Html {
  const { form, own, state } = page.model;
  const { base } = state.context;
  const script = buildLaunchScript(form, state.context);
  const order = base.onstart === "" ? nothing : choiceOf(page, "onstart_order", orders());
  const isExported = hasExport(script);
  const showArguments = form.runtype === "args" || own.has("args_str") || form.args_str !== "";
  const exported = html`<label class="mode"
    ><input
      type="checkbox"
      .checked=${isExported}
      ?disabled=${isExported && !form.onstart.includes(EXPORT_ENV)}
      @change=${() => page.set({ onstart: toggleExport(form.onstart) })}
    /><span><span class="mode-name">${t("Make variables visible in SSH sessions")}</span>
      <span class="help">${t("Adds a line to the start script.")}</span></span></label
  >`;
  return html`${order}${renderTextArea(page, "onstart", 8, {
    code: true,
    aside: html`${renderLengthMeter(script.length)}${renderSource(page, "onstart")}`,
  })}
  ${form.runtype === "args" ? nothing : html`<div class="field">${exported}</div>`}
  ${showArguments ? textOf(page, "args_str", { placeholder: "serve --name 'my model'" }) : nothing}`;
}

function toggleExport(script: string): string {
  if (!script.includes(EXPORT_ENV)) return addExport(script);
  return script
    .split("\n")
    .filter((line) => line.trim() !== EXPORT_ENV)
    .join("\n");
}

function orders() {
  return [
    { value: "instead", name: t("In place of the template's"), help: t("The text below is the whole script.") },
    { value: "after", name: t("After the template's"), help: t("The text below is added to the template's script.") },
  ] as const;
}

function disk(page: LaunchFormPage): Html {
  const { form, busy, preview } = page.model;
  const choose = html`<vscode-button secondary ?disabled=${busy !== undefined} @click=${page.chooseVolume}
    >${busy === "volume" ? t("Loading…") : t("Choose…")}</vscode-button
  >`;
  const known = preview?.volume;
  const volume = html`${textOf(page, "volume_id", { narrow: true, after: choose })}
    ${known === undefined ? nothing : html`<p class="quiet" role="status">${toPlainText(known, 300)}</p>`}
    ${form.volume === "create" ? textOf(page, "volume_size", { narrow: true }) : nothing}
    ${textOf(page, "mount_path", { placeholder: "/data" })}`;
  return html`${textOf(page, "disk", { narrow: true })}${choiceOf(page, "volume", volumes())}
  ${form.volume === "none" ? nothing : html`<div class="group">${volume}</div>`}`;
}

function volumes() {
  return [
    { value: "none", name: t("None"), help: t("Only the disk of the instance.") },
    { value: "link", name: t("Link a volume"), help: t("One that you have. Most volumes stay on their machine.") },
    {
      value: "create",
      name: t("Create a volume"),
      help: t("On the machine that you chose. It outlives the instance."),
    },
  ] as const;
}

function when(page: LaunchFormPage): Html {
  const { context } = page.model.state;
  return html`${context.mustRun ? nothing : choiceOf(page, "target_state", states())}${flagOf(page, "cancel_unavail")}
  ${context.isBid ? textOf(page, "price", { narrow: true }) : nothing}
  ${context.isForSeveral ? nothing : textOf(page, "label")}`;
}

function states() {
  return [
    { value: "running", name: t("Immediately"), help: t("The instance starts as soon as it's rented.") },
    {
      value: "stopped",
      name: t("Later"),
      help: t("It's created, but not started. Until you start it, only its disk is billed."),
    },
  ] as const;
}
