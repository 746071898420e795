// What was confirmed in one account is never carried out in another: every use case that writes, with a switch behind its question.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { toGroupPlan } from "../../../src/domain/group/group-plan.ts";
import { NEW_TEMPLATE } from "../../../src/domain/template/template-form.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import type { Sandbox } from "../../../src/sandbox/start.ts";
import { KeysService } from "../../../src/services/account/keys.ts";
import { createGroupId } from "../../../src/services/group/group-journal.ts";
import type { InstanceRow } from "../../../src/services/instance/instances.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import { currentSaves, planFor } from "../editor-window.ts";
import { draftOf, machinesOf } from "../group-windows.ts";
import { cheapest, editorWindow, sandbox } from "../support.ts";

interface Stage {
  readonly window: ReturnType<typeof editorWindow> & { held: readonly InstanceRow[] };
  readonly one: Sandbox;
  readonly two: Sandbox;
  /** What was written to either service since the last call. */
  readonly written: () => readonly string[];
}

/** One window signed in to an account that has a machine, with a second account to switch to. */
async function twoAccounts(): Promise<Stage> {
  const lines: RequestLine[] = [];
  const requests = (line: RequestLine) => void lines.push(line);
  const [one, two] = [await sandbox({ seed: 1, requests }), await sandbox({ seed: 2, requests })];
  const window = { ...editorWindow(), held: [] as readonly InstanceRow[] };
  await window.session.signIn(two.url, two.apiKey);
  await window.session.signIn(one.url, one.apiKey);
  const written = () => {
    const writes = lines.filter(({ method, path }) => method !== "GET" && !/bundles|volumes\/search/.test(path));
    lines.length = 0;
    return writes.map(({ method, path }) => `${method} ${path}`);
  };
  return { window, one, two, written };
}

const isSwitched = (error: unknown) =>
  error instanceof AppError && error.kind === "rejected" && /switched accounts/.test(error.message);

describe("confirmed in one account, with another one signed in by then", () => {
  test("a launch rents nothing anywhere", async () => {
    const { window, two, written } = await twoAccounts();
    const [account, plan] = [window.me(), planFor(await cheapest(window))];
    await window.launches.mayRent(account, plan);
    written();
    await window.session.signIn(two.url, two.apiKey);
    const outcome = await window.launches.rent(account, plan, createIntent());
    assert.ok(outcome.kind === "not-rented" && outcome.proven && isSwitched(outcome.error));
    assert.deepEqual(written(), []);
  });

  test("a launch that is switched under between its checks and its request rents nothing", async () => {
    const { window, two, written } = await twoAccounts();
    const [account, plan, intent] = [window.me(), planFor(await cheapest(window)), createIntent()];
    written();
    const renting = window.launches.rent(account, plan, intent);
    await window.session.signIn(two.url, two.apiKey);
    const outcome = await renting;
    const creates = written().filter((line) => line.startsWith("PUT /api/v0/asks/"));
    // Either it was quick enough to leave, in its own account, or it didn't leave at all.
    if (creates.length === 0) assert.ok(outcome.kind === "not-rented" && outcome.proven);
    assert.equal(two.world.listInstances().length, 0);
  });

  const onInstances: Readonly<Record<string, (stage: Stage, account: ReturnType<Stage["window"]["me"]>) => unknown>> = {
    destroy: ({ window }, account) => window.orders.carryOut(account, "destroy", window.held),
    stop: ({ window }, account) => window.orders.carryOut(account, "stop", window.held),
    start: ({ window }, account) => window.actions.start(account, window.held[0]?.value.id as never),
    reboot: ({ window }, account) => window.actions.reboot(account, window.held[0]?.value.id as never),
    rename: ({ window }, account) => window.actions.rename(account, window.held[0]?.value.id as never, "mine"),
    "change bid": ({ window }, account) => window.actions.changeBid(account, window.held[0]?.value.id as never, 1),
    "rent a group": async ({ window }, account) => {
      const plan = toGroupPlan(draftOf((await machinesOf(window)).slice(0, 2)));
      const confirmed = { account, plan, id: createGroupId(), withoutTracking: false };
      return await window.groupLauncher.launch(confirmed, () => {}, new AbortController().signal);
    },
    "replace a dead machine": ({ window }, account) =>
      window.replacements.destroyDead(account, window.held[0]?.value.id as never),
    "delete an API key": ({ window }, account) => new KeysService(window.session).delete(account, 900_214),
    "create background jobs": ({ window, one }, account) =>
      window.host.createJobs(account, {
        machine: one.world.ownMachine.id,
        price_gpu: 1,
        price_inetu: 0,
        price_inetd: 0,
        image: "a/b",
      }),
    "unlist a volume": ({ window }, account) => window.host.unlist(account, 1),
    "create an overlay network": ({ window }, account) => window.overlays.create(account, { name: "net", cluster: 1 }),
    "delete an overlay network": ({ window }, account) =>
      window.overlays.delete(account, {
        overlay: { overlay_id: 1, name: "net", cluster_id: 1 },
        raw: {},
        members: [],
      } as never),
    "copy a workergroup's key": ({ window }, account) => window.workergroups.getKey(account, 1),
    "sign out": ({ window }, account) => window.session.signOut(account),
  };
  for (const [name, act] of Object.entries(onInstances)) {
    test(`${name} does nothing anywhere`, async () => {
      const stage = await twoAccounts();
      const { window, two, written } = stage;
      const offer = await cheapest(window);
      await window.rent(planFor(offer), createIntent());
      await window.instances.collection.refresh();
      window.held = window.instances.rows;
      assert.equal(window.held.length, 1);
      const account = window.me();
      await window.session.signIn(two.url, two.apiKey);
      written();
      await assert.rejects(Promise.resolve(act(stage, account)), isSwitched);
      assert.deepEqual(written(), []);
      assert.equal(stage.one.world.listInstances().length, 1);
      assert.equal(window.session.current.kind, "signed-in", "nobody was signed out");
    });
  }

  for (const name of ["create", "edit", "remove"] as const) {
    test(`to ${name} a template does nothing anywhere`, async () => {
      const { window, two, written } = await twoAccounts();
      const account = window.me();
      const draft = { ...NEW_TEMPLATE, name: "Mine", image: "a/b" };
      const made = await currentSaves(window.session, window.templates).create(draft);
      assert.ok(made.kind === "saved");
      const { stored } = made;
      await window.session.signIn(two.url, two.apiKey);
      written();
      const calls = {
        create: () => window.saves.create(account, { ...draft, name: "Other" }),
        edit: () => window.saves.edit(account, stored, { ...stored.draft, desc: "new" }),
        remove: () => window.saves.remove(account, stored),
      };
      await assert.rejects(calls[name](), isSwitched);
      assert.deepEqual(written(), []);
    });
  }

  test("a launch is settled in its own account only", async () => {
    const { window, two } = await twoAccounts();
    const [account, offer] = [window.me(), await cheapest(window)];
    await window.rent(planFor(offer), createIntent());
    const [record] = await window.watch.reread();
    const [id] = record?.ids ?? [];
    assert.ok(record && id);
    await window.session.signIn(two.url, two.apiKey);
    await assert.rejects(window.verdicts.settleAs(account, record, id), isSwitched);
    await assert.rejects(window.verdicts.dismiss(account, record), isSwitched);
  });
});
