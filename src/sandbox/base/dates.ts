// Dates as the service reports them. A world that runs faster than the real clock is ahead of it, but the people and programs
// that read a date compare it with the real clock: a date is therefore reported by its distance from now.

const DATES = ["start_date", "end_date", "created_at", "updated_at", "recent_create_date"];

/**
 * The record with every date (UTC epoch seconds) moved back by so many seconds: what was created a simulated hour ago was
 * created an hour ago, and nothing that happened lies in the future. Zero stands for never and stays.
 */
export function moveDates<R extends Readonly<Record<string, unknown>>>(record: R, seconds: number): R {
  if (seconds <= 0) return record;
  const moved = DATES.flatMap((field) => {
    const date = record[field];
    return typeof date === "number" && date !== 0 ? [[field, Math.floor(date - seconds)]] : [];
  });
  return { ...record, ...Object.fromEntries(moved) };
}
