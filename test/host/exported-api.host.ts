// What other extensions get, in the real editor: what they see, what they may open, and what is refused by name. Whatever they ask for, nothing
// is sent that rents, changes, or ends anything.
import assert from "node:assert/strict";
import * as vscode from "vscode";
import type { CloudGpuApi } from "../../docs/cloud-gpu-api.d.ts";
import { commands, EXTENSION } from "../../src/ids.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { describe, it } from "./bdd.ts";
import { eventually, inUntouchedSandbox } from "./support.ts";

async function getApi(): Promise<CloudGpuApi> {
  const found = vscode.extensions.getExtension<CloudGpuApi>(EXTENSION);
  assert.ok(found);
  return await found.activate();
}

const HASH = "4e17788f74f075dd9aab7d0d4427968f";
const KEY = "0123456789abcdef".repeat(4);

/** Drafts that no link may say, and what is said of each. */
const WRONG: readonly (readonly [draft: unknown, said: RegExp])[] = [
  [undefined, /isn't an object/],
  [null, /isn't an object/],
  ["/launch", /isn't an object/],
  [7, /isn't an object/],
  [[HASH], /isn't an object/],
  [() => HASH, /isn't an object/],
  [{}, /“template”/],
  [{ template: 7 }, /“template”.*string/],
  [{ template: "" }, /“template”.*no value/],
  [{ template: "x".repeat(300) }, /“template”.*hash/],
  [{ template: HASH, gpus: "2" }, /“gpus”.*number/],
  [{ template: HASH, max: Number.NaN }, /“max”.*number/],
  [{ template: HASH, disk: -1 }, /“disk”/],
  [{ template: HASH, type: "reserved" }, /“type”.*ondemand/],
  [{ template: HASH, gpu: "RTX\u202e4090" }, /“gpu”.*invisible/],
  [{ template: HASH, gpu: "x".repeat(1_000_000) }, /“gpu”.*2 KB/],
  [{ template: HASH, gpu: { toString: () => "RTX 4090" } }, /“gpu”.*string/],
  [{ template: HASH, onstart: "curl" }, /field “onstart”/],
  [{ template: HASH, env: {} }, /field “env”/],
  [{ template: HASH, apiKey: KEY }, /field “apiKey”/],
  [{ template: HASH, ["a".repeat(1_000_000)]: 1 }, /field “a+…”/],
  [{ template: HASH, [Symbol("gpu")]: "x" }, /field “Symbol/],
  [JSON.parse(`{"template": "${HASH}", "__proto__": {"gpu": "x"}}`), /field “__proto__”/],
  [Object.defineProperty({}, "template", { get: () => HASH, enumerable: true }), /“template”.*string/],
  [new Proxy({ template: HASH }, { ownKeys: () => ["template", "confirmed"] }), /field “confirmed”/],
];

describe("the exported interface", () => {
  it("has what its page says, and can't be changed by one extension for another", async () => {
    const api = await getApi();
    assert.deepEqual(Object.keys(api).sort(), [
      ...["exploreOffers", "instances", "isSandbox", "onDidChange", "openSummary", "version"],
    ]);
    assert.equal(api.version, 1);
    assert.ok(Object.isFrozen(api));
    assert.ok(Object.isFrozen(api.instances));
    assert.deepEqual([api.instances, api.isSandbox], [[], false]);
    assert.throws(() => Object.assign(api, { openSummary: () => undefined }), TypeError);
  });

  it("shows the instances of the account in use, and nothing once it is left", () =>
    inUntouchedSandbox(async ({ service: { world, apiKey } }) => {
      const api = await getApi();
      let changes = 0;
      const listening = api.onDidChange(() => {
        changes += 1;
      });
      const failing = api.onDidChange(() => {
        throw new Error("a listener of someone else");
      });
      assert.equal(api.isSandbox, true);
      const offer = world.offers[0];
      assert.ok(offer);
      const made = { image: "a/b", label: "mine\u202e\n\u0007", onstart: "echo hidden", env: { TOKEN: "hidden" } };
      const { id } = createInstance(world, offer.id, made);
      const before = changes;
      await vscode.commands.executeCommand(commands.refresh);
      const one = await eventually(() => api.instances.find((some) => some.id === id), "it is listed");
      assert.ok(changes > before);
      assert.deepEqual([one.label, typeof one.pricePerHour, one.autoStop], ["mine", "number", undefined]);
      assert.ok(Object.isFrozen(one));
      const said = JSON.stringify(api.instances);
      for (const secret of [apiKey, "hidden", "a/b", "ssh"]) assert.ok(!said.includes(secret), secret);
      const { instances } = api;
      await vscode.commands.executeCommand(commands.refresh);
      const kept = api.instances.find((some) => some.id === id);
      assert.ok(kept === one || kept?.status !== one.status, "what didn't change is the same object");
      assert.equal(instances.length, 1, "a list that was read before stays as it was");
      const then = changes;
      await vscode.commands.executeCommand(commands.signOut);
      assert.deepEqual([api.instances, api.isSandbox], [[], false]);
      assert.ok(changes > then);
      listening.dispose();
      failing.dispose();
      await vscode.commands.executeCommand(commands.sandboxTry);
    })).timeout(60_000);

  it("refuses by name what no link may say, shows nothing and asks for nothing", () =>
    inUntouchedSandbox(async ({ lines }) => {
      const api = await getApi();
      const before = lines.filter(({ path }) => path.includes("template")).length;
      const listTabs = () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.map(({ label }) => label));
      const open = listTabs();
      for (const [draft, said] of WRONG)
        await assert.rejects(api.openSummary(draft as { template: string }), (error: Error) => {
          assert.match(error.message, said);
          assert.ok(error.message.length < 300 && !error.message.includes(KEY), error.message);
          return true;
        });
      await assert.rejects(api.exploreOffers({ template: HASH } as object), /field “template”/);
      await assert.rejects(api.exploreOffers({ max: 0 }), /“max”/);
      assert.equal(lines.filter(({ path }) => path.includes("template")).length, before);
      assert.deepEqual(listTabs(), open);
    })).timeout(60_000);

  it("opens one thing at a time, however often it is asked", () =>
    inUntouchedSandbox(async ({ service: { world } }) => {
      const api = await getApi();
      const template = world.templates.list()[0]?.hash_id;
      assert.ok(template);
      const asked = Array.from({ length: 1000 }, () => api.openSummary({ template, gpu: "RTX 4090", max: 2 }));
      const [first, ...others] = asked.map((one) =>
        one.then(
          () => "done",
          (error: Error) => error.message,
        ),
      );
      for (const said of await Promise.all(others)) assert.match(said, /still open/);
      const ended = await eventually(async () => {
        await vscode.commands.executeCommand("workbench.action.closeQuickOpen");
        return await Promise.race([first, new Promise<undefined>((resolve) => setTimeout(resolve, 50, undefined))]);
      }, "the prompts are closed");
      assert.equal(ended, "done");
      await assert.rejects(api.openSummary({ template }), /a moment ago/);
      assert.equal(world.listInstances().length, 0);
    })).timeout(60_000);

  it("opens the page of offers", () =>
    inUntouchedSandbox(async () => {
      const api = await getApi();
      await eventually(
        () =>
          api.exploreOffers({ gpu: "RTX 3090", max: 2 }).then(
            () => true,
            (error: Error) => {
              assert.match(error.message, /a moment ago/);
              return undefined;
            },
          ),
        "it may be asked again",
      );
      const tab = await eventually(
        () => vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs).find(({ label }) => label === "Offers"),
        "the page is there",
      );
      await vscode.window.tabGroups.close(tab);
    })).timeout(60_000);
});
