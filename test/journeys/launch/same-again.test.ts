// What was rented is remembered after it is gone, in its account alone, and proposed again at today's price.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { InstanceId } from "../../../src/domain/base/id.ts";
import { CreateInstanceBody } from "../../../src/domain/launch/create-request.ts";
import {
  type LaunchDraft,
  toLaunchPlan,
  toPlanWithoutOffer,
  withoutNeeds,
} from "../../../src/domain/launch/launch-draft.ts";
import { toLaunchRequest } from "../../../src/domain/launch/launch-plan.ts";
import { getPastPrice, PastRental, toPastInstance } from "../../../src/domain/launch/past-rental.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { getRuntype, Template, withTag } from "../../../src/domain/template/template.ts";
import { buildSummary } from "../../../src/present/launch/summary.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { LaunchEdit } from "../../../src/services/launch/configure/launch-edit.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { proposeAgain } from "../../../src/services/launch/rent-again.ts";
import { planFor } from "../editor-window.ts";
import { cheapest, editorWindow, makeUserData, middleman, sandbox } from "../support.ts";

/** A window in an account of a service that isn't a sandbox to it. */
async function signedIn(through = async (url: string) => url) {
  const service = await sandbox();
  const userData = makeUserData();
  const window = editorWindow(userData);
  await window.session.signIn(await through(service.url), service.apiKey);
  return { ...window, service, userData, look: () => window.instances.collection.refresh() };
}

test("an instance that is gone is proposed again, on a machine of its kind, with its price then and now", async () => {
  const window = await signedIn();
  const { pastRentals, look } = window;
  await look();
  assert.deepEqual(pastRentals.list(window.me()), []);
  const offer = await cheapest(window);
  const outcome = await window.rent({ ...planFor(offer, "train"), image: "pytorch/pytorch" }, createIntent());
  assert.equal(outcome.kind, "rented");
  await look();
  const [rented] = pastRentals.list(window.me());
  assert.ok(rented && rented.gone === undefined);
  assert.ok(await window.destroy(rented.record.id));
  await look();
  const [past] = pastRentals.list(window.me());
  assert.ok(past?.gone !== undefined, "it is known to be gone");
  const value = toPastInstance(past);
  const { draft, price } = await proposeAgain(window, window.me(), { value, raw: { ...past.record } });
  assert.deepEqual([draft.image, draft.diskGb, draft.label], ["pytorch/pytorch", 8, "train"]);
  assert.deepEqual([draft.offer?.gpu_name, draft.offer?.num_gpus], [offer.gpu_name, offer.num_gpus]);
  assert.ok(price !== undefined && (getPastPrice(past) ?? 0) > 0);
  assert.equal(window.service.world.listInstances().length, 0, "nothing is rented by a proposal");
});

test("a list with gaps takes nothing for gone, and another account or one that was left has none of it", async () => {
  let hasGaps = false;
  const dropRows = (path: string, status: number, text: string) =>
    hasGaps && path.startsWith("/api/v1/instances/")
      ? { status, text: JSON.stringify({ ...JSON.parse(text), instances: [], instances_found: 0 }) }
      : { status, text };
  const window = await signedIn((url) => middleman(url, dropRows));
  const { pastRentals, look } = window;
  await window.rent(planFor(await cheapest(window)), createIntent());
  await look();
  const account = window.me();
  assert.equal(pastRentals.list(account).length, 1);
  hasGaps = true;
  await look();
  assert.deepEqual(
    pastRentals.list(account).map(({ gone }) => gone),
    [undefined],
  );
  hasGaps = false;
  const other = await sandbox({ seed: 3 });
  await window.session.signIn(other.url, other.apiKey);
  await look();
  assert.deepEqual(pastRentals.list(window.me()), []);
  await window.session.switchTo(account.profile);
  assert.equal(pastRentals.list(window.me()).length, 1);
  await window.session.signOut();
  assert.deepEqual(pastRentals.list(account), []);
});

