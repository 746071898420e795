// Waits until a rental runs or is known never to run.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase, type Instance, isDead, isStopped } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstanceRow, InstancesService } from "../instance/instances.ts";

/** `stopped`: someone stopped it, here or elsewhere. */
export type StartEnd = "running" | "stopped" | "dead" | "gone" | "signed-out";

/**
 * Reports through `onStage` what the service says about an instance of this account. Leaving with `signal` doesn't
 * change the rental. `signed-out` means that the account was switched and says nothing about the rental.
 * @throws AppError `cancelled` when left.
 */
export async function waitUntilRunning(
  { session, instances }: { readonly session: SessionService; readonly instances: InstancesService },
  account: SignedIn,
  id: InstanceId,
  onStage: (instance: Instance) => void,
  signal?: AbortSignal,
): Promise<StartEnd> {
  const unwatch = instances.watch();
  const { store } = instances.collection;
  let stop = () => {};
  try {
    return await new Promise<StartEnd>((resolve, reject) => {
      const look = () => {
        if (session.current !== account) return resolve("signed-out");
        const row = instances.find(id);
        if (row && !row.gone) onStage(row.value);
        const end = row && judgeStart(row);
        if (end) resolve(end);
        // Lists lag: the instance counts as gone only if the service says so for this one instance.
        else if (!row && store.current.state === "ready" && store.current.last.value.complete) void ask();
      };
      const ask = async () => {
        if ((await instances.whereabouts.find(account, id)).kind === "missing") resolve("gone");
      };
      const leave = () => reject(new AppError("cancelled", t("Stopped waiting. The instance is still rented.")));
      if (signal?.aborted) return leave();
      const listening = store.onDidChange(look);
      signal?.addEventListener("abort", leave);
      stop = () => {
        listening.dispose();
        signal?.removeEventListener("abort", leave);
      };
      look();
      void instances.collection.refresh();
    });
  } finally {
    stop();
    unwatch();
  }
}

/** Undefined while it may still come to run. */
function judgeStart({ value, gone }: InstanceRow): StartEnd | undefined {
  if (gone) return "gone";
  if (isStopped(value)) return "stopped";
  if (isDead(value)) return "dead";
  return getPhase(value) === "running" ? "running" : undefined;
}
