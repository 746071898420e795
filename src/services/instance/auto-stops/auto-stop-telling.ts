// Which window tells the person of an end: each message is told once, unless the window that told it is gone.
import type { InstanceId } from "../../../domain/base/id.ts";
import type { InstanceAutoStop } from "../../../domain/instance/auto-stop.ts";
import type { Instance } from "../../../domain/instance/instance.ts";
import type { Liveness } from "../../core/heartbeat.ts";
import type { Scheduler } from "../../core/scheduler.ts";
import type { SignedIn } from "../../core/session.ts";
import type { OrderEnd } from "../order-notices.ts";
import { type AutoStopEntry, type AutoStopTold, countTold } from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";

/** What a window tells its person. Call `answered` once they have seen it. */
export type AutoStopNotice = {
  readonly account: SignedIn;
  readonly instance: Instance;
  readonly answered: () => void;
} & (
  | { readonly kind: AutoStopTold; readonly end: InstanceAutoStop }
  | { readonly kind: "ended"; readonly end: InstanceAutoStop; readonly result: OrderEnd }
);

interface Parts {
  readonly journal: AutoStopJournal;
  readonly liveness: Liveness;
  readonly scheduler: Scheduler;
}

/** Milliseconds that a window may be silent about what it began to tell. */
const SILENT = 15_000;

export class AutoStopTelling {
  readonly #parts: Parts;
  /** By message, when the window that told it was first silent, in monotonic milliseconds. */
  readonly #silent = new Map<string, number>();
  /** What this window told although the disk couldn't note it. */
  readonly #unnoted = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Each is told once; what passed unnoticed again, unless the window that told it is still waiting for an answer. */
  async may(entry: AutoStopEntry, what: AutoStopTold, id: InstanceId): Promise<boolean> {
    const { journal, liveness, scheduler } = this.#parts;
    if (this.#unnoted.has(nameOf(entry, what, id)) || (what === "overdue" && entry.seen.has(id))) return false;
    const count = countTold(entry, what, id);
    if (count === 0) return true;
    if (what === "soon") return false;
    const teller = await journal.findTeller(entry.name, { what, id, count });
    if (teller === undefined || teller === liveness.id || (await liveness.isAlive(teller))) return false;
    // It may be telling it right now and have come no further than its file. Then it is heard of by the next look.
    const message = `${nameOf(entry, what, id)} ${count}`;
    const now = scheduler.clock.elapsed();
    const since = this.#silent.get(message) ?? now;
    this.#silent.set(message, since);
    return now - since >= SILENT;
  }

  /**
   * What costs money is told although the disk can't note it.
   * @returns what to call once it was answered; undefined if another window was faster.
   */
  async claim(entry: AutoStopEntry, what: AutoStopTold, id: InstanceId): Promise<(() => void) | undefined> {
    const { journal, liveness } = this.#parts;
    const answered = liveness.begin();
    const count = countTold(entry, what, id) + 1;
    const isOurs = await journal.claimTold(entry.name, { what, id, count }, liveness.id).catch(() => {
      if (what === "overdue") this.#unnoted.add(nameOf(entry, what, id));
      return what === "overdue";
    });
    if (isOurs) return answered;
    answered();
    return undefined;
  }
}

const nameOf = ({ name }: AutoStopEntry, what: AutoStopTold, id: InstanceId): string => `${name} ${what} ${id}`;
