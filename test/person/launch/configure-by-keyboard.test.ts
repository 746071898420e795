// Configuring a launch by the keyboard alone, and how many keys it takes beside what is typed.
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import type { Workbench } from "../../editor/page.ts";
import { focusedName, frameOf } from "../page-look.ts";
import { SOON, stage, step, until } from "../support.ts";
import { says } from "../template-form.ts";

/** Keys from the editor to a configured machine that is being rented, beside the values that are typed. */
const MOST_KEYS = 25;
/** More than all stops of the page. */
const MOST_STOPS = 80;

/** Further from the cursor than any row that a test moves to. */
const MOST_ROWS = 6;

/** A hand on the keyboard, which counts its keys. */
class Hand {
  readonly window: Workbench;
  keys = 0;

  constructor(window: Workbench) {
    this.window = window;
  }

  async press(key: string, times = 1): Promise<void> {
    for (let time = 0; time < times; time += 1) await this.window.page.keyboard.press(key);
    this.keys += times;
  }

  /** Presses an arrow until this row has the cursor. */
  async move(arrow: "ArrowDown" | "ArrowUp", row: Locator): Promise<void> {
    await row.waitFor({ timeout: SOON });
    const isReached = async () => /focused/.test((await row.getAttribute("class")) ?? "");
    for (let presses = 0; !(await isReached()); presses += 1) {
      assert.ok(presses < MOST_ROWS, "the cursor doesn't reach the row");
      await this.press(arrow);
      await this.window.page.waitForTimeout(300);
    }
  }

  /** What a person chooses in a list by its first letters counts as keys. */
  async pick(letters: string, row: RegExp): Promise<void> {
    for (const letter of letters) await this.press(letter);
    const focused = this.window.page.locator(".quick-input-widget .monaco-list-row.focused", { hasText: row });
    await focused.waitFor({ timeout: SOON });
    await this.press("Enter");
  }

  /** A value isn't counted. */
  async type(value: string): Promise<void> {
    await this.window.page.keyboard.type(value);
  }

  /** Moves on until this has the focus. */
  async go(name: RegExp): Promise<void> {
    const names: string[] = [];
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      await this.press("Tab");
      // The page is drawn again a moment after what was typed.
      const now = await focusedName(await frameOf(this.window));
      if (name.test(now)) return;
      names.push(now);
    }
    assert.fail(`${name} is not among\n${names.join("\n")}`);
  }

  /** Fills in what has the focus next by this name. */
  async fill(name: RegExp, value: string): Promise<void> {
    // What a field has is selected by that. The editor itself selects all a moment after it is told to, and would take what was typed.
    await this.go(name);
    await this.type(value);
  }

  /** Adds a row to the table of variables and ports, and types on without a look at the page. */
  async addRow(kind: "Variable" | "Port", first: string, second: string): Promise<void> {
    await this.go(new RegExp(`^Add ${kind}$`));
    await this.press("Enter");
    await this.type(first);
    await this.press("Tab");
    await this.type(second);
  }
}

const person = stage({ signedIn: true });

const creates = () =>
  person().requests.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));
const lastBody = () => creates().at(-1)?.body as Record<string, unknown>;

async function openPage(hand: Hand): Promise<void> {
  const { window } = hand;
  await hand.press("F1");
  const rows = window.page.locator(".quick-input-widget .monaco-list-row");
  // Before its first rows are there, the palette of a new window takes a key for one that replaces its ">".
  await rows.first().waitFor({ timeout: SOON });
  for (const letter of "launch") await hand.press(letter);
  const wanted = rows.filter({ hasText: "Launch Instance from Offer" });
  await wanted.waitFor({ timeout: SOON });
  // What was used lately stands above the others.
  await hand.move("ArrowDown", wanted);
  await hand.press("Enter");
  await window.quickTitle(/1\/\d/);
  await hand.pick("", /1× /);
  await window.quickTitle(/2\/\d/);
  // The cursor is at the first template, one row below. While the rest of the list comes, it is set there again.
  await rows
    .filter({ hasText: /Recommended/ })
    .first()
    .waitFor({ timeout: SOON });
  await hand.move("ArrowUp", rows.filter({ hasText: "A Docker Image…" }));
  await hand.press("Enter");
  await says(window, /Nothing is rented until you confirm/);
  await until("the focus is in the image", async () => (await focusedName(await frameOf(window))) === "Image");
}

