// Sends orders to a service: in bulk if it supports that, otherwise one by one. The results are then read from the
// service.
import { type AppError, asAppError, type ErrorKind } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase } from "../../domain/instance/instance.ts";
import { type Clock, isNear } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "./instances.ts";
import type { OrderKind } from "./order-journal.ts";
import type { ReasonStatus } from "./order-reasons.ts";
import type { OrderEntry, OrderStage, OwnOrders } from "./own-orders.ts";
import { type Found, SECOND_ANSWER_AFTER, type Whereabouts } from "./whereabouts.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly clock: Clock;
  readonly log: Log;
  readonly onDidMove: () => void;
  readonly ownOrders: OwnOrders;
}

/** These errors concern the person or the service, not the individual request, so there is nothing to verify. */
const NEVER_DONE = new Set<ErrorKind>(["unsupported", "not-allowed", "key-refused"]);
/** Milliseconds between checks after sending; about ten seconds in all. The last one is for what answers lacked. */
const LOOKS = [0, 1500, 3000, 6000, SECOND_ANSWER_AFTER];
/** The maximum number of IDs in one bulk call. */
const MOST_AT_ONCE = 64;
/** Milliseconds on the wall clock, which goes on while the computer sleeps, from a look at what a brief order is for until its request must leave. */
const HOLDS_FOR = 120_000;

/** What an order says of what proves it. */
interface Ordered {
  readonly id: InstanceId;
  readonly kind: OrderKind;
  /** Whether it is carried out for a reason, which is over with it: it must be sure then that nothing is left to end. */
  readonly hasReason: boolean;
  /** The service itself said that it did it. */
  readonly isConfirmed?: boolean | undefined;
  /** Whether a whole list lacked it as well. */
  readonly isUnlisted?: boolean;
}

/** Whether what the service said of its instance proves that an order came about. Without an instance, nothing is left to stop, either. */
export async function hasComeAbout(
  whereabouts: Whereabouts,
  account: SignedIn,
  { id, kind, hasReason, isConfirmed, isUnlisted }: Ordered,
  found: Found,
): Promise<boolean> {
  if (found.kind === "there") return kind === "stop" && ["stopping", "stopped"].includes(getPhase(found.row.value));
  if (found.kind === "unknown") return false;
  // One answer may be behind.
  if (isConfirmed) return true;
  if (hasReason) return await whereabouts.isGone(account, id).catch(() => false);
  return isUnlisted === true || (await whereabouts.isMissing(account, id));
}

/**
 * Carries out orders of one kind in one account. Orders that are still `waiting` afterward weren't sent, because the
 * account was left, or what they are for doesn't hold.
 */
export class OrderQueue {
  readonly #parts: Parts;
  readonly #account: SignedIn;
  readonly #kind: OrderKind;
  /** What the service lacked when it was last asked. */
  readonly #missed = new Set<InstanceId>();

  constructor(parts: Parts, account: SignedIn, kind: OrderKind) {
    this.#parts = parts;
    this.#account = account;
    this.#kind = kind;
  }

  /** @returns the instances for which the service shows that the order was carried out. */
  async work(entries: readonly OrderEntry[]): Promise<ReadonlySet<InstanceId>> {
    // What is carried out for a reason is looked at right before its request, so each has one of its own.
    const [plain, reasoned] = [entries.filter(({ recheck }) => !recheck), entries.filter(({ recheck }) => recheck)];
    const rest = plain.length > 1 ? await this.#sendInBulk(plain) : plain;
    for (const entry of [...rest, ...reasoned]) await this.#sendOne(entry);
    return await this.#lookFor(entries.filter(({ stage }) => stage === "checking"));
  }

