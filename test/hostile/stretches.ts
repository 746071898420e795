// Reads a CPU profile for how long code of one file kept the thread at a stretch.

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples?: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas?: readonly number[];
}

export interface Stretch {
  readonly ms: number;
  /** The function of the file, innermost, that most samples were in. */
  readonly where: string;
}

/** Samples are taken every millisecond; a much longer gap between two is time in which others had the processor. */
const MOST_MS = 25;

/**
 * The longest stretches in which a frame of `file` was on the stack in every sample. What the collector of garbage takes in
 * between is counted; what the editor does on its own account is not.
 */
export function longestStretches({ nodes, samples = [], timeDeltas = [] }: Profile, file: string): Stretch[] {
  const parents = new Map<number, ProfileNode>();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  for (const node of nodes) for (const child of node.children ?? []) parents.set(child, node);
  const innermost = (id: number): string | undefined => {
    for (let node = byId.get(id); node; node = parents.get(node.id))
      if (node.callFrame.url.includes(file)) return node.callFrame.functionName || "(anonymous)";
    return undefined;
  };
  const known = new Map<number, string | undefined>(nodes.map(({ id }) => [id, innermost(id)]));
  const collects = (id: number) => byId.get(id)?.callFrame.functionName === "(garbage collector)";
  const found: Stretch[] = [];
  let ms = 0;
  let counts = new Map<string, number>();
  const end = () => {
    const [where = ""] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
    if (ms > 0) found.push({ ms, where });
    ms = 0;
    counts = new Map();
  };
  for (const [at, id] of samples.entries()) {
    const where = known.get(id);
    if (where === undefined && !(ms > 0 && collects(id))) end();
    else {
      ms += Math.min(MOST_MS, (timeDeltas[at + 1] ?? 1000) / 1000);
      if (where !== undefined) counts.set(where, (counts.get(where) ?? 0) + 1);
    }
  }
  end();
  return found.sort((a, b) => b.ms - a.ms).slice(0, 5);
}
