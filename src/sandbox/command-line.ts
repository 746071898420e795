// The sandbox's command line: what may be written there, and one sentence for everything else.
import { parseArgs } from "node:util";
import { FAULTS, type FaultName, isFaultName } from "./faults.ts";

export interface CommandLine {
  readonly help: boolean;
  readonly port: number;
  readonly seed: number;
  readonly speed: number;
  readonly requests: string | undefined;
  readonly faults: readonly FaultName[];
}

export const USAGE = `Runs a whole GPU rental service on 127.0.0.1, with a made-up market, until SIGTERM.

  --port NUMBER       port to listen on; 0 takes any that is free (default 0)
  --seed NUMBER       the same seed gives the same market and the same key (default 1)
  --speed NUMBER      simulated seconds in a real second (default 1)
  --faults NAME,…     what goes wrong on purpose: ${Object.keys(FAULTS).join(", ")}
  --requests FILE     writes one JSON line for every request served
  --help              shows this

The first line of standard output is {"url":"http://127.0.0.1:PORT","apiKey":"…"}.
`;

function words(argv: readonly string[]) {
  return parseArgs({
    args: [...argv],
    allowPositionals: false,
    options: {
      help: { type: "boolean", default: false },
      port: { type: "string", default: "0" },
      seed: { type: "string", default: "1" },
      speed: { type: "string", default: "1" },
      requests: { type: "string" },
      faults: { type: "string", multiple: true, default: [] },
    },
  }).values;
}

function whole(flag: string, text: string, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most)) throw new Error(`${flag} takes a whole number from 0 to ${most}, not “${text}”.`);
  return value;
}

function readSpeed(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0 && value <= 100_000))
    throw new Error(`--speed takes a number above 0, at most 100000, not “${text}”.`);
  return value;
}

function readFault(name: string): FaultName {
  if (isFaultName(name)) return name;
  throw new Error(`--faults does not know “${name}”; it knows ${Object.keys(FAULTS).join(", ")}.`);
}

/** @throws Error with one sentence that names the flag. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const { help, port, seed, speed, requests, faults } = words(argv);
  const names = faults.flatMap((list) => list.split(","));
  return {
    help,
    port: whole("--port", port, 65_535),
    seed: whole("--seed", seed, 2 ** 32 - 1),
    speed: readSpeed(speed),
    requests,
    faults: names.map(readFault),
  };
}