/** From the page to the request. */
async function rent(hand: Hand): Promise<void> {
  const { page } = hand.window;
  const before = creates().length;
  const focused = page.locator(".quick-input-widget .monaco-list-row.focused", { hasText: /Rent \d× / });
  await focused.waitFor({ timeout: SOON });
  await hand.press("Enter");
  await hand.window.dialog();
  // A dialog doesn't listen to keys that come while it opens. Who reads the question first presses once.
  await until("it is asked for", async () => {
    await page.waitForTimeout(1000);
    if (creates().length === before) await page.keyboard.press("Enter");
    return creates().length > before;
  });
  hand.keys += 1;
  await hand.window.clearNotifications();
}

step(`a configured launch by keyboard takes at most ${MOST_KEYS} keys beside what is typed`, person, async (all) => {
  for (const { id, fate } of all.service.world.offers) if (fate !== "gone") all.service.world.setFate(id, "runs");
  const hand = new Hand(all.window);
  await openPage(hand);
  await hand.type("ghcr.io/lab/serve:2.1");
  await hand.addRow("Variable", "MODE", "train");
  await hand.press("Control+Enter");
  await rent(hand);
  const { image, env } = lastBody();
  assert.deepEqual([image, env], ["ghcr.io/lab/serve:2.1", { MODE: "train" }]);
  assert.ok(hand.keys <= MOST_KEYS, `${hand.keys} keys`);
});

step("every kind of field is filled in by keyboard alone", "171-by-keyboard", person, async ({ window }) => {
  const hand = new Hand(window);
  await openPage(hand);
  await hand.type("ghcr.io/lab/serve:2.1");
  await hand.go(/^Registry Login$/);
  await hand.press("Enter");
  await hand.fill(/^Registry$/, "ghcr.io");
  await hand.fill(/^Registry User$/, "lab");
  await hand.fill(/^Registry Token$/, "token-4711");
  await hand.go(/^SSH, direct/);
  await hand.press("ArrowUp");
  await hand.addRow("Variable", "MODE", "train");
  await hand.addRow("Variable", "SEED", "7");
  await hand.addRow("Port", "8000", "8000");
  await hand.fill(/^Arguments$/, "serve --name 'my model'");
  await hand.fill(/^Disk \(GB\)$/, "50");
  await hand.go(/^None/);
  await hand.press("ArrowDown");
  await hand.fill(/^Volume ID$/, "27000001");
  await hand.fill(/^Mount Path$/, "/data");
  await hand.press("Control+Enter");
  await rent(hand);
  const { label: _, ...body } = lastBody();
  assert.deepEqual(body, {
    image: "ghcr.io/lab/serve:2.1",
    runtype: "args",
    disk: 50,
    env: { MODE: "train", SEED: "7", "-p 8000:8000": "1" },
    args_str: "serve --name 'my model'",
    image_login: "••••",
    volume_info: { create_new: false, volume_id: 27_000_001, mount_path: "/data" },
    target_state: "running",
    cancel_unavail: true,
  });
});

step("a virtual machine is, too", person, async ({ window }) => {
  const hand = new Hand(window);
  await openPage(hand);
  await hand.type("ubuntu:24.04");
  await hand.go(/^Virtual Machine$/);
  await hand.press("Space");
  await hand.press("Control+Enter");
  await window.quickTitle(/ offers?/);
  await hand.pick("", /1× /);
  await rent(hand);
  assert.equal(lastBody().vm, true);
});

step("and what is created stopped", person, async ({ window }) => {
  const hand = new Hand(window);
  await openPage(hand);
  await hand.type("ubuntu:24.04");
  await hand.go(/^Immediately/);
  await hand.press("ArrowDown");
  await hand.press("Control+Enter");
  await rent(hand);
  assert.equal(lastBody().target_state, "stopped");
});
