// What is shown in place of offers: that they are being read, why they couldn't be, or which filter keeps them out.
import { html, nothing } from "lit";
import { describeCondition } from "../../domain/offer/filter-words.ts";
import { getServiceFilters } from "../../domain/offer/table/filter-table.ts";
import { formatNumber, t, toPlainText } from "../../lib/text.ts";
import type { OffersModel } from "./model.ts";

interface EmptyEvents {
  readonly loosen: (field: string) => void;
  /** Removes every filter, the rectangle in the plot among them. */
  readonly clear: () => void;
}

/** Undefined while there is something to show. */
export function renderEmpty(model: OffersModel, isReading: boolean, events: EmptyEvents) {
  const { listed, judged, rows } = model;
  if (!listed)
    return isReading
      ? html`<div class="nothing" role="status"><p class="waiting">${t("Reading all offers…")}</p></div>`
      : nothing;
  if (rows.length > 0) return undefined;
  if (listed.table.count === 0) return noneAtAll(model, events);
  if (judged.rows.length > 0)
    return html`<div class="nothing" role="status">
      <p>${describeNarrowed(model)}</p>
      ${clearButton(events)}
    </div>`;
  return noneMatches(model, events);
}

/** Why nothing is shown of what the filters let through. */
export function describeNarrowed({ judged, front, isBestOnly }: OffersModel): string {
  const count = formatNumber(judged.rows.length);
  if (!isBestOnly) return t("None of the {0} matching offers are inside the plot selection.", count);
  return front.length === 0
    ? t("None of the {0} matching offers has a known price and performance.", count)
    : t("None of the best-value offers are inside the plot selection.");
}

function noneAtAll({ search }: OffersModel, events: EmptyEvents) {
  // The page's own filters came after all that there is.
  const isFiltered = Object.keys(getServiceFilters(search)).length > 0;
  return html`<div class="nothing" role="status">
    <p>${isFiltered ? t("No offers match.") : t("No offers are available for this rental type right now.")}</p>
    ${isFiltered ? clearButton(events) : nothing}
  </div>`;
}

/** Names each filter that keeps offers out on its own, the one that keeps out most first. */
function noneMatches({ search, judged, listed }: OffersModel, events: EmptyEvents) {
  const ways = [...judged.without].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a);
  const total = formatNumber(listed?.table.count ?? 0);
  const words = (field: string) => toPlainText(describeCondition(field, search.filters[field] ?? {}), 80);
  return html`<div class="nothing" role="status">
    <p>
      ${
        ways.length > 0
          ? t("No offers match. Removing any one of these filters shows offers:")
          : t("None of the {0} offers match, even with any one filter removed.", total)
      }
    </p>
    ${
      ways.length > 0
        ? html`<ul>
            ${ways.map(
              ([field, count]) =>
                html`<li><button type="button" class="plain" @click=${() => events.loosen(field)}>${t("Remove “{0}”", words(field))}</button> <span>${count === 1 ? t("shows 1 offer") : t("shows {0} offers", formatNumber(count))}</span></li>`,
            )}
          </ul>`
        : nothing
    }
    ${clearButton(events)}
  </div>`;
}

const clearButton = (events: EmptyEvents) =>
  html`<vscode-button @click=${events.clear}>${t("Clear All Filters")}</vscode-button>`;
