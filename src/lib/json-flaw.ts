// Checks whether a value survives being written as JSON and read back. Works without recursion, so no depth is too
// much.

/**
 * Deeper than any documented structure, and far below the depth at which reading or writing JSON overflows the stack.
 */
export const DEEPEST_JSON = 64;

export interface JsonFlaw {
  /**
   * `deep` also covers a value that contains itself. `name` is an own `__proto__`, which some readers drop and others
   * obey.
   */
  readonly kind: "deep" | "name" | "value";
  /** Names and indexes, from the outermost value inward. */
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

/** The first part that JSON can't represent, or undefined. */
export function findJsonFlaw(value: unknown, deepest = DEEPEST_JSON): JsonFlaw | undefined {
  /** The depth at which each object was seen. An object seen again at the same depth or less holds nothing new. */
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

/**
 * Whether parsed JSON is nested deeper. Writing, comparing or copying such a value recursively would overflow the
 * stack.
 */
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
