// The box at the top of the workbench: command palette, pickers and text prompts.

import type { Locator, Page } from "playwright-core";
import { eventually, exactly, fits, press, type Wanted, walk } from "./lists.ts";

export interface QuickItem {
  label: string;
  description: string;
  detail: string;
  /** The heading above this item, where it opens a group. */
  separator: string;
  checked: boolean | undefined;
}

const widget = (page: Page) => page.locator(".quick-input-widget");
export const quickInput = (page: Page) => widget(page).locator(".quick-input-box input");
const list = (page: Page) => widget(page).locator(".quick-input-list .monaco-list");
const patience = { timeout: 60_000 };

/** Runs a command from the palette by its whole label, such as "Cloud GPU: Sign In…". */
export async function command(page: Page, label: string): Promise<void> {
  let attempt = 0;
  // A page that has just loaded may not listen to its keys yet, and what was done before may take the focus, and with it the
  // palette, away: it is opened until the command was chosen, each time with more patience, for a busy machine shows it late.
  // Opened too early, it lacks the commands that were allowed a moment later, for as long as it is open: so it is closed.
  const chosen = await eventually(
    page,
    async () => {
      attempt += 1;
      return (await openPalette(page, attempt * 1500)) && chooseCommand(page, label, attempt * 3000);
    },
    patience.timeout,
  );
  if (chosen === undefined) throw new Error(`the command palette did not offer ${label}, in ${attempt} tries`);
}

/** Milliseconds for the palette to go once a command was chosen. One that is still there then missed the press: it came too early. */
const TAKEN_WITHIN = 20_000;

async function chooseCommand(page: Page, label: string, timeout: number): Promise<true | undefined> {
  const first = page.locator(".quick-input-list-row").first();
  const row = widget(page)
    .locator(".monaco-list-row")
    .filter({ has: first.locator(".label-name", { hasText: exactly(label) }) })
    .first();
  try {
    await quickInput(page).fill(`>${label}`, { timeout });
    await row.waitFor({ timeout });
    await press(row);
    // The next prompt reuses this very box: until the ">" has left it, what it shows is still the palette.
    if (await eventually(page, async () => ((await paletteShown(page)) ? undefined : true), TAKEN_WITHIN)) return true;
  } catch {
    // It is tried again.
  }
  await closePalette(page);
  return undefined;
}

async function closePalette(page: Page): Promise<void> {
  const hidden = async () => {
    if (!(await paletteShown(page))) return true;
    await page.keyboard.press("Escape");
    return undefined;
  };
  await eventually(page, hidden, 3000);
}

async function openPalette(page: Page, timeout: number): Promise<true | undefined> {
  await page.keyboard.press("F1");
  return eventually(page, async () => ((await paletteShown(page)) ? true : undefined), timeout);
}

async function paletteShown(page: Page): Promise<boolean> {
  const input = quickInput(page);
  if (!(await input.isVisible())) return false;
  return (await input.inputValue({ timeout: 1000 }).catch(() => "")).startsWith(">");
}

/** The title with its step, "Choose an Offer (1/3)"; waits for one that fits. */
export async function quickTitle(page: Page, wanted: Wanted = /\S/): Promise<string> {
  const title = widget(page).locator(".quick-input-title", { hasText: exactly(wanted) });
  await title.waitFor(patience);
  return ((await title.textContent()) ?? "").trim();
}

/** Waits for a question by what it asks: the title is that of the whole form. */
export async function quickSays(page: Page, text: string | RegExp): Promise<void> {
  await widget(page).getByText(text).first().waitFor(patience);
}

/** All items, in sight or not; waits a moment for the first. */
export async function quickItems(page: Page): Promise<QuickItem[]> {
  await list(page)
    .locator(".monaco-list-row")
    .first()
    .waitFor({ timeout: 3000 })
    .catch(() => undefined);
  const found = new Map<number, QuickItem>();
  await walk(page, list(page), async (rows) => {
    for (const [index, item] of await read(rows)) found.set(index, item);
    return false;
  });
  return [...found].sort(([a], [b]) => a - b).map(([, item]) => item);
}

