// A launch in the making: what another template changes, and what it must not.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LaunchConfiguration } from "../../../../src/domain/launch/launch-configuration.ts";
import {
  emptyDraft,
  type LaunchDraft,
  toLaunchPlan,
  withChoice,
  withOwnImage,
  withoutLostVolume,
  withoutNeeds,
  withSshImage,
  withTemplate,
  withTemplateNow,
  withVolume,
  withWhat,
} from "../../../../src/domain/launch/launch-draft.ts";
import { readLaunchAccess, toLaunchRequest } from "../../../../src/domain/launch/launch-plan.ts";
import { anySearch } from "../../../../src/domain/offer/offer-search.ts";
import { Template } from "../../../../src/domain/template/template.ts";
import { OFFER, TEMPLATE } from "../../support.ts";

const template = (fields: Readonly<Record<string, unknown>>) => Template.parse({ ...TEMPLATE, ...fields });
const BIG = template({
  hash_id: "big",
  recommended_disk_space: 50,
  extra_filters: { num_gpus: { gte: 4 } },
});

test("a draft begins empty, with our own search and the smallest disk", () =>
  assert.deepEqual(emptyDraft, {
    template: undefined,
    image: undefined,
    runtype: undefined,
    search: anySearch,
    fresh: anySearch,
    offer: undefined,
    pricedGb: 8,
    diskGb: 8,
    label: "",
    bid: undefined,
  }));

describe("an image is chosen for a run", () => {
  test("it takes the place of the template: with SSH, and nothing of what the template had", () => {
    const now = withSshImage({ ...withTemplate(emptyDraft, BIG), offer: OFFER, label: "mine" }, "a/b:1");
    const search = { ...anySearch, diskGb: 32 };
    const chosen = { image: "a/b:1", runtype: "ssh", label: "mine" } as const;
    assert.deepEqual(now, { ...emptyDraft, ...chosen, search, fresh: search, diskGb: 32 });
    const plan = toLaunchPlan({ ...now, offer: OFFER });
    assert.deepEqual(toLaunchRequest(plan, "l", 0), {
      ...{ image: "a/b:1", runtype: "ssh", disk: 32, label: "l", cancel_unavail: true, target_state: "running" },
    });
    assert.equal(readLaunchAccess(plan).hasSsh, true);
  });

  test("the same one again keeps the offer", () => {
    const chosen = { ...withSshImage(emptyDraft, "a/b"), offer: OFFER };
    assert.equal(withSshImage(chosen, "a/b"), chosen);
  });
});

describe("a template is chosen", () => {
  test("its search is merged over ours, its disk is the disk, and what it replaces is gone", () => {
    const before: LaunchDraft = { ...emptyDraft, image: "a/b", runtype: "ssh", offer: OFFER, label: "mine", diskGb: 9 };
    const now = withTemplate(before, BIG);
    const search = { ...anySearch, filters: { ...anySearch.filters, num_gpus: { gte: 4 } }, diskGb: 50 };
    assert.deepEqual(now, {
      ...emptyDraft,
      template: BIG,
      search,
      fresh: search,
      diskGb: 50,
      label: "mine",
      configuration: undefined,
      volumePrice: undefined,
      volumeMachine: undefined,
      lostLogin: undefined,
    });
    assert.equal(withTemplate(emptyDraft, TEMPLATE).diskGb, 8);
  });

  test("the same one again keeps what was changed since", () => {
    const changed = { ...withTemplate(emptyDraft, BIG), diskGb: 60, offer: OFFER };
    assert.equal(withTemplate(changed, BIG), changed);
    assert.equal(withTemplate(changed, TEMPLATE).offer, undefined);
  });
});

