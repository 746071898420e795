// Ends that an instance may carry out itself, as far as is known: what it showed last, and what it was told of without an answer.
import { type AutoStop, ITSELF_FIRST, MOST_ASKED, type SelfStopProof, type TimedEnd } from "./auto-stop.ts";
import { isSecondStep } from "./second-step.ts";
import type { SelfStopAction, SelfStopOrder } from "./self-stop.ts";

/** Whether anything is to be done at its end that an instance may do itself: it can't destroy itself while it is stopped. */
export function actsAtEnd(
  autoStop: AutoStop,
): autoStop is AutoStop & { readonly until: number; readonly ending: SelfStopAction } {
  return autoStop.until !== null && autoStop.ending !== "remind" && !isSecondStep(autoStop);
}

/** An end as a machine is told of it. `now` is in epoch milliseconds. */
export function toOrder(autoStop: AutoStop, now: number): SelfStopOrder {
  const { ending, count, at } = autoStop;
  const wait = actsAtEnd(autoStop) ? autoStop.until - now : undefined;
  return { count, at, wait, ending: ending === "stop" ? "stop" : "destroy" };
}

/** All that it may keep, the first one first. */
function listKeepable(proof: SelfStopProof | undefined, autoStop: AutoStop): readonly TimedEnd[] {
  const wanted: TimedEnd[] = actsAtEnd(autoStop) ? [{ until: autoStop.until, ending: autoStop.ending }] : [];
  const { until, ending, doubt, asked = [] } = proof ?? {};
  const shown = until === undefined ? [] : [{ until, ending }];
  if (doubt === "unread") return [...shown, ...wanted, ...asked].sort((a, b) => a.until - b.until);
  return shown.length > 0 ? shown : wanted;
}

/** The first end that it may keep. One that no one wants any longer and that has passed wasn't kept. `now` is in epoch milliseconds. */
export function findSoonest(proof: SelfStopProof | undefined, autoStop: AutoStop, now: number): TimedEnd | undefined {
  return listKeepable(proof, autoStop).find(({ until }) => actsAtEnd(autoStop) || until + ITSELF_FIRST > now);
}

/** What is known of an instance that is just told of another end: it may keep that one, or what it may have kept before. */
export function buildAskedProof(proof: SelfStopProof | undefined, told: AutoStop): SelfStopProof {
  const { until, ending, asked = [] } = proof ?? {};
  const shown = until === undefined ? undefined : { until, ending };
  const all = actsAtEnd(told) ? [...asked, { until: told.until, ending: told.ending }] : asked;
  return toDoubt(told.at, shown, all.slice(-MOST_ASKED));
}

/** What is known of an end that an instance can't be told of: it may keep all that it kept before. */
export function buildUnaskedProof(proof: SelfStopProof | undefined, before: AutoStop, at: number): SelfStopProof {
  const [first, ...rest] = listKeepable(proof, before);
  return toDoubt(at, first, rest.slice(0, MOST_ASKED));
}

const toDoubt = (at: number, shown: TimedEnd | undefined, asked: TimedEnd[]): SelfStopProof => ({
  ...{ version: 1, at, doubt: "unread", ...shown },
  ...(asked.length === 0 ? {} : { asked }),
});
