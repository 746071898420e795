// Replacing a dead machine: limits before anything, the dead one always destroyed and read back, gone believed from proof alone.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { TemplateHash } from "../../../src/domain/base/id.ts";
import type { LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { Template } from "../../../src/domain/template/template.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { rebuildPlan } from "../../../src/services/launch/rebuild-plan.ts";
import type { RentalTerms } from "../../../src/services/launch/replacement.ts";
import { fastClock, type Parts, planFor } from "../editor-window.ts";
import { cheapest, eventually, sandbox, signedIn } from "../support.ts";

/** A machine that died before it ran, and what it was rented with. */
async function withDead(
  parts: Parts = {},
  service: SandboxOptions = {},
  own: Pick<LaunchPlan, "end" | "configuration"> = {},
) {
  const window = await signedIn(service, { clock: fastClock, ...parts });
  const { offers } = await window.offers.search(anySearch);
  const offer = offers.find(({ gpu_name, num_gpus }) => gpu_name === "RTX 3090" && num_gpus === 1);
  assert.ok(offer);
  window.service.world.setFate(offer.id, "exited");
  const plan = { ...planFor(offer), ...own };
  const outcome = await window.rent(plan, createIntent(), { withoutTracking: service.onlyDocumented === true });
  assert.ok(outcome.kind === "rented" && outcome.ids[0]);
  const [id] = outcome.ids;
  await eventually(
    async () => (await window.actions.reread(window.me(), id))?.value.actual_status === "exited",
    "it died",
  );
  await window.instances.collection.refresh();
  window.lines.length = 0;
  const writes = () => window.lines.filter(({ method, path }) => method !== "GET" && path !== "/api/v0/bundles/");
  return { ...window, id, found: { plan, search: { ...anySearch } }, writes };
}

const GONE = TemplateHash.parse("gone");
const POLICY = { automatic: true, priceRise: 1, tries: 3 };

describe("a dead machine", () => {
  test("is proposed a replacement of the same kind; nothing is changed by asking", async () => {
    const window = await withDead();
    const proposed = await window.replacements.propose(window.me(), window.found, window.id);
    assert.ok(proposed.kind === "proposal");
    assert.equal(proposed.plan.offer.gpu_name, "RTX 3090");
    assert.equal(proposed.isNewTemplate, false);
    assert.deepEqual(window.writes(), []);
  });

  test("is replaced by one with the end that holds for it by then", async () => {
    const window = await withDead({}, {}, { end: { hours: 8, ending: "destroy" } });
    const { id, found, autoStops } = window;
    const endInstead = async () => {
      const proposed = await window.replacements.propose(window.me(), found, id);
      assert.ok(proposed.kind === "proposal" && !proposed.isPastEnd);
      return proposed.plan.end;
    };
    await eventually(() => autoStops.findAutoStop({ id }) !== undefined, "its end is known");
    const until = autoStops.findAutoStop({ id })?.until ?? 0;
    assert.deepEqual(await endInstead(), { until, ending: "destroy" }, "its hours don't begin anew");
    await autoStops.set(window.me(), { id }, { until: until + 60_000, ending: "stop" });
    assert.deepEqual(await endInstead(), { until: until + 60_000, ending: "stop" });
    await autoStops.set(window.me(), { id }, undefined);
    assert.equal(await endInstead(), undefined);
  });

  test("is replaced by one with the idle timeout that holds for it by then", async () => {
    const window = await withDead();
    const { id, idleOrders } = window;
    const found = { ...window.found, plan: { ...window.found.plan, idle: { minutes: 30, ending: "stop" as const } } };
    const idleInstead = async () => {
      const proposed = await window.replacements.propose(window.me(), found, id);
      assert.ok(proposed.kind === "proposal");
      return proposed.plan.idle;
    };
    assert.deepEqual(await idleInstead(), { minutes: 30, ending: "stop" }, "what it was rented with");
    await idleOrders.set(window.me(), id, { minutes: 60, ending: "destroy" });
    assert.deepEqual(await idleInstead(), { minutes: 60, ending: "destroy" });
    await idleOrders.set(window.me(), id, undefined);
    assert.equal(await idleInstead(), undefined);
  });

  test("is replaced by one with an end that was set later, whatever another account says of an instance with its ID", async () => {
    const window = await withDead();
    const { id, found, autoStops, session, service } = window;
    const until = Date.now() + 3_600_000;
    await autoStops.set(window.me(), { id }, { until, ending: "destroy" });
    const other = await sandbox({ seed: 7 });
    await session.enterSandbox(other.url, other.apiKey);
    await autoStops.set(window.me(), { id }, { until: until + 60_000, ending: "stop" });
    await session.signIn(service.url, service.apiKey);
    const proposed = await window.replacements.propose(window.me(), found, id);
    assert.ok(proposed.kind === "proposal");
    assert.deepEqual(proposed.plan.end, { until, ending: "destroy" });
  });

  test("isn't replaced by one on a machine that another member of its group has", async () => {
    const window = await withDead();
    const { replacements, id } = window;
    const machineOf = async () => {
      const proposed = await replacements.propose(window.me(), window.found, id);
      assert.ok(proposed.kind === "proposal");
      return proposed.plan.offer.machine_id;
    };
    const first = await machineOf();
    assert.ok(first !== undefined);
    const asked: number[] = [];
    replacements.machinesBeside = (dead) => {
      asked.push(dead);
      return new Set([first]);
    };
    const second = await machineOf();
    assert.ok(second !== undefined && second !== first);
    assert.deepEqual(asked, [id]);
    replacements.machinesBeside = () => new Set([first + 1_000_000]);
    assert.equal(await machineOf(), first);
  });

  test("that was to end itself is replaced by one that does, unless there is nothing to do at its end", async () => {
    const window = await withDead();
    const { id, autoStops } = window;
    const byItself = window.me().address.base;
    const wish = { hours: 8, ending: "destroy", byItself } as const;
    const found = { ...window.found, plan: { ...window.found.plan, end: wish } };
    const endInstead = async () => {
      const proposed = await window.replacements.propose(window.me(), found, id);
      assert.ok(proposed.kind === "proposal");
      return proposed.plan.end;
    };
    assert.deepEqual(await endInstead(), wish, "nothing was written down");
    const until = Date.now() + 3_600_000;
    await autoStops.set(window.me(), { id }, { until, ending: "stop" });
    assert.deepEqual(await endInstead(), { until, ending: "stop", byItself });
    await autoStops.set(window.me(), { id }, { until, ending: "remind" });
    assert.deepEqual(await endInstead(), { until, ending: "remind" });
  });

  test("isn't replaced without asking once its end has passed", async () => {
    const window = await withDead({}, {}, { end: { until: Date.now() + 30_000, ending: "remind" } });
    const found = { ...window.found, chain: { price: 9, tries: 0 } };
    const { id } = window;
    await eventually(() => window.autoStops.findAutoStop({ id }) !== undefined, "its end is known");
    assert.ok(await window.replacements.proposeByItself(window.me(), found, id, POLICY));
    const { clock } = window;
    const now = clock.now();
    Object.assign(clock, { now: () => now + 60_000 });
    assert.equal(await window.replacements.proposeByItself(window.me(), found, id, POLICY), undefined);
  });

  test("is not replaced by one that costs more than what it was rented for may cost", async () => {
    const window = await withDead();
    const found = {
      ...window.found,
      plan: { ...window.found.plan, mostPerHour: 0.001 },
      chain: { price: 9, tries: 0 },
    };
    await assert.rejects(
      window.replacements.propose(window.me(), found, window.id),
      /above the run's limit of \$0\.001/,
    );
    assert.equal(await window.replacements.proposeByItself(window.me(), found, window.id, POLICY), undefined);
    assert.deepEqual(window.writes(), []);
  });

  test("is not replaced by a virtual machine as long as the account has no SSH key, and stays until then", async () => {
    const window = await withDead();
    const { world } = window.service;
    const own = world.templates.list().find(({ creator_id }) => creator_id === world.account.id);
    assert.ok(own);
    const template = Template.parse({ ...own, extra_filters: { vms_enabled: { eq: true } } });
    world.templates.edit(own.hash_id, { extra_filters: template.extra_filters ?? {} }, world.account.id);
    const now = Template.parse(world.templates.list().find(({ id }) => id === own.id));
    const plan = { ...window.found.plan, template: now };
    const found = { ...window.found, plan, chain: { price: 10, tries: 0 } };
    const keys = world.account.sshKeys;
    world.account.sshKeys = [];
    await assert.rejects(
      window.replacements.propose(window.me(), found, window.id),
      (error: AppError) => error.kind === "rejected" && /accepts only the SSH keys/.test(error.message),
    );
    assert.equal(await window.replacements.proposeByItself(window.me(), found, window.id, POLICY), undefined);
    assert.deepEqual(window.writes(), []);
    world.account.sshKeys = keys;
    assert.equal((await window.replacements.propose(window.me(), found, window.id)).kind, "proposal");
  });

  test("is replaced with its template as it is now; one that changed is never taken without a question", async () => {
    const window = await withDead();
    const { world } = window.service;
    const own = world.templates.list().find(({ creator_id }) => creator_id === world.account.id);
    assert.ok(own);
    const template = Template.parse(own);
    const found = { ...window.found, plan: { ...window.found.plan, template }, chain: { price: 10, tries: 0 } };
    const same = await window.replacements.propose(window.me(), found, window.id);
    assert.ok(same.kind === "proposal" && !same.isNewTemplate && same.plan.template === template);
    assert.ok(await window.replacements.proposeByItself(window.me(), found, window.id, POLICY));
    world.templates.edit(own.hash_id, { desc: "later" }, world.account.id);
    const changed = await window.replacements.propose(window.me(), found, window.id);
    assert.ok(changed.kind === "proposal" && changed.isNewTemplate);
    assert.equal(changed.plan.template?.desc, "later");
    assert.deepEqual({ ...changed.plan, template, offer: same.plan.offer }, same.plan);
    assert.equal(await window.replacements.proposeByItself(window.me(), found, window.id, POLICY), undefined);
    const gone = { ...found, plan: { ...found.plan, template: { ...template, id: undefined, hash_id: GONE } } };
    const none = await window.replacements.propose(window.me(), gone, window.id);
    assert.deepEqual(none, { kind: "none", why: "no-template" });
    assert.deepEqual(window.writes(), []);
  });

  test("is not destroyed in another account", async () => {
    const window = await withDead();
    const account = window.me();
    await window.session.signOut();
    await assert.rejects(window.replacements.destroyDead(account, window.id));
    assert.deepEqual(window.writes(), []);
  });

  test("keeps its place where a limit forbids the other one, asked or by itself", async () => {
    const limits: { pricePerHour?: number } = {};
    const window = await withDead({ limits });
    limits.pricePerHour = 0.0001;
    await assert.rejects(
      window.replacements.propose(window.me(), window.found, window.id),
      (error) => error instanceof AppError && error.facts.limit === "pricePerHour",
    );
    const chain = { price: 1, tries: 0 };
    const found = { ...window.found, chain };
    assert.equal(await window.replacements.proposeByItself(window.me(), found, window.id, POLICY), undefined);
    assert.deepEqual(window.writes(), []);
    assert.equal(window.service.world.listInstances().length, 1);
  });

  test("is replaced by itself within the policy, and not beyond its tries or its price", async () => {
    const window = await withDead();
    const propose = (price: number, tries: number, policy = POLICY) =>
      window.replacements.proposeByItself(window.me(), { ...window.found, chain: { price, tries } }, window.id, policy);
    assert.ok(await propose(10, 0));
    assert.equal(await propose(0.0001, 0), undefined);
    window.lines.length = 0;
    assert.equal(await propose(10, 3), undefined);
    assert.equal(await propose(10, 0, { ...POLICY, automatic: false }), undefined);
    assert.deepEqual(window.lines, [], "the service is not even asked");
  });

  test("is replaced by itself only by one whose traffic costs no more than was confirmed", async () => {
    const window = await withDead();
    const { plan, search } = window.found;
    const { offers } = await window.offers.search(search);
    const alike = offers.filter((one) => one.gpu_name === "RTX 3090" && one.num_gpus === 1 && one.id !== plan.offer.id);
    const least = Math.min(...alike.map(({ inet_down_cost: cost }) => cost ?? Infinity));
    assert.ok(least > 0 && (alike[0]?.inet_down_cost ?? 0) > least, "the cheapest one has dear traffic");
    const confirmedAt = (cost: number) => {
      const offer = { ...plan.offer, inet_up_cost: cost, inet_down_cost: cost };
      return { plan: { ...plan, offer }, search, chain: { price: 10, tries: 0 } };
    };
    const propose = (cost: number) =>
      window.replacements.proposeByItself(window.me(), confirmedAt(cost), window.id, POLICY);
    assert.equal(await propose(0), undefined);
    assert.equal((await propose(least))?.plan.offer.inet_down_cost, least);
    const asked = await window.replacements.propose(window.me(), confirmedAt(0), window.id);
    assert.ok(asked.kind === "proposal" && asked.plan.offer.id === alike[0]?.id, "the person may take a dearer one");
  });

  test("that runs after all is left alone", async () => {
    const window = await withDead();
    const offer = await cheapest(window, 4);
    window.service.world.setFate(offer.id, "runs");
    const outcome = await window.rent(planFor(offer), createIntent());
    assert.ok(outcome.kind === "rented" && outcome.ids[0]);
    const [id] = outcome.ids;
    await eventually(
      async () => (await window.actions.reread(window.me(), id))?.value.actual_status === "running",
      "it runs",
    );
    assert.equal((await window.replacements.propose(window.me(), window.found, id)).kind, "alive");
  });

  for (const fault of ["404-html@getInstance", "html-200@getInstance", "null-body@getInstance"] as FaultSpec[]) {
    test(`is not believed gone from ${fault}: nothing is proposed, destroyed or rented`, async () => {
      const window = await withDead();
      window.service.faults.add(fault);
      await assert.rejects(window.replacements.propose(window.me(), window.found, window.id), AppError);
      assert.deepEqual(window.writes(), []);
    });
  }

  test("where another rental could get lost: that is said before anything is destroyed, and never done by itself", async () => {
    const window = await withDead({}, { onlyDocumented: true });
    const proposed = await window.replacements.propose(window.me(), window.found, window.id);
    assert.ok(proposed.kind === "proposal" && proposed.withoutTracking);
    const found = { ...window.found, chain: { price: 1, tries: 0 } };
    assert.equal(await window.replacements.proposeByItself(window.me(), found, window.id, POLICY), undefined);
    assert.deepEqual(window.writes(), []);
  });

  test("that was destroyed is called destroyed, also where the account was left meanwhile", async () => {
    const window = await withDead();
    const other = await sandbox({ seed: 7 });
    // What is read for the view after that takes so long that the account is left in the meantime.
    window.service.faults.add("slow@listInstances");
    const destroying = window.replacements.destroyDead(window.me(), window.id);
    destroying.catch(() => {});
    const isConfirmed = async () => (await window.orderJournal.readOpen()).length === 0;
    await eventually(
      async () => window.service.world.listInstances().length === 0 && (await isConfirmed()),
      "it is gone",
    );
    await window.session.enterSandbox(other.url, other.apiKey);
    await assert.rejects(destroying, /was destroyed. Then you switched accounts, so no other machine was rented/);
  });

  test("is always sent its destroy, and nothing is rented while the service does not confirm it", async () => {
    const window = await withDead();
    window.service.faults.add("404-html@destroyInstance");
    await assert.rejects(window.replacements.destroyDead(window.me(), window.id), /may still exist and cost money/);
    assert.deepEqual(
      window.writes().map(({ method }) => method),
      ["DELETE"],
    );
    await eventually(async () => (await window.orderJournal.readOpen()).length === 0, "its error is the only one told");
    assert.equal(window.service.world.listInstances().length, 1);
    window.service.faults.clear();
    await window.replacements.destroyDead(window.me(), window.id);
    assert.equal(window.service.world.listInstances().length, 0);
  });

  test("that is gone already is sent its destroy all the same", async () => {
    const window = await withDead();
    window.service.world.destroy(window.id);
    await window.replacements.destroyDead(window.me(), window.id);
    assert.equal(window.writes().length, 1);
  });

  test("whose registry login isn't known any longer is never replaced by itself, and the question about it says so", async () => {
    const window = await withDead({}, {}, { configuration: { image_login: "-u me -p t0k-canary ghcr.io" } });
    const row = window.instances.find(window.id) ?? assert.fail();
    const found = await rebuildPlan(window, window.me(), row);
    assert.deepEqual([found.plan.lostLogin, found.plan.configuration], [true, undefined]);
    window.lines.length = 0;
    const chain = { price: 10, tries: 0 };
    const byItself = (terms: RentalTerms) =>
      window.replacements.proposeByItself(window.me(), { ...terms, chain }, window.id, POLICY);
    assert.equal(await byItself(found), undefined);
    assert.deepEqual(window.lines, [], "the service is not even asked");
    const proposed = await window.replacements.propose(window.me(), found, window.id);
    assert.ok(proposed.kind === "proposal" && proposed.plan.lostLogin);
    const running = await byItself(window.found);
    assert.deepEqual(
      [running?.plan.configuration, running?.plan.lostLogin],
      [window.found.plan.configuration, undefined],
      "the window that rented it has it still",
    );
    assert.deepEqual(window.writes(), []);
  });

  test("tells by its record what it was rented with", async () => {
    const window = await withDead();
    const row = window.instances.find(window.id);
    assert.ok(row);
    const { plan, search } = await rebuildPlan(window, window.me(), row);
    assert.deepEqual(
      [plan.image, plan.runtype, plan.diskGb, plan.label, plan.type],
      ["pytorch/pytorch", "ssh_direct", 8, "first run", "ondemand"],
    );
    assert.deepEqual([search.filters.gpu_name, search.filters.num_gpus], [{ eq: "RTX 3090" }, { eq: 1 }]);
    const proposed = await window.replacements.propose(window.me(), { plan, search }, window.id);
    assert.equal(proposed.kind, "proposal");
    await assert.rejects(
      rebuildPlan(window, window.me(), { value: { ...row.value, image_uuid: undefined }, raw: row.raw }),
      /doesn't say what ran on instance/,
    );
  });
});
