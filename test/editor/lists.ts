// Reads and searches the workbench's lists, which hold in the page only the rows that are in sight.

import assert from "node:assert/strict";

import type { Locator, Page } from "playwright-core";
import { nextLook } from "../patience.ts";

export type Wanted = string | RegExp;

/** A string must be the whole text; an expression may match anywhere in it. */
export function fits(text: string, wanted: Wanted): boolean {
  return typeof wanted === "string" ? text.trim() === wanted : wanted.test(text);
}

/** An expression for a whole text, for Playwright's text filters. */
export function exactly(text: Wanted): RegExp {
  return typeof text === "string" ? new RegExp(`^\\s*${text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}\\s*$`) : text;
}

/** Asks again until the answer isn't undefined, at first often, for a long wait seldom; undefined when time is up. */
export async function eventually<T>(
  page: Page,
  ask: () => Promise<T | undefined>,
  timeout: number,
): Promise<T | undefined> {
  const started = Date.now();
  for (;;) {
    const answer = await ask();
    const passed = Date.now() - started;
    if (answer !== undefined || passed >= timeout) return answer;
    await page.waitForTimeout(nextLook(passed));
  }
}

/**
 * A click that has either been done or failed with nothing done, so it can be tried again. First it is seen whether the element can be
 * reached, which fails soon; the click itself is then waited for, however long a busy machine takes to say that it was done.
 */
export async function press(element: Locator, options: { button?: "right" } = {}): Promise<void> {
  // The element itself: a row's words may change between the two, and whoever looked for the old ones would wait for nothing.
  const found = await element.elementHandle({ timeout: 3000 });
  assert.ok(found);
  await found.click({ ...options, trial: true, timeout: 3000 });
  await found.click({ ...options, force: true, timeout: 60_000 });
}

interface Row {
  index: number;
  last: boolean;
}

/**
 * Walks a list from its top, a screen at a time with the mouse wheel as a person would, and gives `look` the rows now in sight, some
 * of them more than once. Stops at the end of the list or when `look` says so.
 */
export async function walk(page: Page, list: Locator, look: (rows: Locator) => Promise<boolean>): Promise<void> {
  // Headings that stick to the top while their rows scroll lie beside these, as second copies.
  const rows = list.locator(".monaco-list-rows > .monaco-list-row");
  if (
    (await list.locator('.monaco-list-rows > .monaco-list-row[data-index="0"]').count()) === 0 &&
    (await rows.count()) > 0
  ) {
    // A row in sight may be half under the input box, where a click would not reach it.
    await toTop(page, list);
  }
  for (;;) {
    if (await look(rows)) return;
    const bottom = await lowest(rows);
    if (bottom === undefined || bottom.last) return;
    const height = (await boxOf(list))?.height ?? 100;
    await wheel(page, list, Math.max(40, height - 60));
    const next = list.locator(`.monaco-list-rows > .monaco-list-row[data-index="${bottom.index + 1}"]`);
    // A list may shrink under our hands; then what is in sight is its end.
    const more = await next.waitFor({ state: "attached", timeout: 1500 }).then(
      () => true,
      () => false,
    );
    if (!more) return;
  }
}

async function lowest(rows: Locator): Promise<Row | undefined> {
  const seen: Row[] = await rows.evaluateAll((all) =>
    all.map((row) => ({
      index: Number(row.getAttribute("data-index")),
      last: row.getAttribute("data-last-element") === "true",
    })),
  );
  return seen.reduce<Row | undefined>(
    (best, row) => (best === undefined || row.index > best.index ? row : best),
    undefined,
  );
}

async function toTop(page: Page, list: Locator): Promise<void> {
  const first = list.locator('.monaco-list-rows > .monaco-list-row[data-index="0"]');
  // In steps, because the workbench caps what one turn of the wheel may do.
  const there = await eventually(
    page,
    async () => {
      if ((await first.count()) > 0) return true;
      for (let turn = 0; turn < 10; turn += 1) await wheel(page, list, -2000);
      return undefined;
    },
    15_000,
  );
  if (!there) throw new Error("the list does not scroll back to its top");
}

/** Where a list is; null for one that has gone in the meantime. */
const boxOf = (list: Locator) => list.boundingBox({ timeout: 2000 }).catch(() => null);

async function wheel(page: Page, list: Locator, distance: number): Promise<void> {
  const box = await boxOf(list);
  if (box === null) return;
  await page.mouse.move(box.x + box.width / 2, box.y + Math.min(box.height / 2, 40));
  await page.mouse.wheel(0, distance);
}
