// The side bar: view containers, their trees and what hangs on a row (menu, buttons, tooltip).

import type { Locator, Page } from "playwright-core";
import { eventually, exactly, fits, press, type Wanted, walk } from "./lists.ts";
import { clearNotifications } from "./prompts.ts";

const patience = { timeout: 60_000 };

/** Opens a container by its name in the activity bar; waits until an extension has brought it. */
export async function openContainer(page: Page, title: string): Promise<void> {
  // A badge adds words after the name.
  const entry = page.locator(".activitybar .action-item", {
    has: page.locator(`a.action-label[aria-label^="${title}"]`),
  });
  await entry.waitFor(patience);
  const heading = page.locator(".sidebar .composite.title h2", { hasText: new RegExp(`^${title}`) });
  // A click on the container that is open closes it, and a window just loaded may be about to open it again on its own:
  // so what a click did is looked at, and it counts only when it lasts.
  const shown = async () => {
    if (!(await heading.isVisible())) return undefined;
    await page.waitForTimeout(300);
    return (await heading.isVisible()) || undefined;
  };
  const opened = await eventually(
    page,
    async () => {
      if (await shown()) return true;
      await entry.click();
      return eventually(page, shown, 2000);
    },
    patience.timeout,
  );
  if (!opened) throw new Error(`the container ${title} did not open`);
}

/** A view by its title, unfolded. */
export async function view(page: Page, title: string): Promise<Locator> {
  const heading = page.locator(".pane-header h3.title", { hasText: exactly(title) });
  const pane = page.locator(".sidebar .pane, .panel .pane").filter({ has: heading });
  const header = pane.locator(".pane-header");
  await header.waitFor({ state: "attached", ...patience });
  const folded = async () => (await header.getAttribute("aria-expanded")) === "false" && (await header.isVisible());
  const unfold = async () => {
    if (!(await folded())) return true;
    // The tooltip of a row that the mouse rests on lies over headings.
    await leaveRows(page);
    await press(header).catch(() => undefined);
    return eventually(page, async () => ((await folded()) ? undefined : true), 1500);
  };
  if (!(await eventually(page, unfold, patience.timeout))) throw new Error(`the view ${title} does not unfold`);
  return pane;
}

/** Moves the mouse off all rows. A tooltip that came up only after it had left stays there until the mouse has been on it. */
export async function leaveRows(page: Page): Promise<void> {
  await page.mouse.move(0, 0);
  const tooltip = page.locator(".workbench-hover:visible").first();
  const isHidden = () =>
    tooltip.waitFor({ state: "hidden", timeout: 1000 }).then(
      () => true,
      () => false,
    );
  if (await isHidden()) return;
  const box = await tooltip.boundingBox({ timeout: 1000 }).catch(() => null);
  if (box) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2, { steps: 5 });
  await page.mouse.move(0, 0, { steps: 5 });
  await isHidden();
}

/** Folds a view, which leaves its room to the others. */
export async function foldView(page: Page, title: string): Promise<void> {
  const header = (await view(page, title)).locator(".pane-header");
  const fold = async () => {
    if ((await header.getAttribute("aria-expanded")) === "false") return true;
    await leaveRows(page);
    await press(header).catch(() => undefined);
    return undefined;
  };
  if (!(await eventually(page, fold, patience.timeout))) throw new Error(`the view ${title} does not fold`);
}

/** What a screen reader would read for each row, top to bottom, in sight or not. */
export async function treeRows(page: Page, title: string): Promise<string[]> {
  const found = new Map<number, string>();
  const tree = (await view(page, title)).locator(".monaco-list");
  await walk(page, tree, async (rows) => {
    for (const { index, label } of await read(rows)) found.set(index, label);
    return false;
  });
  // Resting on the list it would soon bring up a tooltip, which lies over other rows and headings.
  await page.mouse.move(0, 0);
  return [...found].sort(([a], [b]) => a - b).map(([, label]) => label);
}

interface Row {
  readonly index: number;
  readonly label: string;
  /** Nothing lies over it, such as a heading that sticks to the top, where a click would go to that. */
  readonly isFree: boolean;
}

