// A launch that is configured: what was typed is kept in one place, volumes are asked about, and what was shown is what is rented.
import assert from "node:assert/strict";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { HOURS_PER_MONTH } from "../../../src/domain/base/money.ts";
import { emptyDraft, type LaunchDraft, toLaunchPlan, withTemplate } from "../../../src/domain/launch/launch-draft.ts";
import type { LaunchForm } from "../../../src/domain/launch/launch-form.ts";
import type { LaunchMessage } from "../../../src/domain/launch/launch-messages.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import { CREATE_FIELDS } from "../../../src/domain/launch/merge-request.ts";
import { toNewTemplate } from "../../../src/domain/launch/new-template.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { packScript, unpackScript } from "../../../src/domain/template/packed-script.ts";
import { Template } from "../../../src/domain/template/template.ts";
import type { TemplateLaunch } from "../../../src/domain/template/template-proposals.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import {
  keepChoice,
  LaunchEdit,
  withKeptChoice,
  withProposedChoice,
} from "../../../src/services/launch/configure/launch-edit.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { assertKeyForVm } from "../../../src/services/launch/notice-keys.ts";
import { fastClock, type Parts, planFor, secretsInMemory } from "../editor-window.ts";
import { findForms, formsOf } from "../secret-forms.ts";
import {
  cheapest,
  cleanUp,
  editorWindow,
  levelTraffic,
  makeUserData,
  middleman,
  pass,
  sandbox,
  serve,
  signedIn,
} from "../support.ts";

const VARIABLE = "variable-canary-0123456789";
const TOKEN = "registry-canary-0123456789";
const SCRIPT = "script-canary-0123456789";
/** Typed over a template's values. */
const TYPED: Partial<LaunchForm> = {
  ...{ env: `-e MODE=slow -e HF_TOKEN=${VARIABLE}`, onstart: `login ${SCRIPT}`, python_utf8: true },
  ...{ login_registry: "ghcr.io", login_user: "me", login_token: TOKEN },
  ...{ disk: "20", label: "mine" },
};
const template = (hash_id: string, fields: Readonly<Record<string, unknown>> = {}) =>
  Template.parse({
    hash_id,
    name: "T",
    image: "a/b",
    runtype: "ssh",
    ssh_direct: true,
    env: "-e MODE=fast",
    ...fields,
  });
const ofTemplate = (hash = "abc123", fields = {}): LaunchDraft => withTemplate(emptyDraft, template(hash, fields));

/** A window in which launches are configured, and everything that its secret storage holds. */
async function atForm(options: SandboxOptions = {}, parts: Parts = {}) {
  const draftSecrets = secretsInMemory();
  const window = await signedIn(options, { clock: fastClock, draftSecrets, ...parts });
  return { ...window, ...formsOfWindow(window), kept: draftSecrets.kept };
}

function formsOfWindow(window: ReturnType<typeof editorWindow>) {
  const open = (draft: LaunchDraft, mustRun = false) => LaunchEdit.open(window, window.me(), draft, mustRun);
  const type = async (draft: LaunchDraft, changes: Partial<LaunchForm>) => {
    const edit = await open(draft);
    return await edit.change({ ...edit.form, ...changes });
  };
  const finish = async (draft: LaunchDraft, changes: Partial<LaunchForm>) => {
    const edit = await open(draft);
    return await edit.finish({ ...edit.form, ...changes });
  };
  return { open, type, finish };
}

/** Every file below a folder. */
function readAll(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, "latin1"));
}

const refused = (field: string, message: RegExp) => (error: unknown) =>
  error instanceof AppError &&
  error.kind === "rejected" &&
  error.facts.notSent === true &&
  Object.keys(error.facts.fields ?? {}).join() === field &&
  message.test(error.message);

