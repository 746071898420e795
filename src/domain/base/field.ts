// Plain functions that read the fields of one record. As with the schemas in `wire.ts`, a value of the wrong kind
// counts as absent.

/** A number as some services write it: as text. */
const WRITTEN = /^-?\d{1,15}(?:\.\d{1,15})?$/;

/** A finite number, also one that is written as text, or absent. */
export function toNumber(value: unknown): number | undefined {
  const read = typeof value === "string" && WRITTEN.test(value) ? Number(value) : value;
  return typeof read === "number" && Number.isFinite(read) ? read : undefined;
}

/** A number from 0 to 1, or absent. */
export function toShare(value: unknown): number | undefined {
  const share = toNumber(value);
  return share !== undefined && share >= 0 && share <= 1 ? share : undefined;
}

/** An exactly represented whole number, or absent. */
export function toWholeNumber(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined;
}

/** Text, or absent. */
export function toText(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

/** True or false, or absent. */
export function toBoolean(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}
