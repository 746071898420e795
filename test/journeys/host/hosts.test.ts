// Workergroups, hosts and keys over real HTTP: what is kept, what is sent once, and what a late answer may not do.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError, type ErrorKind } from "../../../src/domain/base/error.ts";
import { Refusal } from "../../../src/sandbox/base/refusal.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { KEY_IDS } from "../../../src/sandbox/world/keys.ts";
import { KeysService } from "../../../src/services/account/keys.ts";
import { getLast } from "../../../src/services/core/loaded.ts";
import { editorWindow, middleman, sandbox } from "../support.ts";

async function signedIn(faults: readonly FaultSpec[] = []) {
  const lines: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void lines.push(line) });
  const window = editorWindow();
  await window.session.signIn(service.url, service.apiKey);
  for (const fault of faults) service.faults.add(fault);
  const sent = (path: string) => lines.filter((line) => line.path.startsWith(path));
  return { service, sent, account: window.session.requireSignedIn(), ...window };
}

const fails = (kind: ErrorKind, says: RegExp) => (error: unknown) =>
  error instanceof AppError && error.kind === kind && says.test(error.message);

const JOBS = { price_gpu: 4.8, price_inetu: 0.01, price_inetd: 0.02, image: "a/b" };
const CREATE = "/api/v0/machines/create_bids/";