test("where nothing can be listed, an instance that isn't shown any more isn't said to be gone", async () => {
  const nowhere = { status: 404, text: "<html>404 page not found</html>" };
  const window = await signedIn((url) =>
    middleman(url, (path, status, text) =>
      /^\/api\/v[01]\/instances\/(\?|$)/.test(path) ? nowhere : { status, text },
    ),
  );
  const { pastRentals, spending, look, me } = window;
  const offer = window.service.world.offers.find((one) => window.service.world.isRentable(one));
  assert.ok(offer);
  const { id } = createInstance(window.service.world, offer.id, { image: "a/b", runtype: "ssh_direct" });
  await look();
  const { value } = await window.instances.track(InstanceId.parse(id));
  await look();
  assert.equal(pastRentals.list(me())[0]?.gone, undefined);
  window.instances.untrack(value.id);
  await look();
  const [past, ...more] = pastRentals.list(me());
  assert.ok(past && more.length === 0);
  assert.equal(past.gone, undefined, "it may still be rented");
  const { stretches } = await spending.read(me(), { from: 0, to: Date.now() });
  assert.ok(
    stretches.every(({ low, high }) => low > 0 && low === high),
    "nor is it said to have ended",
  );
});

test("a virtual machine is proposed where there are any, unless it is to be none; arguments where the image gets them", async () => {
  const window = await signedIn();
  const { offers } = await window.offers.search({ ...anySearch, filters: { vms_enabled: { eq: true } } });
  const host = offers.find(({ num_gpus: count }) => count === 1);
  assert.ok(host);
  const kind = { id: InstanceId.parse(5), gpu_name: host.gpu_name, num_gpus: 1, image_uuid: "a/b", disk_space: 8 };
  const again = (image_runtype: string, raw: Record<string, unknown>) =>
    proposeAgain(window, window.me(), { value: { ...kind, image_runtype }, raw: { ...kind, ...raw } });
  const { draft } = await again("ssh_direc", { is_vm: true, image_args: "serve" });
  assert.deepEqual([draft.configuration, draft.search.filters.vms_enabled], [{ vm: true }, { eq: true }]);
  assert.ok(draft.offer && offers.some(({ id }) => id === draft.offer?.id));
  assert.equal(withoutNeeds(draft).filters.vms_enabled, undefined);
  assert.equal(draft.fresh.filters.vms_enabled, undefined);
  CreateInstanceBody.parse(toLaunchRequest(toPlanWithoutOffer(draft), "label", 0));
  const container = await again("args", { is_vm: false, image_args: "serve" });
  assert.deepEqual(container.draft.configuration, { args_str: "serve" });
  assert.equal(container.draft.search.filters.vms_enabled, undefined);
  const [stored] = window.service.world.templates.list();
  assert.ok(stored);
  Object.assign(stored, { extra_filters: { vms_enabled: { eq: true } } });
  const ofTemplate = await proposeAgain(window, window.me(), {
    value: { ...kind, template_hash_id: stored.hash_id },
    raw: { ...kind, is_vm: true },
  });
  assert.equal(ofTemplate.draft.template?.hash_id, stored.hash_id);
  assert.deepEqual(ofTemplate.draft.search.filters.vms_enabled, { eq: true });
});

