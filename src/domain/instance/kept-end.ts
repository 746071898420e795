// Ends that an instance may carry out itself, as far as is known: what it showed last, and what it was told of without an answer.
import { type EndProof, ITSELF_FIRST, type Lease, MOST_ASKED, type TimedEnd } from "./lease.ts";
import type { EndOrder, SelfEnding } from "./self-end.ts";

/** Whether anything is to be done at its end. */
export function actsAtEnd(lease: Lease): lease is Lease & { readonly until: number; readonly ending: SelfEnding } {
  return lease.until !== null && lease.ending !== "remind";
}

/** An end as a machine is told of it. `now` is in epoch milliseconds. */
export function toOrder(lease: Lease, now: number): EndOrder {
  const { ending, count, at } = lease;
  const wait = actsAtEnd(lease) ? lease.until - now : undefined;
  return { count, at, wait, ending: ending === "stop" ? "stop" : "destroy" };
}

/** All that it may keep, the first one first. */
function listKeepable(proof: EndProof | undefined, lease: Lease): readonly TimedEnd[] {
  const wanted: TimedEnd[] = actsAtEnd(lease) ? [{ until: lease.until, ending: lease.ending }] : [];
  const { until, ending, doubt, asked = [] } = proof ?? {};
  const shown = until === undefined ? [] : [{ until, ending }];
  if (doubt === "unread") return [...shown, ...wanted, ...asked].sort((a, b) => a.until - b.until);
  return shown.length > 0 ? shown : wanted;
}

/** The first end that it may keep. One that nobody wants anymore and that has passed wasn't kept. `now` is in epoch milliseconds. */
export function findSoonest(proof: EndProof | undefined, lease: Lease, now: number): TimedEnd | undefined {
  return listKeepable(proof, lease).find(({ until }) => actsAtEnd(lease) || until + ITSELF_FIRST > now);
}

/** What is known of an instance that is just told of another end: it may keep that one, or what it may have kept before. */
export function doubtTold(proof: EndProof | undefined, told: Lease): EndProof {
  const { until, ending, asked = [] } = proof ?? {};
  const shown = until === undefined ? undefined : { until, ending };
  const all = actsAtEnd(told) ? [...asked, { until: told.until, ending: told.ending }] : asked;
  return toDoubt(told.at, shown, all.slice(-MOST_ASKED));
}

/** What is known of an end that an instance can't be told of: it may keep all that it kept before. */
export function doubtUntold(proof: EndProof | undefined, before: Lease, at: number): EndProof {
  const [first, ...rest] = listKeepable(proof, before);
  return toDoubt(at, first, rest.slice(0, MOST_ASKED));
}

const toDoubt = (at: number, shown: TimedEnd | undefined, asked: TimedEnd[]): EndProof => ({
  ...{ version: 1, at, doubt: "unread", ...shown },
  ...(asked.length === 0 ? {} : { asked }),
});
