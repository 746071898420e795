// The docker flag string of a template's `env` (interface 2.3) and the object form an instance takes (4.3, rule 4).
import { splitWords } from "../lib/shell-words.ts";

export interface DockerFlags {
  /** Variables and options in the object form: `{ NAME: "value", "-p 8080:8080": "1" }`. */
  readonly env: Readonly<Record<string, string>>;
  /** Words that are neither `-e NAME=value` nor a known option: shown to the person, never dropped silently. */
  readonly unread: readonly string[];
}

/** Every spelling of a flag that takes one value, and its short form. */
const FLAGS: Readonly<Record<string, string>> = {
  "-e": "-e",
  "--env": "-e",
  "-p": "-p",
  "--publish": "-p",
  "-h": "-h",
  "--hostname": "-h",
  "-v": "-v",
  "--volume": "-v",
  "-n": "-n",
};

function words(text: string): string[] {
  try {
    return splitWords(text);
  } catch {
    return text.split(/\s+/).filter((word) => word !== "");
  }
}

/** Takes one flag off the front: `-e A=b`, `-eA=b`, `--env A=b` and `--env=A=b` are the same. */
function takeFlag(rest: string[]): { flag: string; value: string } | undefined {
  const word = rest[0] ?? "";
  const attached = /^(--[a-z]+)=(.*)$/s.exec(word) ?? /^(-[a-z])(.+)$/s.exec(word);
  if (FLAGS[word] !== undefined) {
    const value = rest[1];
    if (value === undefined) return undefined;
    rest.splice(0, 2);
    return { flag: FLAGS[word], value };
  }
  const flag = FLAGS[attached?.[1] ?? ""];
  if (flag === undefined) return undefined;
  rest.shift();
  return { flag, value: attached?.[2] ?? "" };
}

/** Reads a flag string. An unbalanced quote is no error: the words are then split at blanks. */
export function parseDockerFlags(text: string): DockerFlags {
  const env: [string, string][] = [];
  const unread: string[] = [];
  const rest = words(text);
  while (rest.length > 0) {
    const taken = takeFlag(rest);
    if (taken === undefined) unread.push(rest.shift() ?? "");
    else if (taken.flag !== "-e")
      env.push(taken.flag === "-h" ? ["-h", taken.value] : [`${taken.flag} ${taken.value}`, "1"]);
    else if (taken.value.indexOf("=") > 0) env.push(variable(taken.value));
    else unread.push("-e", taken.value);
  }
  return { env: Object.fromEntries(env), unread };
}

function variable(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

/** Template keys kept, request keys added, the request's value wins on conflict (interface 4.3, rule 6). */
export function mergeEnv(
  template: string | undefined,
  request: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  return { ...parseDockerFlags(template ?? "").env, ...request };
}
