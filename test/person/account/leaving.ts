// Leaving an account that pays for something: asked before signing out, and remembered while another account is in use.
import assert from "node:assert/strict";
import { after } from "node:test";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import type { Workbench } from "../../editor/page.ts";
import { type Person, SOON, step, until } from "../support.ts";
import { oneDoor } from "./two-accounts.ts";

async function signIn(window: Workbench, { url, apiKey }: Pick<Sandbox, "url" | "apiKey">): Promise<void> {
  await window.quickPick(/^Another Address/);
  await window.quickAnswer(url);
  await window.quickAnswer(apiKey);
}

const status = async (window: Workbench) => (await window.statusBar()).join("\n");

/** What the status bar's tooltip says of the account that was left. */
const LEFT = /\(signed out, needs its API key\): 1 instance at \$\d/;

/** The walk of a window in which no one has signed in; in the end no one is again. */
export function walkLeaving(person: () => Person): void {
  let other: Sandbox | undefined;
  after(async () => await other?.stop());

  step("a signed-out window shows how to begin", "150-begin", person, async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.page.getByText("Try the Sandbox").first().waitFor({ timeout: SOON });
  });

  step("signing out asks where a machine costs money; Cancel stays signed in", person, async (one) => {
    const { window, service } = one;
    const offer = service.world.offers.find((each) => service.world.isRentable(each));
    assert.ok(offer);
    service.world.setFate(offer.id, "runs");
    createInstance(service.world, offer.id, { image: "a/b", runtype: "ssh_direct", label: "night run" });
    await window.command("Cloud GPU: Sign In…");
    await signIn(window, service);
    await window.waitForRow(/^night run, instance \d+, /);
    await window.command("Cloud GPU: Sign Out");
    const dialog = await window.dialog();
    assert.match(dialog.message, /^Sign out of .+ while instances cost money\?$/);
    assert.match(dialog.detail, /^1 instance still costs \$\d.*Signing out doesn't destroy anything\./s);
    await window.screenshot("151-question");
    await window.dialogButton("Cancel");
    await window.waitForRow(/^night run, instance \d+, /);
  });

  step(
    "another account says nothing of what it rents, and what the first one pays",
    "152-elsewhere",
    person,
    async ({ window }) => {
      other = await startSandbox({ seed: 2 });
      await window.command("Cloud GPU: Switch Account…");
      await window.quickPick(/^Another Account/);
      await signIn(window, other);
      await window.page.getByText("This account has no instances.").first().waitFor({ timeout: SOON });
      await until("the status bar names the other account", async () =>
        /Nothing is rented in this account\..*: 1 instance at \$\d/s.test(await status(window)),
      );
    },
  );

  step("signing out where nothing is rented asks nothing", person, async ({ window }) => {
    await window.command("Cloud GPU: Sign Out");
    await window.page.getByText("Try the Sandbox").first().waitFor({ timeout: SOON });
  });

  step("signed out of what costs money, the status bar says so", person, async (one) => {
    const { window, service } = one;
    await chooseAccount(window, service);
    await window.waitForRow(/^night run, instance \d+, /);
    await leave(window);
    await window.screenshot("153-left");
  });

  step("a new window that shows none of our views says it as well", person, async ({ window }) => {
    await window.openContainer("Explorer");
    await window.reload();
    await until("the status bar says what costs money", async () => LEFT.test(await status(window)));
    await window.openContainer("Cloud GPU");
  });

  step("the account that was left is one click and its key away", person, async ({ window, service }) => {
    await chooseAccount(window, service);
    await window.screenshot("154-way-back");
    await window.quickPick(/^Sign In…/);
    await window.quickSays(/^API key of sandbox at /);
    await window.quickAnswer(service.apiKey);
    await window.waitForRow(/^night run, instance \d+, /);
  });

  step("what is remembered of an account can be forgotten, in every window", person, async (one) => {
    const { window, service, anotherWindow } = one;
    await leave(window);
    const second = await anotherWindow();
    await second.openContainer("Cloud GPU");
    await second.page.getByText("It may still cost money.").first().waitFor({ timeout: SOON });
    await until("another window knows it", async () => LEFT.test(await status(second)));
    await window.page.bringToFront();
    await chooseAccount(window, service);
    await window.quickPick(/^Forget This Account/);
    for (const each of [window, second]) {
      await until("it isn't named any longer", async () => !/signed out/.test(await status(each)));
      await each.page.getByText("Have an API key?").first().waitFor({ timeout: SOON });
    }
    await second.page.close();
  });

  step("another account's key is said to be one, and what was left stays in sight", person, async (one) => {
    const { window, service } = one;
    assert.ok(other);
    // Every world has the same account; two keys of one account would be one here.
    Object.assign(other.world.account, { id: service.world.account.id + 1, username: "beta@example.com" });
    const { address: url, close } = await oneDoor(service, other);
    try {
      await window.command("Cloud GPU: Sign In…");
      await signIn(window, { ...service, url });
      await window.waitForRow(/^night run, instance \d+, /);
      await leave(window);
      await chooseAccount(window, { url });
      await window.screenshot("155-row");
      await window.quickPick(/^Sign In…/);
      await window.quickAnswer(other.apiKey);
      await window.waitForNotification(
        /^This key belongs to beta@example\.com\. sandbox still has 1 instance\.$/,
        SOON,
      );
      await window.screenshot("156-another");
      await window.command("Cloud GPU: Sign Out");
      await until("no one is signed in", async () => /You're signed out/.test(await status(window)));
      await chooseAccount(window, { url });
      await window.quickPick(/^Forget This Account/);
      await window.clearNotifications();
    } finally {
      close();
    }
  });
}

/** Signs out of the account with the night run. */
async function leave(window: Workbench): Promise<void> {
  await window.command("Cloud GPU: Sign Out");
  await window.dialog();
  await window.dialogButton("Sign Out");
  await until("the status bar says what costs money", async () =>
    /You're signed out\. Sign in to see .*\(signed out, needs its API key\): 1 instance at \$\d/s.test(
      await status(window),
    ),
  );
}

/** Chooses the account of a service in the list, whether it's signed in or not. */
async function chooseAccount(window: Workbench, { url }: Pick<Sandbox, "url">): Promise<void> {
  await window.command("Cloud GPU: Switch Account…");
  const { host } = new URL(url);
  const account = (await window.quickItems()).find(({ description }) => description.includes(host));
  await window.quickPick(account?.label ?? `an account at ${host}`);
}
