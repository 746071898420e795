// Spans of time as people type them.

const SPAN = /^(\d+(?:\.\d+)?)\s*(min|h|d)$/i;
const IN_HOURS: Readonly<Record<string, number>> = { min: 1 / 60, h: 1, d: 24 };

/** Reads `90 min`, `8 h` or `2 d`. Undefined for anything else. */
export function parseHours(text: string): number | undefined {
  const [, number, unit = ""] = SPAN.exec(text) ?? [];
  return number === undefined ? undefined : Number(number) * (IN_HOURS[unit.toLowerCase()] ?? 1);
}