describe("what runs on an offer that was chosen first", () => {
  const offerFirst: LaunchDraft = { ...emptyDraft, offer: OFFER, diskGb: 50, pricedGb: 50, label: "mine" };
  const volume_info = { create_new: true, volume_id: 7, size: 10, mount_path: "/data" };
  const configuration = {
    env: { TOKEN_OF: "this" },
    image_login: "-u me -p t0k ghcr.io",
    onstart: "echo own",
    volume_info,
  };
  const configured = { configuration, volumePrice: 0.1, volumeMachine: 3, runtype: "ssh" } as const;
  const none = {
    configuration: undefined,
    volumePrice: undefined,
    volumeMachine: undefined,
    lostLogin: undefined,
    runtype: undefined,
  };

  test("begins anew with each template or image, on the same offer", () => {
    const ofImage: LaunchDraft = { ...offerFirst, image: "c/d", ...configured };
    const ofTemplate: LaunchDraft = { ...offerFirst, template: TEMPLATE, ...configured };
    const big = { ...offerFirst, template: BIG, image: undefined, ...none };
    const disk = Math.max(50, BIG.recommended_disk_space ?? 0);
    assert.deepEqual(withWhat(ofImage, BIG), { ...big, diskGb: disk });
    assert.deepEqual(withWhat(ofTemplate, BIG), { ...big, diskGb: disk });
    assert.deepEqual(withWhat(ofTemplate, undefined), { ...offerFirst, template: undefined, image: "", ...none });
  });

  test("an own image gets 32 GB if the machine has them, and never less than was searched with", () => {
    const disk = (free: number | undefined, pricedGb = 8) =>
      withWhat({ ...emptyDraft, pricedGb, diskGb: pricedGb, offer: { ...OFFER, disk_space: free } }, undefined).diskGb;
    const table = [
      [500, 8, 32],
      [20.7, 8, 20],
      [undefined, 8, 32],
      [500, 80, 80],
    ] as const;
    for (const [free, searched, expected] of table) assert.equal(disk(free, searched), expected);
  });

  test("keeps what was changed if it is the same again", () => {
    const ofImage: LaunchDraft = { ...offerFirst, image: "c/d", ...configured };
    const ofTemplate: LaunchDraft = { ...offerFirst, template: BIG, ...configured };
    assert.equal(withWhat(ofTemplate, BIG), ofTemplate);
    assert.equal(withWhat(ofImage, undefined), ofImage);
  });
});

describe("an own image is chosen before the offer", () => {
  test("it takes the place of the template and of everything that the template asked for", () => {
    const before: LaunchDraft = { ...withTemplate(emptyDraft, BIG), offer: OFFER, label: "mine", image: "c/d" };
    const now = withOwnImage(before);
    const search = { ...anySearch, diskGb: 32 };
    const none = { configuration: undefined, volumePrice: undefined, volumeMachine: undefined, lostLogin: undefined };
    assert.deepEqual(now, { ...emptyDraft, image: "", search, fresh: search, diskGb: 32, label: "mine", ...none });
  });

  test("keeps what was changed if it is chosen again", () => {
    const named: LaunchDraft = { ...withOwnImage(emptyDraft), image: "c/d", offer: OFFER };
    assert.equal(withOwnImage(named), named);
  });
});

describe("a template was edited meanwhile", () => {
  const chosen: LaunchDraft = { ...withTemplate(emptyDraft, BIG), offer: OFFER };

  test("no template, or one that is as it was, changes nothing", () => {
    assert.equal(withTemplateNow(emptyDraft, BIG), emptyDraft);
    assert.equal(withTemplateNow(chosen, BIG), chosen);
  });

  test("the offer stays as long as the same machines are asked for", () => {
    const edited = { ...BIG, ...template({ hash_id: "later", image: "c/d" }), extra_filters: BIG.extra_filters };
    const now = withTemplateNow(chosen, edited);
    assert.equal(now.offer, OFFER);
    assert.equal(now.template, edited);
    const other = template({ hash_id: "later", extra_filters: { num_gpus: { gte: 8 } } });
    const anew = withTemplateNow(chosen, other);
    assert.equal(anew.offer, undefined);
    assert.deepEqual(anew.search.filters, { ...anySearch.filters, num_gpus: { gte: 8 } });
  });

  test("an offer that was chosen before the template stays, whatever machines it asks for", () => {
    const offerFirst: LaunchDraft = { ...emptyDraft, template: BIG, offer: OFFER, diskGb: 50 };
    const other = template({ hash_id: "later", extra_filters: { num_gpus: { gte: 8 } }, recommended_disk_space: 70 });
    const now = withTemplateNow(offerFirst, other);
    assert.equal(now.offer, OFFER);
    assert.equal(now.search, anySearch);
    assert.equal(now.diskGb, 70);
  });

  test("what was configured stays, also where it asks for other machines, which are to have what that needs", () => {
    const volume_info = { create_new: false, volume_id: 7, mount_path: "/data" };
    const configuration = { env: { A: "1" }, vm: true, volume_info };
    const own = { image: "c/d", runtype: "ssh_proxy", label: "mine", diskGb: 60, configuration } as const;
    const other = template({ hash_id: "later", extra_filters: { num_gpus: { gte: 8 } }, recommended_disk_space: 70 });
    const now = withTemplateNow({ ...chosen, ...own, volumeMachine: 3 }, other);
    assert.deepEqual([now.offer, now.template, now.volumeMachine], [undefined, other, 3]);
    for (const [field, value] of Object.entries(own)) assert.deepEqual(now[field as keyof typeof own], value, field);
    const needs = { vms_enabled: { eq: true }, machine_id: { eq: 3 } };
    assert.deepEqual(now.search.filters, { ...anySearch.filters, num_gpus: { gte: 8 }, ...needs });
    assert.deepEqual(withoutNeeds(now).filters, now.fresh.filters);
    const bare = withTemplateNow(chosen, other);
    assert.deepEqual([bare.diskGb, bare.search], [70, bare.fresh]);
  });

  test("its disk follows, unless the person chose another", () => {
    const edited = template({ ...BIG, hash_id: "later", recommended_disk_space: 70 });
    assert.equal(withTemplateNow(chosen, edited).diskGb, 70);
    assert.equal(withTemplateNow({ ...chosen, diskGb: 60 }, edited).diskGb, 60);
  });
});