describe("workergroups", () => {
  test("hold no key; it is asked for when it is wanted", async () => {
    const { workergroups, service, account, sent } = await signedIn();
    await workergroups.collection.refresh();
    const key = String(service.world.workergroups[0]?.api_key);
    assert.equal(workergroups.rows.length, 3);
    assert.ok(!JSON.stringify(workergroups.rows).includes(key));
    assert.ok(workergroups.rows.every(({ hasKey, template }) => hasKey && typeof template === "object"));
    const before = sent("/api/v0/autojobs/").length;
    assert.equal(await workergroups.getKey(account, 7701), key);
    assert.equal(sent("/api/v0/autojobs/").length, before + 1);
    await assert.rejects(
      workergroups.getKey(account, 1),
      fails("not-found", /didn't provide an API key for workergroup 1/),
    );
  });

  test("are there without their templates where those cannot be read", async () => {
    const { workergroups } = await signedIn(["403@searchTemplates"]);
    await workergroups.collection.refresh();
    assert.deepEqual(
      workergroups.rows.map(({ template }) => template),
      ["unknown", "unknown", "unknown"],
    );
  });

  test("the key of one account is not handed to whoever is signed in by then", async () => {
    const { workergroups, session, account } = await signedIn(["slow@listWorkergroups"]);
    const other = await sandbox({ seed: 2 });
    const late = workergroups.getKey(account, 7701);
    await session.signIn(other.url, other.apiKey);
    await assert.rejects(late);
    await assert.rejects(workergroups.getKey(account, 7701), fails("rejected", /switched accounts/));
  });
});

describe("a host", () => {
  for (const [fault, kind] of [
    ["reset-after", "outcome-unknown"],
    ["502-html", "outcome-unknown"],
    ["html-200", "outcome-unknown"],
    ["empty", "outcome-unknown"],
    ["429", "too-fast"],
    ["403", "not-allowed"],
  ] as const)
    test(`${fault}: jobs are sent once, and told to be ${kind}`, async () => {
      const { host, account, service, sent } = await signedIn([`${fault}@createBackgroundJobs`]);
      const jobs = { ...JOBS, machine: service.world.ownMachine.id };
      await assert.rejects(
        host.createJobs(account, jobs),
        fails(kind, kind === "outcome-unknown" ? /confirm whether/ : /Couldn't create background jobs on machine/),
      );
      assert.equal(sent(CREATE).length, 1);
      assert.equal(host.lastAnswer?.outcome, kind === "outcome-unknown" ? "unknown" : "refused");
    });

  for (const reason of [
    "Missing or invalid machine id, must be integer",
    "Missing or invalid image, must be string",
    "Please only use args or args_str",
    "args_str cannot be parsed: No closing quotation",
  ])
    test(`the service refuses jobs with 400 “${reason}”: in its words, and they are sent once`, async () => {
      const { host, account, service, sent } = await signedIn();
      // Nothing the form sends can be refused so; a service of another mind may do it all the same.
      service.world.jobs.set = () => {
        throw new Refusal(400, "invalid_args", reason);
      };
      await assert.rejects(
        host.createJobs(account, { ...JOBS, machine: service.world.ownMachine.id }),
        (error) => error instanceof AppError && error.kind === "rejected" && error.message.includes(reason),
      );
      assert.equal(sent(CREATE).length, 1);
      assert.equal(host.lastAnswer?.outcome, "refused");
    });

  test("a 200 that says no is a failure in words", async () => {
    const { host, account, service } = await signedIn();
    await assert.rejects(
      host.createJobs(account, { ...JOBS, machine: 1 }),
      fails("rejected", /machine 1: only the owner/),
    );
    assert.equal(service.world.jobs.size, 0);
  });

  test("what was confirmed in one account is not sent in another, nor is its answer shown there", async () => {
    const { host, session, account, service } = await signedIn();
    const machine = service.world.ownMachine.id;
    await host.createJobs(account, { ...JOBS, machine });
    assert.equal(host.lastAnswer?.outcome, "done");
    const other = await sandbox({ seed: 2 });
    await session.signIn(other.url, other.apiKey);
    assert.equal(host.lastAnswer, undefined);
    await assert.rejects(host.createJobs(account, { ...JOBS, machine }), fails("rejected", /switched accounts/));
    assert.equal(other.world.jobs.size, 0);
  });

  test("a volume is taken off once, and the list follows", async () => {
    const { host, account, service, sent } = await signedIn();
    await host.collection.refresh();
    const [id = 0] = service.world.volumes.listOwnOffers();
    assert.deepEqual(host.listings.map(({ value }) => value.id).sort(), service.world.volumes.listOwnOffers().sort());
    assert.match((await host.unlist(account, id)).text, /Unlisted Volume/);
    await host.collection.refresh();
    assert.ok(host.listings.every(({ value }) => value.id !== id));
    await assert.rejects(
      host.unlist(account, id),
      fails("rejected", /Couldn't unlist volume \d+: Volume listing does not/),
    );
    assert.equal(sent("/api/v0/volumes/unlist").length, 2);
  });

  test("a service without volumes, and a key that may not list them, leave the rest of the view", async () => {
    const { url, apiKey } = await sandbox({ onlyDocumented: true });
    const { session, host } = editorWindow();
    await session.signIn(url, apiKey);
    await host.collection.refresh();
    assert.equal(getLast(host.collection.store.current)?.value.without, "unsupported");
    const forbidden = await signedIn(["403@listVolumes"]);
    await forbidden.host.collection.refresh();
    assert.equal(getLast(forbidden.host.collection.store.current)?.value.without, "not-allowed");
  });
});

describe("keys", () => {
  test("of others go, one's own locks out, and which it was is found by asking", async () => {
    const service = await sandbox();
    const { session } = editorWindow();
    const keys = new KeysService(session);
    await session.signIn(service.url, service.world.keys.getText(KEY_IDS.full) ?? "");
    const account = session.requireSignedIn();
    assert.equal((await keys.list(account))?.length, 5);
    assert.equal(await keys.delete(account, KEY_IDS.readOnly), true);
    await assert.rejects(
      keys.delete(account, KEY_IDS.primary),
      fails("rejected", /Couldn't delete API key \d+: You cannot delete your primary key/),
    );
    await assert.rejects(keys.delete(account, 5), fails("not-found", /API Key not found/));
    assert.equal(await keys.delete(account, KEY_IDS.full), false);
  });

  test("a lost answer is not known, and nothing is sent again; a service without the list asks for the id", async () => {
    const { session, service, sent } = await signedIn(["reset-after@deleteApiKey", "403@listApiKeys"]);
    const keys = new KeysService(session);
    assert.equal(await keys.list(session.requireSignedIn()), undefined);
    await assert.rejects(
      keys.delete(session.requireSignedIn(), KEY_IDS.full),
      fails("outcome-unknown", /confirm whether/),
    );
    assert.equal(sent("/api/v0/auth/apikeys/").filter(({ method }) => method === "DELETE").length, 1);
    assert.equal(service.world.keys.getText(KEY_IDS.full), undefined);
  });
});

test("webhooks: what cannot be read is counted, of two with one id the first is shown", async () => {
  const { url, apiKey } = await sandbox();
  const address = await middleman(url, (path, status, text) => {
    if (!path.startsWith("/api/v0/webhooks/")) return { status, text };
    const webhooks = [{ id: 1, name: "a" }, { id: 1, name: "b" }, { id: "7" }, { id: -1 }, null, 5, { name: "no id" }];
    return { status, text: JSON.stringify({ success: true, webhooks }) };
  });
  const { session, webhooks } = editorWindow();
  await session.signIn(address, apiKey);
  await webhooks.collection.refresh();
  assert.deepEqual(
    webhooks.rows.map(({ value }) => [value.id, value.name]),
    [
      [1, "a"],
      [7, undefined],
    ],
  );
  assert.equal(getLast(webhooks.collection.store.current)?.value.unreadable, 4);
});
