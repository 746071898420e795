// A launch by the keyboard alone, and how many keys it takes: what someone who uses no mouse pays for every machine.
import assert from "node:assert/strict";
import { type Person, SOON, step, until } from "../support.ts";

/** Keys from the editor to a machine that is being rented, Enter on each question included. */
const MOST_KEYS = 20;

/** The account has no machine when it begins, and none when it ends. */
export function walkByKeyboard(person: () => Person): void {
  step(`a launch by keyboard takes at most ${MOST_KEYS} keys`, person, async ({ window, requests, service }) => {
    const { page } = window;
    for (const { id, fate } of service.world.offers) if (fate !== "gone") service.world.setFate(id, "runs");
    let keys = 0;
    const press = async (key: string) => {
      await page.keyboard.press(key);
      keys += 1;
    };
    const type = async (text: string) => {
      for (const letter of text) await press(letter);
    };
    const first = (text: RegExp) =>
      page.locator(".quick-input-widget .monaco-list-row.focused", { hasText: text }).waitFor({ timeout: SOON });
    const sent = () => requests.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));
    const before = sent().length;
    await press("F1");
    await page.locator(".quick-input-widget").waitFor({ timeout: SOON });
    await type("launch");
    // Without a past, the palette sorts by the alphabet: offers come first.
    await first(/Launch Instance from (Offer|Template)/);
    const isOffer = await page
      .locator(".quick-input-widget .monaco-list-row.focused", { hasText: "from Offer" })
      .count();
    if (isOffer > 0) await press("ArrowDown");
    await first(/Launch Instance from Template/);
    await press("Enter");
    await window.quickTitle(/1\/3/);
    await type("pyt");
    await first(/PyTorch/);
    await press("Enter");
    await window.quickTitle(/2\/3/);
    await type("3090");
    await first(/1× RTX 3090/);
    await press("Enter");
    await window.quickTitle(/3\/3/);
    await first(/Rent 1×/);
    await press("Enter");
    await window.dialog();
    // A dialog doesn't listen to keys that come while it opens. Who reads the question first presses once.
    await until("it is asked for", async () => {
      await page.waitForTimeout(1000);
      if (sent().length === before) await page.keyboard.press("Enter");
      return sent().length > before;
    });
    keys += 1;
    assert.ok(keys <= MOST_KEYS, `${keys} keys`);
    await window.waitForRow(/1× RTX 3090, instance \d+, running/, 60_000);
    await window.rowMenu(/1× RTX 3090, instance/, "Destroy Instance…");
    await window.dialogButton("Destroy");
    await page.getByText("This account has no instances").first().waitFor({ timeout: SOON });
  });
}