async function read(rows: Locator): Promise<Row[]> {
  return rows.evaluateAll((all) =>
    all.map((row): Row => {
      const { left, top, width, height } = row.getBoundingClientRect();
      const middle = row.ownerDocument.elementFromPoint(left + width / 2, top + height / 2);
      return {
        index: Number(row.getAttribute("data-index")),
        label: row.getAttribute("aria-label") ?? "",
        isFree: row.contains(middle),
      };
    }),
  );
}

/** The first row, in any view of the side bar, whose label fits; scrolls to it and waits for it. */
export async function waitForRow(page: Page, wanted: Wanted, timeout = patience.timeout): Promise<Locator> {
  // What is in sight costs little to look at; scrolling through every view again and again keeps the editor busy.
  let scrollAt = 0;
  const look = async () => {
    const found = await rowInSight(page, wanted);
    if (found || Date.now() < scrollAt) return found;
    const scrolled = await rowOutOfSight(page, wanted).catch(() => undefined);
    scrollAt = Date.now() + 2000;
    return scrolled;
  };
  const found = await eventually(page, look, timeout);
  if (found === undefined)
    throw new Error(`no row ${String(wanted)} within ${timeout} ms; ${await describeSight(page)}`);
  return found;
}

/** A row of a view, which is unfolded for it, and again if it folds while the others still arrive. */
export async function waitForRowIn(page: Page, title: string, wanted: Wanted): Promise<Locator> {
  const look = async () => {
    await view(page, title);
    return await waitForRow(page, wanted, 2000).catch(() => undefined);
  };
  return (await eventually(page, look, patience.timeout)) ?? (await waitForRow(page, wanted, 0));
}

/** What may lie over rows. */
const OVERLAYS = [".quick-input-widget", ".context-view .monaco-menu", ".monaco-dialog-box", ".monaco-hover"];

/** What is there instead of a row that was waited for. */
async function describeSight(page: Page): Promise<string> {
  const rows = await Promise.all((await trees(page).all()).map((tree) => read(tree.locator(".monaco-list-row"))));
  const labels = rows.flat().map(({ label, isFree }) => (isFree ? label : `${label} (covered)`));
  const over = await Promise.all(
    OVERLAYS.map(async (one) => ((await page.locator(one).filter({ visible: true }).count()) > 0 ? [one] : [])),
  );
  return `rows in sight: ${labels.join(" | ") || "none"}; over them: ${over.flat().join(", ") || "nothing"}`;
}

const trees = (page: Page) => page.locator('.sidebar .monaco-list[role="tree"]').filter({ visible: true });

async function rowInSight(page: Page, wanted: Wanted): Promise<Locator | undefined> {
  const rows = await read(trees(page).locator(".monaco-list-rows > .monaco-list-row"));
  const match = rows.find(({ label, isFree }) => isFree && fits(label, wanted));
  return match && rowOf(trees(page), match);
}

async function rowOutOfSight(page: Page, wanted: Wanted): Promise<Locator | undefined> {
  for (const tree of await trees(page).all()) {
    let match: Row | undefined;
    await walk(page, tree, async (rows) => {
      match = (await read(rows)).find(({ label, isFree }) => isFree && fits(label, wanted));
      return match !== undefined;
    });
    // Resting on the list it would soon bring up a tooltip, which lies over other rows.
    await page.mouse.move(0, 0);
    if (match) return rowOf(tree, match);
  }
  return undefined;
}

/** By its label as well: rows may have moved by the time the caller uses this. */
function rowOf(tree: Locator, { index, label }: Row): Locator {
  const row = `.monaco-list-rows > .monaco-list-row[data-index="${index}"][aria-label=${JSON.stringify(label)}]`;
  return tree.locator(row).first();
}

/** Does something with a row. While a tooltip lies over it, or the list moves under the hand, it is looked for again. */
async function atRow(page: Page, wanted: Wanted, act: (row: Locator) => Promise<void>): Promise<void> {
  let last: unknown;
  const attempt = async () => {
    try {
      await act(await waitForRow(page, wanted));
      return true;
    } catch (error) {
      last = error;
      await page.mouse.move(0, 0);
      return undefined;
    }
  };
  if (!(await eventually(page, attempt, patience.timeout))) throw last;
}

