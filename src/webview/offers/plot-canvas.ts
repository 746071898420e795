// Draws the plot of offers in the theme's colors.
import type { Brush } from "../../domain/offer/table/best-for-money.ts";
import { type Families, MARGIN, type PlotScene, type Size } from "./plot-scene.ts";

/** Of the largest families of GPUs; all others are gray. */
const PALETTE = [
  "--vscode-charts-blue",
  "--vscode-charts-green",
  "--vscode-charts-purple",
  "--vscode-charts-red",
  "--vscode-charts-yellow",
  "--vscode-terminal-ansiCyan",
  "--vscode-terminal-ansiBrightMagenta",
  // Hard to see in some of the editor's own themes.
  "--vscode-charts-orange",
] as const;

export interface PlotColors {
  readonly families: readonly string[];
  readonly text: string;
  readonly quiet: string;
  readonly grid: string;
  readonly focus: string;
  readonly background: string;
  readonly font: string;
}

export function readColors(): PlotColors {
  const style = getComputedStyle(document.documentElement);
  const read = (...names: readonly string[]) =>
    names.map((name) => style.getPropertyValue(name).trim()).find((value) => value !== "") ?? "gray";
  const quiet = read("--vscode-descriptionForeground", "--vscode-foreground");
  return {
    families: [...PALETTE.map((name) => read(name)), read("--vscode-charts-lines", "--vscode-descriptionForeground")],
    text: read("--vscode-foreground"),
    quiet,
    grid: read("--vscode-editorIndentGuide-background1", "--vscode-panel-border", "--vscode-contrastBorder"),
    focus: read("--vscode-focusBorder", "--vscode-foreground"),
    background: read("--vscode-editor-background"),
    font: `11px ${read("--vscode-font-family")}`,
  };
}

/** What changes with the offers, the filters and the theme. */
export interface Picture {
  readonly scene: PlotScene;
  readonly size: Size;
  readonly colors: PlotColors;
  readonly families: Families;
  /** GPUs by rows. */
  readonly gpus: Float64Array;
  /** Interruptible offers are diamonds. */
  readonly isBid: boolean;
  /** What is shown in the table; all others are pale. */
  readonly shown: ReadonlySet<number> | undefined;
  readonly front: Uint32Array;
  readonly names: { readonly x: string; readonly y: string };
  readonly formats: { readonly x: (value: number) => string; readonly y: (value: number) => string };
}

/** What changes with every move of the pointer. */
export interface Marks {
  readonly chosen: number | undefined;
  readonly pointed: number | undefined;
  readonly brush: Brush | undefined;
}

type Canvas = CanvasRenderingContext2D;

export function drawPlot(canvas: HTMLCanvasElement, picture: Picture): void {
  const to = clear(canvas, picture.size);
  if (!to) return;
  drawAxes(to, picture);
  drawPoints(to, picture);
  drawFront(to, picture);
}

/** On a canvas of their own above the points, which are drawn only when they change. */
export function drawMarks(canvas: HTMLCanvasElement, picture: Picture, { chosen, pointed, brush }: Marks): void {
  const to = clear(canvas, picture.size);
  if (!to) return;
  if (brush) drawBrush(to, picture, brush);
  for (const row of [chosen, pointed]) if (row !== undefined) drawRing(to, picture, row);
}

function clear(canvas: HTMLCanvasElement, { width, height }: Size): Canvas | null {
  const ratio = window.devicePixelRatio;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const to = canvas.getContext("2d");
  to?.scale(ratio, ratio);
  return to;
}

function drawAxes(to: Canvas, { scene, size, colors, names, formats }: Picture): void {
  const [bottom, right] = [size.height - MARGIN.bottom, size.width - MARGIN.right];
  to.font = colors.font;
  to.lineWidth = 1;
  to.strokeStyle = colors.grid;
  to.fillStyle = colors.quiet;
  to.textAlign = "center";
  to.textBaseline = "top";
  for (const value of pickTicks(scene.costs.ticks(8), scene.costs, 56)) {
    const x = Math.round(scene.costs(value)) + 0.5;
    line(to, x, MARGIN.top, x, bottom);
    to.fillText(formats.x(value), x, bottom + 6);
  }
  to.textAlign = "right";
  to.textBaseline = "middle";
  for (const value of pickTicks(scene.gains.ticks(8), scene.gains, 26)) {
    const y = Math.round(scene.gains(value)) + 0.5;
    line(to, MARGIN.left, y, right, y);
    to.fillText(formats.y(value), MARGIN.left - 7, y);
  }
  to.fillStyle = colors.text;
  to.textBaseline = "bottom";
  to.fillText(names.x, right, size.height - 4);
  to.save();
  to.translate(13, MARGIN.top);
  to.rotate(-Math.PI / 2);
  to.fillText(names.y, 0, 4);
  to.restore();
}

