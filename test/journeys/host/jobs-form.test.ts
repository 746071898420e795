// The form for background jobs over real HTTP: what is sent once, what is asked first, what is kept, and for whom.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { EMPTY_JOBS_FORM, type JobsForm } from "../../../src/domain/host/jobs-form.ts";
import { rememberSecretsIn } from "../../../src/lib/redact.ts";
import type { FaultSpec } from "../../../src/sandbox/faults/faults.ts";
import type { RequestLine } from "../../../src/sandbox/http/request-line.ts";
import { findRefusedJobsField, type JobsEdit } from "../../../src/services/host/jobs-edit.ts";
import type { JobsFormPerson } from "../../../src/services/host/jobs-edits.ts";
import { editorWindow, sandbox } from "../support.ts";

async function signedIn(faults: readonly FaultSpec[] = []) {
  const lines: RequestLine[] = [];
  const service = await sandbox({ requests: (line) => void lines.push(line) });
  const window = editorWindow();
  await window.session.signIn(service.url, service.apiKey);
  for (const fault of faults) service.faults.add(fault);
  const sent = () => lines.filter(({ path }) => path.startsWith("/api/v0/machines/create_bids/"));
  return { ...window, service, sent, form: filled(service.world.ownMachine.id) };
}

const filled = (machine: number): JobsForm => ({
  ...EMPTY_JOBS_FORM,
  machine: String(machine),
  image: "a/b",
  price_gpu: "4.80",
  price_inetu: "0.01",
  price_inetd: "0.02",
  env: [{ name: "MODE", value: "fast" }],
});

/** A person with their answers, and what was shown to them. */
function personWho(answers: { confirm?: () => Promise<boolean>; closed?: "reopen" | "discard" } = {}) {
  const shown: JobsEdit[] = [];
  const asked: number[] = [];
  const person: JobsFormPerson = {
    show: (edit) => void shown.push(edit),
    confirm: async ({ machine }) => {
      asked.push(machine);
      return answers.confirm ? await answers.confirm() : true;
    },
    wait: (work) => work(),
    tellClosed: async () => answers.closed,
  };
  const lastShown = () => {
    const edit = shown.at(-1);
    assert.ok(edit);
    return edit;
  };
  return { person, shown, asked, lastShown };
}

describe("creating", () => {
  test("one confirmation sends one request with every field, and the next form is empty", async () => {
    const { jobs, form, sent, service } = await signedIn();
    const { person, asked, lastShown } = personWho();
    jobs.open(person);
    const outcome = await jobs.create(person, lastShown(), form);
    assert.ok(outcome.kind === "created" && /^Created background jobs on machine \d+\.$/.test(outcome.text));
    assert.deepEqual(asked, [service.world.ownMachine.id]);
    assert.equal(sent().length, 1);
    assert.deepEqual(service.world.jobs.get(service.world.ownMachine.id)?.env, { MODE: "fast" });
    assert.ok(lastShown().isOver);
    jobs.open(person);
    assert.deepEqual(lastShown().form, EMPTY_JOBS_FORM);
  });

  test("declined, or with a mistake, nothing is sent, and a mistake isn't even asked about", async () => {
    const { jobs, form, sent, service } = await signedIn();
    const { person, asked, lastShown } = personWho({ confirm: async () => false });
    jobs.open(person);
    assert.equal((await jobs.create(person, lastShown(), form)).kind, "kept");
    assert.equal(asked.length, 1);
    const fieldOfFailure = async (change: Partial<JobsForm>): Promise<string | undefined> => {
      let field: string | undefined;
      await assert.rejects(jobs.create(person, lastShown(), { ...form, ...change }), (error) => {
        assert.ok(error instanceof AppError && error.kind === "rejected");
        assert.ok(!error.message.includes(service.apiKey));
        field = findRefusedJobsField(error);
        return true;
      });
      return field;
    };
    assert.equal(await fieldOfFailure({ price_gpu: "4,80" }), "price_gpu");
    assert.equal(await fieldOfFailure({ onstart: `login ${service.apiKey}` }), "onstart");
    assert.equal(await fieldOfFailure({ env: [{ name: "KEY", value: service.apiKey }] }), "env");
    assert.deepEqual([asked.length, sent().length], [1, 0]);
  });

  test("a folder is no secret because a secret of the service begins with it", async () => {
    const { jobs, form, sent } = await signedIn();
    rememberSecretsIn({ GOOGLE_APPLICATION_CREDENTIALS: "/workspace/creds.json" });
    const { person, lastShown } = personWho();
    jobs.open(person);
    await jobs.create(person, lastShown(), { ...form, env: [{ name: "DATA_DIR", value: "/workspace" }] });
    assert.equal(sent().length, 1);
  });

  test("refused, the service's own words are the reason, and what was typed stays", async () => {
    const { jobs, form, sent } = await signedIn();
    const { person, lastShown } = personWho();
    jobs.open(person);
    const others = { ...form, machine: "1" };
    await assert.rejects(jobs.create(person, lastShown(), others), /^AppError: only the owner can create default bid/);
    assert.equal(sent().length, 1);
    jobs.open(person);
    assert.deepEqual(lastShown().form, others);
    assert.ok(!lastShown().isOver);
  });

  test("a lost response is told to be unconfirmed; nothing is sent again", async () => {
    const { jobs, form, sent, host } = await signedIn(["reset-after@createBackgroundJobs"]);
    const { person, lastShown } = personWho();
    jobs.open(person);
    const outcome = await jobs.create(person, lastShown(), form);
    assert.ok(
      outcome.kind === "unconfirmed" && /Check machine \d+ on the service's website/.test(outcome.error.message),
    );
    assert.equal(sent().length, 1);
    assert.equal(host.lastAnswer?.outcome, "unknown");
    assert.deepEqual(lastShown().form, form);
  });

  test("a page that asks twice at once is asked about and served once", async () => {
    const { jobs, form, sent } = await signedIn();
    const answer = Promise.withResolvers<boolean>();
    const { person, asked, lastShown } = personWho({ confirm: () => answer.promise });
    jobs.open(person);
    const edit = lastShown();
    const first = jobs.create(person, edit, form);
    await assert.rejects(jobs.create(person, edit, form), /A request is already in progress/);
    answer.resolve(true);
    assert.equal((await first).kind, "created");
    assert.deepEqual([asked.length, sent().length], [1, 1]);
  });
});

