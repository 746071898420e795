// Names of GPUs that filters ask for, among those on offer: the market compares them letter by letter.
import { t, toPlainText } from "../../lib/text.ts";
import { toCondition } from "./filter.ts";

const LONGEST = 60;
const MOST_CLOSEST = 3;

/** A name that no machine on offer has, and those that are like it, the most likely first. */
export interface UnknownGpu {
  readonly name: string;
  readonly closest: readonly string[];
}

/** The names that a filter's conditions ask for. */
export function listAskedGpus(filters: Readonly<Record<string, unknown>>): readonly string[] {
  const { eq, in: list = [] } = toCondition("gpu_name", filters.gpu_name) ?? {};
  return [eq, ...list].filter((name) => typeof name === "string");
}

/** Of the names that are asked for, those that no machine has. Nothing is unknown while no name is known. */
export function findUnknownGpus(asked: readonly string[], known: readonly string[]): readonly UnknownGpu[] {
  const names = new Set(known);
  return asked
    .filter((name) => known.length > 0 && !names.has(name))
    .map((name) => ({ name, closest: findClosest(name, known) }));
}

export function describeUnknownGpu({ name, closest }: UnknownGpu): string {
  const asked = toPlainText(name, LONGEST);
  if (closest.length === 0) return t("No machine on offer has a GPU called {0}.", asked);
  const names = closest.map((one) => toPlainText(one, LONGEST)).join(", ");
  return t("No machine on offer has a GPU called {0}. Closest: {1}.", asked, names);
}

const simplify = (name: string): string =>
  name
    .slice(0, LONGEST)
    .toLowerCase()
    .replaceAll(/nvidia|geforce|[^\p{L}\p{N}]/gu, "");

function findClosest(name: string, known: readonly string[]): readonly string[] {
  const asked = simplify(name);
  if (asked === "") return [];
  return known
    .map((one) => ({ one, far: measure(asked, simplify(one)) }))
    .filter(({ far }) => far < 1)
    .sort((a, b) => a.far - b.far || a.one.localeCompare(b.one))
    .slice(0, MOST_CLOSEST)
    .map(({ one }) => one);
}

/** 0 for the same name, less than a half for a part of it, and 1 or more for another one. */
function measure(asked: string, known: string): number {
  if (known === "") return 1;
  const longer = Math.max(asked.length, known.length);
  if (known.includes(asked) || asked.includes(known)) return (Math.abs(known.length - asked.length) / longer) * 0.49;
  return 0.5 + countEdits(asked, known) / (longer * 0.8);
}

/** How many letters have to be put in, left out, or replaced. */
function countEdits(a: string, b: string): number {
  let before = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let row = 1; row <= a.length; row += 1) {
    const now = [row];
    for (let at = 1; at <= b.length; at += 1) {
      const replaced = (before[at - 1] ?? 0) + Number(a[row - 1] !== b[at - 1]);
      now.push(Math.min(replaced, (before[at] ?? 0) + 1, (now[at - 1] ?? 0) + 1));
    }
    before = now;
  }
  return before[b.length] ?? 0;
}
