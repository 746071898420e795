// How a machine served the person before, in a few words for a list and a summary.
import type { MachineHistory, StartTimes } from "../../domain/offer/machine-history.ts";
import { t } from "../../lib/text.ts";
import { formatTimes } from "../base/counts.ts";

/** Undefined for a machine that wasn't rented before. */
export function formatHistory(history: MachineHistory | undefined): string | undefined {
  if (!history) return undefined;
  const { rentals, hours, startsFailed, contactsLost } = history;
  const facts = [
    ...(hours > 0 ? [t("{0} h", hours)] : []),
    ...(startsFailed > 0 ? [t("failed to start {0}", formatTimes(startsFailed))] : []),
    ...(contactsLost > 0 ? [t("contact lost {0}", formatTimes(contactsLost))] : []),
  ];
  const rented = t("you rented it {0}", formatTimes(rentals));
  return facts.length === 0 ? rented : `${rented}: ${facts.join(", ")}`;
}

/** How long this image took to run before. */
export function describeStartTimes({ count, least, most }: StartTimes): string {
  const span = minutesText(least, most);
  return count === 1
    ? t("{0} the last time with this image", span)
    : t("{0} the last {1} times with this image", span, count);
}

function minutesText(least: number, most: number): string {
  const [from, to] = [toMinutes(least), toMinutes(most)];
  return from === to ? t("{0} min", to) : t("{0} to {1} min", from, to);
}

/** Rounded up: what is shorter than a minute takes one. */
const toMinutes = (seconds: number): number => Math.max(1, Math.ceil(seconds / 60));
