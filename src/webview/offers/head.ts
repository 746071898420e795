// The head of the page of offers: how many are shown of how many, and what can be done with all of them.
import { html } from "lit";
import { formatNumber, formatTime, t } from "../../lib/text.ts";
import type { OffersModel } from "./model.ts";

interface HeadEvents {
  readonly copy: () => void;
  readonly saveToTemplate: () => void;
  readonly refresh: () => void;
}

export function renderHead(model: OffersModel, isReading: boolean, events: HeadEvents) {
  return html`<header>
    <div class="who">
      <h1>${t("Offers")}</h1>
      <p class="tally" role="status">${countText(model, isReading)}</p>
    </div>
    <div class="buttons">
      <vscode-button secondary @click=${events.copy}>${t("Copy as Filter")}</vscode-button>
      <vscode-button secondary @click=${events.saveToTemplate}>${t("Save to Template…")}</vscode-button>
      <vscode-button secondary ?disabled=${isReading} @click=${events.refresh}>${t("Refresh")}</vscode-button>
    </div>
  </header>`;
}

function countText({ listed, rows }: OffersModel, isReading: boolean): string {
  if (!listed) return isReading ? t("Reading all offers…") : "";
  const { table, unreadable, isCut, at, diskGb } = listed;
  const [shown, all] = [formatNumber(rows.length), formatNumber(table.count)];
  return [
    isCut ? t("{0} of first {1} offers", shown, all) : t("{0} of {1} offers", shown, all),
    ...(unreadable > 0 ? [t("{0} unreadable", formatNumber(unreadable))] : []),
    t("prices include {0} GB of disk", diskGb),
    isReading ? t("refreshing…") : t("updated {0}", formatTime(at)),
  ].join(" · ");
}
