// GPU families, which a plot tells apart by color: too many models have names of their own.

/** `RTX 40` for an RTX 4090, `A100` for an A100 SXM4; the first word of any other name. */
export function toGpuFamily(name: string): string {
  const [, brand, generation] = /^([GR]TX) (\d{2})\d{2}\b/.exec(name) ?? [];
  if (brand !== undefined) return `${brand} ${generation}`;
  const [workstation] = /^RTX (?:PRO|A(?=\d)|\d{4})/.exec(name) ?? [];
  if (workstation !== undefined) return workstation;
  return /^(?:Tesla |Quadro )?(\S{1,12})/.exec(name)?.[1] ?? "";
}

/** The families with the most rows, the largest first. A color each is all that an eye can tell apart. */
export function listLargestFamilies(families: readonly string[], most: number): readonly string[] {
  const counts = new Map<string, number>();
  for (const family of families) if (family !== "") counts.set(family, (counts.get(family) ?? 0) + 1);
  return [...counts]
    .sort(([a, x], [b, y]) => y - x || a.localeCompare(b))
    .slice(0, most)
    .map(([family]) => family);
}
