// A confirmed launch to its end without an editor: what is said, what is asked, and what the answers lead to.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { InstanceId } from "../../../src/domain/base/id.ts";
import type {
  LaunchAction,
  LaunchMessage,
  LaunchQuestion,
  LaunchStage,
} from "../../../src/domain/launch/launch-messages.ts";
import { calculatePlanPrice } from "../../../src/domain/launch/launch-plan.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import type { LaunchPerson, Rental } from "../../../src/services/launch/launch-steps.ts";
import { fastClock, type Parts, planFor } from "../editor-window.ts";
import { cleanUp, eventually, levelTraffic, sandbox, showAs, signedIn } from "../support.ts";

/** Someone who answers from lists and remembers what they were told and asked. */
function person(
  answers: {
    readonly actions?: LaunchAction[];
    readonly confirms?: boolean[];
    readonly leaves?: boolean | "at once";
  } = {},
) {
  const told: LaunchMessage[] = [];
  const offered: (readonly LaunchAction[])[] = [];
  const asked: LaunchQuestion[] = [];
  const stages: string[] = [];
  const leaving = new AbortController();
  const who: LaunchPerson = {
    confirm: async (question) => {
      asked.push(question);
      return answers.confirms?.shift() ?? false;
    },
    tell: async (message, actions) => {
      told.push(message);
      offered.push(actions);
      return actions.length === 0 ? undefined : answers.actions?.shift();
    },
    accompany: (_, work) =>
      work((stage) => {
        if (typeof stage === "string") stages.push(stage);
        else stages.push(stage.instance ? "shown" : `rented ${stage.id}`);
        if (answers.leaves === "at once" || (typeof stage !== "string" && answers.leaves)) leaving.abort();
      }, leaving.signal),
    wait: async (work) => {
      stages.push("waited");
      return await work();
    },
  };
  return { ...who, told, offered, asked, stages, kinds: () => told.map(({ kind }) => kind) };
}

/** A window in front of a market in which every machine has this fate. */
async function withMarket(fate: "runs" | "exited", parts: Parts = {}, options: SandboxOptions = {}) {
  const window = await signedIn(options, { clock: fastClock, ...parts });
  const { world } = window.service;
  for (const offer of world.offers) if (offer.fate !== "gone") world.setFate(offer.id, fate);
  // A machine with dearer traffic replaces none on its own.
  levelTraffic(window.service);
  const { offers } = await window.offers.search(anySearch);
  const offer = offers.find(({ gpu_name, num_gpus }) => gpu_name === "RTX 3090" && num_gpus === 1);
  assert.ok(offer);
  const plan = planFor(offer);
  const rental = (): Rental => ({
    account: window.me(),
    plan,
    search: { ...anySearch },
    intent: createIntent(),
    chain: { price: calculatePlanPrice(plan), tries: 0 },
    withoutTracking: false,
  });
  const polling = setInterval(() => void window.instances.collection.refresh(), 20);
  cleanUp(() => clearInterval(polling));
  const creates = () => window.lines.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));
  return { ...window, world, plan, rental, creates };
}

