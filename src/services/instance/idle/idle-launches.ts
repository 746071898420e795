// What is ordered for an idle instance before it is rented: written down before its launch is sent, and given to what that comes to be.
import type { InstanceId } from "../../../domain/base/id.ts";
import type { IdleWish } from "../../../domain/instance/idle-order.ts";
import { toAccountMark } from "../../core/account-mark.ts";
import type { Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import { listLaunched } from "../auto-stops/auto-stop-launches.ts";
import type { InstancesService } from "../instances.ts";
import type { IdleJournal, IdleLaunchEntry } from "./idle-journal.ts";

/** A launch that is about to be sent. */
interface IdleLaunch {
  readonly token: string;
  /** What was listed before, if it is known. */
  readonly before?: InstanceId[] | undefined;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly journal: IdleJournal;
  readonly scheduler: Pick<Scheduler, "clock">;
}

export class IdleLaunches {
  readonly #parts: Parts;
  /** Of the signed-in account. */
  #entries: readonly IdleLaunchEntry[] = [];

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws AppError `rejected` if the account was left; the disk's error: then nothing is ordered. */
  async set(account: SignedIn, { token, before }: IdleLaunch, wish: IdleWish): Promise<void> {
    const { session, journal, scheduler } = this.#parts;
    session.assertStill(account);
    const mark = { token, ...(before ? { before } : {}), ...toAccountMark(account) };
    await journal.writeLaunch({ version: 1, ...mark, wish, at: Math.floor(scheduler.clock.now()) });
  }

  /** Gives it to what is listed by now. @throws the disk's error. */
  async give(account: SignedIn): Promise<void> {
    const { journal, session } = this.#parts;
    const entries = await journal.readLaunches(account);
    if (session.current !== account) return;
    this.#entries = entries;
    const found = entries.flatMap((entry) => this.#listNew(entry).map((id) => ({ entry, id })));
    for (const { entry, id } of found) await journal.giveLaunched(entry, id);
    if (found.length > 0 && session.current === account) this.#entries = await journal.readLaunches(account);
  }

  /** @returns what kept it from that. */
  async giveIfPossible(account: SignedIn): Promise<Error | undefined> {
    try {
      await this.give(account);
      return undefined;
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Whether something is listed by now that has no order yet. */
  hasNew(): boolean {
    return this.#entries.some((entry) => this.#listNew(entry).length > 0);
  }

  clear(): void {
    this.#entries = [];
  }

  #listNew({ order, ids }: IdleLaunchEntry): readonly InstanceId[] {
    return listLaunched(order, ids, this.#parts.instances.rows);
  }
}
