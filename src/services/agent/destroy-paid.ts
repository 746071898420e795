// Destroys what a budget of agents paid for. No person ordered it, so it is looked at once more right before the request: the instance may be
// theirs by then.
import type { InstanceId } from "../../domain/base/id.ts";
import type { SignedIn } from "../core/session.ts";
import type { InstanceOrders } from "../instance/instance-orders.ts";
import { createOrderToken } from "../instance/order-journal.ts";
import type { OrderEnd } from "../instance/order-notices.ts";

/**
 * `isStillMeant`: asked once it is written down, and once its turn has come. No other window knows of it, so none takes it over.
 * @returns undefined if it wasn't meant any longer, or is being ended already. @throws AppError `rejected` if the account was left; the disk's error.
 */
export async function destroyPaid(
  orders: Pick<InstanceOrders, "carryOutOnce">,
  account: SignedIn,
  id: InstanceId,
  isStillMeant: () => Promise<boolean>,
): Promise<OrderEnd | undefined> {
  const token = createOrderToken();
  const recheck = async () => ((await isStillMeant()) ? "holds" : "replaced");
  return await orders.carryOutOnce(account, "destroy", id, { token, reason: token, recheck });
}
