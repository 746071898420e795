// The menu of a column's name: sort, move, hide, and which columns there are.
import { html, nothing, render } from "lit";
import { COLUMN_IDS, type ColumnId, isKnownColumn } from "../../domain/offer/table/columns.ts";
import { DEFAULT_LAYOUT, moveColumn, type OffersLayout, toggleColumn } from "../../domain/offer/table/offers-layout.ts";
import { t } from "../../lib/text.ts";
import type { OffersModel } from "./model.ts";
import { formatColumnName } from "./words.ts";

interface MenuItem {
  readonly label: string;
  readonly layout: OffersLayout;
  /** A tick, for what is on or off. The menu then stays open. */
  readonly isOn?: boolean;
}

export class ColumnMenu {
  readonly element = document.createElement("div");
  readonly #model: OffersModel;
  readonly #relayout: (layout: OffersLayout) => void;
  #column: ColumnId | undefined;
  #opener: HTMLElement | undefined;

  constructor(model: OffersModel, relayout: (layout: OffersLayout) => void) {
    this.#model = model;
    this.#relayout = relayout;
    this.element.className = "menu";
    // One that closes on its own would do so on the release of the very button that opened it.
    this.element.setAttribute("popover", "manual");
    this.element.setAttribute("role", "menu");
    this.element.setAttribute("aria-label", t("Columns"));
    this.element.addEventListener("keydown", (event) => this.#press(event));
    document.addEventListener("pointerdown", ({ target }) => {
      if (target instanceof Node && !this.element.contains(target)) this.#close(false);
    });
  }

  /** Without a column, only which columns there are. */
  open(column: ColumnId | undefined, at: Element): void {
    this.#column = column;
    this.#opener = at instanceof HTMLElement ? at : undefined;
    this.#draw();
    this.element.showPopover();
    const { left, bottom } = at.getBoundingClientRect();
    const { offsetWidth, offsetHeight } = this.element;
    this.element.style.setProperty("left", `${Math.max(4, Math.min(left, window.innerWidth - offsetWidth - 4))}px`);
    this.element.style.setProperty(
      "top",
      `${Math.max(4, Math.min(bottom + 2, window.innerHeight - offsetHeight - 4))}px`,
    );
    this.#items[0]?.focus();
  }

  #close(isByKey: boolean): void {
    if (!this.element.matches(":popover-open")) return;
    this.element.hidePopover();
    if (isByKey) this.#opener?.focus();
  }

  get #items(): HTMLElement[] {
    return [...this.element.querySelectorAll<HTMLElement>("button")];
  }

  #draw(): void {
    const own = this.#column === undefined ? [] : this.#ofColumn(this.#column);
    const { layout, seenLayout, listed } = this.#model;
    const all = COLUMN_IDS.filter((id) => id !== "gpu" && (!listed || isKnownColumn(listed.table, id)));
    const ticks = all.map((id) => ({
      label: formatColumnName(id),
      layout: toggleColumn(seenLayout, id),
      isOn: seenLayout.columns.includes(id),
    }));
    const { columns, widths } = DEFAULT_LAYOUT;
    render(
      html`${own.map((item) => this.#item(item))}
        ${own.length > 0 ? html`<div class="rule" role="separator"></div>` : nothing}
        ${ticks.map((item) => this.#item(item))}
        <div class="rule" role="separator"></div>
        ${this.#item({ label: t("Reset Columns"), layout: { ...layout, columns, widths } })}`,
      this.element,
    );
  }

  #ofColumn(id: ColumnId): readonly MenuItem[] {
    const { layout, seenLayout, columns } = this.#model;
    const sort = (direction: "asc" | "desc") => ({ ...layout, sort: { column: id, direction } });
    const always = [
      { label: t("Sort Ascending"), layout: sort("asc") },
      { label: t("Sort Descending"), layout: sort("desc") },
    ];
    if (id === "gpu") return always;
    return [
      ...always,
      { label: t("Move Left"), layout: moveColumn(layout, id, -1, columns) },
      { label: t("Move Right"), layout: moveColumn(layout, id, 1, columns) },
      { label: t("Hide Column"), layout: toggleColumn(seenLayout, id) },
    ];
  }

  #item({ label, layout, isOn }: MenuItem) {
    const choose = () => {
      this.#relayout(layout);
      if (isOn === undefined) this.#close(true);
      else this.#draw();
    };
    return html`<button
      type="button"
      role=${isOn === undefined ? "menuitem" : "menuitemcheckbox"}
      aria-checked=${isOn === undefined ? nothing : String(isOn)}
      tabindex="-1"
      @click=${choose}
    ><span class="tick" aria-hidden="true">${isOn ? "✓" : ""}</span>${label}</button>`;
  }

  #press(event: KeyboardEvent): void {
    const items = this.#items;
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key];
    if (next !== undefined) items[next % items.length]?.focus();
    else if (event.key === "Tab" || event.key === "Escape") this.#close(true);
    else return;
    event.preventDefault();
  }
}