describe("what was typed", () => {
  test("is kept in the secret storage, and nowhere else", async () => {
    const window = await atForm();
    assert.ok(await window.type(ofTemplate(), TYPED));
    const secrets = new Map([VARIABLE, TOKEN, SCRIPT].map((one) => [one, formsOf(one)]));
    const { root, notes, workspaceNotes, profiles } = window.userData;
    const written = [notes, workspaceNotes, profiles].map((one) => JSON.stringify([...one]));
    assert.deepEqual(findForms([...readAll(root), ...written], secrets), []);
    assert.equal(window.kept.size, 1);
    const [text = ""] = window.kept.values();
    assert.equal(findForms([text], secrets).length, secrets.size);
    const { disk: _, label: __, ...rest } = TYPED;
    assert.deepEqual(JSON.parse(text), rest, "a disk and a label belong to one machine");
  });

  test("is kept with its mistakes, of which no request is made", async () => {
    const window = await atForm();
    assert.equal(await window.type(ofTemplate(), { ...TYPED, login_token: "" }), undefined);
    const { form, isRestored } = await window.open(ofTemplate());
    assert.deepEqual([form.login_user, form.login_token, isRestored], ["me", "", true]);
  });

  test("is in the form of the template's next launch, and in no other", async () => {
    const window = await atForm();
    await window.type(ofTemplate(), TYPED);
    const again = await window.open(ofTemplate());
    const { disk: _, label: __, ...rest } = TYPED;
    assert.deepEqual(again.form, { ...again.context.base, ...rest });
    assert.equal(again.isRestored, true);
    for (const draft of [ofTemplate("other"), { ...emptyDraft, image: "a/b", runtype: "ssh_direct" } as const])
      assert.equal((await window.open(draft)).isRestored, false);
    const other = await sandbox({ seed: 2 });
    await window.session.signIn(other.url, other.apiKey);
    assert.equal((await window.open(ofTemplate())).isRestored, false);
  });

  test("counts less than what this launch was configured with", async () => {
    const window = await atForm();
    await window.type(ofTemplate(), TYPED);
    const { form, isRestored } = await window.open({ ...ofTemplate(), configuration: { lang_utf8: true } });
    assert.deepEqual([form.lang_utf8, form.python_utf8, isRestored], [true, false, false]);
  });

  test("of an image comes back where none is chosen yet, and never in place of one", async () => {
    const window = await atForm();
    await window.type(emptyDraft, { image: "c/d", lang_utf8: true });
    const again = await window.open(emptyDraft);
    assert.deepEqual([again.form.image, again.form.lang_utf8, again.isRestored], ["c/d", true, true]);
    const { form, isRestored } = await window.open({ ...emptyDraft, image: "a/b", runtype: "ssh" });
    assert.deepEqual([form.image, form.runtype, form.lang_utf8, isRestored], ["a/b", "ssh", false, false]);
  });

  test("is gone once it is reset or forgotten", async () => {
    const window = await atForm();
    for (const end of ["reset", "forget"] as const) {
      await window.type(ofTemplate(), TYPED);
      const edit = await window.open(ofTemplate());
      if (end === "reset") await edit.change(edit.context.base);
      else await window.launchForms.forget(window.me(), ofTemplate().template);
      assert.equal(window.kept.size, 0);
      assert.equal((await window.open(ofTemplate())).isRestored, false);
    }
  });

  test("is gone once its account is signed out of, and another account's stays", async () => {
    const window = await atForm();
    const other = await sandbox({ seed: 2 });
    const { session, service, userData, kept } = window;
    const { profile } = window.me();
    await window.type(ofTemplate(), TYPED);
    await window.type(emptyDraft, { image: "c/d", login_token: TOKEN });
    await session.signIn(other.url, other.apiKey);
    const stays = await window.open(ofTemplate("other"));
    await stays.change({ ...stays.form, jupyter_dir: "stays" });
    await session.switchTo(profile);
    const edit = await window.open(ofTemplate());
    await session.signOut();
    await edit.change({ ...edit.form, jupyter_dir: "typed too late" });
    assert.equal(kept.size, 1, "the other account's");
    assert.doesNotMatch(JSON.stringify([...userData.notes]), /canary/);
    await session.signIn(service.url, service.apiKey);
    for (const draft of [ofTemplate(), emptyDraft]) assert.equal((await window.open(draft)).isRestored, false);
    await session.signIn(other.url, other.apiKey);
    assert.equal((await window.open(ofTemplate("other"))).isRestored, true);
  });

  test("isn't in the form again after signing out, even if the storage couldn't remove it", async () => {
    const secrets = secretsInMemory();
    const remove = async () => assert.fail("no keyring");
    const window = await atForm({}, { draftSecrets: { read: secrets.read, store: secrets.store, remove } });
    await window.type(ofTemplate(), TYPED);
    await window.session.signOut();
    await window.session.signIn(window.service.url, window.service.apiKey);
    assert.equal(secrets.kept.size, 1);
    assert.equal((await window.open(ofTemplate())).isRestored, false);
  });

  test("is the last of what was typed, however fast", async () => {
    const window = await atForm();
    const edit = await window.open(ofTemplate());
    await Promise.all(["a", "ab", "abc"].map((jupyter_dir) => edit.change({ ...edit.form, jupyter_dir })));
    assert.equal((await window.open(ofTemplate())).form.jupyter_dir, "abc");
  });

  test("is no part of a form that doesn't ask for it, and is still there in one that does", async () => {
    const ofOne = { volume: "link", volume_id: "27000001", mount_path: "/data", vm: true } as const;
    const typed = { ...ofOne, target_state: "stopped", lang_utf8: true } as const;
    for (const [mustRun, isForSeveral, hidden] of [
      [true, true, ["volume", "volume_id", "mount_path", "vm", "target_state"]],
      [true, false, ["target_state"]],
      [false, true, ["volume", "volume_id", "mount_path", "vm"]],
      [false, false, []],
    ] as const) {
      const window = await atForm();
      await window.type(ofTemplate(), typed);
      const { form, context, ...edit } = await LaunchEdit.open(
        ...([window, window.me(), ofTemplate(), mustRun, isForSeveral] as const),
      );
      const base = Object.fromEntries(hidden.map((field) => [field, context.base[field]]));
      assert.deepEqual(form, { ...context.base, ...typed, ...base });
      assert.equal(edit.isRestored, true);
      const again = await LaunchEdit.open(window, window.me(), ofTemplate(), mustRun, isForSeveral);
      await again.change({ ...again.form, python_utf8: true });
      const alone = await window.open(ofTemplate());
      assert.deepEqual(alone.form, { ...alone.context.base, ...typed, python_utf8: true });
    }
  });

  test("isn't needed: a storage that fails, or holds what nobody can read, stops no launch", async () => {
    const fails = async () => assert.fail("no keyring");
    const window = await atForm({}, { draftSecrets: { read: fails, store: fails, remove: fails } });
    assert.ok(await window.type(ofTemplate(), TYPED));
    const odd = await atForm();
    await odd.type(ofTemplate(), TYPED);
    for (const text of ["", "{", '{"later":1}', '{"vm":"yes"}', "[]"]) {
      for (const name of odd.kept.keys()) odd.kept.set(name, text);
      const { form, context, isRestored } = await odd.open(ofTemplate());
      assert.deepEqual([form, isRestored], [context.base, false], text);
    }
  });
});