/** Clicks a row until it is selected and has the focus: a click while the row is drawn again reaches nothing. */
export function clickRow(page: Page, wanted: Wanted): Promise<void> {
  return atRow(page, wanted, async (row) => {
    await press(row);
    const taken = async () => {
      // A row whose words change in the meantime, such as its minutes, is looked for again.
      const now = await rowInSight(page, wanted);
      const isTaken = await now
        ?.evaluate(
          (found) => {
            const hasFocus = found.closest(".monaco-list")?.contains(found.ownerDocument.activeElement) ?? false;
            return hasFocus && found.getAttribute("aria-selected") === "true";
          },
          undefined,
          { timeout: 1000 },
        )
        .catch(() => false);
      return isTaken || undefined;
    };
    if (!(await eventually(page, taken, 3000))) throw new Error(`the row ${String(wanted)} is not selected by a click`);
  });
}

/** Unfolds or folds a row that has children. */
export function toggleRow(page: Page, wanted: Wanted): Promise<void> {
  return atRow(page, wanted, async (row) => {
    const before = await row.getAttribute("aria-expanded", { timeout: 1000 });
    await press(row.locator(".monaco-tl-twistie"));
    // Looked for by its words: the row may be drawn again, and what was pressed may have been its old self.
    const turned = async () => {
      const now = await rowInSight(page, wanted);
      const after = await now?.getAttribute("aria-expanded", { timeout: 1000 }).catch(() => before);
      return now && after !== before ? true : undefined;
    };
    if (!(await eventually(page, turned, 3000))) throw new Error(`the row ${String(wanted)} does not turn`);
  });
}

/** Opens a row's context menu and returns its entries' words, the separators left out. */
export async function openRowMenu(page: Page, wanted: Wanted): Promise<string[]> {
  const menu = page.locator(".monaco-menu");
  await atRow(page, wanted, async (row) => {
    await press(row, { button: "right" });
    await menu.first().waitFor({ timeout: 5000 });
  });
  const entries = await menu.locator("a.action-menu-item .action-label").allTextContents();
  return entries.map((entry) => entry.trim());
}

/** Escape until no menu is open: one that has just opened ignores what comes at once. */
export async function closeMenu(page: Page): Promise<void> {
  const menu = page.locator(".monaco-menu").first();
  const closed = await eventually(
    page,
    async () => {
      if (!(await menu.isVisible())) return true;
      await page.keyboard.press("Escape");
      return menu.waitFor({ state: "hidden", timeout: 1000 }).then(
        () => true,
        () => undefined,
      );
    },
    patience.timeout,
  );
  if (!closed) throw new Error("the menu does not close");
}

/** Chooses from a row's context menu by the entry's whole text. */
export async function rowMenu(page: Page, wanted: Wanted, item: string): Promise<void> {
  let complaint = `the menu's "${item}" does not react`;
  // A row that is drawn again takes its menu along, chosen from or not: then it is opened again.
  const chosen = await eventually(
    page,
    async () => {
      const entries = await openRowMenu(page, wanted);
      if (entries.includes(item)) return (await chooseFromMenu(page, item)) && (await hasReachedRow(page));
      // What can be done with a row may depend on a list that is still on its way.
      complaint = `no "${item}" in the menu of ${String(wanted)}; there are: ${entries.join(" | ")}`;
      await closeMenu(page);
      return undefined;
    },
    patience.timeout / 2,
  );
  if (!chosen) throw new Error(complaint);
}

/** Whether the command was run with its row: a full redraw takes the row away, and the extension says so. */
async function hasReachedRow(page: Page): Promise<true | undefined> {
  const lost = page.locator(".notification-list-item", { hasText: "The list was just redrawn." });
  const asked = page.locator(".quick-input-widget, .monaco-dialog-box").filter({ visible: true });
  await lost
    .or(asked)
    .first()
    .waitFor({ timeout: 300 })
    .catch(() => {});
  if (!(await lost.first().isVisible())) return true;
  await clearNotifications(page);
  return undefined;
}

