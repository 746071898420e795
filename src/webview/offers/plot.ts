// The plot of offers: price against performance. One points, draws a rectangle, or walks along the best for the money by keyboard.
import { html, nothing, render } from "lit";
import { formatPrice } from "../../domain/base/money.ts";
import type { Brush } from "../../domain/offer/table/best-for-money.ts";
import { hasTraffic } from "../../domain/offer/table/job.ts";
import { formatNumber, t } from "../../lib/text.ts";
import { styled } from "../kit/styled.ts";
import type { OffersModel } from "./model.ts";
import { drawMarks, drawPlot, type Picture, type PlotColors, readColors } from "./plot-canvas.ts";
import { type Families, PlotScene, type Size, sortIntoFamilies } from "./plot-scene.ts";
import { formatMeasure, formatMeasureName, formatTableMachine, formatValue } from "./words.ts";

/** Pixels within which an offer is pointed at, and beyond which a click is a rectangle. */
const [NEAR, DRAGGED] = [14, 4];

/** The element that says which keys there are. */
const HELP = "plot-help";

interface PlotEvents {
  readonly choose: (row: number) => void;
  readonly review: () => void;
  readonly brush: (brush: Brush | undefined) => void;
}

type Point = readonly [x: number, y: number];

export class OffersPlot {
  readonly element = document.createElement("div");
  readonly #canvas = document.createElement("canvas");
  readonly #marks = document.createElement("canvas");
  readonly #model: OffersModel;
  readonly #events: PlotEvents;
  #size: Size = { width: 0, height: 0 };
  #scene: PlotScene | undefined;
  /** What is drawn; undefined once it is outdated. */
  #picture: Picture | undefined;
  #families: { readonly of: object; readonly families: Families } | undefined;
  #colors: PlotColors | undefined;
  #pointed: number | undefined;
  /** Where a rectangle began, and where it is now. */
  #dragged: { readonly from: Point; readonly to: Point } | undefined;
  #isDue = false;

  constructor(model: OffersModel, events: PlotEvents) {
    this.#model = model;
    this.#events = events;
    this.element.className = "plot";
    for (const canvas of [this.#canvas, this.#marks]) canvas.setAttribute("aria-hidden", "true");
    new ResizeObserver(() => this.#measure()).observe(this.#canvas);
    new MutationObserver(() => {
      this.#colors = undefined;
      this.#picture = undefined;
      this.#draw();
    }).observe(document.body, { attributeFilter: ["class"] });
  }

  /** After the model changed. */
  update(): void {
    this.#scene = undefined;
    this.#picture = undefined;
    this.#pointed = undefined;
    this.#draw();
  }

  /** After another offer was chosen. */
  mark(): void {
    this.#draw();
  }

  #measure(): void {
    const { clientWidth: width, clientHeight: height } = this.#canvas;
    if (width === this.#size.width && height === this.#size.height) return;
    this.#size = { width, height };
    this.#scene = undefined;
    this.#picture = undefined;
    this.#draw();
  }

  /** At most once a frame. */
  #draw(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    requestAnimationFrame(() => {
      this.#isDue = false;
      this.drawNow();
    });
  }