test("an account that is left gets nothing of an open form: it is refused, and nobody is asked", async () => {
  const window = await atForm();
  const edit = await window.open(ofTemplate());
  const other = await sandbox({ seed: 2 });
  await window.session.signIn(other.url, other.apiKey);
  const before = window.lines.length;
  const form = { ...edit.form, volume: "link", volume_id: "27000001", mount_path: "/data" } as const;
  await assert.rejects(edit.finish(form), /switched accounts/);
  assert.equal(window.lines.length, before);
  assert.equal(window.creates().length, 0);
});

test("a form with an error is refused at its field", async () => {
  const window = await atForm();
  await assert.rejects(window.finish(ofTemplate(), { disk: "1" }), refused("disk", /8 GB/));
  await assert.rejects(
    window.finish(ofTemplate(), { onstart: `#!/usr/bin/python3\n${"#".repeat(5000)}` }),
    /interpreter/,
  );
});

describe("a volume that is linked", () => {
  const linked = (id: number | undefined) => ({ volume: "link", volume_id: String(id), mount_path: "/data" }) as const;

  async function atVolumes(options: SandboxOptions = {}) {
    const window = await atForm(options);
    const volumes = window.service.world.volumes.list();
    const onMachine = volumes.find(({ machineId }) => machineId !== null);
    const anywhere = volumes.find(({ machineId }) => machineId === null);
    const { offers } = await window.offers.search(anySearch);
    const elsewhere = offers.find(({ machine_id }) => machine_id !== onMachine?.machineId);
    assert.ok(onMachine && anywhere && elsewhere);
    return { ...window, onMachine, anywhere, offers, elsewhere, draft: { ...ofTemplate(), offer: elsewhere } };
  }

  test("on another machine: the offer is to be chosen again, on that machine", async () => {
    const { finish, draft, onMachine, offers } = await atVolumes();
    const done = await finish(draft, linked(onMachine.id));
    assert.equal(done.offer, undefined);
    assert.deepEqual(done.search.filters.machine_id, { eq: onMachine.machineId });
    const there = offers.find(({ machine_id }) => machine_id === onMachine.machineId);
    assert.ok(there);
    const same = await finish({ ...draft, offer: there }, linked(onMachine.id));
    assert.deepEqual([same.offer, same.search], [there, draft.search]);
  });

  test("that any machine can have keeps the offer", async () => {
    const { finish, draft, anywhere, elsewhere } = await atVolumes();
    const done = await finish(draft, linked(anywhere.id));
    assert.deepEqual([done.offer, done.volumePrice], [elsewhere, undefined]);
    assert.deepEqual(done.configuration, {
      volume_info: { create_new: false, volume_id: anywhere.id, mount_path: "/data" },
    });
  });

  test("that is nobody's, or somebody else's, is refused", async () => {
    const { finish, draft, service } = await atVolumes();
    const [foreign] = service.world.volumes.listForeign();
    assert.ok(foreign);
    for (const id of [1, foreign.id])
      await assert.rejects(finish(draft, linked(id)), refused("volume_id", new RegExp(`no volume ${id}\\.$`)));
  });

  test("is told of while it is named", async () => {
    const { launchVolumes, me, draft, onMachine, anywhere } = await atVolumes();
    const kindOf = async (id: number) =>
      (await launchVolumes.describe(me(), { kind: "link", id, size: 0 }, draft)).kind;
    const kinds = [await kindOf(onMachine.id), await kindOf(anywhere.id), await kindOf(1)];
    assert.deepEqual(kinds, ["on-machine", "anywhere", "absent"]);
  });

  test("whose place can't be read isn't said to be anywhere", async () => {
    for (const [place, kind] of [
      [20555, "on-machine"],
      [null, "anywhere"],
      ["20555", "unplaced"],
      ["m-1", "unplaced"],
      [undefined, "unplaced"],
    ] as const) {
      const service = await sandbox();
      const url = await middleman(service.url, (path, status, text) => {
        if (!/^\/api\/v0\/volumes\/?(?:\?|$)/.test(path)) return { status, text };
        const { volumes, ...rest } = JSON.parse(text);
        return {
          status,
          text: JSON.stringify({ ...rest, volumes: volumes.map((one: object) => ({ ...one, machine_id: place })) }),
        };
      });
      const window = editorWindow(makeUserData(), { clock: fastClock });
      await window.session.signIn(url, service.apiKey);
      const [volume] = service.world.volumes.list();
      const asked = { kind: "link", id: Number(volume?.id), size: 0 } as const;
      const known = await window.launchVolumes.describe(window.me(), asked, ofTemplate());
      assert.equal(known.kind, kind, String(place));
    }
  });

  test("where the service lists none is the service's to judge", async () => {
    const window = await atForm({ onlyDocumented: true });
    const done = await window.finish(ofTemplate(), linked(5));
    assert.equal(done.configuration?.volume_info?.volume_id, 5);
    const known = await window.launchVolumes.describe(window.me(), { kind: "link", id: 5, size: 0 }, ofTemplate());
    assert.deepEqual(known, { kind: "unlisted", id: 5 });
  });

  test("that can't be read now is no volume that isn't there", async () => {
    const { service, session, ...window } = await atVolumes();
    const url = await middleman(service.url, (path, status, text) =>
      path.startsWith("/api/v0/volumes")
        ? { status: 400, text: '{"success":false,"error":"x","msg":"busy"}' }
        : { status, text },
    );
    await session.signIn(url, service.apiKey);
    await assert.rejects(window.finish(ofTemplate(), linked(window.onMachine.id)), /busy/);
  });
});

