// Tells of runs whose window is gone, once in each window: they go on, and cost what their machine costs.
import { getCurrentPrice, getPhase, getReportedPrice } from "../../domain/instance/instance.ts";
import { awaitsRentalEnd, canContinue, isStranded, type RunRecord } from "../../domain/run/run-record.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceActions } from "../instance/instance-actions.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { RunList } from "./run-list.ts";
import type { RunsService } from "./runs.ts";

/** What is told of a run that was left. `price`: $/h of its instance, where that is known. */
export type LeftRunMessage =
  /** `lost`: its instance is gone, and its command was still running when it was seen last. */
  | { readonly kind: "left" | "lost"; readonly run: RunRecord }
  /** It never began on the instance that was rented for it, or its instance has stopped before all was done, or as was decided. */
  | {
      readonly kind: "stranded" | "stopped" | "over";
      readonly run: RunRecord;
      readonly price: number | undefined;
    };

export type LeftRunAction = "reattach" | "start" | "destroy" | "continue";

/** The person at a window that finds runs which were left. The extension tells by notifications; a test answers from a list. */
export interface LeftRunPerson {
  /** Whether the run is of the folder that is open here. */
  isOfThisWindow(run: RunRecord): boolean;
  /** Until the person has seen it. @returns the option they chose; undefined if they chose none. */
  tell(message: LeftRunMessage, actions: readonly LeftRunAction[]): Promise<LeftRunAction | undefined>;
  /** Does what they chose, and asks first where it destroys or costs. */
  carryOut(account: SignedIn, action: LeftRunAction, run: RunRecord): Promise<void>;
  tellError(error: unknown): void;
}

interface TellingParts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly runs: RunsService;
}

interface Parts extends TellingParts {
  readonly actions: InstanceActions;
  readonly runList: RunList;
  readonly scheduler: Scheduler;
}

/** Milliseconds between looks: a window that follows a run may have been killed, and the service may be reached again. */
const AGAIN = 15_000;

/** Runs that began together are told of once. */
const keyOf = (run: RunRecord): string => run.member?.job ?? run.id;

export class LeftRuns implements Disposable {
  readonly #parts: Parts;
  readonly #person: LeftRunPerson;
  readonly #listening: Disposable;
  readonly #looking: ScheduledJob;
  /** Keys of runs. */
  readonly #told = new Set<string>();
  #looksAgain = false;

