// A watched price, as a person sees it: set from the list of offers, told once when it falls, and from there to the summary. What GPUs
// usually cost is said where one chooses.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import type { Workbench } from "../../editor/page.ts";
import { type Person, SOON, stage, step, until } from "../support.ts";

/** Milliseconds: the shortest interval, a tenth more, and a slow machine. */
const NEXT_LOOK = 420_000;
const HOUR = 3_600_000;
const GPU = "RTX 3090";

/** What was seen of prices in the last two days. */
async function writeHistory({ url }: Sandbox, folder: string): Promise<void> {
  const now = Math.floor(Date.now() / HOUR);
  const lines = Array.from({ length: 40 }, (_, at) => {
    const p50 = 0.26 + 0.05 * Math.sin(at / 4);
    const common = {
      hour: now - 48 + at,
      type: "ondemand",
      verified: true,
      n: 9,
      min: p50 - 0.06,
      p25: p50 - 0.02,
      p50,
    };
    return `${JSON.stringify({ ...common, gpu: GPU })}\n`;
  });
  const name = `sandbox-${createHash("sha256").update(url).digest("hex").slice(0, 16)}.jsonl`;
  await mkdir(join(folder, "prices"), { recursive: true });
  await writeFile(join(folder, "prices", name), `damaged\n${lines.join("")}`);
}

const person = stage({
  signedIn: true,
  settings: { "cloudGpu.priceWatch.intervalMinutes": 5, "workbench.colorTheme": "Default Dark Modern" },
  files: writeHistory,
});

/** The searches of looks. */
const looks = ({ requests }: Person) =>
  requests.filter(({ path, body }) => path === "/api/v0/bundles/" && (body as { limit?: number }).limit === 5).length;
const rentals = ({ requests }: Person) =>
  requests.filter(({ method, path }) => method === "PUT" && path.includes("/asks/"));

const cheapOffer = ({ world }: Sandbox) => {
  const offer = world.offers.find(
    (one) =>
      world.isRentable(one) &&
      one.gpuIds.length === 1 &&
      one.machine.gpu.name === GPU &&
      one.machine.verification === "verified",
  );
  assert.ok(offer);
  return offer;
};

const toasts = async (window: Workbench) =>
  (await window.notifications()).filter(({ message }) => /yours: ≤/.test(message)).length;

step("a GPU is chosen with what it usually cost, seen by this editor", "640-typed", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^PyTorch/);
  await window.command("Cloud GPU: Launch Instance from Offer…");
  await window.quickPick(/^Filters…/);
  await window.quickTitle("Filters");
  await window.quickPick(/^GPU /);
  await window.quickTitle("GPU");
  await window.screenshot("640-gpus");
  const detail = (await window.quickItems()).find(({ label }) => label === GPU)?.detail ?? "";
  assert.match(detail, /^[▁▂▃▄▅▆▇█]{8} usually \$0\.\d+\/GPU·h \(\$0\.\d+–\$0\.\d+\) since \w+ \d+$/);
  await window.quickType(GPU);
});

step("its offers say how they compare with that", "641-offers", person, async ({ window }) => {
  await window.quickAccept();
  await window.quickTitle("Filters");
  await window.quickPick(/^Show \d+ offers?/);
  await window.quickTitle(/ · \d+ offers?/);
  const offers = (await window.quickItems()).filter(({ label }) => label.includes(GPU));
  assert.ok(offers.length > 0);
  const isCompared = ({ detail }: { readonly detail: string }) =>
    /\d+% (below|above) usual|about the usual price/.test(detail);
  assert.deepEqual(
    offers.filter((offer) => !isCompared(offer)),
    [],
  );
});

step("Watch Price… asks what for", "642-kinds", person, async ({ window }) => {
  await window.quickPick(/^Watch Price…/);
  await window.quickTitle(/Watch Price/);
  const labels = (await window.quickItems()).map(({ label }) => label);
  assert.deepEqual(labels, ["Price per Hour", "Price per GPU", "Reliability at a Price"]);
});

step("and for how much, with the price of now and a proposal", person, async ({ window }) => {
  await window.quickPick(/^Price per Hour/);
  await window.quickSays(/Right now: from \$0\.\d+\/h\. Prices include \d+ GB of disk\./);
  await window.screenshot("643-price");
  await window.quickRefused("0,05", /use a decimal point/);
});

step("then it says what it does, and what it never does", "644-set", person, async ({ window }) => {
  await window.quickAnswer("0.05");
  await window.waitForNotification(/^Watching for offers at ≤ \$0\.05\/h, every 5 min while VS Code is open\./);
  await window.quickTitle(/ · \d+ offers?/);
});

step("the list says how each watch stands", "645-list", person, async (all) => {
  const { window } = all;
  await window.quickClose();
  await window.clearNotifications();
  await until("a look", () => looks(all) > 1);
  await window.command("Cloud GPU: Show Price Watches…");
  await window.quickTitle("Price Watches");
  const [row] = await window.quickItems();
  assert.match(row?.label ?? "", /^RTX 3090 · verified only · on-demand$/);
  assert.match(row?.description ?? "", /≤ \$0\.05\/h\s+·\s+now from \$0\.\d+\/h/);
  assert.match(
    row?.detail ?? "",
    /last check \d\d:\d\d\s+·\s+next check \d\d:\d\d\s+·\s+checks every 5 min while VS Code is open/,
  );
});

