// An instance's log, generated from its timeline: the same for the same moment, and longer over time.

import { Random } from "../base/random.ts";
import type { StoredInstance } from "../world/instance.ts";

interface LogQuestion {
  /** UTC epoch seconds. */
  readonly now: number;
  readonly lines: number;
  /** Only lines that contain this text. */
  readonly filter: string;
  readonly daemon: boolean;
}

const MOST_LINES = 2000;
const SECONDS_A_STEP = 15;

function stamp(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 19);
}

/** The image's own entrypoint, or the service's in its place and then the start script (interface 4.3, rules 2 and 3). */
function listEntrypoint({ configuration }: StoredInstance): string[] {
  const { runtype, args, onstart } = configuration;
  if (runtype === "args") return [`entrypoint of the image, with: ${args.join(" ") || "no arguments"}`];
  return ["entrypoint of the service: ready", ...(onstart ? ["onstart: started"] : [])];
}

function ofContainer(instance: StoredInstance, now: number): string[] {
  return instance.timeline.flatMap((moment, at) => {
    if (moment.at > now) return [];
    const until = Math.min(now, instance.timeline[at + 1]?.at ?? now);
    const first = `[${stamp(moment.at)}] ${moment.message || "contract created"}`;
    if (moment.status !== "running") return [first];
    const steps = Math.floor((until - moment.at) / SECONDS_A_STEP);
    // Earlier lines wouldn't be served. Each line depends on its own step alone, so a later log has it unchanged.
    const skipped = Math.max(0, steps - MOST_LINES);
    const work = Array.from({ length: steps - skipped }, (_, index) => {
      const step = skipped + index;
      const random = new Random(`log/${instance.id}/${moment.at}/${step}`);
      const loss = (2.4 * Math.exp(-step / 180) + random.drawBetween(0.01, 0.06)).toFixed(4);
      return `[${stamp(moment.at + (step + 1) * SECONDS_A_STEP)}] step ${(step + 1) * 10} loss ${loss} grad_norm ${random.drawBetween(0.2, 1.4).toFixed(3)}`;
    });
    if (skipped > 0) return work;
    return [first, ...listEntrypoint(instance), ...work];
  });
}

function ofDaemon(instance: StoredInstance, now: number): string[] {
  return instance.timeline
    .filter((moment) => moment.at <= now)
    .map(
      (moment) =>
        `[${stamp(moment.at)}] daemon: C.${instance.id} ${moment.status ?? "provisioning"}: ${moment.message}`,
    );
}

/** The last lines, each ending with a line break. */
export function formatLog(instance: StoredInstance, { now, lines, filter, daemon }: LogQuestion): string {
  const all = daemon ? ofDaemon(instance, now) : ofContainer(instance, now);
  const wanted = all.filter((line) => line.includes(filter)).slice(-Math.min(lines, MOST_LINES) || all.length);
  return lines === 0 ? "" : wanted.map((line) => `${line}\n`).join("");
}
