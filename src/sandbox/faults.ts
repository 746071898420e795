// Things that go wrong on purpose: each fault is a row that says where it strikes and how.
import type { EndpointName } from "../api/endpoints.ts";

export interface Fault {
  /** One endpoint, or every one. */
  readonly on: EndpointName | "everything";
  /** `before`: nothing is carried out. `after`: it is carried out and only the answer suffers. */
  readonly strikes: "before" | "after";
  /** `reset` cuts the connection without a word, `bad-gateway` answers 502 with a web page, `late` answers 3 s later. */
  readonly effect: "reset" | "bad-gateway" | "late";
}

export const FAULTS = {
  "create-lost": { on: "createInstance", strikes: "after", effect: "reset" },
  "create-502": { on: "createInstance", strikes: "after", effect: "bad-gateway" },
  slow: { on: "everything", strikes: "after", effect: "late" },
  down: { on: "everything", strikes: "before", effect: "reset" },
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof FAULTS;

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(FAULTS, name);
}

/** The effects that strike an endpoint at this point; undefined stands for a path nobody serves. */
export function effectsOf(
  active: ReadonlySet<FaultName>,
  strikes: Fault["strikes"],
  endpoint: EndpointName | undefined,
): ReadonlySet<Fault["effect"]> {
  const rows = [...active].map((name): Fault => FAULTS[name]);
  return new Set(
    rows
      .filter((fault) => fault.strikes === strikes && (fault.on === "everything" || fault.on === endpoint))
      .map((fault) => fault.effect),
  );
}