async function chooseFromMenu(page: Page, item: string): Promise<true | undefined> {
  const entry = page.locator(".monaco-menu a.action-menu-item", {
    has: page.locator(".action-label", { hasText: exactly(item) }),
  });
  // A menu ignores the mouse for its first 100 ms, lest the click that opened it chooses from it. Its own page counts them.
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 150)));
  let isPressed = false;
  await eventually(
    page,
    async () => {
      isPressed = (await pressEntry(entry)) || isPressed;
      return isHidden(page.locator(".monaco-menu").first());
    },
    patience.timeout,
  );
  return isPressed || undefined;
}

/** Whether the click reached the entry: a menu that goes away under the hand leaves it to what lies below. */
async function pressEntry(entry: Locator): Promise<boolean> {
  const reached = entry.evaluate(
    (item) => new Promise<true>((resolve) => item.addEventListener("mouseup", () => resolve(true), { once: true })),
  );
  // A busy page takes the click at once and tells of it late.
  const missed = press(entry).then(
    () => entry.page().waitForTimeout(2000),
    () => {},
  );
  return Promise.race([reached.catch(() => false), missed.then(() => false)]);
}

const isHidden = (menu: Locator): Promise<true | undefined> =>
  menu.waitFor({ state: "hidden", timeout: 300 }).then(
    () => true,
    () => undefined,
  );

/** Presses one of the small buttons a row shows under the mouse, by its spoken name. */
export async function rowButton(page: Page, wanted: Wanted, name: string): Promise<void> {
  await atRow(page, wanted, async (row) => {
    await row.hover({ timeout: 5000 });
    await press(row.locator(`.actions a.action-label[aria-label^="${name}"]`));
  });
}

/** Rests the mouse on a row and returns its tooltip's text. */
export async function hover(page: Page, wanted: Wanted): Promise<string> {
  // A row that is drawn again takes its tooltip with it.
  for (let turn = 0; turn < 5; turn += 1) {
    const text = await hoverOnce(page, wanted);
    if (text !== "") return text;
  }
  return "";
}

async function hoverOnce(page: Page, wanted: Wanted): Promise<string> {
  const tooltip = page.locator(".workbench-hover:visible");
  // The tooltip of the row the mouse comes from would be read for this one.
  await leaveTooltips(page);
  await atRow(page, wanted, (row) => row.hover({ timeout: 5000 }));
  // A row that is drawn again at that moment takes no notice of a mouse that only rests on it.
  const isShown = await tooltip.waitFor({ timeout: 10_000 }).then(
    () => true,
    () => false,
  );
  if (!isShown) return "";
  // Until the extension has made it, another text stands in for it.
  await tooltip.filter({ hasText: /^Loading/ }).waitFor({ state: "hidden", ...patience });
  return words(tooltip);
}

/** Moves the mouse until no tooltip is left: a busy editor may miss a single move. */
async function leaveTooltips(page: Page): Promise<void> {
  const tooltip = page.locator(".workbench-hover:visible");
  const isLeft = async (at: number) => {
    await page.mouse.move(at, at);
    return tooltip.waitFor({ state: "hidden", timeout: 3000 }).then(
      () => true,
      () => false,
    );
  };
  for (let turn = 0; turn < 20; turn += 1) if (await isLeft(turn % 2)) return;
  await tooltip.waitFor({ state: "hidden", timeout: 3000 });
}

/** The line a view shows above its rows; empty when there is none. */
export async function viewMessage(page: Page, title: string): Promise<string> {
  const message = (await view(page, title)).locator(".tree-explorer-viewlet-tree-view > .message:not(.hide)");
  return words(message);
}

/** What an empty view says and offers, its buttons' words included, one line each. */
export async function welcomeText(page: Page, title: string): Promise<string> {
  // Looked for again: the editor may fold a view again that it is still putting in its place.
  const read = async () => {
    const welcome = (await view(page, title)).locator(".welcome-view-content");
    return welcome.waitFor({ timeout: 3000 }).then(
      () => words(welcome),
      () => undefined,
    );
  };
  const said = await eventually(page, read, patience.timeout);
  if (said === undefined) throw new Error(`the view ${title} says nothing`);
  return said;
}

/** The text as it is laid out, one line per paragraph; empty when there is no such element. */
async function words(element: Locator): Promise<string> {
  return (await element.allInnerTexts()).join("\n").replace(/\n+/g, "\n").trim();
}
