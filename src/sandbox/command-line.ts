// The sandbox's command line: the accepted flags, and one sentence for every mistake.
import { parseArgs } from "node:util";
import { FAULTS, type Fault, type FaultSpec, isFaultSpec } from "./faults/faults.ts";

export interface CommandLine {
  readonly help: boolean;
  readonly port: number;
  readonly seed: number;
  readonly offers: number | undefined;
  readonly speed: number;
  readonly requests: string | undefined;
  readonly faults: readonly FaultSpec[];
  readonly onlyDocumented: boolean;
  readonly rateLimits: boolean;
  readonly oldAccount: boolean;
  readonly ssh: boolean;
}

const FAULT_LINES = Object.entries(FAULTS)
  .map(([name, { says }]: [string, Fault]) => `    ${name.padEnd(24)} ${says}`)
  .join("\n");

export const USAGE = `Runs a whole GPU rental service on 127.0.0.1, with a made-up market, until SIGTERM.

  --port NUMBER       port to listen on; 0 takes any that is free (default 0)
  --seed NUMBER       the same seed gives the same market, and with --no-ssh the same key (default 1)
  --offers NUMBER     how many offers there are, at most 100000 (default about 200)
  --speed NUMBER      simulated seconds in a real second (default 1)
  --faults NAME,…     what goes wrong on purpose, by the names below; NAME@ENDPOINT only at that endpoint
  --requests FILE     writes one JSON line for every request served
  --only-documented   serves the thirteen operations of the interface document and nothing else
  --rate-limits       refuses calls that follow one another too fast, with 429
  --old-account       serves the older list of instances too, which newer accounts get a 410 for
  --no-ssh            machines cannot be logged in to; otherwise each that runs is a folder and a shell of this
                      computer behind an SSH server on 127.0.0.1, for the SSH keys of its account
  --help              shows this

Faults:
${FAULT_LINES}

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
      offers: { type: "string" },
      speed: { type: "string", default: "1" },
      requests: { type: "string" },
      faults: { type: "string", multiple: true, default: [] },
      "only-documented": { type: "boolean", default: false },
      "rate-limits": { type: "boolean", default: false },
      "old-account": { type: "boolean", default: false },
      "no-ssh": { type: "boolean", default: false },
    },
  }).values;
}

function whole(flag: string, text: string, most: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value <= most)) throw new Error(`${flag} takes a whole number from 0 to ${most}, not “${text}”.`);
  return value;
}

function readOfferCount(text: string): number {
  const count = whole("--offers", text, 100_000);
  if (count === 0) throw new Error("--offers takes a whole number from 1 to 100000, not “0”.");
  return count;
}

function readSpeed(text: string): number {
  const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value > 0 && value <= 100_000))
    throw new Error(`--speed takes a number above 0, at most 100000, not “${text}”.`);
  return value;
}

function readFault(name: string): FaultSpec {
  if (isFaultSpec(name)) return name;
  throw new Error(`--faults does not know “${name}”; it knows ${Object.keys(FAULTS).join(", ")}.`);
}

/** @throws Error with one sentence that names the flag. */
export function readCommandLine(argv: readonly string[]): CommandLine {
  const given = words(argv);
  const { help, port, seed, offers, speed, requests, faults } = given;
  const names = faults.flatMap((list) => list.split(","));
  return {
    help,
    port: whole("--port", port, 65_535),
    seed: whole("--seed", seed, 2 ** 32 - 1),
    offers: offers === undefined ? undefined : readOfferCount(offers),
    speed: readSpeed(speed),
    requests,
    faults: names.map(readFault),
    onlyDocumented: given["only-documented"],
    rateLimits: given["rate-limits"],
    oldAccount: given["old-account"],
    ssh: !given["no-ssh"],
  };
}
