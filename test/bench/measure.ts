// What every benchmark gives back, and the figure that stands for many.
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** At most this; NaN where there is no goal. */
  readonly goal: number;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
