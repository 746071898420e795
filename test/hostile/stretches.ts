// Reads a CPU profile for how long code of one file kept the thread at a stretch.

export interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
  readonly children?: readonly number[];
}

export interface Profile {
  readonly nodes: readonly ProfileNode[];
  /** Microseconds of the monotonic clock. */
  readonly startTime: number;
  readonly samples?: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas?: readonly number[];
}

export interface Stretch {
  readonly ms: number;
  /** The function of the file, innermost, that most samples were in. */
  readonly where: string;
}

/** What kept the extension host: code of the file that was asked about, and the probe's own. */
export interface Stretches {
  readonly file: readonly Stretch[];
  readonly probe: readonly Stretch[];
}

/** Microseconds of the monotonic clock, and milliseconds of processor time the thread had had by then; oldest first. */
export type Clocked = readonly (readonly [at: number, cpu: number])[];

/** Processor time between two moments; where the system doesn't tell it, the time between them. */
function spent(clocked: Clocked, from: number, to: number): number {
  const first = clocked.findLast(([at]) => at <= from);
  const last = clocked.find(([at]) => at >= to);
  const wall = (to - from) / 1000;
  return first && last ? Math.min(wall, last[1] - first[1]) : wall;
}

/**
 * The longest stretches in which a frame of `file` was on the stack in every sample, by the processor time the thread had in
 * them: on a busy machine a sample may wait for others. What the collector of garbage takes in between is counted; what the
 * editor does on its own account isn't.
 */
export function longestStretches(profile: Profile, file: string, clocked: Clocked = []): Stretch[] {
  const { nodes, samples = [], timeDeltas = [], startTime } = profile;
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
  const found: { from: number; to: number; counts: Map<string, number> }[] = [];
  let open: (typeof found)[number] | undefined;
  let now = startTime;
  for (const [at, id] of samples.entries()) {
    now += timeDeltas[at] ?? 0;
    const where = known.get(id);
    if (open) open.to = now;
    if (where === undefined && !(open && collects(id))) open = undefined;
    else if (where !== undefined) {
      if (!open) {
        open = { from: now, to: now, counts: new Map() };
        found.push(open);
      }
      open.counts.set(where, (open.counts.get(where) ?? 0) + 1);
    }
  }
  const longest = found.sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, 50);
  return longest
    .map(({ from, to, counts }) => {
      const [where = ""] = [...counts].sort(([, a], [, b]) => b - a)[0] ?? [];
      return { ms: spent(clocked, from, to), where };
    })
    .sort((a, b) => b.ms - a.ms)
    .slice(0, 5);
}
