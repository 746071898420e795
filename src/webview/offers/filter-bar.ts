// The filters of the page as chips: each leads to the question that the offer list asks for it, too.
import { html, nothing } from "lit";
import { describeCondition, formatLimit } from "../../domain/offer/filter-words.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { OffersModel } from "./model.ts";

interface FilterEvents {
  /** Asks for one filter, or shows all of them. */
  readonly filter: (field?: string) => void;
  /** Removes one filter, or all of them. */
  readonly loosen: (field?: string) => void;
  /** Asks how many offers there may be, or takes that away. */
  readonly limit: (what: "ask" | "remove") => void;
  readonly chooseType: (type: "ondemand" | "bid") => void;
  readonly toggleBest: () => void;
  readonly clearBrush: () => void;
}

const LONGEST_CHIP = 60;

export function renderFilterBar(model: OffersModel, events: FilterEvents) {
  const { search, isBestOnly, brush } = model;
  const type = (value: "ondemand" | "bid", name: string) =>
    html`<button type="button" aria-pressed=${search.type === value} @click=${() => events.chooseType(value)}>${name}</button>`;
  return html`<div class="filters" role="group" aria-label=${t("Filters")}>
    <div class="choices" role="group" aria-label=${t("Rental type")}>
      ${type("ondemand", t("On-demand"))}${type("bid", t("Interruptible"))}
    </div>
    ${Object.entries(search.filters).map(([field, condition]) =>
      chip(
        toPlainText(describeCondition(field, condition), LONGEST_CHIP),
        () => events.filter(field),
        () => events.loosen(field),
      ),
    )}
    ${
      search.limit === undefined
        ? nothing
        : chip(
            toPlainText(formatLimit(search.limit), LONGEST_CHIP),
            () => events.limit("ask"),
            () => events.limit("remove"),
          )
    }
    ${brush ? chip(t("In the plot's selection"), undefined, events.clearBrush) : nothing}
    <button type="button" class="plain" @click=${() => events.filter()}>${t("Filters…")}</button>
    <button
      type="button"
      class="plain best"
      aria-pressed=${isBestOnly}
      title=${t("Only offers that no other offer beats on both price and performance")}
      @click=${events.toggleBest}
    >${t("Best Value")}</button>
  </div>`;
}

function chip(text: string, change: (() => void) | undefined, remove: () => void) {
  const name = change
    ? html`<button type="button" class="text" @click=${change}>${text}</button>`
    : html`<span class="text">${text}</span>`;
  return html`<span class="chip">${name}<button
      type="button"
      class="close"
      aria-label=${t("Remove {0}", text)}
      title=${t("Remove {0}", text)}
      @click=${remove}
    >✕</button></span>`;
}
