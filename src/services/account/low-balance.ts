// Tells in one window that the balance is almost used up, and again only after it was more in between, or a day later.
import { type Balance, calculateHoursLeft, LOW_HOURS } from "../../domain/account/balance.ts";
import { addPrices } from "../../domain/base/money.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import { type Clock, isNear } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { hashAccount } from "../core/account-mark.ts";
import { Book, type BookTable } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { tellOnce } from "../core/book/tell-once.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { Balances } from "./balances.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly balances: Balances;
  /** The folder of the ledger. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** By the digest of an account, when it was told: epoch milliseconds. */
const LOW_CLAIMS: BookTable<""> = { entry: /low-[0-9a-f]{16}/, kinds: { "": [] }, unread: "passes" };
/** Milliseconds. What is low lasts for less, so whoever has a low balance a day later has rented something since. */
const HOLDS = 86_400_000;

export class LowBalance implements Disposable {
  readonly #parts: Parts;
  readonly #book: Book<"">;
  readonly #listening: Disposable;
  /** `burn` is the sum of the rows in dollars per hour; undefined if a price isn't known. */
  readonly #notices = new Emitter<{
    readonly account: SignedIn;
    readonly balance: Balance;
    readonly burn: number | undefined;
  }>();
  readonly onNotice = this.#notices.event;
  /** Claims that the disk didn't take: this window has told those on its own. */
  readonly #toldAlone = new Set<string>();
  /** One reading after the other. */
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#book = new Book(LOW_CLAIMS, parts.folder, parts.disk);
    this.#listening = parts.balances.onDidChange(() => this.#check());
  }

  #check(): void {
    const { session, instances, balances, clock, log } = this.#parts;
    const [account, balance] = [session.current, balances.current];
    if (account.kind !== "signed-in" || !balance) return;
    // As long as no list was read, nothing seems to cost anything.
    if (!getLast(instances.collection.store.current)) return;
    const burn = addPrices(instances.rows.filter(({ gone }) => !gone).map(getCurrentPrice));
    const hours = calculateHoursLeft(balance, burn, clock.now());
    // What isn't known is no news.
    if (hours === undefined) return;
    const tell = async () => {
      if (hours >= 2 * LOW_HOURS) await this.#forget(account);
      else if (hours < LOW_HOURS) await this.#tell(account, () => this.#notices.fire({ account, balance, burn }));
    };
    this.#inTurn(tell).catch((error) => log.warn("A low balance could not be told.", error));
  }

  async #forget(account: SignedIn): Promise<void> {
    const claim = nameClaim(account);
    this.#toldAlone.delete(claim);
    await this.#book.remove(claim, "");
  }

  /** Where the disk fails, each window tells it: that is better than none. */
  async #tell(account: SignedIn, fire: () => void): Promise<void> {
    const { session, clock, log } = this.#parts;
    const entry = nameClaim(account);
    try {
      if (await this.#isOld(entry)) await this.#book.remove(entry, "");
      const claim = { entry, file: "", content: String(clock.now()) } as const;
      const isNews = !this.#toldAlone.has(entry);
      const telling = await tellOnce({ book: this.#book, session }, account, claim, isNews ? fire : () => undefined);
      if (telling !== "left") this.#toldAlone.delete(entry);
    } catch (error) {
      log.warn("That a low balance was told couldn't be written down.", error);
      // What is left of it would keep all windows silent.
      await this.#book.remove(entry, "").catch(() => undefined);
      if (session.current !== account || this.#toldAlone.has(entry)) return;
      this.#toldAlone.add(entry);
      fire();
    }
  }

  /** One that is from the future was told while the clock was ahead. */
  async #isOld(claim: string): Promise<boolean> {
    const text = (await this.#book.readText(claim, "")) ?? "";
    return text !== "" && !isNear(this.#parts.clock.now(), Number(text), HOLDS);
  }

  async tidy(): Promise<void> {
    await this.#book.removeOlder(this.#parts.clock.now(), { "": HOLDS });
  }

  dispose(): void {
    this.#listening.dispose();
    this.#notices.dispose();
  }
}

const nameClaim = (account: SignedIn): string => `low-${hashAccount(account)}`;
