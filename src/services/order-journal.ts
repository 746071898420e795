// What the person told instances to do, in write-once files that all windows share: a window that closes half way through
// leaves behind what the next one has to finish or to tell.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import * as z from "zod";
import { InstanceId } from "../domain/id.ts";
import { type Disk, realDisk } from "./journal.ts";

export const ORDER_KINDS = ["destroy", "stop"] as const;
export type OrderKind = (typeof ORDER_KINDS)[number];

/** `at` epoch milliseconds. It holds no key. */
const Order = z.object({
  version: z.literal(1),
  kind: z.enum(ORDER_KINDS),
  id: InstanceId,
  /** What its row was called when the person confirmed. */
  name: z.string().max(200),
  origin: z.string(),
  /** Digest of origin and key. */
  account: z.string(),
  user: z.int().optional(),
  at: z.number(),
  /** Process that carries it out. */
  owner: z.int(),
});
export type Order = z.infer<typeof Order>;

/** `done`: the service confirmed it; `failed`: the person was told why not; `told`: left to them; `revoked`: started again since. */
export type OrderFact = "done" | "failed" | "told" | "revoked";

export interface OrderRecord {
  readonly token: string;
  readonly order: Order;
  readonly facts: ReadonlySet<OrderFact>;
  /** The process that has it now: the one that wrote it, or the last one that took it up. */
  readonly owner: number;
  /** How often it was taken up. */
  readonly takeovers: number;
}

const NAME = /^(ord-[0-9a-f]{20})\.(order|done|failed|told|revoked|taken-([1-9]\d{0,3}))$/;
/** Days after which the files of an order go. */
const KEPT_DAYS = 7;
const DAY = 86_400_000;

/** Names an order's files. */
export function newOrderToken(): string {
  return `ord-${randomBytes(10).toString("hex")}`;
}

/** Whether nobody has said the last word on it. */
export function isOpen({ facts }: OrderRecord): boolean {
  return facts.size === 0;
}

export class OrderJournal {
  readonly #folder: string;
  readonly #disk: Disk;

  constructor(folder: string, disk: Disk = realDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** @throws what the disk says. */
  async write(token: string, order: Order): Promise<void> {
    await this.#disk.names(this.#folder);
    await this.#disk.create(this.#path(token, "order"), JSON.stringify(order));
  }

  async note(token: string, fact: OrderFact): Promise<void> {
    await this.#disk.create(this.#path(token, fact), "");
  }

  /** Takes an order over from a process that died. @returns false where another window was faster. */
  async takeOver({ token, takeovers }: OrderRecord, owner: number): Promise<boolean> {
    return await this.#disk.create(this.#path(token, `taken-${takeovers + 1}`), String(owner));
  }

  /** Every order that can be read, oldest first. */
  async read(): Promise<readonly OrderRecord[]> {
    const found = new Map<string, { facts: Set<OrderFact>; takeovers: number }>();
    for (const name of await this.#disk.names(this.#folder)) {
      const [, token, fact, taken] = NAME.exec(name) ?? [];
      if (token === undefined || fact === undefined) continue;
      const entry = found.get(token) ?? { facts: new Set(), takeovers: 0 };
      found.set(token, entry);
      if (taken !== undefined) entry.takeovers = Math.max(entry.takeovers, Number(taken));
      else if (fact !== "order") entry.facts.add(fact as OrderFact);
    }
    const records = await Promise.all(
      [...found].map(async ([token, { facts, takeovers }]): Promise<OrderRecord | undefined> => {
        const order = await this.#content(token);
        return order && { token, order, facts, takeovers, owner: await this.#owner(token, order, takeovers) };
      }),
    );
    return records.filter((record) => record !== undefined).sort((a, b) => a.order.at - b.order.at);
  }

  async #content(token: string): Promise<Order | undefined> {
    try {
      return Order.parse(JSON.parse(await this.#disk.read(this.#path(token, "order"))));
    } catch {
      // Empty, damaged, or written by a newer version.
      return undefined;
    }
  }

  async #owner(token: string, order: Order, takeovers: number): Promise<number> {
    if (takeovers === 0) return order.owner;
    const text = await this.#disk.read(this.#path(token, `taken-${takeovers}`)).catch(() => "");
    return Number(text) || order.owner;
  }

  /** Removes orders that are old, whatever became of them. */
  async tidy(now: number): Promise<void> {
    for (const { token, order, facts, takeovers } of await this.read()) {
      if (now - order.at < KEPT_DAYS * DAY) continue;
      const taken = Array.from({ length: takeovers }, (_, index) => `taken-${index + 1}`);
      for (const fact of ["order", ...facts, ...taken]) await this.#disk.remove(this.#path(token, fact));
    }
  }

  #path(token: string, fact: string): string {
    return join(this.#folder, `${token}.${fact}`);
  }
}
