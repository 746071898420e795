// What a machine's `nvidia-smi` says of its GPUs. It is someone else's program: what isn't as asked for counts as nothing.

/** A line for each GPU: its number, how busy it is in percent, MiB in use, and watts. */
export const NVIDIA_SMI =
  "nvidia-smi --query-gpu=index,utilization.gpu,memory.used,power.draw --format=csv,noheader,nounits";

export interface GpuLoad {
  /** Percent of the busiest GPU. */
  readonly load: number;
  /** MiB in use on all of them; undefined if it isn't known. */
  readonly memory: number | undefined;
  /** Watts of all of them; undefined if it isn't known. */
  readonly watts: number | undefined;
}

/** Characters: a machine has some dozens of GPUs at most. */
const LONGEST = 10_000;
const LINE = /^(\d{1,3}) *, *(\d{1,3}) *, *([^,]{1,40}?) *, *([^,]{1,40}?)$/;
const NUMBER = /^\d{1,9}(?:\.\d{1,6})?$/;

/** Undefined unless every line is that of a GPU, each of them once, and every load is known. */
export function readNvidiaSmi(printed: string): GpuLoad | undefined {
  if (printed.length > LONGEST) return undefined;
  const lines = printed
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const gpus = new Map<string, number>();
  const [memory, watts]: [(number | undefined)[], (number | undefined)[]] = [[], []];
  for (const line of lines) {
    const [, index, load, used = "", power = ""] = LINE.exec(line) ?? [];
    if (index === undefined || Number(load) > 100 || gpus.has(index)) return undefined;
    gpus.set(index, Number(load));
    memory.push(readNumber(used));
    watts.push(readNumber(power));
  }
  if (gpus.size === 0) return undefined;
  return { load: Math.max(...gpus.values()), memory: sum(memory), watts: sum(watts) };
}

const readNumber = (text: string) => (NUMBER.test(text) ? Number(text) : undefined);

function sum(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((one) => one !== undefined);
  return known.length === numbers.length ? known.reduce((all, one) => all + one, 0) : undefined;
}
