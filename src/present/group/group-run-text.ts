// What a command on all machines of a group says in its terminal.
import type { GroupRunEvent } from "../../domain/group/group-run.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { formatInstanceCount } from "../base/counts.ts";

/** Before what an instance prints. */
export const formatRank = (rank: number): string => `[${rank}] `;

/** What there is to say about an event other than a line. */
export function describeGroupRunEvent(event: GroupRunEvent): string | undefined {
  const { rank } = event;
  if (event.kind === "ended")
    return event.code === 0 ? undefined : t("[{0}] ended with exit code {1}.", rank, event.code);
  return event.kind === "failed" ? t("[{0}] failed: {1}", rank, toPlainText(event.why, 300)) : undefined;
}

/** Once all of them have ended. */
export function summarizeGroupRun(ends: readonly GroupRunEvent[]): string {
  const good = ends.filter((end) => end.kind === "ended" && end.code === 0).length;
  const bad = ends.length - good;
  if (bad === 0) return t("{0} ended with exit code 0.", formatInstanceCount(good));
  return t("{0} ended with exit code 0, {1} didn't.", formatInstanceCount(good), String(bad));
}
