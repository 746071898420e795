// Whether a value can be written as JSON and read back as it is, found without recursion: nothing is too deep to be looked at.

/** Deeper than anything a service documents; far from where writing or reading JSON runs out of stack. */
export const DEEPEST_JSON = 64;

export interface JsonFlaw {
  /** `deep` also for a value that contains itself; `name` for an own `__proto__`, which readers drop or obey. */
  readonly kind: "deep" | "name" | "value";
  /** Names and places from the outermost value on. */
  readonly path: readonly string[];
}

interface Place {
  readonly value: unknown;
  readonly path: Path | undefined;
  readonly depth: number;
}

interface Path {
  readonly name: string;
  readonly outer: Path | undefined;
}

const isWritable = (value: unknown): boolean =>
  typeof value === "number" ? Number.isFinite(value) : !["bigint", "function", "symbol"].includes(typeof value);

/** The first thing that JSON cannot say, or undefined. */
export function jsonFlaw(value: unknown, deepest = DEEPEST_JSON): JsonFlaw | undefined {
  /** How deep an object was met: one that is met again, no deeper, holds nothing new. */
  const met = new Map<object, number>();
  const open: Place[] = [{ value, path: undefined, depth: 0 }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value: item, path, depth } = place;
    if (typeof item !== "object" || item === null) {
      if (!isWritable(item)) return { kind: "value", path: namesOf(path) };
      continue;
    }
    if (depth >= deepest) return { kind: "deep", path: namesOf(path) };
    if ((met.get(item) ?? -1) >= depth) continue;
    met.set(item, depth);
    if (Object.hasOwn(item, "__proto__")) return { kind: "name", path: [...namesOf(path), "__proto__"] };
    for (const [name, inner] of Object.entries(item))
      open.push({ value: inner, path: { name, outer: path }, depth: depth + 1 });
  }
  return undefined;
}

/** Whether parsed JSON is nested deeper: whoever writes, compares or copies it by recursion would run out of stack. */
export function isDeeperThan(deepest: number, parsed: unknown): boolean {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value: parsed, depth: 0 }];
  for (let place = open.pop(); place; place = open.pop()) {
    const { value, depth } = place;
    if (typeof value !== "object" || value === null) continue;
    if (depth >= deepest) return true;
    for (const inner of Object.values(value)) open.push({ value: inner, depth: depth + 1 });
  }
  return false;
}

function namesOf(path: Path | undefined): string[] {
  const names: string[] = [];
  for (let step = path; step; step = step.outer) names.push(step.name);
  return names.reverse();
}