async function read(rows: Locator): Promise<[number, QuickItem][]> {
  return rows.evaluateAll((all) =>
    all.map((row): [number, QuickItem] => {
      const text = (selector: string) => (row.querySelector(selector)?.textContent ?? "").trim();
      const box = row.querySelector('[role="checkbox"]');
      return [
        Number(row.getAttribute("data-index")),
        {
          label: text(".quick-input-list-row .label-name"),
          description: text(".quick-input-list-row .label-description"),
          detail: text(".quick-input-list-label-meta .label-name"),
          separator: text(".quick-input-list-separator"),
          checked: box === null ? undefined : box.getAttribute("aria-checked") === "true",
        },
      ];
    }),
  );
}

/** Clicks the item whose label is the text, or whose label, description or detail fits the expression; scrolls to it. */
export async function quickPick(page: Page, wanted: Wanted, timeout = patience.timeout): Promise<void> {
  const before = await timesClosed(page);
  const picked = await eventually(page, () => pickOnce(page, wanted), timeout);
  // What follows may take a moment to show, and typing must not go to the list that was just answered. A list in which several
  // are ticked stays, so the wait is short.
  if (picked) await closedSince(page, before, 2500);
  if (picked === undefined) {
    const there = (await quickItems(page)).map((item) => item.label).join(" | ");
    throw new Error(`no item ${String(wanted)} to pick; there are: ${there}`);
  }
}

async function pickOnce(page: Page, wanted: Wanted): Promise<true | undefined> {
  const top = list(page).locator('.monaco-list-row[data-index="0"]');
  const rows = list(page).locator(".monaco-list-row");
  // A row may be there a moment before its text is; scrolling away from it would cost a walk through the whole list.
  const look = async () => ((await top.count()) > 0 ? await pickAmong(page, rows, wanted) : undefined);
  if (await eventually(page, look, 700)) return true;
  let picked: true | undefined;
  // A list that is drawn again in the meantime may not scroll; then it is looked at again.
  await walk(page, list(page), async (inSight) => {
    picked = await pickAmong(page, inSight, wanted);
    return picked === true;
  }).catch(() => undefined);
  return picked;
}

async function pickAmong(page: Page, rows: Locator, wanted: Wanted): Promise<true | undefined> {
  for (const [index, item] of await read(rows)) {
    const texts = typeof wanted === "string" ? item.label : `${item.label} ${item.description} ${item.detail}`;
    if (!fits(texts, wanted)) continue;
    const row = list(page).locator(`.monaco-list-row[data-index="${index}"] .quick-input-list-label`);
    // The list may be drawn again under the pointer; then it is looked at again.
    const clicked = await pressOnly(page, row, item.label);
    if (clicked) return true;
    // A tooltip of the row above may lie over this one for as long as the mouse rests there.
    await page.mouse.move(0, 0);
  }
  return undefined;
}

/**
 * Presses a row unless its place has gone to another item in the meantime: a list that scrolls or is drawn again uses its elements again, and
 * whoever looks at what they press would not press that one.
 * @returns whether it was pressed.
 */
async function pressOnly(page: Page, row: Locator, label: string): Promise<boolean> {
  const guard = await list(page).evaluateHandle((root, wanted) => {
    const seen = { pressed: false, missed: false };
    const look = (event: { target: unknown; type: string; stopImmediatePropagation(): void }) => {
      const hit = (event.target as typeof root).closest(".monaco-list-row");
      if (!hit) return;
      if ((hit.querySelector(".label-name")?.textContent ?? "").trim() === wanted) {
        seen.pressed ||= event.type === "mousedown";
        return;
      }
      seen.missed = true;
      event.stopImmediatePropagation();
    };
    const types = ["pointerdown", "mousedown", "pointerup", "mouseup", "click"];
    for (const type of types) root.addEventListener(type, look, true);
    const end = () => {
      for (const type of types) root.removeEventListener(type, look, true);
      return seen.pressed && !seen.missed;
    };
    return { end };
  }, label);
  const failed = await press(row).then(
    () => false,
    () => true,
  );
  return (await guard.evaluate(({ end }) => end())) && !failed;
}

/** Replaces what stands in the box. */
export async function quickType(page: Page, text: string): Promise<void> {
  await quickInput(page).fill(text, patience);
}

/** Enter; in a list once a row is active, as someone would who sees it: the rows may come a moment after the box. */
export async function quickAccept(page: Page): Promise<void> {
  const rows = widget(page).locator(".quick-input-list");
  const isReady = async () => {
    const asksForText = /display: none/.test((await rows.getAttribute("style")) ?? "");
    return asksForText || (await rows.locator(".monaco-list-row.focused").count()) > 0 || undefined;
  };
  await eventually(page, isReady, 5000);
  await quickInput(page).press("Enter", patience);
}

