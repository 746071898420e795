// What stops an instance once it is idle, on the instance itself, as this noun sees it: someone else logs in to the machines.
import type { InstanceId } from "../../../domain/base/id.ts";
import type { IdleKeeperOrder, IdleKeeperState } from "../../../domain/instance/idle-keeper.ts";
import type { Event } from "../../../lib/event.ts";
import type { SignedIn } from "../../core/session.ts";

export interface IdleKeeperAccess {
  /** False while its SSH server starts. */
  isReady(id: InstanceId): boolean;
  readonly onDidChange: Event<void>;
  /**
   * What the instance shows, after it was given the order unless it has that or a later one. Asks the person nothing.
   * @throws AppError that says why it can't be asked, with `notSent` if nothing was; the signal's reason.
   */
  tell(account: SignedIn, id: InstanceId, order: IdleKeeperOrder): Promise<IdleKeeperState | "missing">;
  /** The same without an order. `isUsed`: a window uses it, which it takes for work. */
  read(account: SignedIn, id: InstanceId, isUsed: boolean): Promise<IdleKeeperState | "missing">;
}
