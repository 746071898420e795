// The `nvidia-smi` of a machine: a shell script that prints what the offer says about its GPUs, and what they do.
import { mkdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toMachineFields } from "../market/offer-record.ts";
import { calculateGpuLoads, type StoredInstance } from "../world/instance.ts";

interface Gpu {
  readonly name: string;
  /** MiB. */
  readonly memory: number;
  readonly watts: number;
}

/** Percent, MiB in use and watts of one GPU; the load is undefined if it can't be read. */
interface Doing {
  readonly load: number | undefined;
  readonly used: number;
  readonly draw: number;
}

function doingAt({ memory, watts }: Gpu, load: number | undefined): Doing {
  const share = (load ?? 0) / 100;
  const used = share === 0 ? 2 : Math.round(memory * (0.1 + share * 0.7));
  return { load, used, draw: Math.round(watts * (0.05 + share * 0.9)) };
}

function drawRows(index: number, { name, memory, watts }: Gpu, { load, used, draw }: Doing): string[] {
  const bus = (index + 1).toString(16).toUpperCase().padStart(2, "0");
  const usage = `${used}MiB / ${String(memory).padStart(6)}MiB`;
  const power = `${draw}W / ${String(watts).padStart(4)}W`;
  const percent = load === undefined ? "N/A" : `${Math.round(load)}%`;
  return [
    `| ${String(index).padStart(3)}  ${`NVIDIA ${name}`.padEnd(30)} Off |   00000000:${bus}:00.0 Off |                  Off |`,
    `|  0%   38C    P8          ${power.padStart(14)} | ${usage.padStart(22)} |${percent.padStart(8)}      Default |`,
    "|                                         |                        |                  N/A |",
    "+-----------------------------------------+------------------------+----------------------+",
  ];
}

function drawTable(rows: readonly string[], driver: string, cuda: string): string {
  const head = `| NVIDIA-SMI ${driver.padEnd(23)}Driver Version: ${driver.padEnd(15)}CUDA Version: ${cuda.padEnd(8)} |`;
  return [
    "+-----------------------------------------------------------------------------------------+",
    head,
    "|-----------------------------------------+------------------------+----------------------+",
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    "|                                         |                        |               MIG M. |",
    "|=========================================+========================+======================|",
    ...rows,
  ].join("\n");
}

function describe({ offer }: StoredInstance) {
  const fields = toMachineFields(offer);
  const gpu = { name: String(fields.gpu_name), memory: Number(fields.gpu_ram), watts: Number(fields.gpu_max_power) };
  const cuda = Number(fields.cuda_max_good).toFixed(1);
  const isNvidia = fields.gpu_arch === "nvidia";
  return { gpu, count: Number(fields.num_gpus), driver: String(fields.driver_version), cuda, isNvidia };
}

const QUERY = "--query-gpu=index,utilization.gpu,memory.used,power.draw --format=csv,noheader,nounits";

/** What the script prints that changes, by the names of files beside it. */
function writeDoings(instance: StoredInstance, now: number): Readonly<Record<"table" | "query", string>> {
  const { gpu, count, driver, cuda } = describe(instance);
  const loads = calculateGpuLoads(instance, now);
  const doings = Array.from({ length: count }, (_, index) => doingAt(gpu, loads?.[index]));
  const lines = doings.map(({ load, used, draw }, index) =>
    [index, load === undefined ? "[N/A]" : Math.round(load), used, draw.toFixed(2)].join(", "),
  );
  return {
    table: drawTable(
      doings.flatMap((doing, index) => drawRows(index, gpu, doing)),
      driver,
      cuda,
    ),
    query: lines.join("\n"),
  };
}

/** Undefined for a machine without NVIDIA GPUs, which has no such program. `place` is the folder of what changes. */
export function writeNvidiaSmi(instance: StoredInstance, place: string): string | undefined {
  const { gpu, count, isNvidia } = describe(instance);
  if (!isNvidia) return undefined;
  const list = Array.from({ length: count }, (_, index) => `GPU ${index}: NVIDIA ${gpu.name}`).join("\n");
  return `#!/bin/sh
# Made by the sandbox from what the offer says.
case "$*" in
"") cat '${place}/table' ;;
-L | --list-gpus) cat <<'LIST'
${list}
LIST
  ;;
"${QUERY}") cat '${place}/query' ;;
*)
  echo "The nvidia-smi of the sandbox knows no options but -L, and one query." >&2
  exit 2
  ;;
esac
`;
}

/** Notes what the GPUs do, for the script to print. @returns what was noted, to be given `before` the next time. */
export async function noteGpuLoads(
  place: string,
  instance: StoredInstance,
  { now, before }: { readonly now: number; readonly before: string },
): Promise<string> {
  const { table, query } = writeDoings(instance, now);
  if (query === before) return before;
  await mkdir(place, { recursive: true });
  await replaceNote(join(place, "table"), table);
  await replaceNote(join(place, "query"), query);
  return query;
}

/** The script may read it at any time, and is to find all of it. */
async function replaceNote(path: string, text: string): Promise<void> {
  const draft = `${path}.next`;
  await writeFile(draft, `${text}\n`);
  await rename(draft, path);
}