  drawNow(): void {
    const isVisible = this.#size.width >= 80 && this.#size.height >= 80;
    if (isVisible && !this.#picture) this.#drawPicture();
    this.#render();
    if (!isVisible || !this.#picture || !this.#scene) return;
    const brush = this.#dragged ? this.#scene.readBrush(this.#dragged.from, this.#dragged.to) : this.#model.brush;
    drawMarks(this.#marks, this.#picture, { chosen: this.#model.chosenRow, pointed: this.#pointed, brush });
  }

  #drawPicture(): void {
    const { listed, tradeoff, judged, rows, front, layout } = this.#model;
    if (!listed) return;
    this.#scene = new PlotScene(judged.rows, tradeoff, this.#size);
    this.#colors ??= readColors();
    this.#picture = {
      scene: this.#scene,
      size: this.#size,
      colors: this.#colors,
      families: this.#familiesOf(),
      gpus: listed.table.numbers.num_gpus,
      isBid: listed.type === "bid",
      shown: rows.length === judged.rows.length ? undefined : new Set(rows),
      front,
      names: {
        x: hasTraffic(layout.job) ? t("$/GPU·h with your traffic") : t("$/GPU·h"),
        y: formatMeasureName(layout.measure),
      },
      formats: { x: formatPrice, y: (value) => formatNumber(value) },
    };
    drawPlot(this.#canvas, this.#picture);
  }

  #familiesOf(): Families {
    const { listed } = this.#model;
    if (!listed) return { names: [], of: new Uint8Array() };
    if (this.#families?.of !== listed) this.#families = { of: listed, families: sortIntoFamilies(listed.table) };
    return this.#families.families;
  }

  #render(): void {
    const { judged, listed } = this.#model;
    const sign = listed?.type === "bid" ? "◆" : "●";
    const left = judged.rows.length - (this.#scene?.rows.length ?? judged.rows.length);
    render(
      html`<div
          class="area"
          tabindex="0"
          role="application"
          aria-label=${t("Plot of price and performance")}
          aria-describedby=${HELP}
          @pointerdown=${this.#grab}
          @pointermove=${this.#point}
          @pointerup=${this.#release}
          @pointercancel=${this.#cancel}
          @pointerleave=${this.#leave}
          @dblclick=${this.#events.review}
          @keydown=${this.#press}
        >
          ${this.#canvas} ${this.#marks} ${this.#tooltip()}
        </div>
        <p id=${HELP} class="hidden">${t("The table shows the same offers. Use the arrow keys to move along the best-value offers, Enter to review one, and Escape to clear the selection.")}</p>
        <ul class="legend">
          ${this.#familiesOf().names.map(
            (name, at) =>
              html`<li><span class="swatch" aria-hidden="true" ${styled({ color: this.#colors?.families[at] ?? "" })}>${sign}</span>${name}</li>`,
          )}
          <li class="quiet"><span class="swatch" aria-hidden="true" ${styled({ color: this.#colors?.families.at(-1) ?? "" })}>${sign}</span>${t("others")}</li>
          <li><span class="line" aria-hidden="true"></span>${t("best value")}</li>
          <li class="quiet">${t("Larger dots have more GPUs")}</li>
          ${left > 0 ? html`<li class="quiet">${t("{0} without a known price or performance", formatNumber(left))}</li>` : nothing}
        </ul>`,
      this.element,
    );
  }

  #tooltip() {
    const row = this.#pointed;
    const { listed, layout } = this.#model;
    if (row === undefined || !listed || !this.#scene || this.#dragged) return nothing;
    const [x, y] = [this.#scene.x(row), this.#scene.y(row)];
    const isLeft = x > this.#size.width / 2;
    return html`<div
      class="tooltip ${isLeft ? "left" : ""}"
      aria-hidden="true"
      ${styled({ left: `${x}px`, top: `${Math.min(y, this.#size.height - 60)}px` })}
    >
      <strong>${formatTableMachine(listed.table, row)}</strong>
      <span>${t("{0}/GPU·h · {1}/h", formatValue("gpuPrice", this.#model.tradeoff.costs[row]), formatValue("price", listed.table.numbers.dph_total[row]))}</span>
      <span>${t("{0}: {1}", formatMeasureName(layout.measure), formatMeasure(layout.measure, this.#model.tradeoff.gains[row]))}</span>
    </div>`;
  }

  readonly #grab = (event: PointerEvent): void => {
    if (event.button !== 0 || !(event.currentTarget instanceof HTMLElement)) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    this.#dragged = { from: [event.offsetX, event.offsetY], to: [event.offsetX, event.offsetY] };
  };

  readonly #point = (event: PointerEvent): void => {
    if (this.#dragged) this.#dragged = { ...this.#dragged, to: this.#pointIn(event) };
    else this.#pointed = this.#scene?.find(event.offsetX, event.offsetY, NEAR);
    this.#draw();
  };

  readonly #release = (event: PointerEvent): void => {
    const { from } = this.#dragged ?? {};
    const to = this.#pointIn(event);
    this.#dragged = undefined;
    if (!from || !this.#scene) return;
    const row = this.#scene.find(...to, NEAR);
    if (Math.hypot(to[0] - from[0], to[1] - from[1]) >= DRAGGED) this.#events.brush(this.#scene.readBrush(from, to));
    else if (row !== undefined) this.#events.choose(row);
    else if (this.#model.brush) this.#events.brush(undefined);
    this.#draw();
  };

  readonly #cancel = (): void => {
    this.#dragged = undefined;
    this.#draw();
  };

  readonly #leave = (): void => {
    if (this.#dragged) return;
    this.#pointed = undefined;
    this.#draw();
  };

  #pointIn({ clientX, clientY }: PointerEvent): Point {
    const { left, top } = this.#canvas.getBoundingClientRect();
    const within = (value: number, most: number) => Math.min(most, Math.max(0, value));
    return [within(clientX - left, this.#size.width), within(clientY - top, this.#size.height)];
  }

  readonly #press = (event: KeyboardEvent): void => {
    const { front, chosenRow } = this.#model;
    const at = chosenRow === undefined ? -1 : front.indexOf(chosenRow);
    const steps: Readonly<Record<string, number>> = {
      ArrowRight: at + 1,
      ArrowUp: at + 1,
      ArrowLeft: at - 1,
      ArrowDown: at - 1,
      Home: 0,
      End: front.length - 1,
    };
    const step = Object.hasOwn(steps, event.key) ? steps[event.key] : undefined;
    const row = step === undefined ? undefined : front[Math.min(front.length - 1, Math.max(0, step))];
    if (row !== undefined) this.#events.choose(row);
    else if (event.key === "Enter") this.#events.review();
    else if (event.key === "Escape" && this.#model.brush) this.#events.brush(undefined);
    else return;
    event.preventDefault();
  };
}