  get #isLeft(): boolean {
    return this.#parts.session.current !== this.#account;
  }

  async #sendOne(entry: OrderEntry): Promise<void> {
    if (this.#isLeft) return;
    const { client } = this.#account;
    const { id, recheck } = entry;
    if (!recheck && (await this.#claim([entry])).length === 0) return;
    const look = this.#createLook(entry);
    try {
      const send = () =>
        this.#kind === "destroy" ? client.destroyInstance(id, look) : client.setInstanceState(id, "stopped", look);
      // What is only queued hasn't happened, and what isn't there may be back.
      entry.isConfirmed = (await send()) === "done";
      this.#move([entry], "checking");
    } catch (thrown) {
      const error = asAppError(thrown);
      const { status } = look;
      if (look.isOthers) return;
      // Whoever keeps what it is for tries again, or asks.
      if (error.facts.notSent && status !== undefined && !look.mayLeave())
        await this.#giveBack(entry, status === "replaced" ? "revoked" : "told");
      else if (error.facts.notSent && entry.isRevoked) this.#failRevoked(entry);
      else await this.#fail([entry], error);
    }
  }

  /**
   * The last look at what an order is carried out for, once its request has waited for its turn. What a person ordered just now is for
   * nothing else, and needs none.
   */
  #createLook(entry: OrderEntry) {
    const { clock, log } = this.#parts;
    const { recheck, isBrief } = entry;
    const look = {
      status: undefined as ReasonStatus | undefined,
      at: clock.now(),
      /** Revoked, or another window has it. */
      isOthers: false,
      recheck:
        recheck &&
        (async () => {
          look.isOthers = (await this.#claim([entry])).length === 0;
          if (look.isOthers) return false;
          look.at = clock.now();
          look.status = await recheck().catch((error) => {
            log.warn(`Whether an order for ${entry.id} still holds couldn't be read.`, error);
            return "late" as const;
          });
          return look.mayLeave();
        }),
      mayLeave: () => {
        const holds = !recheck || look.status === "holds";
        return holds && !entry.isRevoked && !this.#isLeft && (!isBrief || isNear(clock.now(), look.at, HOLDS_FOR));
      },
    };
    return look;
  }

  async #giveBack(entry: OrderEntry, fact: "told" | "revoked"): Promise<void> {
    await this.#putBack([entry]);
    await this.#parts.ownOrders.note(entry.token, fact);
  }

  /**
   * Looks a last time before a request: since the orders were given, the person may have started a machine again, and
   * another window may have taken them over while the computer slept. They are noted as sent first: whoever takes them
   * over from then on sees that.
   * @returns the orders that this window may send.
   */
  async #claim(entries: readonly OrderEntry[]): Promise<readonly OrderEntry[]> {
    await this.#parts.ownOrders.noteSent(entries, true);
    const holders = await this.#parts.ownOrders.readHolders(entries);
    const own: OrderEntry[] = [];
    for (const entry of entries) {
      const holder = entry.isRevoked ? "revoked" : holders.get(entry.token);
      if (holder === "revoked") this.#failRevoked(entry);
      else if (holder === "elsewhere") {
        entry.isElsewhere = true;
        this.#move([entry], "checking");
      } else own.push(entry);
    }
    this.#move(own, "sending");
    return own;
  }

  #failRevoked(entry: OrderEntry): void {
    entry.failure = t("The instance was started again, so nothing was sent.");
    this.#move([entry], "failed");
  }

  /** @returns the orders that must be sent one by one, because this service doesn't accept bulk calls. */
  async #sendInBulk(entries: readonly OrderEntry[]): Promise<readonly OrderEntry[]> {
    for (let at = 0; at < entries.length && !this.#isLeft; at += MOST_AT_ONCE) {
      const part = await this.#claim(entries.slice(at, at + MOST_AT_ONCE));
      if (part.length === 0) continue;
      try {
        await this.#sendAtOnce(part);
        this.#move(part, "checking");
      } catch (thrown) {
        const error = asAppError(thrown);
        if (error.kind !== "unsupported") {
          await this.#fail(part, error);
          continue;
        }
        await this.#putBack(part);
        return entries.slice(at).filter(({ stage }) => stage === "waiting");
      }
    }
    return [];
  }

  async #sendAtOnce(part: readonly OrderEntry[]): Promise<void> {
    const { client } = this.#account;
    const ids = part.map(({ id }) => id);
    const ends =
      this.#kind === "destroy" ? await client.destroyInstances(ids) : await client.setInstancesState(ids, "stopped");
    for (const entry of part) {
      const end = ends.find(({ id }) => id === entry.id);
      if (end?.outcome === "refused") entry.failure = end.reason ?? t("The service refused the request.");
      // What is only queued has a reason.
      entry.isConfirmed = end?.outcome === "done" && end.reason === undefined;
    }
  }

  /** Verifies orders that may have been carried out despite the error: only the service's state counts. */
  async #fail(entries: readonly OrderEntry[], error: AppError): Promise<void> {
    this.#parts.log.warn(`An order for ${entries.map(({ id }) => id).join(", ")} failed.`, error);
    if (error.facts.notSent === true && this.#isLeft) return await this.#putBack(entries);
    for (const entry of entries) entry.failure = error.message;
    this.#move(entries, error.facts.notSent || NEVER_DONE.has(error.kind) ? "failed" : "checking");
  }

  async #putBack(entries: readonly OrderEntry[]): Promise<void> {
    const unsent = entries.filter(({ wasSent }) => !wasSent);
    await this.#parts.ownOrders.noteSent(unsent, false);
    this.#move(entries, "waiting");
  }

  #move(entries: readonly OrderEntry[], stage: OrderStage): void {
    for (const entry of entries) entry.stage = stage;
    this.#parts.onDidMove();
  }

  async #lookFor(sent: readonly OrderEntry[]): Promise<ReadonlySet<InstanceId>> {
    const seen = new Set<InstanceId>();
    for (const wait of LOOKS) {
      const isDue = ({ id }: OrderEntry) => wait < SECOND_ANSWER_AFTER || this.#missed.has(id);
      const open = sent.filter((entry) => !seen.has(entry.id) && isDue(entry));
      if (open.length === 0) break;
      await this.#parts.clock.sleep(wait);
      for (const { id } of await this.#check(open)) seen.add(id);
    }
    return seen;
  }

  /**
   * Reads the list for several instances, the instance itself for one. A failed check says nothing; the next one may
   * succeed.
   */
  async #check(entries: readonly OrderEntry[]): Promise<readonly OrderEntry[]> {
    const { instances, clock } = this.#parts;
    const fresh = () => instances.list(this.#account, { since: clock.elapsed() }).catch(() => undefined);
    const listed = entries.length > 1 ? await fresh() : undefined;
    if (!listed?.complete) return await this.#ask(entries);
    const now = new Map(listed.rows.map((row) => [row.value.id, row]));
    const shown: OrderEntry[] = [];
    for (const entry of entries) {
      const row = now.get(entry.id);
      if (row && (await this.#hasComeAbout(entry, { kind: "there", row }))) shown.push(entry);
    }
    const missing = entries.filter(({ id }) => !now.has(id));
    // A list may lag behind and leave out a machine that runs. Together with the service's own word that it destroyed
    // this machine, it is proof; without it, and for a stop, the service is asked about each.
    const proven = missing.filter(({ isConfirmed }) => this.#kind === "destroy" && isConfirmed);
    const rest = missing.filter((entry) => !proven.includes(entry));
    return [...shown, ...proven, ...(await this.#ask(rest, true))];
  }

  async #ask(entries: readonly OrderEntry[], isUnlisted = false): Promise<readonly OrderEntry[]> {
    const seen: OrderEntry[] = [];
    for (const entry of entries) {
      const found = await this.#parts.instances.whereabouts.find(this.#account, entry.id);
      if (found.kind === "missing") this.#missed.add(entry.id);
      if (found.kind === "there") this.#missed.delete(entry.id);
      if (await this.#hasComeAbout(entry, found, isUnlisted)) seen.push(entry);
    }
    return seen;
  }

  async #hasComeAbout({ id, kind, recheck, isConfirmed }: OrderEntry, found: Found, isUnlisted = false) {
    const ordered = { id, kind, hasReason: recheck !== undefined, isConfirmed, isUnlisted };
    return await hasComeAbout(this.#parts.instances.whereabouts, this.#account, ordered, found);
  }
}
