// An instance's life as moments in time, computed when an action is requested and read whenever its state is needed.

import { hashText } from "../base/random.ts";
import type { Fate } from "../market/market.ts";

/** The instance shows this status from `at` (UTC epoch seconds) until the next moment. */
export interface Moment {
  readonly at: number;
  /** `actual_status`; null while the contract is being created. */
  readonly status: string | null;
  readonly message: string;
}

interface Boot {
  /** UTC epoch seconds of the request. */
  readonly from: number;
  readonly image: string;
  readonly runtype: string;
  /** `denied`: the registry refuses the image. */
  readonly fate: Fate | "denied";
  /**
   * `stopped` ends with the machine prepared and stopped; `queued` ends before that, because its GPU isn't available.
   */
  readonly aim: "running" | "stopped" | "queued";
  /** How many times as fast as usual it starts. */
  readonly speed: number;
}

/** Simulated seconds to download an image: 20 to 90, always the same for the same image. */
function calculatePullSeconds(image: string): number {
  return 20 + (hashText(image) % 71);
}

const PULLING = [
  "Pulling fs layer",
  "Downloading [====>      ]",
  "Downloading [=========> ]",
  "Extracting [=====>     ]",
];

function pulling(boot: Boot, from: number, seconds: number): Moment[] {
  const layer = hashText(boot.image).toString(16).padStart(8, "0").repeat(2).slice(0, 12);
  return PULLING.map((message, step) => ({
    at: from + (seconds * step) / PULLING.length,
    status: "loading",
    message: `${layer}: ${message}`,
  }));
}

/** Statuses that are never followed by `running` (interface 3, rule 1). */
const DEAD: readonly (string | null)[] = ["exited", "unknown", "offline"];

export function isDeadMoment(moment: Moment): boolean {
  return DEAD.includes(moment.status);
}

const NO_CONTAINER =
  "Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: error during container init: error running hook #0: exit status 1, stderr: nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8: unknown";

function ending(boot: Boot): Omit<Moment, "at"> {
  if (boot.fate === "offline") return { status: "offline", message: "The host has lost its connection" };
  if (boot.fate === "unknown") return { status: "unknown", message: "No heartbeat from the machine" };
  if (boot.fate === "denied")
    return { status: "exited", message: `Error: pull access denied for ${boot.image}, which may require a login` };
  if (boot.fate === "no-image")
    return {
      status: "loading",
      message: `Error response from daemon: manifest for ${boot.image} not found: manifest unknown`,
    };
  if (boot.aim === "stopped") return { status: "stopped", message: "Container created, not started" };
  if (boot.fate === "no-container") return { status: "created", message: NO_CONTAINER };
  if (boot.fate === "exited")
    return { status: "exited", message: "Error: container exited with code 1 before it was ready" };
  return { status: "running", message: `success, running ${boot.image}${findAccessPath(boot)}` };
}

function findAccessPath({ runtype }: Boot): string {
  if (runtype.includes("jupyter")) return "/jupyter";
  return runtype.includes("ssh") ? "/ssh" : "";
}

/** The complete timeline, unless another action changes it. */
export function createBootTimeline(boot: Boot): Moment[] {
  const created = boot.from + 2 / boot.speed;
  const loading = boot.from + 5 / boot.speed;
  const seconds = calculatePullSeconds(boot.image) / boot.speed;
  const beginning: Moment[] = [
    { at: boot.from, status: null, message: "" },
    { at: created, status: "created", message: "Container created" },
  ];
  if (boot.aim === "queued")
    return [...beginning, { at: loading, status: "stopped", message: "Waiting for its GPU: the bid is too low" }];
  if (boot.fate === "denied" || boot.fate === "no-image") return [...beginning, { at: loading, ...ending(boot) }];
  return [...beginning, ...pulling(boot, loading, seconds), { at: loading + seconds, ...ending(boot) }];
}

/** A start from an existing disk: usually 15 s from `from` to whatever the host's fate is. */
export function createStartTimeline(boot: Boot): Moment[] {
  return [{ at: boot.from + 15 / boot.speed, ...ending(boot) }];
}

/** The moment in effect at a time; before the first moment, the first. @throws RangeError for an empty timeline. */
export function findMoment(timeline: readonly Moment[], now: number): Moment {
  const moment = timeline.findLast((one) => one.at <= now) ?? timeline[0];
  if (moment === undefined) throw new RangeError("A timeline has at least one moment");
  return moment;
}

/** The same timeline cut at `at`: from then on it shows one status permanently. */
export function cutTimeline(timeline: readonly Moment[], end: Moment): Moment[] {
  return [...timeline.filter((one) => one.at < end.at), end];
}

/** Dollars from `from` to `to`, at each status's hourly rate. */
export function calculateCost(
  timeline: readonly Moment[],
  from: number,
  to: number,
  rate: (status: string | null) => number,
): number {
  return timeline.reduce((sum, moment, index) => {
    const start = Math.max(from, moment.at);
    const end = Math.min(to, timeline[index + 1]?.at ?? to);
    return sum + (Math.max(0, end - start) / 3600) * rate(moment.status);
  }, 0);
}
