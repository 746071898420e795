// Small checks for request values. Each describes what it accepts, for messages that name the field.
import { isRecord, Refusal } from "./refusal.ts";

/** What a value must be, to complete "field must be …"; undefined if the value is valid. */
export type Check = (value: unknown) => string | undefined;

/** Characters as people count them, not UTF-16 units: an emoji is one (interface 8). */
export function countCharacters(value: string): number {
  return [...value].length;
}

const hasAtMost = (value: string, most: number) => value.length <= most || countCharacters(value) <= most;

/** Text with a maximum length in characters; unlimited where the interface sets no limit. */
export const checkText =
  (most = Number.POSITIVE_INFINITY, least = 0): Check =>
  (value) => {
    if (typeof value === "string" && value.length >= least && hasAtMost(value, most)) return undefined;
    const limits = [least > 0 && `at least ${least}`, most < Number.POSITIVE_INFINITY && `at most ${most}`].filter(
      Boolean,
    );
    return limits.length === 0 ? "a string" : `a string of ${limits.join(" and ")} characters`;
  };

/** A JSON object of names and values (interface 4.1, 4.3); values are texts, numbers or booleans. */
export const checkEnvironment: Check = (value) => {
  if (!isRecord(value)) return "a JSON object of names and values, not a docker flag string";
  const odd = Object.entries(value).find(([, item]) => !["string", "number", "boolean"].includes(typeof item));
  return odd === undefined ? undefined : `an object of text and numbers, but ${odd[0]} is neither`;
};

export const checkFlag: Check = (value) => (typeof value === "boolean" ? undefined : "true or false");

export const checkOneOf =
  (words: readonly string[]): Check =>
  (value) =>
    typeof value === "string" && words.includes(value) ? undefined : `one of ${words.join(", ")}`;

/** A container's arguments (interface 4.1). */
export const checkWords: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "string") ? undefined : "an array of strings";

export const checkRecord =
  (what: string): Check =>
  (value) =>
    isRecord(value) ? undefined : what;

export const checkNumber =
  (what: string, fits: (value: number) => boolean): Check =>
  (value) =>
    typeof value === "number" && fits(value) ? undefined : what;

/** @throws Refusal 400 `invalid_args` for anything but a JSON object. */
export function readJsonObject(body: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) throw new Refusal(400, "invalid_args", "The body must be a JSON object");
  return body;
}

/** @throws Refusal 400 naming the field if the check doesn't accept the value. */
export function checkField(field: string, value: unknown, check: Check, code = "invalid_args"): void {
  const wanted = check(value);
  if (wanted !== undefined) throw new Refusal(400, code, `${field} must be ${wanted}`);
}

/**
 * The known fields that a request sets. Null means unset; unknown fields are ignored.
 * @throws Refusal 400 `invalid_args` naming the field, or the code set for it.
 */
export function readFields(
  body: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
  codes: Readonly<Record<string, string>> = {},
): Record<string, unknown> {
  const read: Record<string, unknown> = {};
  for (const [field, check] of Object.entries(checks)) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    checkField(field, value, check, codes[field]);
    read[field] = value;
  }
  return read;
}
