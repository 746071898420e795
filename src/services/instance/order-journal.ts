// The person's orders for instances, in write-once files that all windows share. If a window closes halfway, the next
// one finds what to finish or report.
import { randomBytes } from "node:crypto";
import * as z from "zod";
import { InstanceId } from "../../domain/base/id.ts";
import { Book, type BookEntry, type BookTable, findHighest } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { findTidyLimit } from "../core/book/tidy-limit.ts";

export const ORDER_KINDS = ["destroy", "stop"] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

/** `at` is in epoch milliseconds. An order contains no key and no free text. */
const OrderFile = z.object({
  /** 2 of what carries out an auto-stop with a second step: what can't read that one can't read this, and so neither sends nor revokes it. */
  version: z.union([z.literal(1), z.literal(2)]),
  kind: z.enum(ORDER_KINDS),
  id: InstanceId,
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  user: z.int().optional(),
  at: z.number(),
  /** The window that carries it out. */
  owner: z.string(),
  /** The `reason` of the order. */
  lease: z.string().optional(),
});
export type Order = Omit<z.infer<typeof OrderFile>, "lease"> & {
  /** The auto-stop that it carries out, if it does: it may be replaced, and comes late or never. */
  readonly reason?: string | undefined;
};

/** Whether it destroys what an auto-stop stopped before. */
export const isSecondOrder = ({ version, kind }: Pick<Order, "version" | "kind">): boolean =>
  version === 2 && kind === "destroy";

/**
 * The final state. `done`: the service confirmed it. `told`: the person knows that it failed. `revoked`: the instance
 * was started again.
 */
type OrderEnding = "done" | "told" | "revoked";
/** `sent`: a request for it was sent, or was about to be. */
export type OrderFact = OrderEnding | "sent";

export type OrderStatus = OrderFact | "open";

interface WrittenOrder {
  readonly state: OrderStatus;
  /** Whether a request for it was sent, or was about to be. */
  readonly isSent: boolean;
  /** When it was given, in epoch milliseconds; undefined if that can't be read. */
  readonly at: number | undefined;
}

/** An order that a start of its instance may call off. */
interface RevocableOrder {
  readonly token: string;
  /** The auto-stop that it carries out. */
  readonly reason: string | undefined;
  /** A request for it was sent, and no one knows yet what became of it. */
  readonly isUnderWay: boolean;
}

export interface OrderRecord {
  readonly token: string;
  readonly order: Order;
  readonly isSent: boolean;
  /** The window that has it now: the one that wrote it, or the last one that took it over. */
  readonly owner: string;
  /** How often it was taken over. */
  readonly takeovers: number;
}

/**
 * What became of an order that a window has. `elsewhere`: another window took it over or finished it, after it took this
 * window for dead.
 */
export type OrderHolder = "own" | "revoked" | "elsewhere";

const ORDERS: BookTable<"order" | "taken" | OrderFact> = {
  entry: /ord-[0-9a-f]{20}/,
  // An ending without its order is harmless, but an order without its ending would be carried out.
  kinds: { order: [], taken: [4], sent: [], done: [], told: [], revoked: [] },
  unread: "waits",
};
type Files = BookEntry<"order" | "taken" | OrderFact>;

/** Days after which the files of a finished order are deleted. */
const KEPT_DAYS = 7;
const DAY = 86_400_000;

/** Names an order's files. */
export function createOrderToken(): string {
  return `ord-${randomBytes(10).toString("hex")}`;
}

export class OrderJournal {
  readonly #book: Book<"order" | "taken" | OrderFact>;

  constructor(folder: string, disk?: Disk) {
    this.#book = new Book(ORDERS, folder, disk);
  }

  /** @returns false if it is written down already. @throws the disk's error. */
  async write(token: string, order: Order): Promise<boolean> {
    const { reason: lease, ...rest } = order;
    return await this.#book.create(token, "order", { ...rest, lease } satisfies z.infer<typeof OrderFile>);
  }

  async note(token: string, fact: OrderFact): Promise<void> {
    await this.#book.create(token, fact);
  }

  /** No request was sent after all. */
  async takeBackSent(token: string): Promise<void> {
    await this.#book.remove(token, "sent");
  }

  /** Takes an order over from a window that died. @returns false if another window was faster. */
  async takeOver({ token, takeovers }: OrderRecord, owner: string): Promise<boolean> {
    return await this.#book.create(token, ["taken", takeovers + 1], owner);
  }

