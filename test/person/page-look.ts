// How a page of ours looks to everyone: in all of the editor's themes, wide and narrow, and to axe.
import assert from "node:assert/strict";
import axe from "axe-core";
import type { Frame } from "playwright-core";
import type { Workbench } from "../editor/page.ts";
import { SOON } from "./support.ts";

/** The page in sight, for what only its own scripts can tell. */
export async function frameOf(window: Workbench): Promise<Frame> {
  const root = await window.webview().locator("#root").elementHandle();
  const frame = await root?.ownerFrame();
  if (!frame) throw new Error("the page is not there");
  return frame;
}

/** What a screen reader would call what has the focus. */
export function focusedName(frame: Frame): Promise<string> {
  return frame.evaluate(`(() => {
    let at = document.activeElement;
    while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
    const host = at?.getRootNode().host;
    return at?.getAttribute("aria-label") || host?.label || at?.labels?.[0]?.textContent.trim() || at?.textContent?.trim() || "";
  })()`);
}

/** The editor's themes that a page must look at home in, and how their pictures are called. */
const THEMES: readonly [theme: RegExp, name: string][] = [
  [/^(Default )?Light Modern/, "light"],
  [/^(Default )?(Dark )?High Contrast(?! Light)/, "high-contrast"],
  [/^(Default )?(Light High Contrast|High Contrast Light)/, "high-contrast-light"],
  [/^(Default )?Dark Modern/, "dark"],
];

/**
 * Shows the page in every theme and at every width, without the sidebar, and has `look` take pictures. In none of them axe finds
 * anything, and nothing sticks out. The last theme is the one the window began with.
 */
export async function lookAtPage(
  window: Workbench,
  widths: readonly number[],
  look: (frame: Frame, theme: string, width: number) => Promise<unknown>,
): Promise<void> {
  const size = window.page.viewportSize() ?? { width: 1280, height: 800 };
  await window.command("View: Toggle Primary Side Bar Visibility");
  for (const [theme, name] of THEMES) {
    await window.command("Preferences: Color Theme");
    await window.quickPick(theme);
    await window.webview().locator(`body.vscode-${name}`).waitFor({ timeout: SOON });
    for (const width of widths) {
      await window.page.setViewportSize({ width, height: 900 });
      const frame = await frameOf(window);
      assert.deepEqual(await axeViolations(frame), [], `${name} at ${width}`);
      await look(frame, name, width);
      const fits = await frame.evaluate("document.documentElement.scrollWidth <= innerWidth");
      assert.equal(fits, true, "nothing sticks out");
    }
  }
  await window.page.setViewportSize(size);
}

/** What axe has against the page, shadow roots included. */
export async function axeViolations(frame: Frame): Promise<string[]> {
  await frame.evaluate(axe.source);
  const { violations } = (await frame.evaluate("axe.run(document, { resultTypes: ['violations'] })")) as {
    violations: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} ${JSON.stringify(target)} ${failureSummary}`),
  );
}

/** The whole record on the page in front, which is read when someone unfolds it. */
export async function unfoldRecord(window: Workbench): Promise<string> {
  const page = window.webview();
  await page.locator("summary", { hasText: "The service's full record" }).click();
  const text = page.locator("pre", { hasText: "{" });
  await text.waitFor({ timeout: SOON });
  return (await text.textContent()) ?? "";
}