/** Ticks that have room for their words, from powers of ten on. */
function pickTicks(ticks: readonly number[], scale: (value: number) => number, room: number): readonly number[] {
  const rank = (value: number) => {
    const digit = Math.round(value / 10 ** Math.floor(Math.log10(value) + 1e-9));
    return { 1: 0, 5: 1, 2: 2 }[digit] ?? 3;
  };
  const taken: number[] = [];
  for (const value of ticks.toSorted((a, b) => rank(a) - rank(b)))
    if (taken.every((other) => Math.abs(scale(other) - scale(value)) >= room)) taken.push(value);
  return taken;
}

/** High contrast themes have white lines, which would hide the points. */
function line(to: Canvas, x: number, y: number, toX: number, toY: number): void {
  to.globalAlpha = 0.45;
  to.beginPath();
  to.moveTo(x, y);
  to.lineTo(toX, toY);
  to.stroke();
  to.globalAlpha = 1;
}

/** Pixels: a machine with more GPUs is larger, but not so many times. */
const radiusOf = (gpus: number | undefined): number =>
  2.6 + (gpus && gpus > 1 ? Math.min(5, Math.log2(gpus)) : 0) * 0.95;

/** One path for each color, pale ones first. */
function drawPoints(to: Canvas, picture: Picture): void {
  const { scene, families, colors, shown } = picture;
  const pale: number[][] = colors.families.map(() => []);
  const strong: number[][] = colors.families.map(() => []);
  for (const row of scene.rows) {
    const group = shown === undefined || shown.has(row) ? strong : pale;
    group[families.of[row] ?? families.names.length]?.push(row);
  }
  // The gray ones lie below all others.
  const order = colors.families.map((_, family) => family).reverse();
  for (const [groups, alpha] of [
    [pale, 0.12],
    [strong, 0.72],
  ] as const) {
    to.globalAlpha = alpha;
    for (const family of order) {
      to.fillStyle =
        colors.families[family === families.names.length ? colors.families.length - 1 : family] ?? colors.quiet;
      to.beginPath();
      for (const row of groups[family] ?? []) addShape(to, picture, row, 0);
      to.fill();
    }
  }
  to.globalAlpha = 1;
}

function addShape(to: Canvas, { scene, gpus, isBid }: Picture, row: number, more: number): void {
  const [x, y, radius] = [scene.x(row), scene.y(row), radiusOf(gpus[row]) + more];
  if (!isBid) {
    to.moveTo(x + radius, y);
    to.arc(x, y, radius, 0, 2 * Math.PI);
    return;
  }
  const reach = radius * 1.25;
  to.moveTo(x, y - reach);
  to.lineTo(x + reach, y);
  to.lineTo(x, y + reach);
  to.lineTo(x - reach, y);
  to.closePath();
}

/** A line through the best for the money, which are drawn in full. */
function drawFront(to: Canvas, picture: Picture): void {
  const { scene, front, colors, families } = picture;
  to.strokeStyle = colors.text;
  to.lineWidth = 1.5;
  to.lineJoin = "round";
  to.beginPath();
  for (const [place, row] of front.entries())
    if (place === 0) to.moveTo(scene.x(row), scene.y(row));
    else to.lineTo(scene.x(row), scene.y(row));
  to.stroke();
  for (const row of front) {
    const family = families.of[row] ?? families.names.length;
    to.fillStyle =
      colors.families[family === families.names.length ? colors.families.length - 1 : family] ?? colors.quiet;
    to.beginPath();
    addShape(to, picture, row, 1);
    to.fill();
    to.stroke();
  }
}

function drawBrush(to: Canvas, { scene, colors }: Picture, brush: Brush): void {
  const [left, right] = brush.costs.map((value) => scene.costs(value));
  const [bottom, top] = brush.gains.map((value) => scene.gains(value));
  if (left === undefined || right === undefined || bottom === undefined || top === undefined) return;
  to.strokeStyle = colors.focus;
  to.lineWidth = 1;
  to.fillStyle = colors.focus;
  to.globalAlpha = 0.1;
  to.fillRect(left, top, right - left, bottom - top);
  to.globalAlpha = 1;
  to.strokeRect(left, top, right - left, bottom - top);
}

function drawRing(to: Canvas, picture: Picture, row: number): void {
  const { scene, colors } = picture;
  if (!scene.rows.includes(row)) return;
  to.lineWidth = 4;
  to.strokeStyle = colors.background;
  to.beginPath();
  addShape(to, picture, row, 4);
  to.stroke();
  to.lineWidth = 2;
  to.strokeStyle = colors.text;
  to.stroke();
}