describe("a volume that is created", () => {
  const created = (id: number | undefined, size = "10") =>
    ({ volume: "create", volume_id: String(id), volume_size: size, mount_path: "/data" }) as const;

  async function atListings(options: SandboxOptions = {}) {
    const window = await atForm(options);
    const { offers } = await window.offers.search(anySearch);
    const own = window.service.world.volumes.listOwnOffers();
    const listing = window.service.world.volumes
      .listOffers()
      .find(
        ({ id, machine, size }) =>
          !own.includes(id) && size >= 20 && offers.some((one) => one.machine_id === machine.id),
      );
    const offer = offers.find(({ machine_id }) => machine_id === listing?.machine.id);
    const elsewhere = offers.find(({ machine_id }) => machine_id !== listing?.machine.id);
    assert.ok(listing && offer && elsewhere);
    return { ...window, listing, offer, elsewhere, draft: { ...ofTemplate(), offer } };
  }

  test("has its price beside the machine's, and keeps the offer", async () => {
    const { finish, draft, listing, launchVolumes, me } = await atListings();
    const done = await finish(draft, created(listing.id));
    assert.equal(done.offer, draft.offer);
    assert.equal(done.volumePrice, (listing.storageCost * 10) / HOURS_PER_MONTH);
    const known = await launchVolumes.describe(me(), { kind: "create", id: listing.id, size: 10 }, draft);
    assert.ok(known.kind === "for-rent" && known.price === done.volumePrice);
    const none = await finish(done, { volume: "none" });
    assert.deepEqual([none.volumePrice, none.configuration], [undefined, undefined]);
  });

  test("larger than what is left is refused, also by one GB", async () => {
    const { finish, draft, listing } = await atListings();
    const most = Math.floor(listing.size);
    assert.ok((await finish(draft, created(listing.id, String(most)))).volumePrice);
    const more = created(listing.id, String(most + 1));
    await assert.rejects(finish(draft, more), refused("volume_size", new RegExp(`This offer has ${most} GB`)));
  });

  test("of an offer that isn't there, or is another machine's, is refused; and without a machine, too", async () => {
    const { finish, draft, listing, elsewhere, launchVolumes, me } = await atListings();
    await assert.rejects(finish(draft, created(1)), refused("volume_id", /no volume offer 1\.$/));
    const other = { ...draft, offer: elsewhere };
    await assert.rejects(finish(other, created(listing.id)), refused("volume_id", /no volume offer/));
    await assert.rejects(finish(ofTemplate(), created(listing.id)), refused("volume", /Choose the offer first/));
    const known = await launchVolumes.describe(me(), { kind: "create", id: listing.id, size: 10 }, other);
    assert.equal(known.kind, "absent-offer");
  });

  test("where the service lists none is allowed, at a price that nobody knows", async () => {
    const window = await atForm({ onlyDocumented: true });
    const { offers } = await window.offers.search(anySearch);
    const draft = { ...ofTemplate(), offer: offers[0] };
    const done = await window.finish(draft, created(5));
    assert.deepEqual([done.offer, done.volumePrice], [offers[0], undefined]);
    assert.equal(done.configuration?.volume_info?.size, 10);
  });
});

/** A window whose service writes down each create request byte for byte, and an offer on which anything can run. */
async function atService(fate: "runs" | "exited" = "runs", options: SandboxOptions = {}, hasVolumesForRent = false) {
  const service = await sandbox(options);
  for (const offer of service.world.offers) if (offer.fate !== "gone") service.world.setFate(offer.id, fate);
  levelTraffic(service);
  const bodies: Record<string, unknown>[] = [];
  const url = await serve(async (request, body) => {
    if (request.method === "PUT" && request.url?.startsWith("/api/v0/asks/")) bodies.push(JSON.parse(body));
    return await pass(service.url, request, body);
  });
  const window = editorWindow(makeUserData(), { clock: fastClock });
  await window.session.signIn(url, service.apiKey);
  const { offers } = await window.offers.search(anySearch);
  const forRent = new Set(service.world.volumes.listOffers().flatMap((one) => (one.active ? [] : [one.machine.id])));
  const offer = hasVolumesForRent
    ? offers.find(({ machine_id: machine }) => machine !== undefined && forRent.has(machine))
    : offers.find(({ gpu_name, num_gpus }) => gpu_name === "RTX 3090" && num_gpus === 1);
  assert.ok(offer);
  const draft: LaunchDraft = { ...emptyDraft, image: "pytorch/pytorch", runtype: "ssh_direct", offer };
  return { ...window, ...formsOfWindow(window), service, bodies, offer, draft };
}

