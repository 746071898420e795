// The page of offers, as a person compares ten thousand of them: sorted, filtered to nothing, brushed, walked along by keyboard, and
// reviewed like any other offer.
import assert from "node:assert/strict";
import { lookAtPage } from "./page-look.ts";
import { SOON, stage, step, until } from "./support.ts";

const person = stage({ signedIn: true, sandbox: { offers: 10_000 } });
const page = () => person().window.webview();
const count = () => page().locator(".offers .count").innerText();
/** What the cells of a column say, from the first row on. */
const cells = (column: number) =>
  page().locator(`.grid .body [aria-colindex="${column}"]`).allInnerTexts();

step("ten thousand offers arrive, the cheapest first", "600-table", person, async ({ window, requests }) => {
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Explore Offers…");
  await page().locator(".grid .body .line").first().waitFor({ timeout: SOON });
  assert.match(await count(), /of [\d,]+ offers · prices include 8 GB of disk · read at/);
  assert.ok((await cells(1)).length > 10);
  assert.ok(requests.some(({ path }) => path === "/api/v0/bundles/"));
});

step("looks", person, async ({ window }) => {
  await lookAtPage(window, [1600, 1000, 600], (_, theme, width) => window.screenshot(`601-${theme}-${width}`));
});
step("plot", person, async ({ window }) => {
  await page().getByRole("tab", { name: "Plot" }).click();
  await page().locator(".plot canvas").first().waitFor();
  await lookAtPage(window, [1600, 1000, 600], (_, theme, width) => window.screenshot(`602-${theme}-${width}`));
});
void until;
