// Someone who has a machine rented for a run: answers on their own, logs in by the real `ssh`, and remembers what they were told.
import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AppError } from "../../../src/domain/base/error.ts";
import type { InstanceId } from "../../../src/domain/base/id.ts";
import type { WhenDone } from "../../../src/domain/base/when-done.ts";
import type {
  LaunchAction,
  LaunchMessage,
  LaunchQuestion,
  LaunchStage,
} from "../../../src/domain/launch/launch-messages.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import type { Offer } from "../../../src/domain/offer/offer.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import type { RunDraft } from "../../../src/domain/run/run-plan.ts";
import { loginQuietly } from "../../../src/services/connection/quiet-login.ts";
import { createIntent } from "../../../src/services/launch/intent.ts";
import type { NextStep } from "../../../src/services/launch/launch-steps.ts";
import type { NextAttempt } from "../../../src/services/run/attempts/next-attempt.ts";
import type { ConfirmedRental } from "../../../src/services/run/confirmed-rental.ts";
import { listRun } from "../../../src/services/run/list-run.ts";
import { type RunPerson, rentForRun } from "../../../src/services/run/rent-for-run.ts";
import { probeTransfer } from "../../../src/services/transfer/probe-transfer.ts";
import { planFor } from "../editor-window.ts";
import { NEVER, type signInForRuns, watchRun } from "../run-machine.ts";
import { cheapest, cleanUp } from "../support.ts";

type Window = Awaited<ReturnType<typeof signInForRuns>>;

interface Answers {
  /** What they choose of what a message offers. */
  readonly action?: LaunchAction;
  readonly onStage?: (stage: LaunchStage) => void;
}

/** The folder on machines into which they upload: there it is below the home, since machines are folders of this computer. */
const USUAL = "/workspace";

export function createRenter(window: Window, { action, onStage }: Answers = {}) {
  const leaving = new AbortController();
  const told: LaunchMessage[] = [];
  const questions: LaunchQuestion[] = [];
  const kept: { readonly id: InstanceId; readonly error: AppError }[] = [];
  const steps: (NextStep | undefined)[] = [];
  const errors: unknown[] = [];
  const person: RunPerson = {
    launching: {
      confirm: async (question) => questions.push(question) > 0 && question.kind === "replace",
      tell: async (message, actions) => {
        told.push(message);
        return actions.find((one) => one === action);
      },
      wait: (work) => work(),
      accompany: (_, work) => work((stage) => onStage?.(stage), leaving.signal),
    },
    usualFolder: () => USUAL,
    connect: async (account, id) => {
      await window.connections.addKey(account, id, window.mine);
      return await loginQuietly(window, account, id, NEVER);
    },
    findPlace: async (_, machine) => (await probeTransfer(machine, NEVER)) + USUAL,
    list: (draft) => listRun(draft, NEVER),
    tellKept: (_, _name, id, error) => void kept.push({ id, error }),
    takeNextStep: async (_, next) => void steps.push(next),
    tellError: (error) => void errors.push(error),
  };
  const messages = () => told.map(({ kind }) => kind);
  return { person, stopWaiting: () => leaving.abort(), messages, questions, kept, steps, errors };
}

export interface RentWish {
  readonly files?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly whenDone?: WhenDone;
  readonly answers?: Answers;
  readonly plan?: Partial<LaunchPlan>;
  /** Of which there are several, one GPU each. */
  readonly gpu?: string;
  /** What is different from a file that is run as it is. */
  readonly draft?: Partial<RunDraft>;
  /** A run that goes on. */
  readonly next?: NextAttempt;
}

async function findOffer(window: Window, gpu: string | undefined): Promise<Offer> {
  if (gpu === undefined) return await cheapest(window, window.service.world.listInstances().length * 4);
  const { offers } = await window.offers.search(anySearch);
  return offers.find(({ gpu_name, num_gpus }) => gpu_name === gpu && num_gpus === 1) ?? assert.fail(gpu);
}

/** A run whose summary was confirmed, and that isn't rented for yet. `rent` takes what is different from the usual person. */
export async function confirmRun(
  window: Window,
  {
    files = { "a.sh": "echo made > made\n" },
    command = "sh a.sh",
    whenDone = "destroy",
    answers,
    plan: changed,
    gpu,
    draft: special,
    next,
  }: RentWish = {},
) {
  const folder = next?.draft.folder ?? (await mkdtemp(join(tmpdir(), "cloud-gpu-run-")));
  cleanUp(() => rm(folder, { recursive: true, force: true }));
  if (!next) for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const draft: RunDraft = next?.draft ?? { name: "a.sh", command, setup: "", folder, ...special };
  const { world } = window.service;
  world.account.credit = Math.max(world.account.credit, 1_000_000);
  const plan = { ...planFor(await findOffer(window, gpu)), ...changed };
  const confirmed: ConfirmedRental = {
    rental: {
      account: window.me(),
      plan,
      search: { ...anySearch },
      intent: createIntent(),
      chain: { price: calculatePlanPrice(plan), tries: 0 },
      withoutTracking: false,
    },
    ...{ draft, whenDone, stopsItself: false, list: await listRun(draft, NEVER), next },
  };
  const renter = createRenter(window, answers);
  const seen = watchRun();
  const watching = { ...seen, watch: { ...seen.watch, ask: renter.person.launching.tell } };
  const rent = async (other: Partial<RunPerson> = {}) => {
    // The window looks often enough for a person.
    const polling = setInterval(() => void window.instances.collection.refresh(), 50);
    cleanUp(() => clearInterval(polling));
    const who = { ...renter.person, ...other };
    return await rentForRun(window, who, confirmed, watching).finally(() => clearInterval(polling));
  };
  return { ...window, ...renter, folder, confirmed, watching, rent };
}
