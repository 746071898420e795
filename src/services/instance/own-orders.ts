// How a window's own orders reach the disk, and what others noted there about them. A disk that fails or hangs stops no
// order: the machine costs money in the meantime.

import type { InstanceId } from "../../domain/base/id.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { toAccountMark } from "../core/account-mark.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SignedIn } from "../core/session.ts";
import type { Order, OrderFact, OrderHolder, OrderJournal, OrderKind } from "./order-journal.ts";
import type { ReasonStatus } from "./order-reasons.ts";

/** The state of an order: not sent yet, being sent, sent and being verified, or failed. */
export type OrderStage = "waiting" | "sending" | "checking" | "failed";

export interface OrderEntry {
  readonly token: string;
  readonly id: InstanceId;
  readonly kind: OrderKind;
  stage: OrderStage;
  /** Why it was refused, or why the outcome is unknown. */
  failure?: string;
  /** The service itself said that it did it. */
  isConfirmed?: boolean;
  /** The person started the instance again. Noted here as well as on disk, because the disk may fail. */
  isRevoked?: boolean;
  /** Another window has it now, or finished it. */
  isElsewhere?: boolean;
  /** Whether what it is carried out for still holds. @throws the disk's error, or AppError if the service can't be asked. */
  readonly recheck?: () => Promise<ReasonStatus>;
  /** What it is carried out for may end without a word: what slept or waited since that was looked at isn't sent. */
  readonly isBrief?: boolean;
  /** A window that is gone may have sent a request for it. */
  readonly wasSent?: boolean;
}

interface Parts {
  readonly journal: OrderJournal;
  readonly clock: Clock;
  readonly log: Log;
  readonly liveness: Liveness;
}

/** How long an order waits for the disk. */
const DISK_MS = 2000;

export class OwnOrders {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** An order that can't be recorded is carried out anyway. It is lost only if the window closes. */
  async write(account: SignedIn, entries: readonly OrderEntry[]): Promise<void> {
    await this.#withinPatience(Promise.all(entries.map((entry) => this.#write(account, entry))));
  }

  async #write(account: SignedIn, entry: OrderEntry): Promise<void> {
    await this.claim(account, entry).catch((error) =>
      this.#parts.log.warn("An order could not be written down.", error),
    );
  }

  /** @returns false if another window has written down an order with this token. @throws the disk's error. */
  async claim(
    account: SignedIn,
    { token, id, kind }: OrderEntry,
    { reason, version = 1 }: Partial<Pick<Order, "reason" | "version">> = {},
  ): Promise<boolean> {
    const { journal, liveness, clock } = this.#parts;
    const order: Order = {
      version,
      kind,
      id,
      ...toAccountMark(account),
      at: clock.now(),
      owner: liveness.id,
      ...(reason === undefined ? {} : { reason }),
    };
    return await journal.write(token, order);
  }

  async note(token: string, fact: OrderFact): Promise<void> {
    await this.#parts.journal.note(token, fact).catch(this.#logUnwritten);
  }

  /** A request for these is about to be sent, or none was sent after all. */
  async noteSent(entries: readonly OrderEntry[], isSent: boolean): Promise<void> {
    const { journal } = this.#parts;
    const note = async ({ token }: OrderEntry) =>
      await (isSent ? journal.note(token, "sent") : journal.takeBackSent(token)).catch(this.#logUnwritten);
    await this.#withinPatience(Promise.all(entries.map(note)));
  }

  readonly #logUnwritten = (error: unknown) =>
    this.#parts.log.warn("What became of an order could not be written down.", error);

  /** By token. What the disk doesn't say is missing. */
  async readHolders(entries: readonly OrderEntry[]): Promise<ReadonlyMap<string, OrderHolder>> {
    const { journal, liveness, log } = this.#parts;
    const tokens = entries.map(({ token }) => token);
    const read = journal.readHolders(tokens, liveness.id).catch((error) => {
      log.warn("What others made of an order could not be read.", error);
    });
    return (await this.#withinPatience(read)) ?? new Map();
  }

  async #withinPatience<T>(work: Promise<T>): Promise<T | undefined> {
    return await Promise.race([work, this.#parts.clock.sleep(DISK_MS).then(() => undefined)]);
  }
}