/** Configured, reviewed and rented. */
async function rentConfigured(
  window: Awaited<ReturnType<typeof atService>>,
  changes: Partial<LaunchForm>,
  draft = window.draft,
) {
  const shown = await window.type(draft, changes);
  const done = await window.finish(draft, changes);
  assert.ok(done.offer);
  // As the summary does: the disk is a part of the price.
  const offer = await window.offers.reread(window.me(), done.offer.id, "ondemand", done.diskGb);
  assert.ok(offer);
  const plan = toLaunchPlan({ ...done, offer });
  const outcome = await window.rent(plan, createIntent());
  assert.equal(outcome.kind, "rented");
  return { shown, body: window.bodies.at(-1), plan, instance: window.service.world.listInstances().at(-1) };
}

describe("a volume that isn't as it was reviewed: nothing is sent, and what changed is said", () => {
  type Window = Awaited<ReturnType<typeof atService>>;
  const volumesOf = ({ service }: Window) => service.world.volumes;
  const linked = { create_new: false, volume_id: 27_000_001, mount_path: "/data" };
  const CASES: readonly {
    readonly what: string;
    readonly review: (window: Window) => Partial<LaunchPlan>;
    readonly change?: (window: Window, plan: LaunchPlan) => void;
    readonly says: RegExp;
  }[] = [
    {
      what: "a linked one that was deleted",
      review: () => ({ configuration: { volume_info: linked } }),
      change: (window) => volumesOf(window).delete(linked.volume_id, () => false),
      says: /^Your account has no volume 27000001\.$/,
    },
    {
      what: "a linked one on another machine",
      review: (window) => {
        const other = volumesOf(window)
          .list()
          .find(({ machineId }) => machineId !== null && machineId !== window.offer.machine_id);
        return { configuration: { volume_info: { ...linked, volume_id: other?.id ?? 0 } } };
      },
      says: /^The volume is on another machine\. Nothing was rented\./,
    },
    {
      what: "one to create whose offer somebody else took",
      review: (window) => newVolume(window, 10),
      change: (window, plan) => {
        const id = plan.configuration?.volume_info?.volume_id;
        const left =
          volumesOf(window)
            .listOffers()
            .find((one) => one.id === id)?.size ?? 0;
        volumesOf(window).create({ id, size: Math.floor(left) - 5 }, window.service.world.getNow());
      },
      says: /^10 GB is too large\. This offer has 5 GB\.$/,
    },
    {
      what: "one to create that costs more than was shown",
      review: (window) => ({ ...newVolume(window, 10), volumePrice: 0.001 }),
      says: /^The volume's price changed from \$0\.\S+ to \$0\.\S+\. Nothing was rented\. Review the launch again\.$/,
    },
    {
      what: "one to create whose price wasn't known",
      review: (window) => ({ ...newVolume(window, 10), volumePrice: undefined }),
      says: /^The volume's price changed from \$\?\S* to \$0\./,
    },
  ];

  /** Of an offer on a machine that has volumes for rent. */
  function newVolume({ service, offer }: Window, size: number): Partial<LaunchPlan> {
    const listing = service.world.volumes
      .listOffers()
      .find(({ machine, active }) => machine.id === offer.machine_id && !active);
    assert.ok(listing);
    const volume_info = { create_new: true, volume_id: listing.id, size, mount_path: "/data" };
    return { configuration: { volume_info }, volumePrice: (listing.storageCost * size) / HOURS_PER_MONTH };
  }

  for (const { what, review, change, says } of CASES)
    test(what, async () => {
      const window = await atService("runs", {}, what.startsWith("one to create"));
      const plan = { ...planFor(window.offer), ...review(window) };
      change?.(window, plan);
      const outcome = await window.rent(plan, createIntent());
      assert.ok(outcome.kind === "not-rented" && outcome.proven);
      assert.match(outcome.error.message, says);
      assert.equal(window.bodies.length, 0);
    });
});