describe("a launch that was confirmed", () => {
  test("runs: that is said with its price, and Show Instance leads to it", async () => {
    const window = await withMarket("runs");
    const who = person({ actions: ["show"] });
    const next = await window.runner.run(who, window.rental());
    const [instance] = window.world.listInstances();
    assert.deepEqual(next, { kind: "show", id: instance?.id });
    const [message] = who.told;
    assert.ok(message?.kind === "running" && (message.row?.price ?? 0) > 0);
    assert.deepEqual(who.stages.slice(0, 3), ["sending", `rented ${instance?.id}`, "shown"]);
    assert.deepEqual(who.offered, [["connect", "open-project", "show"]]);
    assert.equal(window.creates().length, 1);
    assert.deepEqual(who.asked, []);
  });

  test("runs: Connect leads to its terminal, and closing the message to nothing", async () => {
    for (const actions of [["connect"], []] as const) {
      const window = await withMarket("runs");
      const next = await window.runner.run(person({ actions: [...actions] }), window.rental());
      const [action] = actions;
      assert.deepEqual(next, action && { kind: action, id: window.world.listInstances()[0]?.id });
    }
  });

  test("runs without SSH: there is nothing to connect to", async () => {
    const window = await withMarket("runs");
    const who = person();
    const rental = window.rental();
    await window.runner.run(who, { ...rental, plan: { ...rental.plan, runtype: "args" } });
    assert.deepEqual([who.kinds(), who.offered], [["running"], [["show"]]]);
  });

  test("is told of although its progress can't be shown, which isn't taken for leaving", async () => {
    const isShown = (stage: LaunchStage) => typeof stage !== "string" && stage.instance !== undefined;
    for (const [error, fails] of [
      [new Error("no window"), () => true],
      [new AppError("cancelled", "no window"), isShown],
      [new AppError("offline", "no network"), isShown],
    ] as const) {
      const window = await withMarket("runs");
      const who = person({ confirms: [true] });
      const accompany: LaunchPerson["accompany"] = (plan, work) =>
        who.accompany(plan, (onStage, cancelled) =>
          work((stage) => {
            onStage(stage);
            if (fails(stage)) throw error;
          }, cancelled),
        );
      assert.equal(await window.runner.run({ ...who, accompany }, window.rental()), undefined);
      assert.deepEqual([who.kinds(), who.asked, window.world.listInstances().length], [["running"], [], 1]);
    }
  });

  test("is answered in another account: neither its review nor another offer follows there", async () => {
    for (const [action, limits] of [
      ["review", {}],
      ["choose-again", { pricePerHour: 0.0001 }],
    ] as const) {
      const window = await withMarket("runs", { limits });
      window.service.faults.add("500@createInstance");
      const other = await sandbox({ seed: 7 });
      const who = person();
      const tell: LaunchPerson["tell"] = async () => {
        await window.session.enterSandbox(other.url, other.apiKey);
        return action;
      };
      await assert.rejects(window.runner.run({ ...who, tell }, window.rental()), /switched accounts/);
    }
  });

  test("is refused: another offer is asked for only where the person wants one", async () => {
    for (const [actions, next] of [
      [["choose-again"], { kind: "choose-again" }],
      [[], undefined],
    ] as const) {
      const window = await withMarket("runs", { limits: { pricePerHour: 0.0001 } });
      const who = person({ actions: [...actions] });
      assert.deepEqual(await window.runner.run(who, window.rental()), next);
      assert.ok(who.told[0]?.kind === "not-rented" && who.told[0].proven);
      assert.equal(window.creates().length, 0);
    }
  });

  test("is stopped before it was sent: that is all there is to say", async () => {
    const window = await withMarket("runs");
    const who = person({ leaves: "at once" });
    assert.equal(await window.runner.run(who, window.rental()), undefined);
    assert.deepEqual([who.told, who.offered], [[{ kind: "cancelled" }], [[]]]);
    assert.equal(window.creates().length, 0);
  });

  test("is refused for want of credit: another offer would not help, so none is offered", async () => {
    const window = await withMarket("runs");
    window.world.account.credit = 0;
    const who = person({ actions: ["choose-again"] });
    assert.equal(await window.runner.run(who, window.rental()), undefined);
    const [message] = who.told;
    assert.ok(message?.kind === "not-rented" && message.error.kind === "no-credit" && !message.proven);
    assert.deepEqual(who.offered, [[]]);
  });

  test("is gone while it is waited for: that is said", async () => {
    const window = await withMarket("runs", {}, { speed: 20 });
    const who = person();
    const running = window.runner.run(who, window.rental());
    await eventually(() => who.stages.includes("shown"), "it is shown");
    const [instance] = window.world.listInstances();
    assert.ok(instance);
    window.world.destroy(instance.id);
    assert.equal(await running, undefined);
    assert.deepEqual([who.told, who.offered], [[{ kind: "gone", id: instance.id }], [[]]]);
  });

  test("whose answer is lost is said to be unknown, and its review is offered", async () => {
    const window = await withMarket("runs");
    window.service.faults.add("500@createInstance");
    window.service.faults.add("500@listInstances");
    const refused = person();
    // The list can't be read, so nothing may be sent at all.
    await window.runner.run(refused, window.rental());
    assert.deepEqual(refused.kinds(), ["not-rented"]);
    window.service.faults.delete("500@listInstances");
    const who = person({ actions: ["review"] });
    const rental = window.rental();
    assert.deepEqual(await window.runner.run(who, rental), { kind: "review", token: rental.intent.token });
    assert.ok(who.told[0]?.kind === "unknown" && who.told[0].tracked);
    assert.equal(window.creates().length, 1);
  });

  test("that nobody waits for any more: Destroy destroys it, and only after the question", async () => {
    const window = await withMarket("runs", {}, { speed: 20 });
    const who = person({ leaves: true, confirms: [true] });
    assert.equal(await window.runner.run(who, window.rental()), undefined);
    assert.deepEqual(
      who.asked.map(({ kind }) => kind),
      ["destroy-rented"],
    );
    assert.equal(window.world.listInstances().length, 0);
    assert.deepEqual(who.told, []);
    assert.equal(who.stages.at(-1), "waited");
  });

  test("that nobody waits for any more: kept, it goes on, and is told once it runs", async () => {
    const window = await withMarket("runs", {}, { speed: 60 });
    const who = person({ leaves: true, confirms: [false] });
    await window.runner.run(who, window.rental());
    assert.deepEqual(who.kinds(), ["running"]);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("that cannot be destroyed is said to exist still", async () => {
    const window = await withMarket("runs", {}, { speed: 20 });
    window.service.faults.add("500@destroyInstance");
    const who = person({ leaves: true, confirms: [true] });
    await window.runner.run(who, window.rental());
    assert.ok(who.told[0]?.kind === "not-destroyed" && who.told[0].ends[0]?.outcome === "failed");
    assert.deepEqual(who.offered, [[]]);
    assert.equal(window.world.listInstances().length, 1);
    await eventually(async () => (await window.orderJournal.readOpen()).length === 0, "it isn't told again");
  });

  test("in an account that is left meanwhile: its machine is named, and nothing is asked of the other account", async () => {
    const window = await withMarket("runs", {}, { speed: 20 });
    const other = await sandbox({ seed: 7 });
    const who = person();
    const running = window.runner.run(who, window.rental());
    await eventually(() => Promise.resolve(window.world.listInstances().length === 1), "it is rented");
    await eventually(() => Promise.resolve(window.instances.rows.length === 1), "it is shown");
    await window.session.enterSandbox(other.url, other.apiKey);
    await running;
    assert.deepEqual([who.kinds(), who.offered], [["left-account"], [[]]]);
    assert.deepEqual(other.world.listInstances(), []);
  });
});

describe("a machine that dies before it runs", () => {
  /** The first one dies; what is rented after it runs. */
  async function dying(parts: Parts = {}) {
    const window = await withMarket("runs", parts);
    window.world.setFate(window.plan.offer.id, "exited");
    return window;
  }

  test("is replaced in one confirmation: the dead one goes first", async () => {
    const window = await dying();
    const who = person({ actions: ["replace"], confirms: [true] });
    await window.runner.run(who, window.rental());
    assert.deepEqual(who.kinds(), ["dead", "running"]);
    assert.deepEqual(who.offered[0], ["replace", "destroy"]);
    const [question] = who.asked;
    assert.ok(question?.kind === "replace" && question.plan.offer.id !== window.plan.offer.id);
    assert.equal(window.world.listInstances().length, 1);
    assert.notEqual(window.world.listInstances()[0]?.offer.id, window.plan.offer.id);
    const order = window.lines.filter(({ method, path }) => method === "DELETE" || path.includes("/asks/"));
    assert.deepEqual(
      order.map(({ method }) => method),
      ["PUT", "DELETE", "PUT"],
    );
  });

  /** Someone who leaves what is asked about the dead machine unanswered. */
  const leaveUnanswered = (who: ReturnType<typeof person>) => {
    const asked = Promise.withResolvers<InstanceId>();
    const tell: LaunchPerson["tell"] = async (message, actions) => {
      if (message.kind !== "dead") return await who.tell(message, actions);
      asked.resolve(message.id);
      return await new Promise(() => {});
    };
    return { unanswered: { ...who, tell }, asked: asked.promise };
  };

  test("is asked about again where the price isn't agreed to", async () => {
    const window = await dying();
    const who = person({ actions: ["replace", "destroy"], confirms: [false] });
    const next = await window.runner.run(who, window.rental());
    assert.deepEqual(who.kinds(), ["dead", "dead"]);
    assert.deepEqual(next, { kind: "destroy", id: window.world.listInstances()[0]?.id });
    assert.equal(window.creates().length, 1);
  });

  test("is replaced for what it was rented for, also from its row, while that is asked about", async () => {
    const window = await dying();
    const who = person({ confirms: [true] });
    const { unanswered, asked } = leaveUnanswered(who);
    const launching = window.runner.run(unanswered, window.rental());
    const dead = await asked;
    const atRow = person();
    assert.equal(await window.runner.replace(atRow, window.rental(), dead), undefined);
    await launching;
    assert.deepEqual([atRow.kinds(), atRow.asked], [[], []], "one flow asks");
    assert.deepEqual(who.kinds(), ["running"]);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("isn't asked about any more once somebody has destroyed it", async () => {
    const window = await dying();
    const who = person();
    const { unanswered, asked } = leaveUnanswered(who);
    const launching = window.runner.run(unanswered, window.rental());
    const dead = await asked;
    await window.orders.carryOut(window.me(), "destroy", [{ value: { id: dead } }]);
    assert.equal(await launching, undefined);
    assert.deepEqual([who.kinds(), who.asked, window.creates().length], [["gone"], [], 1]);
  });

  test("is replaced once, however often that is chosen at its row", async () => {
    const window = await dying();
    const who = person({ confirms: [true] });
    const { unanswered, asked } = leaveUnanswered(who);
    const launching = window.runner.run(unanswered, window.rental());
    const dead = await asked;
    const atRow = person();
    await Promise.all([1, 2, 3].map(() => window.runner.replace(atRow, window.rental(), dead)));
    await launching;
    assert.deepEqual([atRow.asked, who.asked.length, window.creates().length], [[], 1, 2]);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("of another session is none of the row's", async () => {
    const window = await dying();
    const { unanswered, asked } = leaveUnanswered(person());
    void window.runner.run(unanswered, window.rental()).catch(() => undefined);
    const dead = await asked;
    const again = { ...window.rental(), account: { ...window.me() } };
    await assert.rejects(window.runner.replace(person(), again, dead), /switched accounts/);
  });

  test("is named with its status, and destroyed where the person chooses that", async () => {
    const window = await dying();
    const who = person({ actions: ["destroy"] });
    const next = await window.runner.run(who, window.rental());
    const id = window.world.listInstances()[0]?.id;
    assert.deepEqual(next, { kind: "destroy", id });
    const why = "Error: container exited with code 1 before it was ready";
    assert.deepEqual(who.told, [{ kind: "dead", id, status: "exited", why, isImage: false }]);
    const silent = await dying();
    assert.equal(await silent.runner.run(person(), silent.rental()), undefined);
  });

  test("that can't start is told with its reason while it is called loading or created", async () => {
    for (const [fate, why, offered] of [
      ["no-image", /manifest for .+ not found: manifest unknown$/, ["reconfigure", "destroy", "replace"]],
      [
        "no-container",
        /OCI runtime create failed: .+unsatisfied condition: cuda>=12\.8: unknown$/,
        ["replace", "destroy"],
      ],
    ] as const) {
      const window = await dying();
      window.world.setFate(window.plan.offer.id, fate);
      const who = person();
      await window.runner.run(who, window.rental());
      const [message] = who.told;
      assert.ok(message?.kind === "dead" && message.isImage === (fate === "no-image"));
      assert.match(message.why, why);
      assert.deepEqual(who.offered, [offered]);
    }
  });

  test("isn't replaced by itself where another machine has the same image, and its template can be edited", async () => {
    const window = await dying({ policy: { automatic: true, priceRise: 5, tries: 2 } });
    for (const { id } of window.world.offers) window.world.setFate(id, "no-image");
    const [template] = (await window.me().client.searchTemplates({})).rows.map(({ value }) => value);
    assert.ok(template);
    const rental = window.rental();
    const who = person({ actions: ["edit-template"] });
    const next = await window.runner.run(who, { ...rental, plan: { ...rental.plan, template, image: undefined } });
    assert.deepEqual([who.kinds(), who.offered], [["dead"], [["edit-template", "destroy", "replace"]]]);
    assert.deepEqual(next, { kind: "edit-template", hash: template.hash_id });
    assert.equal(window.creates().length, 1);
  });

  test("because of its image is destroyed, and its launch opened again; the image of a template's launch may be its own", async () => {
    for (const own of [{}, { image: "me/own" }, { configuration: { image_login: "-u me -p t0k ghcr.io" } }]) {
      const window = await dying();
      window.world.setFate(window.plan.offer.id, "no-image");
      const rental = window.rental();
      const [template] = (await window.me().client.searchTemplates({})).rows.map(({ value }) => value);
      const isOwn = Object.keys(own).length === 0;
      const plan = isOwn ? rental.plan : { ...rental.plan, template, image: undefined, ...own };
      const who = person({ actions: ["reconfigure", "reconfigure"], confirms: [false, true] });
      const next = await window.runner.run(who, { ...rental, plan });
      assert.deepEqual(next, { kind: "reconfigure" });
      const actions = ["reconfigure", "destroy", "replace"];
      assert.deepEqual(
        [who.kinds(), who.offered],
        [
          ["dead", "dead"],
          [actions, actions],
        ],
      );
      assert.deepEqual(
        who.asked.map(({ kind }) => kind),
        ["reconfigure", "reconfigure"],
      );
      assert.deepEqual([window.world.listInstances().length, window.creates().length], [0, 1]);
    }
  });

  test("because of its image is not destroyed if it runs by the time of the answer", async () => {
    const window = await dying();
    window.world.setFate(window.plan.offer.id, "no-image");
    const who = person({ actions: ["reconfigure"] });
    const confirm = async () => {
      showAs(window.world.listInstances()[0] ?? assert.fail(), "running");
      return true;
    };
    assert.equal(await window.runner.run({ ...who, confirm }, window.rental()), undefined);
    assert.deepEqual([who.kinds(), window.world.listInstances().length], [["dead", "not-dead"], 1]);
  });

  test("because of its image isn't destroyed, and its launch not opened, in another account", async () => {
    const window = await dying();
    window.world.setFate(window.plan.offer.id, "no-image");
    const other = await sandbox({ seed: 7 });
    const confirm = async () => {
      await window.session.enterSandbox(other.url, other.apiKey);
      return true;
    };
    const who = { ...person({ actions: ["reconfigure"] }), confirm };
    await assert.rejects(window.runner.run(who, window.rental()), /switched accounts/);
    assert.equal(window.lines.filter(({ method }) => method === "DELETE").length, 0);
  });

  test("because of its image says at its row, too, that another machine won't help", async () => {
    const window = await dying();
    window.world.setFate(window.plan.offer.id, "no-image");
    await window.runner.run(person(), window.rental());
    const who = person();
    const [dead] = window.world.listInstances();
    await window.runner.replace(who, window.rental(), InstanceId.parse(dead?.id));
    const [question] = who.asked;
    assert.ok(question?.kind === "replace" && question.isImageAtFault);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("lives again by the time of the answer: it stays, nothing is rented, and that is said", async () => {
    const window = await dying();
    const who = person({ actions: ["replace"] });
    const late: LaunchPerson = {
      ...who,
      confirm: async () => {
        showAs(window.world.listInstances()[0] ?? assert.fail(), "running");
        return true;
      },
    };
    await window.runner.run(late, window.rental());
    assert.deepEqual([who.kinds(), who.offered.at(-1)], [["dead", "not-dead"], []]);
    const [message] = who.told.slice(-1);
    const [instance] = window.world.listInstances();
    assert.ok(
      message?.kind === "not-dead" && message.instance.actual_status === "running" && message.id === instance?.id,
    );
    assert.equal(window.creates().length, 1);
    assert.equal(window.lines.filter(({ method }) => method === "DELETE").length, 0);
  });

  test("stays where the person does not confirm, and can be destroyed instead", async () => {
    const window = await dying();
    const who = person({ actions: ["replace"], confirms: [false] });
    assert.equal(await window.runner.run(who, window.rental()), undefined);
    assert.equal(window.creates().length, 1);
    const [dead] = window.world.listInstances();
    assert.ok(dead);
    const again = person({ actions: [] });
    assert.equal(await window.runner.replace(again, window.rental(), InstanceId.parse(dead.id)), undefined);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("is gone by the time of the answer: nothing is destroyed or rented, and that is said", async () => {
    const window = await dying();
    const who = person({ actions: ["replace"] });
    const late: LaunchPerson = {
      ...who,
      confirm: async () => {
        // Another window replaced it in the meantime.
        window.world.destroy(window.world.listInstances()[0]?.id ?? assert.fail());
        return true;
      },
    };
    await window.runner.run(late, window.rental());
    assert.deepEqual([who.kinds(), who.offered.at(-1)], [["dead", "gone"], []]);
    assert.equal(window.creates().length, 1);
    assert.equal(window.lines.filter(({ method }) => method === "DELETE").length, 0);
  });

  test("is replaced without a question as the settings say, and the chain ends with its tries", async () => {
    const window = await withMarket("exited", { policy: { automatic: true, priceRise: 5, tries: 2 } });
    const who = person({ actions: [] });
    await window.runner.run(who, window.rental());
    assert.deepEqual(who.kinds(), ["replacing", "replacing", "dead"]);
    assert.deepEqual(who.offered.slice(0, 2), [[], []]);
    assert.deepEqual(who.asked, []);
    assert.equal(window.creates().length, 3);
    assert.equal(window.world.listInstances().length, 1, "each dead one was destroyed before the next was rented");
  });

  test("is not replaced while the service does not confirm that it is gone", async () => {
    const window = await dying({ policy: { automatic: true, priceRise: 5, tries: 2 } });
    window.service.faults.add("500@destroyInstance");
    const who = person();
    await assert.rejects(window.runner.run(who, window.rental()), /may still exist and cost money/);
    assert.equal(window.creates().length, 1);
  });

  test("is left alone where no other offer is there: the person may destroy it or choose", async () => {
    for (const action of ["destroy", "choose-again", undefined] as const) {
      const window = await dying();
      const who = person({ actions: ["replace", ...(action ? [action] : [])] });
      const running = window.runner.run(who, window.rental());
      await eventually(() => Promise.resolve(window.world.listInstances().length === 1), "it is rented");
      for (const { id } of window.world.offers) window.launches.tried.add(id);
      const next = await running;
      assert.deepEqual(who.kinds(), ["dead", "no-replacement"]);
      assert.equal(next?.kind, action);
      assert.equal(window.creates().length, 1);
    }
  });

  test("that lives after all is not replaced", async () => {
    const window = await withMarket("runs");
    await window.runner.run(person(), window.rental());
    const [instance] = window.world.listInstances();
    assert.ok(instance);
    const who = person({ confirms: [true] });
    await window.runner.replace(who, window.rental(), InstanceId.parse(instance.id));
    assert.deepEqual(who.kinds(), ["not-dead"]);
    assert.deepEqual(who.offered, [[]]);
    assert.deepEqual(who.asked, []);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("in an account that is left as somebody stops waiting: named, and nothing is asked", async () => {
    const window = await withMarket("runs", {}, { speed: 20 });
    const other = await sandbox({ seed: 7 });
    const who = person({ leaves: true, confirms: [true] });
    const accompany: LaunchPerson["accompany"] = (plan, work) =>
      who.accompany(plan, async (onStage, cancelled) => {
        const end = await work(onStage, cancelled);
        await window.session.enterSandbox(other.url, other.apiKey);
        return end;
      });
    await window.runner.run({ ...who, accompany }, window.rental());
    assert.deepEqual(who.kinds(), ["left-account"]);
    assert.deepEqual(who.asked, []);
    assert.equal(window.world.listInstances().length, 1);
  });

  test("that its owner stops while it is waited for is neither replaced nor destroyed, whatever the service calls it", async () => {
    for (const fault of [undefined, "stopped-is-exited"] as const) {
      const policy = { automatic: true, priceRise: 5, tries: 2 };
      const window = await withMarket("runs", { policy }, { speed: 20 });
      if (fault) window.service.faults.add(fault);
      const who = person({ actions: ["show"] });
      const running = window.runner.run(who, window.rental());
      await eventually(() => who.stages.includes("shown"), "it is shown");
      const [row] = window.instances.rows;
      assert.ok(row);
      await window.orders.carryOut(window.me(), "stop", [row]);
      assert.deepEqual(await running, { kind: "show", id: row.value.id });
      assert.deepEqual([who.kinds(), who.asked, who.offered], [["stopped"], [], [["show"]]]);
      assert.deepEqual(
        window.lines.filter(({ method }) => method === "DELETE"),
        [],
      );
      assert.equal(window.creates().length, 1);
      const replaced = person({ confirms: [true] });
      await window.runner.replace(replaced, window.rental(), row.value.id);
      assert.deepEqual([replaced.kinds(), replaced.asked], [["not-dead"], []]);
      assert.equal(window.world.listInstances().length, 1);
    }
  });
});
