// Waits until a rental can be logged in to, or is known never to run.
import type { InstanceId } from "../../domain/base/id.ts";
import { getPhase, type Instance, type SshState } from "../../domain/instance/instance.ts";
import type { ReadinessService } from "../connection/readiness.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import { type StartEnd, waitUntilRunning } from "./wait-until-running.ts";

/** `silent`: it runs, but its SSH server didn't answer as long as it was waited for. */
export type LaunchEnd = StartEnd | "silent";

/**
 * Like `waitUntilRunning`, and then for the SSH server if the machine lists an address for one, up to 3 min. Who stops waiting
 * once the machine runs gets `running`: nothing is left to decide.
 * @throws AppError `cancelled` when left before it runs.
 */
export async function waitUntilReady(
  services: {
    readonly session: SessionService;
    readonly instances: InstancesService;
    readonly readiness: ReadinessService;
  },
  account: SignedIn,
  id: InstanceId,
  onStage: (instance: Instance, ssh?: SshState) => void,
  signal?: AbortSignal,
): Promise<LaunchEnd> {
  const { session, instances, readiness } = services;
  for (;;) {
    const end = await waitUntilRunning(services, account, id, onStage, signal);
    if (end !== "running") return end;
    const settling = readiness.settle(account, id, signal);
    const running = instances.find(id)?.value;
    if (running) onStage(running, readiness.getState(id));
    await settling;
    if (session.current !== account) return "signed-out";
    const now = instances.find(id);
    // It may have died, or have been destroyed, while it was waited for.
    if (now && getPhase(now.value) === "running") return readiness.getState(id) === "silent" ? "silent" : "running";
    if (signal?.aborted) return "running";
  }
}
