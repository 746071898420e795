// The budgets that a person gave to agents, in write-once files that all editors of this user share, as launches are. One is open at a time.
import { randomBytes } from "node:crypto";
import {
  countGrant,
  countRented,
  Grant,
  type GrantState,
  type GrantTerms,
  isGrantOpen,
  judgeGranted,
} from "../../domain/agent/grant.ts";
import { isMarkOf, type MarkedAccount } from "../../domain/base/account-mark.ts";
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { Granted, LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { isOfAccount, toAccountMark, toMarkedAccount } from "../core/account-mark.ts";
import { Book, type BookTable, listNumbers } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { findTidyLimit } from "../core/book/tidy-limit.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { AutoStopsService } from "../instance/auto-stops/auto-stops.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";

type Kind = "grant" | "kept" | "closed";

const GRANTS: BookTable<Kind> = {
  entry: /gra-[0-9a-f]{20}/,
  // One without its `closed` would be open again.
  kinds: { grant: [], kept: [16], closed: [] },
  unread: "waits",
};
/** Milliseconds for which a budget is kept: as long as its launches. */
const KEPT = 30 * 86_400_000;

interface Parts {
  readonly session: SessionService;
  readonly watch: Pick<LaunchWatch, "reread" | "records" | "onDidChange">;
  readonly autoStops: Pick<AutoStopsService, "onWillSet">;
  readonly clock: Clock;
  readonly log: Log;
  /** A folder for nothing else. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
}

export class Grants implements Disposable {
  readonly #parts: Parts;
  readonly #book: Book<Kind>;
  readonly #bag = new Bag();
  readonly #changes = this.#bag.add(new Emitter<void>());
  readonly onDidChange = this.#changes.event;
  #account: SignedIn | undefined;
  #current: GrantState | undefined;
  /** How often one was closed here: what is just about to be sent must hear of it at once. */
  #closures = 0;
  /** Of accounts that were signed out of, while the disk couldn't be written. */
  readonly #unclosed = new Set<MarkedAccount>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#book = new Book(GRANTS, parts.folder, parts.disk);
    this.#bag.add(parts.session.onDidChange(() => this.#follow()));
    this.#bag.add(parts.watch.onDidChange(() => this.wake()));
    parts.autoStops.onWillSet.push((target) => this.#keep(target));
    this.#follow();
  }

  /** What agents can rent from in the signed-in account, as this window read it last. */
  get current(): GrantState | undefined {
    return this.#current && isGrantOpen(this.#current, this.#parts.clock.now()) ? this.#current : undefined;
  }

  /** This or another window wrote something. */
  wake(): void {
    const { session, log } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") {
      this.#show(undefined);
      return;
    }
    this.read(account)
      .then((grant) => session.current === account && this.#show(grant))
      .catch((error) => log.warn("The budget of agents couldn't be read.", error));
  }

  #show(grant: GrantState | undefined): void {
    if (JSON.stringify(grant) === JSON.stringify(this.#current)) return;
    this.#current = grant;
    this.#changes.fire();
  }

  /** Whoever signs out has left what they agreed to. To switch to another account isn't that: what was agreed to holds in the first one. */
  #follow(): void {
    const { session, log } = this.#parts;
    const [before, now] = [this.#account, session.current];
    this.#account = now.kind === "signed-in" ? now : undefined;
    this.#show(undefined);
    if (before && now.kind === "signed-out") {
      // Whose it is can't be told any longer once the account is forgotten.
      this.#unclosed.add(toMarkedAccount(before));
      this.#closures += 1;
      this.#closeLeft().catch((error) => log.error("The budget of agents couldn't be closed.", error));
    }
    this.wake();
  }

  async #closeLeft(): Promise<void> {
    for (const marked of this.#unclosed) {
      await this.#close(marked);
      this.#unclosed.delete(marked);
    }
  }

  /** Takes the place of the one that was open. `until` in epoch milliseconds. @throws AppError `rejected` if the account was left; the disk's error. */
  async open(account: SignedIn, terms: GrantTerms, until: number): Promise<void> {
    const { session, clock } = this.#parts;
    session.assertStill(account);
    await this.close(account);
    session.assertStill(account);
    const { sandbox: _, ...mark } = { sandbox: true, ...toAccountMark(account) };
    const grant: Grant = { version: 1, ...mark, ...terms, at: clock.now(), until };
    await this.#book.create(`gra-${randomBytes(10).toString("hex")}`, "grant", grant);
    this.wake();
  }

  /** Nothing is rented from any budget of the account after this, by any window. @returns how many were open. @throws the disk's error. */
  async close(account: SignedIn): Promise<number> {
    this.#closures += 1;
    const closed = await this.#close(toMarkedAccount(account));
    this.wake();
    return closed;
  }

  async #close(account: MarkedAccount): Promise<number> {
    let closed = 0;
    for (const [name, files] of await this.#book.list()) {
      if (!files.has("grant") || files.has("closed")) continue;
      const grant = await this.#book.read(name, "grant", Grant);
      // One that can't be read may be of any account.
      if (grant && !isMarkOf({ ...grant, base: grant.origin }, account)) continue;
      await this.#book.create(name, "closed");
      if (grant && isGrantOpen(grant, this.#parts.clock.now())) closed += 1;
    }
    return closed;
  }

  /** The open one, with what it has paid for. `own`: a launch that isn't counted. @throws AppError, the disk's error. */
  async read(account: SignedIn, own?: string): Promise<GrantState | undefined> {
    const now = this.#parts.clock.now();
    await this.#closeLeft();
    for (const [name, files] of await this.#book.list()) {
      if (files.has("closed")) continue;
      const grant = await this.#book.read(name, "grant", Grant);
      if (!grant || !isOfAccount(grant, account) || !isGrantOpen(grant, now)) continue;
      const launches = await this.#parts.watch.reread();
      // Otherwise, they are of the account that was entered in the meantime.
      this.#parts.session.assertStill(account);
      // What one without its first file took is in none of them.
      if (launches.some((launch) => !launch.prepared && countRented(launch) > 0))
        throw new AppError("rejected", t("What agents have spent can't be read."));
      // To read them takes a while, in which it may have been closed.
      const isClosed = (await this.#book.list()).get(name)?.has("closed") !== false;
      return isClosed ? undefined : countGrant(name, grant, launches, own);
    }
    return undefined;
  }

  /** What a launch would take of the open one, or the sentence that says why it needs the person; undefined if none is open. @throws as `read`. */
  async judge(account: SignedIn, plan: LaunchPlan): Promise<Granted | string | undefined> {
    const grant = await this.read(account);
    return grant && judgeGranted(grant, plan, this.#parts.clock.now());
  }

  /**
   * For the last moment before a request, once its own claim is made: windows that launch at the same moment see each other's.
   * @returns whether that still holds, as far as this window knows at once. @throws AppError.
   */
  async assertGranted(account: SignedIn, plan: LaunchPlan, granted: Granted, token: string): Promise<() => boolean> {
    const closures = this.#closures;
    const grant = await this.read(account, token);
    const judged =
      grant?.name === granted.grant
        ? judgeGranted(grant, plan, this.#parts.clock.now(), granted.most)
        : t("The budget of agents is closed.");
    if (typeof judged === "string") throw new AppError("rejected", `${judged} ${t("Nothing was rented.")}`);
    return () => this.#closures === closures;
  }

  #findLaunch(id: InstanceId): LaunchRecord | undefined {
    return this.#parts.watch.records.find(({ ids }) => ids.includes(id));
  }

  /** What pays for an instance, as far as this window knows: an agent rented it, with a budget. */
  findGranted(id: InstanceId): Granted | undefined {
    return this.#findLaunch(id)?.prepared?.granted;
  }

  /** Whether an agent rented it, as far as this computer knows. */
  isByAgent(id: InstanceId): boolean {
    return this.#findLaunch(id)?.prepared?.byAgent === true;
  }

  /** Before another auto-stop is set for it, whether or not that comes about: from now on, it is the person's. @throws the disk's error. */
  async #keep({ id, token }: { readonly id: InstanceId; readonly token?: string | undefined }): Promise<void> {
    if ((await this.#book.list()).size === 0) return;
    // A launch whose response was lost is known by its token before it is known what it rented.
    const launches = await this.#parts.watch.reread();
    const granted = launches.find((one) => one.ids.includes(id) || one.token === token)?.prepared?.granted;
    if (granted) await this.#book.create(granted.grant, ["kept", id]);
  }

  /** Whether agents keep it without the person, who has never set another auto-stop for it. @throws the disk's error. */
  async isLeftToAgents(id: InstanceId): Promise<boolean> {
    const granted = this.findGranted(id);
    if (!granted) return false;
    const files = (await this.#book.list()).get(granted.grant);
    // Of one that was tidied away, no one knows.
    return files !== undefined && !listNumbers(files, "kept").includes(id);
  }

  /** Whether an agent may destroy it without a question: what it rented itself, from the budget that is open. @throws AppError; the disk's error. */
  async mayEnd(account: SignedIn, id: InstanceId): Promise<boolean> {
    const [grant, isLeft] = [await this.read(account), await this.isLeftToAgents(id)];
    return isLeft && grant !== undefined && this.findGranted(id)?.grant === grant.name;
  }

  /** Removes old ones. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const found = [...(await this.#book.list()).keys()];
    const read = await Promise.all(
      found.map(async (name) => ({ name, grant: await this.#book.read(name, "grant", Grant) })),
    );
    const limit = findTidyLimit(read.map(({ grant }) => grant?.at ?? 0));
    for (const { name, grant } of read)
      if (grant && grant.at <= limit && now - grant.until > KEPT) await this.#book.removeEntry(name);
  }

  dispose(): void {
    this.#bag.dispose();
  }
}