step("the price falls: one message in one of two windows, and one window asks", person, async (all) => {
  const { window, service, anotherWindow } = all;
  await window.quickClose();
  const other = await anotherWindow();
  await other.openContainer("Cloud GPU");
  await other.waitForRow(/^PyTorch/);
  const before = looks(all);
  service.world.setPrice(cheapOffer(service).id, 0.02);
  await until("it is told", async () => (await toasts(window)) + (await toasts(other)) > 0, NEXT_LOOK);
  await window.page.waitForTimeout(5000);
  assert.equal((await toasts(window)) + (await toasts(other)), 1);
  assert.equal(looks(all) - before, 1);
  const teller = (await toasts(window)) === 1 ? window : other;
  const text = await teller.waitForNotification(/^RTX 3090 from/);
  assert.match(text, /^RTX 3090 from \$0\.0\d+\/h \(yours: ≤ \$0\.05\/h\), reliability \d+\.\d%, .+\.$/);
  await teller.screenshot("646-told");
  assert.deepEqual(rentals(all), []);
  await other.page.close();
});

step("Review… leads to the summary of that offer, and nothing is rented", person, async (all) => {
  const { window } = all;
  if ((await toasts(window)) === 0) {
    // The other window had told it, and is closed: the list leads there as well.
    await window.command("Cloud GPU: Show Price Watches…");
    await window.quickPick(/RTX 3090/);
    await window.screenshot("647-actions");
    await window.quickPick(/^Review…/);
  } else await window.notificationButton("Review…");
  await window.quickPick(/^PyTorch/);
  await window.quickTitle(/2\/4/);
  await window.quickAccept();
  await window.quickTitle(/3\/4/);
  await window.quickAccept();
  await window.quickTitle(/4\/4/);
  await window.screenshot("648-summary");
  const rent = (await window.quickItems()).find(({ label }) => /^Rent 1× RTX 3090/.test(label));
  assert.ok(rent, JSON.stringify((await window.quickItems()).map(({ label }) => label)));
  await window.quickClose();
  assert.deepEqual(rentals(all), []);
});

step("a watch is snoozed and stopped from the list", "650-none", person, async ({ window }) => {
  await window.clearNotifications();
  await window.command("Cloud GPU: Show Price Watches…");
  await window.quickPick(/RTX 3090/);
  await window.screenshot("647-actions");
  await window.quickPick(/^Snooze 1 h/);
  await window.quickTitle("Price Watches");
  await until("it is snoozed", async () => /snoozed until/.test((await window.quickItems())[0]?.description ?? ""));
  await window.screenshot("649-snoozed");
  await window.quickPick(/RTX 3090/);
  await window.quickPick(/^Stop Watching/);
  await window.quickTitle("Price Watches");
  await window.quickSays(/No price is being watched\./);
});

step("an offer that is gone by then says so, and leads to the others", person, async (all) => {
  const { window, service } = all;
  await window.quickPick(/^Watch Price…/);
  await window.quickTitle("Filters");
  await window.screenshot("651-filters");
  await window.quickPick(/^Watch These: /);
  await window.quickPick(/^Price per Hour/);
  await window.quickAnswer("0.06");
  await window.waitForNotification(/yours: ≤ \$0\.06\/h/);
  service.world.rentAway(cheapOffer(service).id);
  await window.notificationButton("Review…");
  await window.waitForNotification(/^That offer is no longer available: /);
  await window.screenshot("651-gone");
  await window.notificationButton("Show Offers…");
  await window.quickTitle(/Launch Instance from Offer.* · .*offers?/);
  await window.screenshot("653-others");
  await window.quickClose();
  assert.deepEqual(rentals(all), []);
});

step("the page of offers says what is usual, and watches a price as well", "654-page", person, async (all) => {
  const { window } = all;
  await window.clearNotifications();
  await window.command("Cloud GPU: Explore Offers…");
  const page = window.webview();
  await page.locator('.grid .body [role="row"]').first().click({ timeout: SOON });
  await window.page.keyboard.type(GPU);
  await page.locator(".details", { hasText: /Seen by this editor: [▁▂▃▄▅▆▇█]+ usually/ }).waitFor({ timeout: SOON });
  await page.getByRole("button", { name: "Watch This…" }).click();
  await window.quickPick(/^Price per Hour/);
  await window.quickAnswer("0.01");
  await window.waitForNotification(/^Watching for offers at ≤ \$0\.01\/h/);
  await window.command("Cloud GPU: Show Price Watches…");
  await until("the list", async () =>
    (await window.quickItems()).some(
      ({ label, description }) => label.startsWith(GPU) && /≤ \$0\.01/.test(description),
    ),
  );
  await window.screenshot("654-watches");
  await window.quickClose();
  await window.command("View: Close Editor");
  assert.deepEqual(rentals(all), []);
});

step("a message of an account that was left does nothing and says so", "652-left", person, async (all) => {
  const { window, service } = all;
  service.world.giveBack(cheapOffer(service).id);
  await window.clearNotifications();
  await window.command("Cloud GPU: Watch Price…");
  await window.quickPick(/^Watch These: /);
  await window.quickPick(/^Price per Hour/);
  await window.quickAnswer("0.07");
  await window.waitForNotification(/yours: ≤ \$0\.07\/h/);
  await window.command("Cloud GPU: Sign Out");
  await window.page.getByText("Try the Sandbox").first().waitFor({ timeout: SOON });
  await window.waitForNotification(/yours: ≤ \$0\.07\/h/);
  await window.notificationButton("Review…");
  await window.waitForNotification(/You aren't signed in|You switched accounts/, SOON);
  assert.deepEqual(rentals(all), []);
});