/** Types an answer into a box that asks for text and presses Enter, then waits until that box is gone; another one may follow it. */
export async function quickAnswer(page: Page, text: string): Promise<void> {
  await textAsked(page);
  const before = await timesClosed(page);
  await quickType(page, text);
  await quickAccept(page);
  if (!(await closedSince(page, before, patience.timeout)))
    throw new Error(`the answer ${JSON.stringify(text)} was not taken: ${await quickTitle(page, /^/)}`);
}

/** Waits for a box that asks for text: a list still in sight is the question before it, and would take the text as a filter. */
async function textAsked(page: Page): Promise<void> {
  await list(page).waitFor({ state: "hidden", ...patience });
  await quickInput(page).waitFor(patience);
}

/**
 * How often the box has been closed in this window. An answer that was taken closes it, even where the next question, which may
 * read the same, opens it again at once.
 */
function timesClosed(page: Page): Promise<number> {
  return page.evaluate<number>(`(() => {
    const box = document.querySelector(".quick-input-widget");
    if (!box) return 0;
    if (box.timesClosed === undefined) {
      box.timesClosed = 0;
      const hidden = (style) => /display: none/.test(style ?? "");
      // What was closed and opened in one turn is told by the old values alone.
      new MutationObserver((changes) => {
        const states = [...changes.map(({ oldValue }) => hidden(oldValue)), hidden(box.getAttribute("style"))];
        box.timesClosed += states.filter((now, at) => now && at > 0 && !states[at - 1]).length;
      }).observe(box, { attributes: true, attributeFilter: ["style"], attributeOldValue: true });
    }
    return box.timesClosed;
  })()`);
}

async function closedSince(page: Page, before: number, timeout: number): Promise<boolean> {
  const closed = async () => ((await timesClosed(page)) > before ? true : undefined);
  return (await eventually(page, closed, timeout)) ?? false;
}

/** The arrow at the title's left. Pressed until the question is gone: it may be drawn again under the hand. */
export async function quickBack(page: Page): Promise<void> {
  const before = await timesClosed(page);
  const arrow = widget(page).locator(".codicon-quick-input-back");
  const left = await eventually(
    page,
    async () => {
      const pressed = await press(arrow).then(
        () => true,
        () => false,
      );
      return (pressed && (await closedSince(page, before, 5000))) || undefined;
    },
    patience.timeout,
  );
  if (!left) throw new Error(`there is no way back from ${await quickTitle(page, /^/)}`);
}

/** Escape until the box is gone: a list that is just being read again, or what has the focus, may swallow the first. */
export async function quickClose(page: Page): Promise<void> {
  await widget(page).waitFor(patience);
  const closed = await eventually(
    page,
    async () => {
      if (!(await widget(page).isVisible())) return true;
      await quickInput(page)
        .press("Escape", { timeout: 2000 })
        .catch(() => undefined);
      return widget(page)
        .waitFor({ state: "hidden", timeout: 1000 })
        .then(
          () => true,
          () => undefined,
        );
    },
    patience.timeout,
  );
  if (!closed) throw new Error(`the box does not close: ${await quickTitle(page, /^/)}`);
}

/**
 * Types an answer that is refused and gives the complaint. That of the answer before may stand in its place for a moment, so one
 * that fits is waited for.
 */
export async function quickRefused(page: Page, text: string, says: RegExp): Promise<string> {
  await textAsked(page);
  await quickType(page, text);
  await quickAccept(page);
  let last = "";
  const heard = async () => {
    last = await complaint(page);
    return says.test(last) ? last : undefined;
  };
  const refusal = await eventually(page, heard, patience.timeout);
  if (refusal === undefined) throw new Error(`no complaint ${says}, but: ${JSON.stringify(last)}`);
  return refusal;
}

/** What the box complains of; the prompt stands in the same place and is no complaint. */
async function complaint(page: Page): Promise<string> {
  const message = widget(page).locator(
    ".quick-input-and-message:has(.monaco-inputbox:is(.error, .warning, .info)) .quick-input-message",
  );
  return (await message.allTextContents()).join("").trim();
}