describe("the tab", () => {
  test("is one: asked for again, the open form is shown", async () => {
    const { jobs } = await signedIn();
    const { person, shown } = personWho();
    jobs.open(person);
    jobs.open(person);
    assert.equal(shown.length, 2);
    assert.equal(shown[0], shown[1]);
  });

  test("closed, what was typed is there again, unless it is discarded", async () => {
    const { jobs, form } = await signedIn();
    const ignoring = personWho();
    jobs.open(ignoring.person);
    ignoring.lastShown().change(form);
    await jobs.close(ignoring.person, ignoring.lastShown());
    const reopening = personWho({ closed: "reopen" });
    jobs.open(reopening.person);
    assert.deepEqual(reopening.lastShown().form, form);
    assert.ok(reopening.lastShown().isRestored);
    await jobs.close(reopening.person, reopening.lastShown());
    assert.equal(reopening.shown.length, 2);
    assert.deepEqual(reopening.lastShown().form, form);
    const discarding = personWho({ closed: "discard" });
    await jobs.close(discarding.person, reopening.lastShown());
    jobs.open(discarding.person);
    assert.deepEqual(discarding.lastShown().form, EMPTY_JOBS_FORM);
    assert.ok(!discarding.lastShown().isRestored);
  });

  test("of an account that was left closes; nothing typed is shown to another account, nor sent for it", async () => {
    const { jobs, form, sent, session, service } = await signedIn();
    const other = await sandbox({ seed: 2 });
    const switchAccount = async () => {
      await session.signIn(other.url, other.apiKey);
      return true;
    };
    const { person, lastShown } = personWho({ confirm: switchAccount });
    jobs.open(person);
    const left = lastShown();
    let ended = 0;
    left.onDidEnd(() => {
      ended += 1;
    });
    await assert.rejects(jobs.create(person, left, form), /You switched accounts\. Nothing was changed/);
    assert.deepEqual([ended, left.isOver, sent().length, other.world.jobs.size], [1, true, 0, 0]);
    await assert.rejects(jobs.create(personWho().person, left, form), /You switched accounts/);
    jobs.open(person);
    assert.deepEqual(lastShown().form, EMPTY_JOBS_FORM);
    assert.notEqual(lastShown(), left);
    // A page that is about to close can't write into the form of the account that follows, nor into its own.
    left.change({ ...form, image: "late/one" });
    await session.signIn(service.url, service.apiKey);
    jobs.open(person);
    assert.deepEqual(lastShown().form, form);
  });
});

describe("the account's machines", () => {
  const machinesOf = async (faults: readonly FaultSpec[]) => {
    const { jobs, service } = await signedIn(faults);
    const { person, lastShown } = personWho();
    jobs.open(person);
    const own = service.world.ownMachine.id;
    return { own, machines: await lastShown().listMachines(new AbortController().signal) };
  };

  test("are listed by the service", async () => {
    const { own, machines } = await machinesOf([]);
    assert.deepEqual(
      machines.map(({ id, machine }) => [id, typeof machine?.gpu_name]),
      [[own, "string"]],
    );
  });

  test("are those of the listed volumes where the service lists none", async () => {
    const { own, machines } = await machinesOf(["403@listMachines"]);
    assert.deepEqual(machines, [{ id: own, machine: undefined }]);
  });

  test("are none where nothing tells them, and a failure is told", async () => {
    assert.deepEqual((await machinesOf(["403@listMachines", "403@listVolumes"])).machines, []);
    await assert.rejects(machinesOf(["502-html@listMachines"]), AppError);
  });
});
