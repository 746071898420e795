// What the workbench puts in a person's way: notifications at the corner and modal dialogs.

import type { Page } from "playwright-core";
import { eventually, exactly, press, type Wanted } from "./lists.ts";
import { command } from "./quick-input.ts";

export interface Notification {
  severity: "info" | "warning" | "error";
  message: string;
  buttons: string[];
}

export interface Dialog {
  message: string;
  detail: string;
  buttons: string[];
}

const patience = { timeout: 60_000 };
/** At the corner for a while, or in the list behind the bell. */
const notes = (page: Page) => page.locator(".notification-list-item");

/** The notifications in sight, newest first. Those behind the bell are in sight once `waitForNotification` had to look there. */
export async function notifications(page: Page): Promise<Notification[]> {
  return notes(page).evaluateAll((all) => {
    const severities = ["error", "warning"] as const;
    return all.map((note): Notification => {
      const buttons = [...note.querySelectorAll(".notification-list-item-buttons-container .monaco-button")];
      return {
        severity: severities.find((severity) => note.querySelector(`.codicon-${severity}`)) ?? "info",
        message: (note.querySelector(".notification-list-item-message")?.textContent ?? "").trim(),
        buttons: buttons.map((button) => (button.textContent ?? "").trim()),
      };
    });
  });
}

/**
 * Waits for a notification and returns its message. The workbench keeps some from the corner (more than three at a time, or several
 * in quick succession), so after a while this looks behind the bell, and leaves that list open.
 */
export async function waitForNotification(page: Page, wanted: Wanted, timeout = patience.timeout): Promise<string> {
  const message = page.locator(".notification-list-item-message", { hasText: exactly(wanted) }).first();
  const started = Date.now();
  const shown = await eventually(
    page,
    async () => {
      if (await message.isVisible()) return true;
      if (Date.now() - started > Math.min(2000, timeout / 2)) await openCentre(page);
      return undefined;
    },
    timeout,
  );
  if (!shown) {
    const there = (await notifications(page)).map((note) => note.message).join(" | ");
    throw new Error(`no notification ${String(wanted)} within ${timeout} ms; there are: ${there}`);
  }
  return ((await message.textContent()) ?? "").trim();
}

async function openCentre(page: Page): Promise<void> {
  if (await page.locator(".notifications-center.visible").isVisible()) return;
  // An empty list doesn't open; a click too many is no harm.
  await page
    .locator('[id="status.notifications"]')
    .click({ timeout: 1000 })
    .catch(() => undefined);
}

/** Dismisses all notifications; those with buttons are thereby answered with none of them. */
export async function clearNotifications(page: Page): Promise<void> {
  await command(page, "Notifications: Clear All Notifications");
  await notes(page)
    .first()
    .waitFor({ state: "hidden", ...patience });
}

/** Milliseconds in which a message goes once its button was pressed. */
const GONE_WITHIN = 5000;

/** Presses a notification's button. */
export async function notificationButton(page: Page, text: string): Promise<void> {
  const button = notes(page)
    .locator(".notification-list-item-buttons-container .monaco-button", { hasText: exactly(text) })
    .first();
  await button.waitFor(patience);
  // The tooltip of what the mouse rests on may lie over it. What is pressed goes with its message; one that stays was missed, as when
  // another message moved it in between.
  const pressOnce = async () => {
    await page.mouse.move(0, 0);
    const found = await button.elementHandle({ timeout: 3000 }).catch(() => null);
    const isGone = async () => (await found?.isVisible()) === false || undefined;
    return press(button).then(
      () => eventually(page, isGone, GONE_WITHIN),
      () => undefined,
    );
  };
  if (!(await eventually(page, pressOnce, patience.timeout))) throw new Error(`the button ${text} cannot be pressed`);
}

/** Waits for a modal dialog and reads it. */
export async function dialog(page: Page): Promise<Dialog> {
  const box = page.locator(".monaco-dialog-box");
  await box.waitFor(patience);
  const detail = box.locator(".dialog-message-detail");
  const buttons = await box.locator(".dialog-buttons .monaco-button").allTextContents();
  return {
    message: ((await box.locator(".dialog-message-text").textContent()) ?? "").trim(),
    detail: (await detail.isVisible()) ? ((await detail.textContent()) ?? "").trim() : "",
    buttons: buttons.map((button) => button.trim()),
  };
}

/** Presses a modal dialog's button and waits until that dialog is gone; another one may follow it. */
export async function dialogButton(page: Page, text: string): Promise<void> {
  const box = page.locator(".monaco-dialog-box");
  await box.waitFor(patience);
  const shown = await box.elementHandle();
  // A person reads before pressing; the extension takes a faster answer for a key held down.
  await page.waitForTimeout(400);
  const button = box.locator(".dialog-buttons .monaco-button", { hasText: exactly(text) });
  await button.waitFor(patience);
  // Pressed until this very dialog is gone. Another one that follows isn't touched.
  const answered = await eventually(
    page,
    async () => {
      if (await shown?.isVisible()) await press(button).catch(() => undefined);
      return shown?.waitForElementState("hidden", { timeout: 3000 }).then(
        () => true,
        () => undefined,
      );
    },
    patience.timeout,
  );
  if (!answered) throw new Error(`the dialog's ${text} does not react`);
}