  /** Every unfinished order, oldest first. Damaged ones are skipped. @throws the disk's error. */
  async readOpen(): Promise<readonly OrderRecord[]> {
    const open: OrderRecord[] = [];
    for (const [token, files] of await this.#book.list()) {
      if (isClosed(files)) continue;
      const order = await this.#read(token);
      const takeovers = findHighest(files, "taken");
      if (order)
        open.push({
          ...{ token, order, takeovers, isSent: files.has("sent") },
          owner: (await this.#readTaker(token, takeovers)) || order.owner,
        });
    }
    return open.sort((a, b) => a.order.at - b.order.at);
  }

  /** The orders for an instance that may still be sent, or were and failed: an end tries again. @throws the disk's error. */
  async readRevocable(id: InstanceId, isOwn: (order: Order) => boolean): Promise<readonly RevocableOrder[]> {
    const found: RevocableOrder[] = [];
    for (const [token, files] of await this.#book.list()) {
      if (files.has("done") || files.has("revoked")) continue;
      const order = await this.#read(token);
      const isMeant = order?.id === id && isOwn(order) && (!files.has("told") || order.reason !== undefined);
      if (isMeant) found.push({ token, reason: order.reason, isUnderWay: files.has("sent") && !files.has("told") });
    }
    return found;
  }

  /** Whether an order for the instance was given since then, in epoch milliseconds, and wasn't called off. @throws the disk's error. */
  async wasGiven(id: InstanceId, isOwn: (order: Order) => boolean, since: number): Promise<boolean> {
    for (const [token, files] of await this.#book.list()) {
      if ((files.has("revoked") || files.has("told")) && !files.has("sent")) continue;
      const order = await this.#read(token);
      if (order?.id === id && order.at >= since && isOwn(order)) return true;
    }
    return false;
  }

  /** What became of an order. Undefined if there is none. @throws the disk's error. */
  async readState(token: string): Promise<WrittenOrder | undefined> {
    const files = (await this.#book.list()).get(token);
    if (!files) return undefined;
    const [state = "open"] = (["done", "revoked", "told", "sent"] as const).filter((fact) => files.has(fact));
    return { state, isSent: files.has("sent"), at: (await this.#read(token))?.at };
  }

  /** By token, for a window that is about to send them. An order that isn't on disk is its own. @throws the disk's error. */
  async readHolders(tokens: readonly string[], window: string): Promise<ReadonlyMap<string, OrderHolder>> {
    const files = await this.#book.list();
    const holders = new Map<string, OrderHolder>();
    for (const token of tokens) holders.set(token, await this.#findHolder(token, files.get(token), window));
    return holders;
  }

  async #findHolder(token: string, files: Files | undefined, window: string): Promise<OrderHolder> {
    if (!files) return "own";
    if (files.has("revoked")) return "revoked";
    if (isClosed(files)) return "elsewhere";
    const takeovers = findHighest(files, "taken");
    return takeovers === 0 || (await this.#readTaker(token, takeovers)) === window ? "own" : "elsewhere";
  }

  async #read(token: string): Promise<Order | undefined> {
    const file = await this.#book.read(token, "order", OrderFile);
    if (!file) return undefined;
    const { lease: reason, ...order } = file;
    return { ...order, reason };
  }

  async #readTaker(token: string, takeovers: number): Promise<string | undefined> {
    return takeovers === 0 ? undefined : await this.#book.readText(token, ["taken", takeovers]);
  }

  /**
   * Removes old finished orders. An order that the person hasn't heard about stays, however old it is, and so do those for one end as
   * long as the last of them: they are counted.
   */
  async tidy(now: number): Promise<void> {
    const all: { readonly token: string; readonly files: Files; readonly order: Order }[] = [];
    for (const [token, files] of await this.#book.list()) {
      const order = await this.#read(token);
      if (order) all.push({ token, files, order });
    }
    const lastAt = findLast(all.map(({ order }) => order));
    const limit = findTidyLimit(all.map(({ order }) => order.at));
    for (const { token, files, order } of all) {
      const isRecent = order.at > limit || now - (lastAt.get(endOf(order)) ?? order.at) < KEPT_DAYS * DAY;
      if (isClosed(files) && !isRecent) await this.#book.removeEntry(token);
    }
  }
}

/** Undefined for one that carries out no auto-stop. */
const endOf = ({ reason, id }: Order): string | undefined => (reason === undefined ? undefined : `${reason} ${id}`);

/** When the last order for each auto-stop was given, in epoch milliseconds. */
function findLast(orders: readonly Order[]): ReadonlyMap<string | undefined, number> {
  const last = new Map<string | undefined, number>();
  for (const order of orders) {
    const end = endOf(order);
    if (end !== undefined) last.set(end, Math.max(last.get(end) ?? 0, order.at));
  }
  return last;
}

function isClosed(files: Files): boolean {
  return files.has("done") || files.has("told") || files.has("revoked");
}

/** Destroying twice changes nothing. A stop isn't sent twice: the machine may have been restarted since. */
export function mayBeSent({ order, isSent }: OrderRecord): boolean {
  return order.kind === "destroy" || !isSent;
}
