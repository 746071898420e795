// How much of a start script's greatest length is used.
import { html } from "lit";
import { MOST_ONSTART } from "../../domain/template/template-draft.ts";
import { t } from "../../lib/text.ts";
import type { Html } from "./controls.ts";

function gradeLength(length: number): string {
  if (length > MOST_ONSTART) return "over";
  return length > MOST_ONSTART * 0.9 ? "near" : "";
}

export function renderLengthMeter(length: number): Html {
  const left = MOST_ONSTART - length;
  const words = left < 0 ? t("{0} too many", -left) : t("{0} of {1} characters", length, MOST_ONSTART);
  return html`<span class="meter ${gradeLength(length)}">
    <meter aria-label=${t("Length of the start script")} min="0" max=${MOST_ONSTART} high=${MOST_ONSTART * 0.9} .value=${Math.min(length, MOST_ONSTART)}></meter>
    ${words}
  </span>`;
}
