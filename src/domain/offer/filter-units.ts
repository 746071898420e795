// The units in which people write filter values, and those on the wire (interface 4.2): GB and MB, % and 0–1, days and
// seconds.
import { toVramMb } from "./offer.ts";

interface Row {
  readonly field: string;
  readonly operator: string;
}

const DAY = 86_400;
/** Enough digits for whatever people type, and few enough to hide what a multiplication adds. */
const exact = (value: number): number => Number(value.toPrecision(12));
/** No card has this many GB, so a larger number without a unit is MB. */
const MOST_VRAM_GB = 1000;

/** Whether a field is a size in MB on the wire. */
export const isMemory = (field: string): boolean => ["gpu_ram", "gpu_total_ram", "cpu_ram"].includes(field);

/**
 * MB on the wire for typed GB. Machines report less than their nominal size, so the limits between this size and the next
 * smaller one allow for that; the limits above it don't.
 */
function mbOfGb({ operator }: Pick<Row, "operator">, gb: number): number {
  return operator === "gte" || operator === "lt" ? toVramMb(gb) : Math.round(gb * 1024);
}

/** The whole GB that are sent as exactly these MB, or undefined. */
export function toWholeGb(row: Pick<Row, "operator">, mb: number): number | undefined {
  const gb = Math.round((mb / mbOfGb(row, 1_000_000)) * 1_000_000);
  return mbOfGb(row, gb) === mb ? gb : undefined;
}

/** The wire value of a typed number with an optional unit. Undefined if the field has no such unit. */
export function toWire(row: Row, amount: number, suffix: string): number | undefined {
  const unit = suffix.toLowerCase();
  if (isMemory(row.field)) return memoryToWire(row, amount, unit);
  if (row.field === "reliability") return reliabilityToWire(amount, unit);
  if (row.field === "duration") {
    if (["", "d", "day", "days"].includes(unit)) return exact(amount * DAY);
    if (["h", "hour", "hours"].includes(unit)) return exact(amount * 3600);
    return unit === "s" ? amount : undefined;
  }
  return row.field === "disk_space" && unit === "tb" ? Math.round(amount * 1000) : undefined;
}

function memoryToWire(row: Row, amount: number, unit: string): number | undefined {
  const isMb = unit === "mb" || (unit === "" && row.field === "gpu_ram" && amount >= MOST_VRAM_GB);
  if (isMb) return amount;
  if (unit === "tb") return mbOfGb(row, amount * 1000);
  return ["", "gb", "gib"].includes(unit) ? mbOfGb(row, amount) : undefined;
}

/** No one asks for less than 1 %, so a smaller number without a unit is a fraction. */
function reliabilityToWire(amount: number, unit: string): number | undefined {
  if (unit === "" && amount >= 0 && amount <= 1) return amount;
  return unit === "" || unit === "%" ? exact(amount / 100) : undefined;
}

/** A wire value as people write it. A value that no whole number of GB results in keeps its own unit. */
export function toShown(row: Row, wire: number): string {
  if (isMemory(row.field)) return String(toWholeGb(row, wire) ?? `${wire} MB`);
  if (row.field === "reliability") return String(exact(wire * 100));
  if (row.field !== "duration") return String(wire);
  const days = Number((wire / DAY).toFixed(4));
  return exact(days * DAY) === wire ? String(days) : `${wire} s`;
}

/** Whether a plain number is already in the shown unit, although reading it back would show it in another one. */
export const isTypedGb = (row: { readonly field: string; readonly value: string }): boolean =>
  isMemory(row.field) && Math.abs(Number(row.value)) < MOST_VRAM_GB;
