// What is told of instances that do nothing: that they cost, that an order is about to end one, and what became of it.
import { formatHourlyPrice, formatHourlySum } from "../../domain/base/money.ts";
import type { IdleState } from "../../domain/instance/idle.ts";
import type { IdleWish } from "../../domain/instance/idle-order.ts";
import { getCurrentPrice, type Instance } from "../../domain/instance/instance.ts";
import type { OrderResult } from "../../domain/instance/order-result.ts";
import { t } from "../../lib/text.ts";
import { formatHours } from "./auto-stop-text.ts";
import { formatIdleSpan } from "./idle-text.ts";
import { formatInstanceTitle } from "./instances.ts";
import { describeOrderFailures } from "./orders.ts";

interface Idle {
  readonly instance: Instance;
  readonly state: IdleState;
  readonly launchPrice: number | undefined;
}

/** Names that fit in one message. */
const MOST_NAMES = 3;

/** That instances do nothing, with what they cost. */
export function describeIdleInstances(idle: readonly Idle[]): string {
  const prices = idle.map(({ instance, launchPrice }) => getCurrentPrice({ value: instance, launchPrice }));
  const [first] = idle;
  if (first && idle.length === 1) {
    const span = formatIdleSpan(first.state.time / 60_000);
    return t(
      "{0} has been idle for {1}. It costs {2}.",
      formatInstanceTitle(first.instance),
      span,
      formatHourlyPrice(prices[0]),
    );
  }
  const names = idle.slice(0, MOST_NAMES).map(({ instance }) => formatInstanceTitle(instance));
  const more = idle.length - names.length;
  const named = more > 0 ? t("{0} and {1} more", names.join(", "), more) : names.join(", ");
  return t("{0} instances are idle: {1}. Together they cost {2}.", idle.length, named, formatHourlySum(prices));
}

/** That what was ordered is about to happen. */
export function describeIdleSoon(instance: Instance, { ending }: IdleWish, minutes: { readonly left: number }): string {
  const [name, left] = [formatInstanceTitle(instance), formatIdleSpan(Math.max(1, minutes.left))];
  return ending === "stop"
    ? t("{0} is idle. Cloud GPU will stop it in {1} unless it's used. Keep VS Code open.", name, left)
    : t("{0} is idle. Cloud GPU will destroy it and its disk in {1} unless it's used. Keep VS Code open.", name, left);
}

/** What became of an order that a window carried out. */
export function describeIdleEnded(instance: Instance, wish: IdleWish, result: OrderResult): string {
  const [name, span] = [formatInstanceTitle(instance), formatHours(wish.minutes / 60)];
  if (result.outcome === "done")
    return result.kind === "destroy"
      ? t("{0} was destroyed after being idle for {1}, as you asked.", name, span)
      : t("{0} was stopped after being idle for {1}, as you asked. Its disk still costs money.", name, span);
  const failed = describeOrderFailures([result], () => name) ?? "";
  return t("{0} Cloud GPU keeps trying while the instance is idle.", failed);
}
