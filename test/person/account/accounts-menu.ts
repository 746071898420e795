// Accounts by names of one's own, in the editor's Accounts menu, and what another extension gets to see of them: no key.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../../editor/page.ts";
import { ownFolder, type Person, SOON, step, until } from "../support.ts";

const folder = await ownFolder();
const said = join(folder, "said.json");
/** An extension that asks for the accounts as any other may. */
export const stranger = join(folder, "stranger");
await mkdir(stranger);
await writeFile(
  join(stranger, "package.json"),
  JSON.stringify({
    ...{ name: "stranger", publisher: "somebody", version: "0.0.1", engines: { vscode: "^1.106.0" } },
    ...{ main: "./main.cjs", activationEvents: [], extensionKind: ["workspace"] },
    contributes: { commands: [{ command: "stranger.ask", title: "Stranger: Ask for the Account" }] },
  }),
);
await writeFile(
  join(stranger, "main.cjs"),
  `const { authentication, commands } = require("vscode");
const { writeFileSync } = require("node:fs");
const answer = (asked) => asked.then((given) => given ?? "nothing", (error) => ({ refused: String(error.message ?? error) }));
exports.activate = () => commands.registerCommand("stranger.ask", async () => {
  const all = [
    answer(authentication.getSession("cloudGpu", [], { silent: true })),
    answer(authentication.getSession("cloudGpu", ["api"], { silent: true })),
    answer(authentication.getSession("cloudGpu", [], { createIfNone: true })),
    answer(authentication.getAccounts("cloudGpu")),
  ];
  writeFileSync(${JSON.stringify(said)}, JSON.stringify(await Promise.all(all)));
});
`,
);

const item = ({ page }: Workbench) => page.locator('.statusbar-item[aria-label^="Cloud GPU account"]');
const entries = ({ page }: Workbench) => page.locator(".monaco-menu a.action-menu-item .action-label");

/** Opens the editor's menu, or the menu of one account in it. */
async function openAccounts(window: Workbench, account?: string): Promise<string[]> {
  await window.page.locator('.activitybar a.action-label[aria-label^="Accounts"]').click({ timeout: SOON });
  await entries(window).first().waitFor({ timeout: SOON });
  if (account !== undefined) {
    const { length } = await entries(window).all();
    await window.page.locator(".monaco-menu a.action-menu-item", { hasText: account }).hover();
    await until("its menu is open", async () => (await entries(window).all()).length > length);
  }
  return (await entries(window).allTextContents()).map((entry) => entry.trim());
}

/** Signs out of an account in the editor's menu, and says yes to the editor's own question. */
async function signOutThere(window: Workbench, account: string): Promise<void> {
  await openAccounts(window, account);
  const entry = window.page.locator(".monaco-menu a.action-menu-item", { hasText: "Sign Out" });
  // A menu ignores the mouse for its first 100 ms.
  await until("the menu reacts", async () => {
    await entry.click({ timeout: 1000 }).catch(() => undefined);
    return (await entry.count()) === 0;
  });
  await window.dialogButton("Sign Out");
}

/** Two accounts stand, and beta is in use. */
export function walkAccountsMenu(person: () => Person): void {
  step(
    "an account gets a name of one's own, which is shown from then on",
    "106-renamed",
    person,
    async ({ window }) => {
      await window.command("Cloud GPU: Switch Account…");
      await window.quickPick(/^Rename beta@example\.com/);
      await window.quickTitle("Rename Account");
      await window.quickRefused("alpha@example.com", /another account is already called alpha@example\.com/);
      await window.quickAnswer("night [job](command:x)");
      await until("the status bar has it", async () => /night/.test((await item(window).textContent()) ?? ""));
      await item(window).click();
      const items = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
      assert.match(items[1] ?? "", /^night .*beta@example\.com · http.* · now$/);
      await window.screenshot("106-renamed");
      await window.quickClose();
      await window.command("Cloud GPU: Rename Account…");
      await window.quickAnswer("night job");
      await until("it is another", async () => /night job/.test((await item(window).textContent()) ?? ""));
    },
  );

  step("the editor's Accounts menu lists the accounts", person, async ({ window }) => {
    const all = await openAccounts(window, "night job");
    assert.ok(
      all.some((entry) => entry.startsWith("alpha@example.com")),
      all.join(" | "),
    );
    assert.ok(all.includes("Sign Out"), all.join(" | "));
    await window.screenshot("107-menu-open");
    for (let turn = 0; turn < 3; turn += 1) await window.page.keyboard.press("Escape");
  });

  step(
    "another extension gets no session, whatever it asks for",
    "108-stranger",
    person,
    async ({ window, service }) => {
      await window.command("Stranger: Ask for the Account");
      await window.page.getByText("wants to sign in using Cloud GPU").waitFor({ timeout: SOON });
      await window.dialogButton("Allow");
      await until("it has its answer", () =>
        readFile(said, "utf8").then(
          (text) => text.endsWith("]"),
          () => false,
        ),
      );
      const text = await readFile(said, "utf8");
      const [silent, scoped, asked, accounts] = JSON.parse(text);
      const refused = "Cloud GPU accounts can't be used by other extensions.";
      assert.deepEqual([silent, scoped, asked], ["nothing", "nothing", { refused }]);
      assert.deepEqual(
        accounts.map(({ label }: { label: string }) => label),
        ["alpha@example.com", "night job"],
        "it can read the names",
      );
      for (const hidden of [service.apiKey, new URL(service.url).host]) assert.ok(!text.includes(hidden));
    },
  );

  step(
    "the menu signs out of the account in use; for another one it says what comes first",
    person,
    async ({ window }) => {
      await signOutThere(window, "alpha@example.com");
      await window.waitForNotification(/^You're still signed in to alpha@example\.com\. Switch to it first/);
      assert.match((await item(window).textContent()) ?? "", /night job/);
      await window.screenshot("109-first");
      await window.notificationButton("Switch Account");
      await until("alpha is in use", async () => /alpha/.test((await item(window).textContent()) ?? ""));
      await signOutThere(window, "alpha@example.com");
      await window.page.getByText("You're signed out.").first().waitFor({ timeout: SOON });
      const left = await openAccounts(window);
      assert.ok(
        left.some((entry) => entry.startsWith("night job")) && !left.some((entry) => /alpha/.test(entry)),
        left.join(),
      );
      await window.page.keyboard.press("Escape");
    },
  );
}
