// The page of offers: every offer as a table and as a plot, with filters above and the one that is looked at below. It sorts and
// filters on its own, and asks the host for everything else. It can't rent.
import { html, nothing, render } from "lit";
import * as z from "zod";
import type { Brush } from "../../domain/offer/table/best-for-money.ts";
import { getBestDirection, MEASURES } from "../../domain/offer/table/columns.ts";
import type { OffersLayout } from "../../domain/offer/table/offers-layout.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { type ChangedSearch, type OffersContract, offersPage } from "../../protocol/offers-page.ts";
import { useDictionary } from "../kit/dictionary.ts";
import { Host } from "../kit/host.ts";
import { ColumnMenu } from "./column-menu.ts";
import { describeGone, renderDetails } from "./details.ts";
import { renderEmpty } from "./empty.ts";
import { renderFilterBar } from "./filter-bar.ts";
import { Folding } from "./folding.ts";
import { OffersGrid } from "./grid.ts";
import { renderHead } from "./head.ts";
import { renderJobBar } from "./job-bar.ts";
import { OffersModel } from "./model.ts";
import { OffersPlot } from "./plot.ts";
import { formatMeasure, formatMeasureName, formatTableMachine, formatValue } from "./words.ts";

/** The host tells nothing on its own: offers change by the second, and a list that moves can't be read. */
const NO_UPDATE = z.never();

const PANEL = "panel";

class OffersPage {
  readonly #host = new Host<OffersContract, never>(offersPage, NO_UPDATE, () => {});
  readonly #root: HTMLElement;
  readonly #model = new OffersModel();
  readonly #grid: OffersGrid;
  readonly #plot: OffersPlot;
  readonly #folding = new Folding(() => this.#draw());
  #menu: ColumnMenu | undefined;
  #isReading = false;
  #reads = 0;
  /** Whether the host is busy with an offer. */
  #isBusy = false;
  #failure: string | undefined;
  /** What a screen reader is told: a step of a walk in the plot, or that nothing is selected any longer. */
  #said = "";

