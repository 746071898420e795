// What the parts of the form draw from, and what they can do.
import { html } from "lit";
import type { LaunchField, LaunchForm } from "../../domain/launch/launch-form.ts";
import { t } from "../../lib/text.ts";
import type { FormPage, Html } from "../kit/controls.ts";
import type { NewRow } from "../kit/new-row.ts";
import type { LaunchModel } from "./model.ts";

export type LaunchTextField = {
  [K in LaunchField]: LaunchForm[K] extends string ? (string extends LaunchForm[K] ? K : never) : never;
}[LaunchField];

export interface LaunchFormPage extends FormPage<LaunchField, LaunchTextField> {
  readonly model: LaunchModel;
  /** `newRow`: added by these changes, and about to be filled in. */
  readonly set: (changes: Partial<LaunchForm>, newRow?: NewRow) => void;
  readonly leaveRow: () => void;
  readonly chooseTag: () => void;
  readonly chooseVolume: () => void;
}

/** Fields that a template can say. */
const OF_TEMPLATE: ReadonlySet<LaunchField> = new Set([
  ...(["image", "runtype", "use_jupyter_lab", "jupyter_dir", "env", "onstart", "args_str"] as const),
  ...(["disk", "volume_size", "mount_path"] as const),
]);

/** Where the value of a field comes from, and what takes the person's own back. */
export function renderSource({ model, set }: LaunchFormPage, field: LaunchField): Html {
  const { context } = model.state;
  const { base, hasTemplate } = context;
  if (model.own.has(field) && (hasTemplate || field !== "image"))
    return html`<span class="source"
      ><span class="mine">${t("set here")}</span>
      <button type="button" class="link" @click=${() => set({ [field]: base[field] })}>${t("Reset")}</button></span
    >`;
  if (field === "image" && !hasTemplate) return html``;
  const isTemplates = hasTemplate && OF_TEMPLATE.has(field) && base[field] !== "" && base[field] !== false;
  return html`<span class="source">${isTemplates ? t("from the template") : t("default")}</span>`;
}
