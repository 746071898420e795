// Spans of time as people type them.

const UNIT = /^(?:(m|mins?|minutes?)|(h|hrs?|hours?)|(d|days?))$/i;
/** A comma before three digits may stand for thousands. */
const PART = /(\d+(?:\.\d+|,\d{1,2})?)\s*([a-z]+)\s*/gi;
/** `2h30`, as clocks say it. */
const HOURS_AND_MINUTES = /^(\d+)\s*h([0-5]\d)$/i;

/** Reads `90 min`, `8 h`, `2 d`, `1,5 hours`, `1 h 30 min` or `2h30`. Undefined for anything else. */
export function parseHours(text: string): number | undefined {
  const [, whole, minutes] = HOURS_AND_MINUTES.exec(text) ?? [];
  if (whole !== undefined) return Number(whole) + Number(minutes) / 60;
  const parts = [...text.matchAll(PART)];
  if (parts.length === 0 || parts.map(([part]) => part).join("") !== text) return undefined;
  let [sum, last] = [0, Number.POSITIVE_INFINITY];
  for (const [, number = "", unit = ""] of parts) {
    const hours = readUnit(unit);
    // From days to minutes, each once.
    if (hours === undefined || hours >= last) return undefined;
    sum += Number(number.replace(",", ".")) * hours;
    last = hours;
  }
  return sum;
}

/** In hours. */
function readUnit(unit: string): number | undefined {
  const [, minutes, hours, days] = UNIT.exec(unit) ?? [];
  if (minutes !== undefined) return 1 / 60;
  if (hours !== undefined) return 1;
  return days === undefined ? undefined : 24;
}
