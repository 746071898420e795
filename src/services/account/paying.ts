// Everything of the signed-in account that bills, read afresh, and what of it couldn't be ended.

import { type DiskCost, sumDiskCosts } from "../../domain/account/disk-costs.ts";
import { type AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { isStoppable } from "../../domain/instance/instance.ts";
import type { Volume } from "../../domain/instance/volume.ts";
import type { LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { Clock } from "../../lib/clock.ts";
import { getError, getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import { type InstanceRow, type InstancesService, isWholeList } from "../instance/instances.ts";
import type { OrderKind } from "../instance/order-journal.ts";
import type { OrderEnd } from "../instance/order-notices.ts";
import { showUnlisted } from "../launch/commitments.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import type { WorkergroupRow, WorkergroupsService } from "../serverless/workergroups.ts";
import type { Ledger } from "./ledger.ts";

/** One list of several. What it has is shown even if the rest of it is missing. */
interface PaidList<T> {
  readonly rows: readonly T[];
  readonly unreadable: number;
  /** Why it, or its newest state, couldn't be read. */
  readonly error?: AppError | undefined;
}

export interface Paid {
  readonly instances: PaidList<InstanceRow> & {
    /** False if the list had gaps or there is none at all: a missing row then means nothing. */
    readonly isWhole: boolean;
    /** False if the service has no list: the rows are then those launched here or added by ID. */
    readonly isListed: boolean;
    /** Wall clock milliseconds of the reading. */
    readonly at: number | undefined;
  };
  readonly launches: PaidList<LaunchRecord>;
  readonly volumes: PaidList<Row<Volume>>;
  readonly workergroups: PaidList<WorkergroupRow>;
  /** What the disks of stopped instances have cost, as far as that is known. */
  readonly diskCosts: ReadonlyMap<InstanceId, DiskCost>;
  /** What was to be ended here and still bills, in the order it was asked for. */
  readonly failed: readonly OrderEnd[];
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly watch: LaunchWatch;
  readonly workergroups: WorkergroupsService;
  readonly ledger: Pick<Ledger, "read">;
  readonly clock: Clock;
}

/** Milliseconds. A disk that is billed for longer has cost at least as much. */
const LOOKED_BACK = 30 * 86_400_000;

export class PayingService {
  readonly #parts: Parts;
  /** Kept as long as the session: closing the list must not hide what still bills. */
  readonly #failed = new WeakMap<SignedIn, ReadonlyMap<InstanceId, OrderEnd>>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * One list that fails hides none of the others.
   * @throws AppError `rejected` if the account was switched in the meantime.
   */
  async read(account: SignedIn, signal?: AbortSignal): Promise<Paid> {
    const { session, workergroups } = this.#parts;
    session.assertStill(account);
    const [{ instances, launches }, volumes] = await Promise.all([
      this.#readRented(account),
      readVolumes(account, signal),
      workergroups.collection.refresh(),
    ]);
    const failed = await this.#stillFailed(account, instances.rows, signal);
    const diskCosts = await this.#readDiskCosts(account);
    session.assertStill(account);
    const { current } = workergroups.collection.store;
    const groups = { rows: workergroups.rows, unreadable: getLast(current)?.value.unreadable ?? 0 };
    return {
      instances,
      launches,
      volumes,
      workergroups: withError(groups, getError(current)),
      diskCosts,
      failed,
    };
  }

  /** Without the files in which that is written down, nothing is known of it. */
  async #readDiskCosts(account: SignedIn): Promise<Paid["diskCosts"]> {
    const { ledger, clock } = this.#parts;
    const now = clock.now();
    const read = await ledger.read(account, now - LOOKED_BACK).catch(() => undefined);
    return sumDiskCosts(read?.readings ?? [], now);
  }

  /** Remembers what couldn't be ended, and forgets it where it could by now. */
  note(account: SignedIn, ends: readonly OrderEnd[]): void {
    const failed = new Map(this.#failed.get(account));
    for (const end of ends) {
      failed.delete(end.id);
      if (end.outcome !== "done") failed.set(end.id, end);
    }
    this.#failed.set(account, failed);
  }

  /** What is to be tried again: the orders of this kind that didn't come about. */
  readFailedIds(account: SignedIn, kind: OrderKind): readonly InstanceId[] {
    return [...(this.#failed.get(account)?.values() ?? [])].flatMap((end) => (end.kind === kind ? [end.id] : []));
  }

  /** The launches wait for the list of instances, because it may settle them. What it doesn't have yet is added. */
  async #readRented(account: SignedIn): Promise<Pick<Paid, "instances" | "launches">> {
    await this.#parts.instances.collection.refresh();
    const launches = await this.#readLaunches();
    const hasAll = await showUnlisted(this.#parts, account);
    return { instances: this.#getInstances(hasAll), launches };
  }

  async #readLaunches(): Promise<PaidList<LaunchRecord>> {
    const { watch } = this.#parts;
    try {
      await watch.reread();
      return { rows: watch.atRisk, unreadable: 0 };
    } catch (thrown) {
      return { rows: watch.atRisk, unreadable: 0, error: asAppError(thrown) };
    }
  }

  #getInstances(hasAll: boolean): Paid["instances"] {
    const { collection, rows } = this.#parts.instances;
    const { current } = collection.store;
    const last = getLast(current);
    const { listed = true, unreadable = 0 } = last?.value ?? {};
    const facts = { isWhole: hasAll && last !== undefined && isWholeList(last.value), isListed: listed };
    return { rows: rows.filter((row) => !row.gone), unreadable, ...facts, at: last?.at, error: getError(current) };
  }

  /** A list may be behind: what it lacks isn't shown, and forgotten only once the service has said twice that it is gone. */
  async #stillFailed(
    account: SignedIn,
    rows: readonly InstanceRow[],
    signal: AbortSignal | undefined,
  ): Promise<readonly OrderEnd[]> {
    const find = (id: InstanceId) => rows.find(({ value }) => value.id === id);
    const { whereabouts } = this.#parts.instances;
    const isOver = async ({ id, kind }: OrderEnd) => {
      const row = find(id);
      if (row) return kind === "stop" && !isStoppable(row.value);
      const found = await whereabouts.find(account, id, signal);
      return found.kind === "missing" && whereabouts.wasMissedTwice(account, id);
    };
    const before = [...(this.#failed.get(account)?.values() ?? [])];
    const over = await Promise.all(before.map(isOver));
    // What failed or came about in the meantime is noted in a map of its own.
    const failed = new Map(this.#failed.get(account));
    for (const [at, end] of before.entries()) if (over[at] && failed.get(end.id) === end) failed.delete(end.id);
    this.#failed.set(account, failed);
    return [...failed.values()].filter(({ id }) => find(id) !== undefined);
  }
}

/** A service without volumes has none that bill. */
async function readVolumes({ client }: SignedIn, signal: AbortSignal | undefined): Promise<PaidList<Row<Volume>>> {
  try {
    return await client.listVolumes(signal);
  } catch (thrown) {
    const error = asAppError(thrown);
    return withError<Row<Volume>>({ rows: [], unreadable: 0 }, error);
  }
}

function withError<T>(list: PaidList<T>, error: AppError | undefined): PaidList<T> {
  return error === undefined || error.kind === "unsupported" ? list : { ...list, error };
}
