// Whether an instance is still there, as far as the service has said. One answer may be behind, and so may a list: how much proof something
// takes depends on what would come of a wrong one.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";

/** As much of a list as matters here. */
interface Listed {
  readonly session: SignedIn;
  readonly rows: readonly Row<Instance>[];
  readonly complete: boolean;
}
/** `since`: one that began before isn't enough, in monotonic milliseconds. */
type ReadList = (account: SignedIn, options: { readonly since: number }) => Promise<Listed>;

/** The service says that it has no such instance. */
interface Missing {
  readonly kind: "missing";
  readonly row?: undefined;
  /** How often in a row it has said so. */
  readonly times: number;
  /** Milliseconds from the first of these answers to the last. */
  readonly span: number;
}

/** `unknown`: it couldn't be asked. */
export type Found =
  | { readonly kind: "there"; readonly row: Row<Instance> }
  | Missing
  | { readonly kind: "unknown"; readonly row?: undefined };

/** Monotonic milliseconds. */
interface Answers {
  readonly times: number;
  readonly first: number;
  readonly last: number;
}

/** Milliseconds from one answer until another one is surely not from the same moment: a little less than a minute, as looks are a minute apart. */
const ANSWERS_APART = 50_000;
/** Milliseconds until the second answer is asked for. */
export const SECOND_ANSWER_AFTER = ANSWERS_APART + 5000;

export class Whereabouts {
  readonly #list: ReadList;
  readonly #clock: Pick<Clock, "elapsed" | "sleep">;
  /** Of each account, the instances that the service lacked when it was last asked. */
  readonly #missing = new WeakMap<SignedIn, Map<InstanceId, Answers>>();

  constructor(list: ReadList, clock: Pick<Clock, "elapsed" | "sleep">) {
    this.#list = list;
    this.#clock = clock;
  }

  /** Asks the service. @returns undefined if it says that it has none. @throws AppError if it can't be asked. */
  async ask(account: SignedIn, id: InstanceId, signal?: AbortSignal): Promise<Row<Instance> | undefined> {
    const row = await account.client.getInstance(id, signal);
    if (row) this.#missing.get(account)?.delete(id);
    else this.#note(account, id, { times: 1, since: this.#clock.elapsed() });
    return row;
  }

  /** The same, for whoever tries again after any failure. */
  async find(account: SignedIn, id: InstanceId, signal?: AbortSignal): Promise<Found> {
    try {
      const row = await this.ask(account, id, signal);
      return row ? { kind: "there", row } : this.#describe(account, id);
    } catch {
      return { kind: "unknown" };
    }
  }

  #note(account: SignedIn, id: InstanceId, { times, since }: { readonly times: number; readonly since: number }): void {
    const now = this.#clock.elapsed();
    const all = this.#missing.get(account) ?? new Map<InstanceId, Answers>();
    this.#missing.set(account, all);
    const before = all.get(id) ?? { times: 0, first: now };
    all.set(id, { times: before.times + times, first: Math.min(before.first, since), last: now });
  }

  #describe(account: SignedIn, id: InstanceId): Missing {
    const { times, first, last } = this.#missing.get(account)?.get(id) ?? { times: 0, first: 0, last: 0 };
    return { kind: "missing", times, span: last - first };
  }

  /** Whatever a list has is there. */
  take({ session, rows }: Listed): void {
    const missing = this.#missing.get(session);
    for (const { value } of missing ? rows : []) missing?.delete(value.id);
  }

  /** The service has confirmed that it destroyed it, or its answer can't be from before it was there. */
  noteGone(account: SignedIn, id: InstanceId): void {
    this.#note(account, id, { times: 2, since: this.#clock.elapsed() - ANSWERS_APART });
  }

  /** Whether two answers lacked it, without another request. For what is tried again as long as it may be there. */
  wasMissedTwice(account: SignedIn, id: InstanceId): boolean {
    return this.#describe(account, id).times >= 2;
  }

  /** Whether two answers that can't be from the same moment lacked it, without another request. */
  wasMissedForLong(account: SignedIn, id: InstanceId): boolean {
    return this.wasMissedTwice(account, id) && this.#describe(account, id).span >= ANSWERS_APART;
  }

  /**
   * Whether such answers, and a whole list after them, lack it. For what is forgotten for good: an end that was forgotten over a service that
   * lags would never come.
   * @throws AppError if the list can't be read.
   */
  async isGone(account: SignedIn, id: InstanceId): Promise<boolean> {
    // A service without a list doesn't speak against it.
    return this.wasMissedForLong(account, id) && (await this.#isUnlisted(account, id)) !== false;
  }

  /** Whether an answer, and a whole list after it, lack it, or two such answers do. For what must come to an end, and shows if it is back. */
  async isMissing(account: SignedIn, id: InstanceId): Promise<boolean> {
    return this.wasMissedForLong(account, id) || (await this.#isUnlisted(account, id).catch(() => false)) === true;
  }

  /** Undefined for a service without a list. @throws AppError if the list can't be read. */
  async #isUnlisted(account: SignedIn, id: InstanceId): Promise<boolean | undefined> {
    const since = this.#missing.get(account)?.get(id)?.last;
    if (since === undefined) return false;
    const listed = await this.#list(account, { since }).catch((error) => {
      if (asAppError(error).kind === "unsupported") return undefined;
      throw error;
    });
    return listed?.complete && !listed.rows.some(({ value }) => value.id === id);
  }

  /**
   * The same, and asks for such answers first, which can take a minute. For what is told once and not looked at again.
   * @throws AppError if the service can't be asked; the signal's reason.
   */
  async confirmGone(account: SignedIn, id: InstanceId, signal: AbortSignal): Promise<boolean> {
    if (await this.isGone(account, id)) return true;
    if (await this.ask(account, id, signal)) return false;
    await this.#clock.sleep(SECOND_ANSWER_AFTER, signal);
    return !(await this.ask(account, id, signal)) && (await this.isGone(account, id));
  }

  /** @throws AppError `rejected` as long as it may be there: one answer may be behind; if the service can't be asked; the signal's reason. */
  async assertGone(account: SignedIn, id: InstanceId, signal: AbortSignal): Promise<void> {
    if (await this.confirmGone(account, id, signal)) return;
    throw new AppError(
      "rejected",
      t("The service doesn't list instance {0} now, but it may still be there. Try again in a minute.", id),
    );
  }
}
