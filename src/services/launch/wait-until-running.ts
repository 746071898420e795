// Waits until a rental runs or is known never to run.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase, type Instance, isDead } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";

export type StartEnd = "running" | "dead" | "gone" | "signed-out";

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
        if (row?.gone) resolve("gone");
        else if (row && getPhase(row.value) === "running") resolve("running");
        else if (row && isDead(row.value)) resolve("dead");
        // Lists lag: the instance counts as gone only if the service says so for this one instance.
        else if (!row && store.current.state === "ready" && store.current.last.value.complete) void ask();
      };
      const ask = async () => {
        const now = await account.client.getInstance(id).catch(() => "unknown" as const);
        if (now === undefined) resolve("gone");
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
