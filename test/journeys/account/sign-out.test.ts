// What is asked before an account is signed out of: about all that may be rented, and only of that account.
import assert from "node:assert/strict";
import { test } from "node:test";
import { OfferId } from "../../../src/domain/base/id.ts";
import { buildSignOutQuestion } from "../../../src/present/account/sign-out.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { type SignOutPerson, signOut } from "../../../src/services/account/sign-out.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { rentRunning } from "../rent-running.ts";
import { editorWindow, sandbox, signedIn } from "../support.ts";

/** Somebody who stays. What they were asked is kept. */
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
  assert.deepEqual([who.asked, window.session.signedIn().address.base], [[], other.url]);
});

test("a service that can't list instances is no proof that nothing is billed", async () => {
  const window = await signedIn({ onlyDocumented: true });
  const { world } = window.service;
  const offer = world.offers.find((one) => world.isRentable(one));
  assert.ok(offer);
  createInstance(world, OfferId.parse(offer.id), { image: "a/b", target_state: "running" });
  const who = stayer();
  await signOut(window, who);
  assert.match(who.asked[0] ?? "", /^This service can't list instances\. There may be more than those launched here\./);
  assert.equal(window.session.current.kind, "signed-in");
});

test("a launch that another window has just sent is asked about", async () => {
  const window = await signedIn();
  const second = editorWindow(window.userData);
  await second.session.restore();
  await second.instances.collection.refresh();
  await second.watch.reread();
  const { token } = createIntent();
  const { address, tag } = window.me();
  await window.journal.prepare(token, {
    version: 1,
    origin: address.origin,
    account: tag,
    offer: OfferId.parse(5),
    machine: "x",
    price: 1,
    at: Date.now(),
    tracked: true,
    owner: "another",
  });
  await window.journal.claim(token);
  const who = stayer();
  await signOut(second, who);
  assert.match(who.asked[0] ?? "", /^Launches that may have rented a machine: 1\./);
  assert.equal(second.session.current.kind, "signed-in");
});
