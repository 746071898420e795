// The template's form in front of a person: its controls by their spoken names, and what it says.
import type { FrameLocator, Locator } from "playwright-core";
import type { Workbench } from "../editor/page.ts";
import { SOON, until } from "./support.ts";

export const form = (window: Workbench): FrameLocator => window.webview();

/** A control by its spoken name; a section may have the same. */
export const field = (window: Workbench, label: string): Locator =>
  form(window)
    .locator("input, textarea, select")
    .and(form(window).getByLabel(label, { exact: true }));

export const button = (window: Workbench, name: string): Locator =>
  form(window).getByRole("button", { name, exact: true });

export const says = (window: Workbench, text: RegExp): Promise<void> =>
  form(window).getByText(text).first().waitFor({ timeout: SOON });

/** What a screen reader reads after a control's name. */
export const descriptionOf = async (control: Locator): Promise<string> =>
  (await control.getAttribute("aria-description")) ?? "";

/** A control inside a component learns its description a moment after the page shows the same sentence. */
export const tells = (control: Locator, text: RegExp): Promise<void> =>
  until(`a screen reader is told ${text.source}`, async () => text.test(await descriptionOf(control)));
