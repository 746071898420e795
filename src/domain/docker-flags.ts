// The docker flag string of a template's `env` (interface 2.3) and the object form an instance takes (4.3, rule 4).
import { quoteWord, splitWords } from "../lib/shell-words.ts";
import { t } from "../lib/text.ts";
import { AppError } from "./error.ts";

export interface DockerFlags {
  /** Variables and options in the object form: `{ NAME: "value", "-p 8080:8080": "1" }`. */
  readonly env: Readonly<Record<string, string>>;
  /** Words that are neither `-e NAME=value` nor a known option: shown to the person, never dropped silently. */
  readonly unread: readonly string[];
}

/** Every spelling of a flag that takes one value, and its short form. */
export const FLAGS: Readonly<Record<string, string>> = {
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
    // In the object form a name that begins with a dash would be an option: `-e "-p 22:22=1"` must not open a port.
    else if (/^[^=-][^=]*=/.test(taken.value)) env.push(variable(taken.value));
    else unread.push("-e", taken.value);
  }
  return { env: Object.fromEntries(env), unread };
}

function variable(text: string): [string, string] {
  const at = text.indexOf("=");
  return [text.slice(0, at), text.slice(at + 1)];
}

/**
 * Writes the flag string of a template for the object form of an instance, so that `parseDockerFlags` gives back exactly
 * that. Values are quoted as a POSIX shell reads them.
 * @throws AppError `rejected` for what no flag string can say: a line break or NUL, a name that is none, an option's value.
 */
export function formatDockerFlags(env: Readonly<Record<string, string>>): string {
  return Object.entries(env)
    .map(([name, value]) => formatFlag(name, value))
    .join(" ");
}

function formatFlag(name: string, value: string): string {
  if (/[\0\r\n]/.test(name + value)) {
    throw refusal(t("{0}: a template's environment is one line of text; it cannot hold a line break or NUL.", name));
  }
  const [, option, argument] = /^(-[pvn]) (.*)$/s.exec(name) ?? [];
  if (option !== undefined && argument !== undefined) {
    if (value !== "1") throw refusal(t("{0}: an option is written with the value 1.", name));
    return `${option} ${quoteWord(argument)}`;
  }
  if (name === "-h") return `-h ${quoteWord(value)}`;
  if (name === "" || name.startsWith("-") || name.includes("=")) {
    throw refusal(t("“{0}” is neither a variable's name nor an option such as -p 8080:8080.", name));
  }
  return `-e ${quoteWord(`${name}=${value}`)}`;
}

function refusal(message: string): AppError {
  return new AppError("rejected", message, { fields: { env: message } });
}

/** Template keys kept, request keys added, the request's value wins on conflict (interface 4.3, rule 6). */
export function mergeEnv(
  template: string | undefined,
  request: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  return { ...parseDockerFlags(template ?? "").env, ...request };
}
