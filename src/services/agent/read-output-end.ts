// The end of a run's downloaded output.
import { lstat, open } from "node:fs/promises";
import { join } from "node:path";
import type { FetchedResults } from "../../domain/run/run-record.ts";
import { takeEnd } from "../../lib/text.ts";

/** Bytes that are read, and lines that are told. */
const MOST_BYTES = 64 * 1024;
const MOST_LINES = 100;

/**
 * Whole lines only: a part of a secret wouldn't be recognized as one. @returns undefined if it isn't there, or if something else took its
 * place: opening a pipe would wait forever, and a link can lead anywhere.
 */
export async function readOutputEnd({ place, log }: FetchedResults): Promise<readonly string[] | undefined> {
  if (log === undefined) return undefined;
  const path = join(place, log);
  if (!(await lstat(path).catch(() => undefined))?.isFile()) return undefined;
  const file = await open(path).catch(() => undefined);
  if (!file) return undefined;
  try {
    const { size } = await file.stat();
    const from = Math.max(0, size - MOST_BYTES);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(size, MOST_BYTES)), { position: from });
    const text = buffer.toString("utf8", 0, bytesRead);
    const whole = from === 0 ? text : takeEnd(text, text.length - 1);
    return whole
      .trimEnd()
      .split(/\r?\n|\r/)
      .slice(-MOST_LINES);
  } finally {
    await file.close();
  }
}
