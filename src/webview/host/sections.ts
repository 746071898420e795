// The sections of the form for background jobs.
import { html, nothing } from "lit";
import { formatHourlyPrice } from "../../domain/base/money.ts";
import { type JobsForm, readDollars, splitArguments } from "../../domain/host/jobs-form.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { type Html, renderFrame, renderRadioGroup, renderTextArea, renderTextField } from "../kit/controls.ts";
import type { JobsFormPage } from "./form-page.ts";
import type { JobsModel } from "./model.ts";
import { renderVariablesTable } from "./variables.ts";

interface JobsSection {
  readonly id: string;
  readonly title: string;
  readonly draw: (page: JobsFormPage) => Html;
}

/** A function because the texts need the dictionary to be loaded. */
export function listJobsSections(): readonly JobsSection[] {
  return [
    { id: "machine", title: t("Machine and Image"), draw: machineAndImage },
    { id: "prices", title: t("Prices"), draw: prices },
    { id: "container", title: t("Container"), draw: container },
  ];
}

function machineAndImage(page: JobsFormPage): Html {
  const { busy, machine, form } = page.model;
  const choose = html`<vscode-button secondary ?disabled=${busy !== undefined} @click=${page.chooseMachine}
    >${busy === "choosing" ? t("Loading…") : t("Choose…")}</vscode-button
  >`;
  const isChosen = machine !== undefined && String(machine.id) === form.machine.trim();
  const known = html`${choose}${isChosen ? html`<span class="quiet">${toPlainText(machine.text, 200)}</span>` : nothing}`;
  return html`${renderTextField(page, "machine", { narrow: true, after: known, placeholder: "12345" })}
  ${renderTextField(page, "image", { placeholder: "pytorch/pytorch:latest" })}`;
}

function prices(page: JobsFormPage): Html {
  return html`${renderTextField(page, "price_gpu", { narrow: true, after: hourlyPrice(page.model) })}
  ${renderTextField(page, "price_inetu", { narrow: true })}${renderTextField(page, "price_inetd", { narrow: true })}`;
}

/** What the price by the day is by the hour, once it can be read. */
function hourlyPrice({ form, problems }: JobsModel): Html {
  if (problems.some(({ field }) => field === "price_gpu")) return nothing;
  const price = readDollars(form.price_gpu);
  return html`<span class="quiet" role="status">${t("{0} per GPU", formatHourlyPrice(price / 24))}</span>`;
}

function container(page: JobsFormPage): Html {
  const { form } = page.model;
  const ssh = renderFrame(
    page,
    "use_ssh",
    renderRadioGroup(page, "use_ssh", sshChoices(), form.use_ssh, (use_ssh) => page.set({ use_ssh })),
  );
  return html`${renderTextField(page, "args", { placeholder: "serve --name 'my model'" })}${argumentsKind(page)}
  ${renderVariablesTable(page)}${ssh}${renderTextArea(page, "onstart", 3, { code: true })}`;
}

/** Only asked if there are arguments that can be sent either way. */
function argumentsKind(page: JobsFormPage): Html {
  const { form } = page.model;
  const words = splitArguments(form.args);
  if (typeof words === "string" || words.length === 0) return nothing;
  const set = (args_kind: JobsForm["args_kind"]) => page.set({ args_kind });
  const list = words.length === 1 ? t("Sends 1 argument:") : t("Sends {0} arguments:", words.length);
  const shown = html`<p class="quiet">${list}
    ${words.slice(0, MOST_SHOWN).map((word) => html`<code class="word">${toPlainText(word, 60)}</code> `)}${
      words.length > MOST_SHOWN ? "…" : nothing
    }</p>`;
  return renderFrame(
    page,
    "args_kind",
    html`${renderRadioGroup(page, "args_kind", argumentChoices(), form.args_kind, set)}${form.args_kind === "list" ? shown : nothing}`,
  );
}

/** So many arguments are shown as they will be sent. */
const MOST_SHOWN = 20;

function argumentChoices() {
  return [
    { value: "list", name: t("A list"), help: t("Split into words here. Each word is one argument.") },
    { value: "string", name: t("One string"), help: t("Sent as entered. The service splits it like a shell.") },
  ] as const;
}

function sshChoices() {
  return [
    { value: "default", name: t("Service default"), help: t("The service decides.") },
    { value: "on", name: t("On"), help: t("Containers accept SSH connections.") },
    { value: "off", name: t("Off"), help: t("Containers don't accept SSH connections.") },
  ] as const;
}
