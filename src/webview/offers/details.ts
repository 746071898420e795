// The offer that is looked at: what it costs, what it is, and what can be done with it.

import { html, nothing } from "lit";
import { formatPrice } from "../../domain/base/money.ts";
import { COLUMN_IDS, type ColumnId } from "../../domain/offer/table/columns.ts";
import { describeTooShort } from "../../domain/offer/table/job.ts";
import { getRowText, type OfferTable } from "../../domain/offer/table/offer-table.ts";
import { t } from "../../lib/text.ts";
import type { OffersModel } from "./model.ts";
import { formatCell, formatColumnName, formatTableMachine, getColumnHelp, UNKNOWN } from "./words.ts";

interface DetailsEvents {
  readonly review: () => void;
  readonly watch: () => void;
  readonly fold: () => void;
}

interface DetailsState {
  /** The host is busy with the offer. */
  readonly isBusy: boolean;
  /** Only what it costs and what should be known first is shown. */
  readonly isFolded: boolean;
}

/** The element that folds. */
const FACTS = "offer-facts";

/** Those that the head says. */
const SAID: readonly ColumnId[] = ["gpu", "gpus", "price", "total"];

export function renderDetails(model: OffersModel, events: DetailsEvents, { isBusy, isFolded }: DetailsState) {
  const { listed, chosenRow: row } = model;
  if (!listed || row === undefined)
    return html`<aside class="details empty" aria-label=${t("Selected offer")}>
      <p>${model.isChosenGone ? describeGone() : t("Select an offer to see its details.")}</p>
    </aside>`;
  const { table } = listed;
  return html`<aside class="details ${isFolded ? "folded" : ""}" aria-label=${t("Selected offer")}>
    <div class="title">
      <div class="what">
        <h2>${formatTableMachine(table, row)}</h2>
        <p class="sum"><strong>${formatPrice(table.numbers.dph_total[row])}/h</strong> ${jobText(model, row)}</p>
      </div>
      <div class="buttons">
        <vscode-button ?disabled=${isBusy} @click=${events.review}>${t("Review…")}</vscode-button>
        <vscode-button secondary ?disabled=${isBusy} @click=${events.watch}>${t("Watch This…")}</vscode-button>
        <button
          type="button"
          class="fold"
          aria-label=${t("Offer details")}
          title=${t("Offer details")}
          aria-expanded=${!isFolded}
          aria-controls=${FACTS}
          @click=${events.fold}
        ></button>
      </div>
    </div>
    ${remarksOf(model, row).map((remark) => html`<p class="remark"><span aria-hidden="true">⚠</span> ${remark}</p>`)}
    <div id=${FACTS} ?hidden=${isFolded}>${isFolded ? nothing : renderFacts(model, table, row)}</div>
  </aside>`;
}

/** Why nothing is selected any longer. */
export const describeGone = (): string =>
  t("The selected offer is no longer in the list. Select another offer to see its details.");

function renderFacts(model: OffersModel, table: OfferTable, row: number) {
  const usual = getRowText(table.texts.usual, row);
  const facts = COLUMN_IDS.filter((id) => !SAID.includes(id)).flatMap((id) => {
    const text = formatCell(table, id, row, model.listValues(id));
    return text === UNKNOWN ? [] : [{ id, text }];
  });
  return html`${usual === "" ? nothing : html`<p class="usual">${t("Seen by this editor: {0}", usual)}</p>`}
    <dl>
      ${facts.map(
        ({ id, text }) => html`<div>
          <dt title=${getColumnHelp(id) ?? nothing}>${formatColumnName(id)}</dt>
          <dd title=${text}>${text}</dd>
        </div>`,
      )}
    </dl>`;
}

/** What the hour's price includes, and what the whole job costs. */
function jobText(model: OffersModel, row: number): string {
  const { listed, layout } = model;
  if (!listed) return "";
  const includes =
    listed.type === "bid"
      ? t("at the lowest bid, with {0} GB of disk", listed.diskGb)
      : t("with {0} GB of disk", listed.diskGb);
  const total = formatCell(listed.table, "total", row, model.listValues("total"));
  return `${includes} · ${t("{0} for {1} h", total === UNKNOWN ? "$?" : total, layout.job.hours)}`;
}

/** What should be known before anyone chooses it. */
function remarksOf({ listed, layout }: OffersModel, row: number): readonly string[] {
  if (!listed) return [];
  const { numbers, texts } = listed.table;
  const tooShort = describeTooShort(layout.job, numbers.duration[row]);
  const objection = getRowText(texts.objection, row);
  return [...(objection === "" ? [] : [objection]), ...(tooShort === undefined ? [] : [tooShort])];
}
