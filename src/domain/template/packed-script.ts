// Compresses a start script that is too long: gzip and base64 behind a line that any shell unpacks.
import { formatNumber, t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import { MOST_ONSTART } from "./template-draft.ts";

const SAID = '# Packed by Cloud GPU: gzip and base64. "Edit Start Script" shows the script as it is.';
const PACKED =
  /^(?:#![^\n]*\n)?# Packed by Cloud GPU: [^\n]*\neval "\$\(echo ([A-Za-z0-9+/]+={0,2}) \| base64 -d \| gzip -dc\)"\n?$/;
/** The maximum unpacked size: a few kilobytes of zeros from a foreign template could otherwise fill the memory. */
const MOST_UNPACKED = 1_000_000;
/** A shell by its path, or looked up by `env`, with options and variables; `busybox` may be in between. */
const SHELLS =
  /^#!\s*(?:\S*\/env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(?:\S*\bbusybox\s+)?\S*?\b(?:ba|da|z|a|k|mk|pdk|ya|oil)?sh(?:\s|$)/;

/**
 * The packed script runs the same commands in the same shell. Only `$0` and the line numbers in messages differ.
 * @throws AppError `rejected` for a script of another interpreter, which `eval` couldn't run.
 */
export async function packScript(script: string): Promise<string> {
  const first = script.slice(0, script.indexOf("\n") + 1 || undefined);
  const interpreter = first.startsWith("#!");
  if (interpreter && !SHELLS.test(first))
    throw new AppError("rejected", t("Only shell scripts can be compressed. This script uses another interpreter."));
  const bytes = await through(new CompressionStream("gzip"), new TextEncoder().encode(script));
  const base64 = btoa(Array.from(bytes ?? [], (byte) => String.fromCharCode(byte)).join(""));
  const head = interpreter ? `${first.trimEnd()}\n` : "";
  return `${head}${SAID}\neval "$(echo ${base64} | base64 -d | gzip -dc)"\n`;
}

/** The script inside; undefined if the text isn't a packed script, is damaged or unpacks to more than the maximum. */
export async function unpackScript(text: string): Promise<string | undefined> {
  const [, base64] = PACKED.exec(text) ?? [];
  if (base64 === undefined) return undefined;
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    const script = await through(new DecompressionStream("gzip"), bytes);
    // A BOM is part of the script: the output equals the input.
    return script && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(script);
  } catch {
    return undefined;
  }
}

/** Undefined if the output exceeds the maximum. */
async function through(
  stream: CompressionStream | DecompressionStream,
  bytes: Uint8Array,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const source = new Blob([Uint8Array.from(bytes)]).stream();
  for await (const chunk of source.pipeThrough(stream)) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > MOST_UNPACKED) return undefined;
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Whether a script is packed. What it does can't be told without unpacking it. */
export const isPacked = (script: string): boolean => PACKED.test(script);

export const fitsOnstart = (script: string): boolean => script.length <= MOST_ONSTART;

/** A problem of a script in an editor, and the character where it begins. */
interface ScriptProblem {
  readonly kind: "unsendable" | "too-long" | "too-long-packed";
  readonly at: number;
  readonly message: string;
}

/** A script as it would be stored. */
export interface ReadyScript {
  /** Undefined if there is a problem. */
  readonly stored: string | undefined;
  /** Length in characters, after packing if the script needs it and may be packed. */
  readonly length: number;
  readonly packed: boolean;
  readonly problem: ScriptProblem | undefined;
}

/**
 * Reads a typed script: converts line endings for shells, and packs it only if `mayPack` and it is too long.
 * @throws AppError `rejected` if it can't be packed.
 */
export async function readScript(typed: string, mayPack: boolean): Promise<ReadyScript> {
  const script = typed.replace(/\r\n?/g, "\n");
  const unsendable = /[\0\p{Cs}]/u.exec(typed);
  const no = (problem: ScriptProblem, length: number, packed: boolean): ReadyScript => ({
    stored: undefined,
    length,
    packed,
    problem,
  });
  if (unsendable)
    return no(
      {
        kind: "unsendable",
        at: unsendable.index,
        message: t("Remove the invalid character (NUL or a broken emoji)."),
      },
      script.length,
      false,
    );
  if (fitsOnstart(script)) return { stored: script, length: script.length, packed: false, problem: undefined };
  const most = formatNumber(MOST_ONSTART);
  const long = formatNumber(script.length);
  if (!mayPack) {
    const message = t("The start script has {0} characters. The maximum is {1}.", long, most);
    return no({ kind: "too-long", at: MOST_ONSTART, message }, script.length, false);
  }
  const stored = await packScript(script);
  if (fitsOnstart(stored)) return { stored, length: stored.length, packed: true, problem: undefined };
  const message = t(
    "The start script has {0} characters, {1} when compressed. The maximum is {2}. Move parts of the script into the image, or download them at startup.",
    long,
    formatNumber(stored.length),
    most,
  );
  return no({ kind: "too-long-packed", at: MOST_ONSTART, message }, stored.length, true);
}
