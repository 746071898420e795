// The account's balance, read while something of it is billed and someone looks at this window.
import { type Balance, calculateHoursLeft } from "../../domain/account/balance.ts";
import { addPrices } from "../../domain/base/money.ts";
import { getPhase } from "../../domain/instance/instance.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter, type Event } from "../../lib/event.ts";
import { readCredit } from "../core/read-credit.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";

/** Whether someone looks at this window. */
export interface WindowAttention {
  readonly isFocused: () => boolean;
  readonly onDidChange: Event<unknown>;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly scheduler: Scheduler;
  readonly attention?: WindowAttention | undefined;
}

/** Milliseconds between readings, of two requests each, and between those of a balance that doesn't last long. */
const [EVERY, EVERY_IF_LOW] = [480_000, 120_000];
/** Hours. */
const LASTS_LONG = 3;
/** Milliseconds after something was rented, stopped or destroyed. */
const SOON = 3000;

export class Balances implements Disposable {
  readonly #parts: Parts;
  readonly #job: ScheduledJob;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #listening: readonly (Disposable | undefined)[];
  #current: Balance | undefined;
  /** What was billed when it was read. */
  #knownFor = "";
  /** What was billed at the last reading, and when that was, in milliseconds of the clock that never jumps. */
  #read: { readonly what: string; readonly at: number } | undefined;
  /** The service doesn't say it to this key. */
  #isRefused = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#job = parts.scheduler.add({ id: "balance", wait: () => this.#wait(), run: () => this.#check() });
    const plan = () => this.#job.plan();
    this.#listening = [
      parts.session.onDidChange(() => this.#forget()),
      parts.instances.collection.store.onDidChange(plan),
      parts.attention?.onDidChange(plan),
    ];
    plan();
  }

  /** Of the signed-in account; undefined if it isn't known. */
  get current(): Balance | undefined {
    return this.#current;
  }

  #forget(): void {
    this.#current = undefined;
    this.#read = undefined;
    this.#isRefused = false;
    this.#changes.fire();
    this.#job.plan();
  }

  /** Which instances are billed, and whether for more than their disk. */
  #billed(): string {
    const rows = this.#parts.instances.rows.filter(({ gone }) => !gone);
    return rows.map(({ value }) => `${value.id} ${getPhase(value)}`).join("\n");
  }

  #wait(): number | undefined {
    const { session, attention, scheduler } = this.#parts;
    const billed = this.#billed();
    if (session.current.kind !== "signed-in" || this.#isRefused || billed === "") return undefined;
    if (attention?.isFocused() === false) return undefined;
    if (!this.#read) return 0;
    const every = billed === this.#read.what ? this.#pause() : SOON;
    return Math.max(0, this.#read.at + every - scheduler.clock.elapsed());
  }

  /** In between, what is left is worked out. */
  #pause(): number {
    const hours = this.#current && calculateHoursLeft(this.#current, undefined, this.#parts.scheduler.clock.now());
    return hours !== undefined && hours > LASTS_LONG ? EVERY : EVERY_IF_LOW;
  }

  async #check(): Promise<void> {
    const { session, scheduler } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    const what = this.#billed();
    this.#read = { what, at: scheduler.clock.elapsed() };
    const [said, rate] = await Promise.all([readCredit(account), readRate(account)]);
    if (session.current !== account) return;
    this.#isRefused = said === "refused";
    const credit = said === "refused" ? undefined : said;
    // One that can't be read now is kept, as long as the same is billed.
    if (credit === undefined && this.#current && !this.#isRefused && what === this.#knownFor) return;
    this.#knownFor = what;
    this.#current = credit === undefined ? undefined : { credit, rate, at: scheduler.clock.now() };
    this.#changes.fire();
  }

  dispose(): void {
    this.#job.dispose();
    for (const one of this.#listening) one?.dispose();
    this.#changes.dispose();
  }
}

/** Dollars per hour; undefined if the service doesn't say all of it. */
async function readRate({ client }: SignedIn): Promise<number | undefined> {
  const rate = await client.getSpendRate().catch(() => undefined);
  return addPrices([rate?.gpu, rate?.containerStorage, rate?.volumeStorage]);
}
