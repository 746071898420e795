// Dates as the service reports them. A world that runs fast is ahead of the real clock, but people and programs compare
// dates with the real clock, so a date is reported by its distance from now.

/** Reports the dates of a record. */
export type Dating = <R extends Readonly<Record<string, unknown>>>(record: R) => R;

const DATES = ["start_date", "end_date", "created_at", "updated_at", "recent_create_date"];

/**
 * The record with every date (UTC epoch seconds) moved back by so many seconds: what was created one simulated hour ago
 * is reported as created an hour ago, and nothing past is in the future. Zero means never and stays.
 */
export function moveDates<R extends Readonly<Record<string, unknown>>>(record: R, seconds: number): R {
  if (seconds <= 0) return record;
  const moved = DATES.flatMap((field) => {
    const date = record[field];
    return typeof date === "number" && date !== 0 ? [[field, Math.floor(date - seconds)]] : [];
  });
  return { ...record, ...Object.fromEntries(moved) };
}
