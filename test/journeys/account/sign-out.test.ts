// What is asked before an account is signed out of: about all that may be rented, and only of that account.
import assert from "node:assert/strict";
import { test } from "node:test";
import { buildSignOutQuestion } from "../../../src/present/account/sign-out.ts";
import { type SignOutPerson, signOut } from "../../../src/services/account/sign-out.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { planFor } from "../editor-window.ts";
import { rentRunning } from "../rent-running.ts";
import { cheapest, editorWindow, eventually, sandbox, signedIn, withHiddenList } from "../support.ts";
import { writeLaunch } from "../written.ts";

/** Someone who stays. What they were asked is kept. */
function stayer(before: () => Promise<unknown> = async () => undefined) {
  const asked: string[] = [];
  const who: SignOutPerson = {
    wait: async (reading) => {
      await before();
      return await reading();
    },
    confirm: async (billing, account) => {
      asked.push(buildSignOutQuestion(billing, account).detail);
      return false;
    },
  };
  return { ...who, asked };
}

test("another account that is switched to while the list is read isn't asked about, and nobody is signed out", async () => {
  const window = await signedIn();
  const other = await sandbox({ seed: 7 });
  rentRunning(other);
  const who = stayer(() => window.session.signIn(other.url, other.apiKey));
  await assert.rejects(signOut(window, who), /You switched accounts/);
  assert.deepEqual([who.asked, window.session.requireSignedIn().address.base], [[], other.url]);
});

test("a service that can't list instances is no proof that nothing is billed", async () => {
  const window = await signedIn({ onlyDocumented: true });
  rentRunning(window.service);
  const who = stayer();
  await signOut(window, who);
  assert.match(
    who.asked[0] ?? "",
    /^This service can't list instances\. You may have more than the ones launched here\./,
  );
  assert.equal(window.session.current.kind, "signed-in");
});

test("a launch that another window has just sent is asked about", async () => {
  const window = await signedIn();
  const second = editorWindow(window.userData);
  await second.session.restore();
  await second.instances.collection.refresh();
  await second.watch.reread();
  await writeLaunch(window, ["claimed"], { price: 1, owner: "another" });
  const who = stayer();
  await signOut(second, who);
  assert.match(who.asked[0] ?? "", /^Launches that may have rented a machine: 1\./);
  assert.equal(second.session.current.kind, "signed-in");
});

test("what another window has just rented is asked about while the list is still behind", async () => {
  const window = await signedIn();
  const list = await withHiddenList(window.service.url);
  await window.session.signIn(list.url, window.service.apiKey);
  const second = editorWindow(window.userData);
  await second.session.restore();
  await second.instances.collection.refresh();
  list.isHidden = true;
  const outcome = await window.rent(planFor(await cheapest(window)), createIntent());
  assert.equal(outcome.kind, "rented");
  const who = stayer();
  await signOut(second, who);
  assert.equal(who.asked.length, 1);
  assert.equal(second.session.current.kind, "signed-in");
});

test("what was rented at which price is forgotten although the keychain hangs", async () => {
  const window = await signedIn();
  await window.rent(planFor(await cheapest(window)), createIntent());
  const prices = () => [...window.userData.notes.keys()].filter((key) => key.startsWith("price "));
  assert.equal(prices().length, 1);
  window.userData.keys.delete = () => new Promise(() => {}) as never;
  void signOut(window, { wait: (reading) => reading(), confirm: async () => true });
  await eventually(() => window.session.current.kind === "signed-out", "it is signed out");
  await eventually(() => prices().length === 0, "and they are forgotten");
});
