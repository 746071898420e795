// Operations on several instances at once (extras): one request, and a result for each instance.
import { InstanceId } from "../../domain/base/id.ts";
import type { Caller } from "../call.ts";
import { createRefusal } from "../reply.ts";
import { saysGone, saysQueued } from "../worded-refusals.ts";

/**
 * - `done`: carried out, or accepted for later; `reason` then says what it waits for
 * - `refused`: not carried out; `reason` says why
 * - `unknown`: the service didn't say
 */
export interface BulkResult {
  readonly id: InstanceId;
  readonly outcome: "done" | "refused" | "unknown";
  readonly reason?: string;
}

type Operation = "destroyInstances" | "setInstancesState";
type Verdict = Omit<BulkResult, "id">;
type Said = Readonly<Record<string, unknown>>;

const DONE: Verdict = { outcome: "done" };
const UNKNOWN: Verdict = { outcome: "unknown" };

function isRecord(value: unknown): value is Said {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What an entry, or the whole response, says about an instance. */
function verdictOf(operation: Operation, entry: Said): Verdict {
  if (entry.success === true) return DONE;
  if (entry.success !== false) return UNKNOWN;
  // Only texts: writing out an endlessly nested value would overflow the stack.
  const words = [entry.error, entry.msg].filter((word) => typeof word === "string").join(" ");
  if (operation === "destroyInstances" && saysGone(words)) return DONE;
  const reason = createRefusal(operation, entry).message;
  const isQueued = operation === "setInstancesState" && saysQueued(words);
  return { outcome: isQueued ? "done" : "refused", reason };
}

/** The entries of a response by instance. Entries that contradict each other count as unknown. */
function entriesOf(operation: Operation, results: unknown): ReadonlyMap<number, Verdict> {
  const entries = new Map<number, Verdict>();
  for (const entry of Array.isArray(results) ? results : []) {
    if (!isRecord(entry)) continue;
    const id = InstanceId.safeParse(entry.id ?? entry.instance_id).data;
    if (id === undefined) continue;
    const verdict = verdictOf(operation, entry);
    const before = entries.get(id);
    entries.set(id, before === undefined || before.outcome === verdict.outcome ? verdict : UNKNOWN);
  }
  return entries;
}

/** @throws AppError if the service refused the whole request. */
function resultsOf(operation: Operation, ids: readonly InstanceId[], reply: Said): BulkResult[] {
  const entries = entriesOf(operation, reply.results);
  const whole = verdictOf(operation, reply);
  if (entries.size === 0 && whole.outcome === "refused") throw createRefusal(operation, reply);
  // A response that lists some instances and fails as a whole doesn't say what happened to the others.
  const rest = entries.size === 0 || whole.outcome === "done" ? whole : UNKNOWN;
  return ids.map((id) => ({ id, ...(entries.get(id) ?? rest) }));
}

export function createBulkOperations(caller: Caller) {
  return {
    /**
     * Extra. At most 64 instances; sent once. An instance that is already gone counts as done. An instance missing from
     * the response counts as done if the service says `success`.
     */
    async destroyInstances(ids: readonly InstanceId[]): Promise<readonly BulkResult[]> {
      const wanted = [...new Set(ids)];
      if (wanted.length === 0) return [];
      const reply = await caller.call("destroyInstances", { body: { instance_ids: wanted } });
      return resultsOf("destroyInstances", wanted, reply);
    },

    /** Extra. Starts or stops at most 64 instances; sent once. A queued start counts as done and says so. */
    async setInstancesState(ids: readonly InstanceId[], state: "running" | "stopped"): Promise<readonly BulkResult[]> {
      const wanted = [...new Set(ids)];
      if (wanted.length === 0) return [];
      const reply = await caller.call("setInstancesState", { body: { ids: wanted, state } });
      return resultsOf("setInstancesState", wanted, reply);
    },
  };
}