test("what a launch changed of its template's image and mode is proposed again, and nothing of what it didn't", async () => {
  const window = await signedIn();
  const stored = window.service.world.templates.list().find(({ runtype, image }) => runtype === "ssh" && image !== "");
  assert.ok(stored);
  const template = Template.parse(stored);
  const ofTemplate = { image_uuid: withTag(stored.image, stored.tag), image_runtype: getRuntype(template) };
  const unchanged = { image: undefined, runtype: undefined };
  const again = async (record: Record<string, string>) => {
    const value = { id: InstanceId.parse(5), gpu_name: "RTX 3090", num_gpus: 1, template_hash_id: stored.hash_id };
    const { image, runtype } = (await proposeAgain(window, window.me(), { value: { ...value, ...record }, raw: value }))
      .draft;
    return { image, runtype };
  };
  for (const [record, expected] of [
    [ofTemplate, unchanged],
    [{}, unchanged],
    [{ image_uuid: "not an image", image_runtype: "kubernetes" }, unchanged],
    [{ ...ofTemplate, image_uuid: `${stored.image}@sha256:${"0".repeat(64)}` }, unchanged],
    [
      { ...ofTemplate, image_uuid: "ghcr.io/me/own:2" },
      { image: "ghcr.io/me/own:2", runtype: undefined },
    ],
    [
      { ...ofTemplate, image_uuid: `${stored.image}:mine` },
      { image: `${stored.image}:mine`, runtype: undefined },
    ],
    [
      { ...ofTemplate, image_runtype: "jupyter_direc ssh_direc ssh_proxy" },
      { ...unchanged, runtype: "jupyter_direct" },
    ],
    [
      { ...ofTemplate, image_runtype: "args" },
      { ...unchanged, runtype: "args" },
    ],
  ] as const)
    assert.deepEqual(await again(record), expected, JSON.stringify(record));
});

test("a registry login that a launch had is asked for again, in a later window as well, and where it is known no more", async () => {
  const { service, userData, ...window } = await signedIn();
  const configuration = { env: { MODE: "train" }, image_login: "-u me -p t0k-canary ghcr.io" };
  const offer = await cheapest(window);
  await window.rent({ ...planFor(offer), image: "me/own:1", configuration }, createIntent());
  await window.rent({ ...planFor(await cheapest(window, 1)), image: "me/open:1" }, createIntent());
  for (const name of await readdir(userData.folder))
    assert.doesNotMatch(await readFile(join(userData.folder, name), "utf8"), /t0k-canary/, name);
  type Window = Parameters<typeof proposeAgain>[0] & Pick<ReturnType<typeof editorWindow>, "me">;
  const again = async (from: Window, image: string) => {
    const { rows } = await from.me().client.listInstances(undefined);
    const row = rows.find(({ value }) => value.image_uuid === image) ?? assert.fail();
    return (await proposeAgain(from, from.me(), row)).draft;
  };
  const warningsOf = (draft: LaunchDraft) =>
    buildSummary(toLaunchPlan({ ...draft, offer: draft.offer ?? assert.fail() }), "x", 0).mismatches;
  const later = editorWindow(userData);
  await later.session.restore();
  for (const from of [window, later]) {
    const draft = await again(from, "me/own:1");
    assert.deepEqual(draft.configuration, { env: { MODE: "train" } });
    assert.match(warningsOf(draft).join(), /original instance's registry login wasn't saved/);
    assert.deepEqual(warningsOf(await again(from, "me/open:1")), []);
    const edit = await LaunchEdit.open(from, from.me(), draft, false);
    const login = { login_registry: "ghcr.io", login_user: "me", login_token: "t0k" };
    const entered = await edit.finish({ ...edit.form, ...login });
    assert.equal(entered.configuration?.image_login, "-u me -p t0k ghcr.io");
    assert.deepEqual(warningsOf(entered), []);
  }
  const elsewhere = editorWindow(makeUserData());
  await elsewhere.session.signIn(service.url, service.apiKey);
  assert.deepEqual(warningsOf(await again(elsewhere, "me/own:1")), [], "nothing is known there");
});

test("no machine of the kind is no offer", async () => {
  const window = await signedIn();
  const past = PastRental.parse({
    record: { id: 5, gpu_name: "RTX 9999", num_gpus: 3, image_uuid: "a/b", disk_space: 10 },
    seen: 0,
  });
  const { draft, price } = await proposeAgain(window, window.me(), {
    value: toPastInstance(past),
    raw: { ...past.record },
  });
  assert.deepEqual([draft.offer, price, draft.image], [undefined, undefined, "a/b"]);
});
