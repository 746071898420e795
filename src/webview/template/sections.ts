// The sections of the form, in the order people think of them.
import { html, nothing } from "lit";
import { getRuntype } from "../../domain/template/template.ts";
import { FORM_SECTIONS, type TemplateField, type TemplateForm } from "../../domain/template/template-form.ts";
import { t } from "../../lib/text.ts";
import { type Html, renderFrame, renderRadioGroup, renderTextArea, renderTextField } from "../kit/controls.ts";
import { renderEnvTable } from "../kit/env-table.ts";
import { renderLengthMeter } from "../kit/length-meter.ts";
import { type Page, renderFlag } from "./controls.ts";
import { renderMachineFilters } from "./machines-section.ts";
import { chooseMode, isHeld } from "./model.ts";

export interface Section {
  readonly id: string;
  readonly title: string;
  readonly fields: readonly TemplateField[];
  readonly draw: (page: Page) => Html;
}

/** A function because the texts need the dictionary to be loaded. */
export function listSections(): readonly Section[] {
  return [
    { id: "general", title: t("General"), fields: FORM_SECTIONS.general, draw: general },
    { id: "image", title: t("Image"), fields: FORM_SECTIONS.image, draw: image },
    { id: "launch", title: t("Launch"), fields: FORM_SECTIONS.launch, draw: launch },
    { id: "environment", title: t("Environment"), fields: FORM_SECTIONS.environment, draw: environment },
    { id: "onstart", title: t("Startup"), fields: FORM_SECTIONS.onstart, draw: onstart },
    { id: "machines", title: t("Machines and Disk"), fields: FORM_SECTIONS.machines, draw: machines },
    { id: "documentation", title: t("Documentation"), fields: FORM_SECTIONS.documentation, draw: documentation },
  ];
}

const general = (page: Page): Html =>
  html`${renderTextField(page, "name")}${renderTextField(page, "desc")}${renderFlag(page, "private")}`;

function image(page: Page): Html {
  const { busy, state } = page.model;
  const choose = html`<vscode-button secondary ?disabled=${busy !== undefined} @click=${page.chooseTag}
    >${busy === "tags" ? t("Loading…") : t("Choose…")}</vscode-button
  >`;
  const placeholder = state.mayHoldPassword ? t("unchanged") : "";
  return html`${renderTextField(page, "image", { placeholder: "pytorch/pytorch" })}
    ${renderTextField(page, "tag", { after: choose, placeholder: "latest" })}
    <details class="group" id="registry-login" ?open=${namesLogin(page)}>
      <summary>${t("Registry Login")}</summary>
      ${renderTextField(page, "docker_login_repo")}${renderTextField(page, "docker_login_user")}
      ${renderTextField(page, "docker_login_pass", { type: "password", placeholder })}
    </details>`;
}

/** Whether the login is open when the form is. What is typed doesn't count: clearing a field would close it. */
function namesLogin({ model }: Page): boolean {
  const { base, form, mayHoldPassword } = model.state;
  const names = [base, form].flatMap(({ docker_login_repo, docker_login_user }) => [
    docker_login_repo,
    docker_login_user,
  ]);
  return mayHoldPassword || names.some((name) => name !== "");
}

/** Whether a field has an effect in this mode, or holds a value that the person should see is ignored. */
function hasEffect(field: TemplateField, form: TemplateForm): boolean {
  const { runtype } = form;
  switch (field) {
    case "args_str":
      return runtype === "args" || form.args_str !== "";
    case "ssh_direct":
    case "use_ssh":
      return runtype !== "args" || form[field];
    case "jup_direct":
    case "use_jupyter_lab":
      return runtype === "jupyter" || form[field];
    case "jupyter_dir":
      return runtype === "jupyter" || form.jupyter_dir !== "";
    default:
      return true;
  }
}

function modes(): readonly { readonly value: TemplateForm["runtype"]; readonly name: string; readonly help: string }[] {
  return [
    { value: "ssh", name: t("SSH"), help: t("A shell on the machine. Replaces the image's entrypoint.") },
    {
      value: "jupyter",
      name: t("Jupyter and SSH"),
      help: t("Notebooks in the browser, and a shell. Replaces the image's entrypoint."),
    },
    {
      value: "args",
      name: t("Image's Own Entrypoint"),
      help: t("Runs the image's own entrypoint. No SSH or Jupyter."),
    },
  ];
}

/** The ports that open automatically (interface 4.3). */
function portsText(form: TemplateForm): string {
  const mode = getRuntype(form);
  if (mode === "ssh_direct") return t("Port 22 is opened automatically.");
  if (mode === "jupyter_direct") return t("Ports 8080 and 22 are opened automatically.");
  if (mode === "args") return t("No ports are opened automatically. Add the ports that the image listens on.");
  return t("No ports are opened automatically. Connections go through the service's proxy.");
}

function launch(page: Page): Html {
  const { form } = page.model;
  const choose = (runtype: TemplateForm["runtype"]) => {
    page.touch("runtype");
    page.set(chooseMode(page.model, runtype));
  };
  const radios = html`${renderRadioGroup(page, "runtype", modes(), form.runtype, choose)}
    <p class="quiet">${portsText(form)}</p>`;
  const show = (field: TemplateField, control: Html) => (hasEffect(field, form) ? control : nothing);
  return html`${renderFrame(page, "runtype", radios)}
  ${show("use_ssh", renderFlag(page, "use_ssh"))}${show("ssh_direct", renderFlag(page, "ssh_direct"))}
  ${show("jup_direct", renderFlag(page, "jup_direct"))}${show("use_jupyter_lab", renderFlag(page, "use_jupyter_lab"))}
  ${show("jupyter_dir", renderTextField(page, "jupyter_dir", { placeholder: "/workspace" }))}
  ${show("args_str", renderTextField(page, "args_str"))}`;
}

const environment = (page: Page): Html =>
  renderEnvTable({ ...page, env: page.model.form.env, setEnv: (env, newRow) => page.set({ env }, newRow) });

function onstart(page: Page): Html {
  const aside = renderLengthMeter(page.model.form.onstart.length);
  const open = html`<button type="button" class="link" @click=${() => page.act("editOnstart")}>${t("Edit in a Tab")}</button>`;
  return renderTextArea(page, "onstart", 10, {
    code: true,
    aside: html`${isHeld(page.model) ? open : nothing}${aside}`,
  });
}

const machines = (page: Page): Html =>
  html`${renderMachineFilters(page)}${renderTextField(page, "recommended_disk_space", { narrow: true })}`;

function documentation(page: Page): Html {
  const hint = page.model.form.volume_info !== "" || page.model.state.base.volume_info !== "";
  return html`${renderTextArea(page, "readme", 10, { code: true })}
  ${renderTextField(page, "href", { placeholder: "https://…" })}${renderTextField(page, "repo")}
  ${
    hint
      ? renderTextField(page, "volume_info")
      : html`<details><summary>${page.words.volume_info.label}</summary>${renderTextField(page, "volume_info")}</details>`
  }`;
}