test("a draft with an offer becomes the plan it shows; a bid counts only where one bids", () => {
  const draft = { ...withTemplate(emptyDraft, BIG), offer: OFFER, bid: 0.4, label: "mine" };
  const plan = {
    template: BIG,
    image: undefined,
    runtype: undefined,
    offer: OFFER,
    type: "ondemand",
    diskGb: 50,
    label: "mine",
    bid: undefined,
    end: undefined,
    idle: undefined,
    configuration: undefined,
    job: undefined,
    volumePrice: undefined,
    volumeMachine: undefined,
    lostLogin: undefined,
    askedBy: undefined,
  };
  assert.deepEqual(toLaunchPlan(draft), plan);
  const bidding = { ...draft, search: { ...draft.search, type: "bid" as const } };
  assert.deepEqual(toLaunchPlan(bidding), { ...plan, type: "bid", bid: 0.4 });
});

describe("a form is filled in", () => {
  const draft = { ...withTemplate(emptyDraft, BIG), offer: OFFER };
  const rest = { image: undefined, runtype: undefined, diskGb: 50, label: "", bid: undefined };
  const choose = (configuration: LaunchConfiguration, volume = {}, of: LaunchDraft = draft) =>
    withChoice(of, { ...rest, configuration }, volume);
  const LINK = { volume_id: 1, mount_path: "/data" };

  test("of nothing: nothing is configured", () => {
    assert.deepEqual(choose({}), draft);
    assert.equal(choose({}).search, draft.fresh, "the last search of the template still counts");
  });

  test("with what takes the template's place", () => {
    const choice = { image: "c/d", runtype: "args" as const, diskGb: 60, label: "mine", bid: 0.5 };
    const now = withChoice(draft, { ...choice, configuration: { lang_utf8: true } });
    assert.deepEqual(now, {
      ...{ ...draft, ...choice, configuration: { lang_utf8: true }, volumePrice: undefined, volumeMachine: undefined },
    });
  });

  test("with a volume: the machine is the one that has it, and goes by it", () => {
    const here = choose({ volume_info: LINK }, { machine: OFFER.machine_id });
    assert.deepEqual([here.offer, here.search, here.volumeMachine], [OFFER, draft.search, OFFER.machine_id]);
    const elsewhere = choose({ volume_info: LINK }, { machine: 99 });
    assert.deepEqual([elsewhere.offer, elsewhere.volumeMachine], [undefined, 99]);
    assert.deepEqual(elsewhere.search.filters, { ...draft.search.filters, machine_id: { eq: 99 } });
    const anywhere = choose({ volume_info: LINK });
    assert.deepEqual([anywhere.offer, anywhere.search, anywhere.volumeMachine], [OFFER, draft.search, undefined]);
  });

  test("with a new volume: it is made on the machine of the offer, also where nothing is known of it", () => {
    const made = { create_new: true, size: 10, ...LINK };
    for (const facts of [{ price: 0.02 }, {}]) {
      const now = choose({ volume_info: made }, facts);
      assert.deepEqual([now.offer, now.volumeMachine, now.volumePrice], [OFFER, OFFER.machine_id, facts.price]);
      // Of another offer, it would be another machine's.
      const vm = choose({ volume_info: made, vm: true }, facts);
      assert.equal(vm.offer, undefined);
      assert.deepEqual(vm.search.filters.machine_id, { eq: OFFER.machine_id });
    }
  });

  test("with a virtual machine: an offer that has any is to be chosen, once", () => {
    const now = choose({ vm: true });
    assert.equal(now.offer, undefined);
    assert.deepEqual(now.search.filters.vms_enabled, { eq: true });
    assert.equal(choose({ vm: true }, {}, { ...now, offer: OFFER }).offer, OFFER);
    const other = choose({ vm: true, volume_info: LINK }, { machine: 99 }, { ...now, offer: OFFER });
    assert.equal(other.offer, undefined);
    assert.deepEqual(other.search.filters.machine_id, { eq: 99 });
  });

  test("what it needs of a machine goes with it, and is no part of the search that is remembered", () => {
    const own = { ...draft, search: { ...draft.search, filters: { ...draft.search.filters, gpu_ram: { gte: 1 } } } };
    const needy = { ...choose({ vm: true, volume_info: LINK }, { machine: 99 }, own), offer: OFFER };
    assert.deepEqual(withoutNeeds(needy), own.search);
    assert.deepEqual(withoutNeeds(own), own.search);
    assert.deepEqual(choose({}, {}, needy).search, own.search);
    const still = choose({ vm: true }, {}, needy);
    assert.deepEqual(still.search.filters, { ...own.search.filters, vms_enabled: { eq: true } });
    assert.equal(still.offer, OFFER);
    const moved = choose({ vm: true, volume_info: LINK }, { machine: 98 }, needy);
    assert.deepEqual(moved.search.filters.machine_id, { eq: 98 });
    assert.equal(moved.offer, undefined);
  });

  test("what a template searches for stays its search, also if a launch needs it", () => {
    const vm = template({ hash_id: "vm", extra_filters: { vms_enabled: { eq: true }, machine_id: { eq: 7 } } });
    const of = { ...withTemplate(emptyDraft, vm), offer: OFFER };
    const now = choose({ vm: true, volume_info: LINK }, { machine: 99 }, of);
    assert.deepEqual(withoutNeeds(now), of.search);
  });

  test("another template or image has none of it", () => {
    const now = choose({ volume_info: LINK, vm: true }, { machine: 99, price: 0.1 });
    for (const next of [withTemplate(now, TEMPLATE), withSshImage(now, "c/d")])
      assert.deepEqual([next.configuration, next.volumePrice, next.volumeMachine], [undefined, undefined, undefined]);
    assert.equal(withTemplate(now, BIG), now);
  });
});

