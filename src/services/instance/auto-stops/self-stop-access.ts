// Ends that instances keep themselves, as this noun sees them: someone else logs in to the machines.
import type { InstanceId } from "../../../domain/base/id.ts";
import type { SelfStopOrder, SelfStopState } from "../../../domain/instance/self-stop.ts";
import type { Event } from "../../../lib/event.ts";
import type { SignedIn } from "../../core/session.ts";

export interface SelfStopAccess {
  /** False while its SSH server starts. */
  isReady(id: InstanceId): boolean;
  readonly onDidChange: Event<void>;
  /**
   * What the instance says of the end that it keeps, after it was moved if there is an order. Asks the person nothing.
   * @throws AppError that says why it can't be asked; the signal's reason.
   */
  ask(account: SignedIn, id: InstanceId, order?: SelfStopOrder): Promise<SelfStopState | "missing">;
}
