// Waiting for a rental until it runs or never will.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { type Instance, isDead, phase } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";

export type LaunchEnd = "running" | "dead" | "gone" | "signed-out";

/**
 * Tells through `onStage` what the service says of an instance of this account. Leaving by `signal` leaves the rental as
 * it is; `signed-out` says that another account is in front of the person, and nothing of the rental.
 * @throws AppError `cancelled` when left.
 */
export async function waitUntilRunning(
  { session, instances }: { readonly session: SessionService; readonly instances: InstancesService },
  account: SignedIn,
  id: InstanceId,
  onStage: (instance: Instance) => void,
  signal?: AbortSignal,
): Promise<LaunchEnd> {
  const unwatch = instances.watch();
  const { store } = instances.collection;
  let stop = () => {};
  try {
    return await new Promise<LaunchEnd>((resolve, reject) => {
      const look = () => {
        if (session.current !== account) return resolve("signed-out");
        const row = instances.find(id);
        if (row && !row.gone) onStage(row.value);
        if (row?.gone) resolve("gone");
        else if (row && phase(row.value) === "running") resolve("running");
        else if (row && isDead(row.value)) resolve("dead");
        // Lists lag: only the service's word on this one instance says that it is gone.
        else if (!row && store.current.state === "ready" && store.current.last.value.complete) void ask();
      };
      const ask = async () => {
        const now = await account.client.getInstance(id).catch(() => "unknown" as const);
        if (session.current !== account) resolve("signed-out");
        else if (now === undefined) resolve("gone");
      };
      const listening = store.onDidChange(look);
      const leave = () => reject(new AppError("cancelled", t("No longer waiting. The rental goes on.")));
      if (signal?.aborted) return leave();
      signal?.addEventListener("abort", leave, { once: true });
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