test("a volume whose price nobody says any more isn't created at the one that was shown", async () => {
  const priced = (cost: unknown) => (text: string) => {
    const { offers, ...rest } = JSON.parse(text);
    const without = ({ storage_cost: _, ...one }: Record<string, unknown>) => one;
    return JSON.stringify({
      ...rest,
      offers: offers.map((one: object) => ({ ...without({ ...one }), ...(cost ?? {}) })),
    });
  };
  for (const [what, status, change] of [
    ["a list for others", 403, () => '{"success":false,"error":"forbidden","msg":"no"}'],
    ["no price", 200, priced(undefined)],
    ["null", 200, priced({ storage_cost: null })],
    ["below zero", 200, priced({ storage_cost: -5 })],
    ["a word", 200, priced({ storage_cost: "cheap" })],
  ] as const) {
    const service = await sandbox();
    let isOdd = false;
    const url = await middleman(service.url, (path, usual, text) =>
      isOdd && path.startsWith("/api/v0/volumes/search") ? { status, text: change(text) } : { status: usual, text },
    );
    const window = editorWindow(makeUserData(), { clock: fastClock });
    await window.session.signIn(url, service.apiKey);
    const { offers } = await window.offers.search(anySearch);
    const listing = service.world.volumes
      .listOffers()
      .find(
        ({ active, size, machine }) => !active && size >= 10 && offers.some((one) => one.machine_id === machine.id),
      );
    const offer = offers.find(({ machine_id }) => machine_id === listing?.machine.id);
    assert.ok(listing && offer);
    const draft: LaunchDraft = { ...emptyDraft, image: "a/b", runtype: "ssh_direct", offer };
    const volume = { volume: "create", volume_id: String(listing.id), volume_size: "10", mount_path: "/data" } as const;
    const done = await formsOfWindow(window).finish(draft, volume);
    assert.ok(done.offer && done.volumePrice !== undefined);
    isOdd = true;
    const outcome = await window.rent(toLaunchPlan({ ...done, offer: done.offer }), createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven, what);
    assert.match(outcome.error.message, /^The volume's price changed from \$0\.\S+ to \$\?/, what);
    assert.equal(service.world.listInstances().length, 0);
  }
});

test("a service that repeats what it got shows nobody its secrets", async () => {
  const service = await sandbox();
  const [token, variable] = ["token-canary-9876543210", "variable-canary-9876543210"];
  const url = await serve(async (request, body) => {
    if (request.method !== "PUT" || !request.url?.startsWith("/api/v0/asks/"))
      return await pass(service.url, request, body);
    const msg = `${token} was refused, and so was ${variable}: ${body}`;
    return { status: 400, text: JSON.stringify({ success: false, error: "invalid_args", msg }) };
  });
  const window = editorWindow(makeUserData(), { clock: fastClock });
  await window.session.signIn(url, service.apiKey);
  const configuration = { env: { HF_TOKEN: variable, MODE: "train" }, image_login: `-u me -p ${token} ghcr.io` };
  const outcome = await window.rent({ ...planFor(await cheapest(window)), configuration }, createIntent());
  assert.ok(outcome.kind === "not-rented");
  assert.deepEqual(
    findForms([outcome.error.message], new Map([token, variable].map((one) => [one, formsOf(one)]))),
    [],
  );
  assert.match(outcome.error.message, /^•••• was refused, and so was ••••: .*train/);
});

describe("what the service gets", () => {
  test("is what was shown in every field, but for the token in the label", async () => {
    const window = await atService();
    const volume = window.service.world.volumes.list().find(({ machineId }) => machineId === null);
    const { shown, body } = await rentConfigured(window, {
      ...{ env: "-e MODE=train -e HF_TOKEN=abc -p 8000:8000 -h box", onstart: "env >> /etc/environment" },
      ...{ image: "ghcr.io/me/own:2", login_registry: "ghcr.io", login_user: "me", login_token: "t0k" },
      ...{ runtype: "args", args_str: "serve --name 'my model'", python_utf8: true, lang_utf8: true, disk: "20" },
      ...{ volume: "link", volume_id: String(volume?.id), mount_path: "/data", target_state: "stopped", label: "mine" },
      cancel_unavail: false,
    });
    const { label, ...rest } = body ?? {};
    const { label: shownLabel, ...shownRest } = shown ?? {};
    assert.deepEqual(rest, shownRest);
    // All that an image with arguments can have on demand.
    const not = ["template_hash_id", "price", "use_jupyter_lab", "jupyter_dir", "vm"];
    const all = CREATE_FIELDS.filter((field) => !not.includes(field));
    assert.deepEqual(Object.keys(body ?? {}).sort(), all.toSorted());
    assert.equal(shownLabel, "vsc-… mine");
    assert.match(String(label), /^vsc-[a-z2-7]{16} mine$/);
  });

  test("is of a template only what differs from it", async () => {
    const window = await atService();
    await window.templates.collection.refresh();
    const stored = window.service.world.templates.list().find(({ env }) => env.includes("-e "));
    assert.ok(stored);
    const draft = { ...withTemplate(emptyDraft, Template.parse(stored)), offer: window.offer };
    const edit = await window.open(draft);
    const { body } = await rentConfigured(window, { env: `${edit.form.env} -e ADDED=1` }, draft);
    const { label: _, ...rest } = body ?? {};
    assert.deepEqual(rest, {
      ...{ template_hash_id: stored.hash_id, disk: draft.diskGb, cancel_unavail: true, target_state: "running" },
      env: { ADDED: "1" },
    });
  });

  test("is a script of more than 4,048 characters, compressed, and the form still shows it as it was typed", async () => {
    const window = await atService();
    const script = `#!/bin/bash\n${"echo a line of the script\n".repeat(400)}`;
    const { body, plan, shown } = await rentConfigured(window, { onstart: script });
    const sent = String(body?.onstart);
    assert.ok(sent.length <= 4048);
    assert.equal(await unpackScript(sent), script);
    assert.equal(shown?.onstart, sent);
    const again = await window.open({ ...window.draft, configuration: plan.configuration });
    assert.equal(again.form.onstart, script);
  });
});

test("a template's compressed script is shown as it is, goes on as it is, and others come after what it holds", async () => {
  const window = await atForm();
  const script = "echo a line of the template\n".repeat(400);
  const draft = ofTemplate("packed", { onstart: await packScript(script) });
  const { form, context } = await window.open(draft);
  assert.deepEqual([form.onstart, context.base.onstart], [script, script]);
  assert.equal((await window.finish(draft, {})).configuration, undefined);
  const after = await window.finish(draft, { onstart: "echo own", onstart_order: "after" });
  assert.equal(await unpackScript(after.configuration?.onstart ?? ""), `${script}echo own`);
  const edit = await window.open(draft);
  const made = toNewTemplate({ ...edit.form, onstart: "echo own", onstart_order: "after" }, edit.shown);
  assert.equal(made.onstart, `${script}echo own`);
});

describe("what was typed, once it is sent,", () => {
  /** What the service answers to a create request, and what is still in the form of the template's next launch. */
  async function rentAs(answer: "rented" | "refused" | "lost") {
    const service = await sandbox();
    for (const { id, fate } of service.world.offers) if (fate !== "gone") service.world.setFate(id, "runs");
    const url = await serve(async (request, body) => {
      const isCreate = request.method === "PUT" && request.url?.startsWith("/api/v0/asks/");
      if (isCreate && answer === "lost") return { status: 502, text: "" };
      if (isCreate && answer === "refused") return { status: 400, text: '{"success":false,"error":"no"}' };
      return await pass(service.url, request, body);
    });
    const window = editorWindow(makeUserData(), { clock: fastClock });
    await window.session.signIn(url, service.apiKey);
    await window.templates.collection.refresh();
    const [stored] = service.world.templates.list();
    const { offers } = await window.offers.search(anySearch);
    const draft = { ...withTemplate(emptyDraft, Template.parse(stored)), offer: offers[0] };
    const { finish, type, open } = formsOfWindow(window);
    await type(draft, { lang_utf8: true });
    const { offer, ...done } = await finish(draft, { lang_utf8: true });
    assert.ok(offer);
    const read = await window.offers.reread(window.me(), offer.id, "ondemand", done.diskGb);
    const outcome = await window.rent(toLaunchPlan({ ...done, offer: read ?? offer }), createIntent());
    return { kind: outcome.kind, isRestored: (await open({ ...draft, offer: undefined })).isRestored };
  }

  test("is gone if it was rented, and there if it wasn't or if nobody knows", async () => {
    assert.deepEqual(await rentAs("rented"), { kind: "rented", isRestored: false });
    assert.deepEqual(await rentAs("refused"), { kind: "not-rented", isRestored: true });
    assert.deepEqual(await rentAs("lost"), { kind: "unknown", isRestored: true });
  });
});

test("what became of a launch is known, also while a secret storage never answers", async () => {
  const asked = Promise.withResolvers<void>();
  const never = () => {
    asked.resolve();
    return new Promise<never>(() => {});
  };
  const window = await atForm({}, { draftSecrets: { read: never, store: never, remove: never } });
  const offer = await cheapest(window);
  window.service.world.setFate(offer.id, "runs");
  const waits = async () => {
    await asked.promise;
    for (let turn = 0; turn < 100; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    return "waits";
  };
  const outcome = await Promise.race([window.rent(planFor(offer), createIntent()), waits()]);
  assert.equal(typeof outcome === "string" ? outcome : outcome.kind, "rented");
});

describe("a launch that a template file proposes", () => {
  const propose = (window: Awaited<ReturnType<typeof atForm>>, proposed: TemplateLaunch, mustRun = false) =>
    withProposedChoice(window, window.me(), ofTemplate(), { proposed, mustRun });

  test("has what the file says, and the rest of the template", async () => {
    const window = await atForm();
    const draft = await propose(window, {
      ...{ env: { MODE: "train", "-p 8000:8000": "1" }, onstart: "echo own", disk: 30, label: "night" },
      ...{ runtype: "jupyter_direct", lang_utf8: true },
    });
    const { diskGb, label, runtype, image, configuration } = draft;
    assert.deepEqual([diskGb, label, runtype, image], [30, "night", "jupyter_direct", undefined]);
    const env = { MODE: "train", "-p 8000:8000": "1" };
    assert.deepEqual(configuration, { env, onstart: "echo own", lang_utf8: true });
    assert.equal(window.kept.size, 0, "what a file says isn't kept as if it had been typed");
  });

  test("that changes nothing is the template's", async () => {
    const { configuration, image, runtype } = await propose(await atForm(), { env: { MODE: "fast" }, vm: false });
    assert.deepEqual([configuration, image, runtype], [undefined, undefined, undefined]);
  });

  test("counts more than what was typed before", async () => {
    const window = await atForm();
    await window.type(ofTemplate(), TYPED);
    const { configuration } = await propose(window, { lang_utf8: true });
    assert.deepEqual(configuration, { lang_utf8: true });
  });

  test("is refused by the name of its field", async () => {
    const window = await atForm();
    for (const [proposed, says, mustRun] of [
      [{ args_str: "serve" }, /^launch\.args_str: Only an image that starts its own entrypoint/, false],
      [{ vm: true, runtype: "args" }, /^launch\.vm: /, false],
      [{ target_state: "stopped" }, /^launch\.target_state: /, true],
      [{ runtype: "args" }, /^launch\.runtype: /, true],
      [{ env: { A: "x".repeat(140_000) } }, /^launch\.env: A is too long/, false],
    ] as const)
      await assert.rejects(propose(window, proposed, mustRun), ({ message }: Error) => says.test(message));
  });
});

describe("a launch whose price is waited for", () => {
  test("is configured again as it was, whatever it was configured by", async () => {
    const window = await atForm();
    const configuration = { env: { MODE: "slow" }, onstart: "echo own", image_login: `-u me -p ${TOKEN} ghcr.io` };
    const draft = { ...ofTemplate(), configuration, runtype: "jupyter_direct" } as const;
    assert.equal(await keepChoice(window, window.me(), draft), true);
    const again = await withKeptChoice(window, window.me(), ofTemplate());
    assert.deepEqual([again.configuration, again.runtype], [configuration, "jupyter_direct"]);
  });

  test("is configured again without a bid, which comes with the offer", async () => {
    const window = await atForm();
    const bids: LaunchDraft = { ...ofTemplate(), search: { ...anySearch, type: "bid" } };
    const configuration = { env: { MODE: "slow" }, cancel_unavail: true };
    assert.equal(await keepChoice(window, window.me(), { ...bids, bid: 0.2, configuration }), true);
    const again = await withKeptChoice(window, window.me(), bids);
    assert.deepEqual([again.configuration, again.bid], [configuration, undefined]);
  });

  test("has nothing to keep if it is as in its template, or of an image", async () => {
    const window = await atForm();
    assert.equal(await keepChoice(window, window.me(), ofTemplate()), false);
    assert.equal(await keepChoice(window, window.me(), { ...emptyDraft, image: "a/b", runtype: "ssh" }), false);
    assert.equal(window.kept.size, 0);
    await assert.rejects(withKeptChoice(window, window.me(), ofTemplate()), /no longer kept/);
  });
});

describe("what becomes of it", () => {
  /** Rents it as a person does who answers nothing, and waits until that is over. */
  async function run(window: Awaited<ReturnType<typeof atService>>, changes: Partial<LaunchForm>) {
    const done = await window.finish(window.draft, changes);
    const plan = toLaunchPlan({ ...done, offer: done.offer ?? window.offer });
    const polling = setInterval(() => void window.instances.collection.refresh(), 20);
    cleanUp(() => clearInterval(polling));
    const told: LaunchMessage[] = [];
    await window.runner.run(
      {
        confirm: async () => false,
        tell: async (message) => void told.push(message),
        accompany: (_, work) => work(() => {}, new AbortController().signal),
        wait: (work) => work(),
      },
      {
        ...{ account: window.me(), plan, search: anySearch, intent: createIntent(), withoutTracking: false },
        chain: { price: calculatePlanPrice(plan), tries: 0 },
      },
    );
    return { kinds: told.map(({ kind }) => kind), instance: window.service.world.listInstances()[0] };
  }

  test("created stopped: it is, and the launch ends with that being said", async () => {
    const window = await atService();
    const { kinds, instance } = await run(window, { target_state: "stopped" });
    assert.deepEqual(kinds, ["stopped"]);
    assert.equal(instance?.intended, "stopped");
  });

  const PRIVATE = { image: "registry.sandbox.invalid/team/model:1" };
  const login = {
    login_registry: "registry.sandbox.invalid",
    login_user: "you",
    login_token: "sandbox-registry-token",
  };
  for (const [what, given, end] of [
    ["with its login", login, "running"],
    ["without a login", {}, "dead"],
    ["with another token", { ...login, login_token: "hub-token-of-another" }, "dead"],
    ["with a login for another registry", { ...login, login_registry: "ghcr.io" }, "dead"],
  ] as const)
    test(`a private image ${what}: ${end}`, async () => {
      const { kinds } = await run(await atService(), { ...PRIVATE, ...given });
      assert.deepEqual(kinds, [end]);
    });
});

describe("a virtual machine", () => {
  const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMineMineMineMineMineMineMineMineMineMineMi me@here";

  test("is searched for where there are any, unless the draft did so before", async () => {
    const { finish, draft } = await atService();
    const done = await finish(draft, { vm: true });
    assert.deepEqual([done.offer, done.search.filters.vms_enabled], [undefined, { eq: true }]);
    const kept = await finish({ ...done, offer: draft.offer }, { vm: true });
    assert.equal(kept.offer, draft.offer);
  });

  test("is rented with a key in the account, and refused without one before anything is sent", async () => {
    for (const keys of [[], [KEY]]) {
      const window = await atService();
      window.service.world.account.sshKeys = keys;
      const { configuration } = await window.finish(window.draft, { vm: true });
      const plan = { ...planFor(window.offer), configuration };
      const checked = assertKeyForVm(window.accountKeys, window.me(), plan);
      if (keys.length > 0) {
        await checked;
        const outcome = await window.rent(plan, createIntent());
        assert.equal(outcome.kind, "rented");
        assert.equal(window.service.world.listInstances()[0]?.vm, true);
      } else {
        await assert.rejects(checked, /your account has none/);
        assert.equal(window.bodies.length, 0);
      }
    }
  });

  test("that is none any more needs no key", async () => {
    const window = await atService();
    window.service.world.account.sshKeys = [];
    const vm = ofTemplate("vm", { extra_filters: { vms_enabled: { eq: true } } });
    const plan = (vmWanted: boolean) => ({
      ...planFor(window.offer),
      template: vm.template,
      configuration: { vm: vmWanted },
    });
    await assert.rejects(assertKeyForVm(window.accountKeys, window.me(), plan(true)));
    await assertKeyForVm(window.accountKeys, window.me(), plan(false));
  });
});
