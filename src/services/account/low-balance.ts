// Tells in one window that the balance is almost used up, and again only after it was more in between, or a day later.
import { join } from "node:path";
import { type Balance, calculateHoursLeft, LOW_HOURS } from "../../domain/account/balance.ts";
import { addPrices } from "../../domain/base/money.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { hashAccount } from "../core/account-mark.ts";
import { type Disk, realDisk } from "../core/disk.ts";
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

const NAME = /^low-[0-9a-f]{16}$/;
/** Milliseconds. What is low lasts for less, so whoever has a low balance a day later has rented something since. */
const HOLDS = 86_400_000;

export class LowBalance implements Disposable {
  readonly #parts: Parts;
  readonly #disk: Disk;
  readonly #listening: Disposable;
  /** `burn` is the sum of the rows in dollars per hour; undefined if a price isn't known. */
  readonly #notices = new Emitter<{
    readonly account: SignedIn;
    readonly balance: Balance;
    readonly burn: number | undefined;
  }>();
  readonly onNotice = this.#notices.event;
  /** Claims that the disk didn't take: this window has told those by itself. */
  readonly #toldAlone = new Set<string>();
  /** Claims without a time, as a window leaves them that dies over them. */
  readonly #seenEmpty = new Set<string>();
  /** One reading after the other. */
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#disk = parts.disk ?? realDisk;
    this.#listening = parts.balances.onDidChange(() => this.#look());
  }

  #look(): void {
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
      else if (hours < LOW_HOURS && session.current === account && (await this.#claim(account))) {
        if (session.current === account) this.#notices.fire({ account, balance, burn });
        else await this.#forget(account);
      }
    };
    this.#inTurn(tell).catch((error) => log.warn("A low balance could not be told.", error));
  }

  async #forget(account: SignedIn): Promise<void> {
    const path = this.#path(account);
    this.#toldAlone.delete(path);
    await this.#disk.remove(path);
  }

  /** Where the disk fails, each window tells it: that is better than none. */
  async #claim(account: SignedIn): Promise<boolean> {
    const path = this.#path(account);
    try {
      const isClaimed = await this.#create(path);
      return !this.#toldAlone.delete(path) && isClaimed;
    } catch (error) {
      this.#parts.log.warn("That a low balance was told couldn't be written down.", error);
      // What is left of it would keep all windows silent.
      await this.#disk.remove(path).catch(() => undefined);
      const isNews = !this.#toldAlone.has(path);
      this.#toldAlone.add(path);
      return isNews;
    }
  }

  async #create(path: string): Promise<boolean> {
    await this.#disk.names(this.#parts.folder);
    const create = () => this.#disk.create(path, String(this.#parts.clock.now()));
    if (await create()) return true;
    if (!(await this.#isOld(path))) return false;
    await this.#disk.remove(path);
    return await create();
  }

  /** One that is from the future was told while the clock was ahead. What another window just begins to write is new, but not twice. */
  async #isOld(path: string): Promise<boolean> {
    const text = await this.#disk.read(path).catch(() => "");
    if (text !== "") return !(Math.abs(this.#parts.clock.now() - Number(text)) < HOLDS);
    if (this.#seenEmpty.delete(path)) return true;
    this.#seenEmpty.add(path);
    return false;
  }

  async tidy(): Promise<void> {
    const { folder } = this.#parts;
    for (const name of await this.#disk.names(folder))
      if (NAME.test(name) && (await this.#isOld(join(folder, name)))) await this.#disk.remove(join(folder, name));
  }

  #path(account: SignedIn): string {
    return join(this.#parts.folder, `low-${hashAccount(account)}`);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#notices.dispose();
  }
}