describe("a volume of the account", () => {
  const on = (machine: number | undefined) => withVolume(withTemplate(emptyDraft, BIG), 5012, machine);

  test("is linked where the template says, or at the usual place, and leads to its machine", () => {
    const { configuration, search } = on(7);
    assert.deepEqual(configuration, { volume_info: { create_new: false, volume_id: 5012, mount_path: "/data" } });
    assert.deepEqual(search.filters.machine_id, { eq: 7 });
    assert.equal(on(undefined).search.filters.machine_id, undefined);
    const hinted = withTemplate(emptyDraft, template({ volume_info: { mount_path: "/models" } }));
    assert.equal(withVolume(hinted, 5012, 7).configuration?.volume_info?.mount_path, "/models");
  });

  test("goes with an offer of another machine, and stays with any other draft", () => {
    const offer = (machine_id: number | undefined) => ({ ...on(7), offer: { ...OFFER, machine_id } });
    assert.equal(withoutLostVolume(offer(8)).configuration, undefined);
    assert.equal(withoutLostVolume(offer(8)).volumeMachine, undefined);
    const more = { ...offer(8), configuration: { ...on(7).configuration, lang_utf8: true }, volumePrice: 1 };
    assert.deepEqual(withoutLostVolume(more).configuration, { lang_utf8: true });
    assert.equal(withoutLostVolume(more).volumePrice, undefined);
    for (const draft of [offer(7), on(7), { ...on(undefined), offer: OFFER }, emptyDraft])
      assert.equal(withoutLostVolume(draft), draft);
  });
});