  constructor(parts: Parts, person: LeftRunPerson) {
    this.#parts = parts;
    this.#person = person;
    this.#looking = parts.scheduler.add({
      id: "left-runs",
      wait: () => (this.#looksAgain ? AGAIN : undefined),
      run: () => this.#check(),
    });
    // It changes with the account as well.
    this.#listening = parts.runList.onDidChange(() => void this.#looking.runNow());
  }

  async #check(): Promise<void> {
    const { session, runs } = this.#parts;
    const { current } = session;
    this.#looksAgain = false;
    if (current.kind !== "signed-in") return;
    const { left, followed } = await runs.findLeft(current);
    this.#looksAgain = followed.length > 0;
    for (const run of left) {
      // Any window tells of an instance that should be gone by now.
      const concerns = this.#person.isOfThisWindow(run) || awaitsRentalEnd(run);
      const key = keyOf(run);
      if (!concerns || this.#told.has(key)) continue;
      const standing = await this.#find(current, run).catch(() => "unknown" as const);
      // It is looked at again once the account is back.
      if (session.current !== current) return;
      if (standing === "unknown") this.#looksAgain = true;
      if (standing === "unknown" || standing === "gone") continue;
      this.#told.add(key);
      this.#tell(current, run, standing).catch((error) => this.#person.tellError(error));
    }
  }

  /** An instance that was destroyed in the meantime is nothing to tell of. Only one that the run rented is read. */
  async #find(account: SignedIn, run: RunRecord): Promise<"there" | "stopped" | "gone" | "unknown"> {
    if (!run.rented) return "there";
    const { actions, instances, runs, session } = this.#parts;
    const now = await actions.reread(account, run.instance);
    if (session.current !== account) return "unknown";
    if (now && getPhase(now.value) === "stopped") return await this.#findStopped(run, getReportedPrice(now.value));
    if (now) return "there";
    // One answer may be behind, and no one tells again of a run that is over.
    if (!(await instances.whereabouts.isGone(account, run.instance)) || session.current !== account) return "unknown";
    await runs.noteGone(run, t("Instance {0} no longer exists.", run.instance));
    if (run.state.kind === "started" && this.#person.isOfThisWindow(run))
      this.#tellLost(account, run).catch((error) => this.#person.tellError(error));
    return "gone";
  }

  /** One that is stopped as was decided is told of with the end of its run. */
  async #findStopped(run: RunRecord, price: number | undefined): Promise<"stopped" | "gone"> {
    const over = await this.#parts.runs.noteStopped(run, price);
    if (over) this.#tellOver(over, price).catch((error) => this.#person.tellError(error));
    return over ? "gone" : "stopped";
  }

  async #tellOver(run: RunRecord, price: number | undefined): Promise<void> {
    await this.#person.tell({ kind: "over", run, price }, []);
  }

  async #tellLost(account: SignedIn, run: RunRecord): Promise<void> {
    const now = (await this.#parts.runs.readAll(account)).find(({ id }) => id === run.id) ?? run;
    const action = await this.#person.tell({ kind: "lost", run: now }, canContinue(now) ? ["continue"] : []);
    if (action) await this.#person.carryOut(account, action, now);
  }

  async #tell(account: SignedIn, run: RunRecord, standing: "there" | "stopped"): Promise<void> {
    // What became of each of several shows once they are followed again.
    if (run.member || (standing === "there" && !isStranded(run))) return await this.#offer(account, run);
    const { session, instances } = this.#parts;
    await instances.collection.getKnown();
    if (session.current !== account) return void this.#told.delete(keyOf(run));
    if (isStranded(run)) await tellStranded(this.#parts, this.#person, account, run);
    else await this.#tellStopped(account, run);
  }

  async #offer(account: SignedIn, run: RunRecord): Promise<void> {
    const action = await this.#person.tell({ kind: "left", run }, ["reattach"]);
    if (action) await this.#person.carryOut(account, action, run);
  }

  /** On its own, or because someone stopped it. */
  async #tellStopped(account: SignedIn, run: RunRecord): Promise<void> {
    const price = await findPrice(this.#parts, account, run);
    const mayContinue = canContinue(run) && this.#person.isOfThisWindow(run);
    const actions = [...(mayContinue ? (["continue"] as const) : []), "start", "destroy"] as const;
    const action = await this.#person.tell({ kind: "stopped", run, price }, actions);
    if (action) await this.#person.carryOut(account, action, run);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#looking.dispose();
  }
}

/** Tells of an instance that was rented for a run which never began, until the person has seen it. @throws AppError if the account was left. */
export async function tellStranded(
  parts: TellingParts,
  person: LeftRunPerson,
  account: SignedIn,
  run: RunRecord,
): Promise<void> {
  const price = await findPrice(parts, account, run);
  const action = await person.tell({ kind: "stranded", run, price }, ["destroy"]);
  const why = run.state.kind === "ended" ? (run.state.why ?? "") : "";
  // A disk that fails keeps no one from what they chose.
  await parts.runs.giveUp(run, why).catch((error) => person.tellError(error));
  if (action) await person.carryOut(account, action, run);
}

async function findPrice(
  { session, instances }: TellingParts,
  account: SignedIn,
  { instance }: RunRecord,
): Promise<number | undefined> {
  await instances.collection.getKnown();
  session.assertStill(account);
  const row = instances.find(instance);
  return row && getCurrentPrice(row);
}
