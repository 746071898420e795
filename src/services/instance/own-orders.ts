// How a window's own orders reach the disk, and what others noted there about them. A disk that fails or hangs stops no
// order: the machine costs money meanwhile.
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { toAccountMark } from "../core/account-mark.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SignedIn } from "../core/session.ts";
import type { Order, OrderFact, OrderHolder, OrderJournal } from "./order-journal.ts";
import type { OrderEntry } from "./order-queue.ts";

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
  async claim(account: SignedIn, { token, id, kind }: OrderEntry, reason?: string): Promise<boolean> {
    const { journal, liveness, clock } = this.#parts;
    const order: Order = {
      version: 1,
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

  readonly noteSent = async (entries: readonly OrderEntry[], isSent: boolean): Promise<void> => {
    const { journal } = this.#parts;
    const note = async ({ token }: OrderEntry) =>
      await (isSent ? journal.note(token, "sent") : journal.takeBackSent(token)).catch(this.#logUnwritten);
    await this.#withinPatience(Promise.all(entries.map(note)));
  };

  readonly #logUnwritten = (error: unknown) =>
    this.#parts.log.warn("What became of an order could not be written down.", error);

  /** By token. What the disk doesn't say is missing. */
  readonly readHolders = async (entries: readonly OrderEntry[]): Promise<ReadonlyMap<string, OrderHolder>> => {
    const { journal, liveness, log } = this.#parts;
    const tokens = entries.map(({ token }) => token);
    const read = journal.readHolders(tokens, liveness.id).catch((error) => {
      log.warn("What others made of an order could not be read.", error);
    });
    return (await this.#withinPatience(read)) ?? new Map();
  };

  async #withinPatience<T>(work: Promise<T>): Promise<T | undefined> {
    return await Promise.race([work, this.#parts.clock.sleep(DISK_MS).then(() => undefined)]);
  }
}