  constructor(root: HTMLElement) {
    this.#root = root;
    root.classList.add("whole");
    const review = (row = this.#model.chosenRow) => {
      if (row !== undefined) this.#choose(row);
      void this.#review();
    };
    const choose = (row: number) => this.#choose(row);
    this.#grid = new OffersGrid(this.#model, {
      choose,
      review,
      sort: (column) => this.#relayout(this.#model.sortBy(column)),
      relayout: (layout) => this.#relayout(layout),
      fit: () => this.#update(),
      openMenu: (column, at) => this.#menu?.open(column, at),
    });
    this.#plot = new OffersPlot(this.#model, { choose, review: () => review(), brush: (brush) => this.#brush(brush) });
  }

  async open(): Promise<void> {
    const { search, layout, language, dictionary } = await this.#host.ask("open", null);
    useDictionary(dictionary, language);
    this.#menu = new ColumnMenu(this.#model, (changed) => this.#relayout(changed));
    this.#model.search = search;
    this.#model.relayout(layout);
    await this.#read();
  }

  /** Reads all offers. Those that are shown stay until the others are there, and if they can't be read. */
  async #read(): Promise<void> {
    this.#isReading = true;
    this.#reads += 1;
    const nth = this.#reads;
    await this.#try(async () => {
      try {
        const listed = await this.#host.ask("read", null);
        if (nth === this.#reads) this.#model.take(listed);
      } catch (error) {
        // No one waits for this one any longer.
        if (nth === this.#reads) throw error;
      }
    });
    if (nth !== this.#reads) return;
    this.#isReading = false;
    this.#update();
  }

  async #try(ask: () => Promise<unknown>): Promise<void> {
    this.#failure = undefined;
    this.#draw();
    try {
      await ask();
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
  }

  /** Takes over another search from the host. */
  async #follow(ask: () => Promise<ChangedSearch | undefined>): Promise<void> {
    let mustRead = false;
    await this.#try(async () => {
      const changed = await ask();
      if (!changed) return;
      const { search, sort } = changed;
      this.#model.search = search;
      mustRead = changed.mustRead;
      if (sort)
        this.#model.relayout({ ...this.#model.layout, sort: { column: sort, direction: getBestDirection(sort) } });
      this.#model.refilter();
    });
    if (mustRead) await this.#read();
    else this.#update();
  }

  /** After rows may have changed. */
  #update(): void {
    if (this.#model.isChosenGone) this.#said = describeGone();
    this.#draw();
    this.#grid.update(t("Offers"));
    this.#grid.mount();
    this.#plot.update();
  }

  #relayout(layout: OffersLayout): void {
    const before = this.#model.layout;
    this.#model.relayout(layout);
    this.#host.ask("keep", layout).catch(() => undefined);
    if (before.job.diskGb !== layout.job.diskGb) void this.#follow(() => this.#host.ask("disk", layout.job.diskGb));
    else this.#update();
  }

  #choose(row: number): void {
    this.#model.choose(row);
    const { listed, tradeoff, layout } = this.#model;
    this.#said =
      listed && layout.tab === "plot"
        ? t(
            "{0}, {1}/GPU·h, {2} {3}",
            formatTableMachine(listed.table, row),
            formatValue("gpuPrice", tradeoff.costs[row]),
            formatMeasureName(layout.measure),
            formatMeasure(layout.measure, tradeoff.gains[row]),
          )
        : "";
    this.#draw();
    this.#grid.redraw();
    this.#plot.mark();
  }

  #brush(brush: Brush | undefined): void {
    this.#model.brush = brush;
    this.#model.narrow();
    this.#update();
  }

  #toggleBest(): void {
    this.#model.isBestOnly = !this.#model.isBestOnly;
    this.#model.narrow();
    this.#update();
  }

  #clear(): void {
    this.#model.brush = undefined;
    this.#model.isBestOnly = false;
    void this.#follow(() => this.#host.ask("loosen", {}));
  }

  async #review(): Promise<void> {
    const { chosen } = this.#model;
    if (chosen === undefined || this.#isBusy) return;
    this.#isBusy = true;
    await this.#try(() => this.#host.ask("review", { id: chosen }));
    this.#isBusy = false;
    this.#draw();
  }

  /** Something that changes nothing on this page. */
  async #ask(ask: () => Promise<unknown>): Promise<void> {
    await this.#try(ask);
    this.#draw();
  }

  #draw(): void {
    const model = this.#model;
    const { chosen } = model;
    const watch = () =>
      void this.#ask(async () => chosen !== undefined && (await this.#host.ask("watch", { id: chosen })));
    const act = (name: "copy" | "saveToTemplate") => () => void this.#ask(() => this.#host.ask(name, null));
    const fold = () => {
      this.#folding.toggle();
      this.#draw();
    };
    const { isFolded } = this.#folding;
    render(
      html`<div class="offers ${this.#isReading ? "reading" : ""}" aria-busy=${this.#isReading}>
        ${renderHead(model, this.#isReading, {
          copy: act("copy"),
          saveToTemplate: act("saveToTemplate"),
          refresh: () => void this.#read(),
        })}
        ${this.#failure === undefined ? nothing : this.#banner(this.#failure)}
        <main>${renderFilterBar(model, {
          filter: (field) => void this.#follow(() => this.#host.ask("filter", field === undefined ? {} : { field })),
          loosen: (field) => void this.#follow(() => this.#host.ask("loosen", field === undefined ? {} : { field })),
          limit: (what) => void this.#follow(() => this.#host.ask("limit", what)),
          chooseType: (type) => void this.#follow(() => this.#host.ask("type", type)),
          toggleBest: () => this.#toggleBest(),
          clearBrush: () => this.#brush(undefined),
        })}
        ${renderJobBar(model.layout.job, (job) => this.#relayout({ ...model.layout, job }))}
        ${this.#tabs()} ${this.#panel()} ${this.#menu?.element ?? nothing}</main>
        ${renderDetails(model, { review: () => void this.#review(), watch, fold }, { isBusy: this.#isBusy, isFolded })}
        <p class="hidden" role="status">${this.#said}</p>
      </div>`,
      this.#root,
    );
  }

  #banner(failure: string) {
    return html`<div class="banner error" role="alert">
      ${toPlainText(failure, 500)}
      <div class="line">
        <vscode-button secondary @click=${() => void this.#read()}>${t("Refresh")}</vscode-button>
      </div>
    </div>`;
  }

  #tabs() {
    const { layout } = this.#model;
    const tab = (name: OffersLayout["tab"], label: string) => html`<button
      type="button"
      role="tab"
      id="tab-${name}"
      aria-selected=${layout.tab === name}
      aria-controls=${PANEL}
      tabindex=${layout.tab === name ? "0" : "-1"}
      @click=${() => this.#relayout({ ...layout, tab: name })}
      @keydown=${(event: KeyboardEvent) => this.#turn(event)}
    >${label}</button>`;
    return html`<div class="tabs">
      <div role="tablist" aria-label=${t("View")}>${tab("table", t("Table"))}${tab("plot", t("Plot"))}</div>
      ${layout.tab === "table" ? this.#columns() : this.#measures()}
    </div>`;
  }

  #columns() {
    const { leftOut } = this.#model;
    const open = ({ currentTarget }: Event) =>
      currentTarget instanceof Element && this.#menu?.open(undefined, currentTarget);
    return html`<div class="measure">
      ${leftOut > 0 ? html`<span>${leftOut === 1 ? t("1 column doesn't fit") : t("{0} columns don't fit", leftOut)}</span>` : nothing}
      <button type="button" class="plain" aria-haspopup=${"menu"} @click=${open}>${t("Columns…")}</button>
    </div>`;
  }

  #measures() {
    const { layout } = this.#model;
    return html`<label class="measure">${t("Compare by")}
      <select @change=${({ target }: Event) => this.#measureBy(target)}>
        ${MEASURES.map((measure) => html`<option value=${measure} ?selected=${layout.measure === measure}>${formatMeasureName(measure)}</option>`)}
      </select></label>`;
  }

  #turn({ key }: KeyboardEvent): void {
    if (key !== "ArrowLeft" && key !== "ArrowRight") return;
    const { layout } = this.#model;
    const tab = layout.tab === "table" ? "plot" : "table";
    this.#relayout({ ...layout, tab });
    document.getElementById(`tab-${tab}`)?.focus();
  }

  #measureBy(target: EventTarget | null): void {
    const measure = MEASURES.find((one) => target instanceof HTMLSelectElement && one === target.value);
    if (measure) this.#relayout({ ...this.#model.layout, measure });
  }

  #panel() {
    const { layout } = this.#model;
    const empty = renderEmpty(this.#model, this.#isReading, {
      loosen: (field) => void this.#follow(() => this.#host.ask("loosen", { field })),
      clear: () => this.#clear(),
    });
    const view = layout.tab === "table" ? this.#grid.element : this.#plot.element;
    return html`<div id=${PANEL} role="tabpanel" aria-labelledby="tab-${layout.tab}">${empty ?? view}</div>`;
  }
}

export function openOffersPage(root: HTMLElement): void {
  void new OffersPage(root).open();
}
