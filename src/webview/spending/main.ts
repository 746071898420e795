// The page of what was spent: draws what the host says, and asks for another period or another table.
import { html, nothing, render, svg } from "lit";
import { SPENDING_GROUPS, SPENDING_PERIODS, type SpendingChoice } from "../../domain/account/spending.ts";
import { t } from "../../lib/text.ts";
import {
  type SpendingBar,
  type SpendingContract,
  type SpendingState,
  SpendingUpdate,
  spendingPage,
} from "../../protocol/spending-page.ts";
import { useDictionary } from "../kit/dictionary.ts";
import { Host } from "../kit/host.ts";

const PERIODS: Readonly<Record<SpendingChoice["period"], () => string>> = {
  today: () => t("Today"),
  week: () => t("Last 7 Days"),
  month: () => t("Last 30 Days"),
  "this-month": () => t("This Month"),
  "last-month": () => t("Last Month"),
};

const GROUPS: Readonly<Record<SpendingChoice["group"], () => string>> = {
  day: () => t("By Day"),
  instance: () => t("By Instance"),
  template: () => t("By Template"),
  project: () => t("By Project"),
};

/** Pixels. */
const CHART = { height: 150, foot: 20, width: 840, narrowest: 26, widest: 96 };

class SpendingReader {
  readonly #host = new Host<SpendingContract, SpendingUpdate>(spendingPage, SpendingUpdate, ({ state }) =>
    this.#show(state),
  );
  readonly #root: HTMLElement;
  #state: SpendingState | undefined;
  #failure: string | undefined;
  /** What was asked for last: an answer to something else comes too late. */
  #asked = 0;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  async open(): Promise<void> {
    const { state, dictionary } = await this.#host.ask("open", null);
    useDictionary(dictionary);
    this.#show(state);
  }

  #show(state: SpendingState): void {
    this.#state = state;
    this.#draw();
  }

  async #choose(choice: SpendingChoice): Promise<void> {
    this.#asked += 1;
    const asked = this.#asked;
    await this.#try(async () => {
      const { state } = await this.#host.ask("show", choice);
      if (asked === this.#asked) this.#state = state;
    });
  }

  #draw(): void {
    if (!this.#state) return;
    const { choice, total, remarks, bars, columns, rows } = this.#state;
    render(
      html`<header class="bar">
          <div class="who">
            <h1>${t("Spending")}</h1>
          </div>
          <div class="buttons">
            <vscode-button secondary @click=${() => this.#try(() => this.#host.ask("exportCsv", null))}>${t("Export as CSV…")}</vscode-button>
          </div>
        </header>
        ${this.#failure === undefined ? nothing : html`<div class="banner error" role="alert">${this.#failure}</div>`}
        <main class="spending">
          ${this.#tabs(t("Period"), SPENDING_PERIODS, PERIODS, choice.period, (period) => ({ ...choice, period }))}
          <p class="total" role="status"><strong>${total}</strong> <span>${PERIODS[choice.period]()}</span></p>
          ${drawChart(bars)}
          ${this.#tabs(t("Table"), SPENDING_GROUPS, GROUPS, choice.group, (group) => ({ ...choice, group }))}
          ${drawTable(columns, rows)}
          <ul class="remarks">${remarks.map((remark) => html`<li>${remark}</li>`)}</ul>
        </main>`,
      this.#root,
    );
  }

  #tabs<Name extends string>(
    name: string,
    all: readonly Name[],
    words: Readonly<Record<Name, () => string>>,
    chosen: Name,
    choose: (one: Name) => SpendingChoice,
  ) {
    return html`<div class="choices" role="group" aria-label=${name}>
      ${all.map(
        (one) =>
          html`<button type="button" aria-pressed=${one === chosen} @click=${() => this.#choose(choose(one))}>${words[one]()}</button>`,
      )}
    </div>`;
  }

  async #try(ask: () => Promise<unknown>): Promise<void> {
    try {
      await ask();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.#draw();
  }
}

function drawTable(columns: readonly string[], rows: readonly (readonly string[])[]) {
  if (rows.length === 0) return html`<p class="empty">${t("Nothing was recorded in this period.")}</p>`;
  return html`<table>
    <thead>
      <tr>${columns.map((column, at) => html`<th scope="col" class=${at === 0 ? "" : "number"}>${column}</th>`)}</tr>
    </thead>
    <tbody>
      ${rows.map(
        (cells) =>
          html`<tr>${cells.map((cell, at) => (at === 0 ? html`<th scope="row">${cell}</th>` : html`<td class="number">${cell}</td>`))}</tr>`,
      )}
    </tbody>
  </table>`;
}

/** The table says the same by day, so whoever can't see the chart misses nothing. */
function drawChart(bars: readonly SpendingBar[]) {
  const most = Math.max(0, ...bars.map(({ observed, inferred, possible }) => observed + inferred + possible));
  if (most === 0) return nothing;
  const slot = Math.min(CHART.widest, Math.max(CHART.narrowest, CHART.width / bars.length));
  const every = Math.ceil(52 / slot);
  const width = slot * bars.length;
  const hasPossible = bars.some(({ possible }) => possible > 0);
  const hasInferred = bars.some(({ inferred }) => inferred > 0);
  return html`<figure>
    <div class="chart" tabindex="0" role="group" aria-label=${t("Chart")}>
      <svg width=${width} height=${CHART.height + CHART.foot} role="img" aria-label=${t("Spending as a bar chart. The daily table shows the same data.")}>
        <defs>
          <pattern id="stripes" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
            <rect class="stripe" width="3" height="6" />
          </pattern>
        </defs>
        <line class="ground" x1="0" x2=${width} y1=${CHART.height} y2=${CHART.height} />
        ${bars.map((bar, at) => drawBar(bar, { x: at * slot, slot, scale: (CHART.height - 4) / most, isNamed: at % every === 0 }))}
      </svg>
    </div>
    ${
      hasInferred || hasPossible
        ? html`<figcaption aria-hidden="true">
            <span class="key observed"></span>${t("seen")}
            ${hasInferred ? html`<span class="key inferred"></span>${t("estimated")}` : nothing}
            ${hasPossible ? html`<span class="key possible"></span>${t("at most")}` : nothing}
          </figcaption>`
        : nothing
    }
  </figure>`;
}

function drawBar(
  { name, tick, text, observed, inferred, possible }: SpendingBar,
  {
    x,
    slot,
    scale,
    isNamed,
  }: { readonly x: number; readonly slot: number; readonly scale: number; readonly isNamed: boolean },
) {
  let top = CHART.height;
  const part = (kind: string, dollars: number) => {
    const height = dollars * scale;
    top -= height;
    return height === 0
      ? nothing
      : svg`<rect class=${kind} x=${x + slot * 0.14} y=${top} width=${slot * 0.72} height=${height} />`;
  };
  return svg`<g>
    <title>${name}: ${text}</title>
    <rect class="slot" x=${x} y="0" width=${slot} height=${CHART.height} />
    ${part("observed", observed)}${part("inferred", inferred)}${part("possible", possible)}
    ${isNamed ? svg`<text x=${Math.max(22, x + slot / 2)} y=${CHART.height + 15}>${tick}</text>` : nothing}
  </g>`;
}

export function openSpendingPage(root: HTMLElement): void {
  void new SpendingReader(root).open();
}
