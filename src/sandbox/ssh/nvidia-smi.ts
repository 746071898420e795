// The `nvidia-smi` of a machine: a shell script that prints what the offer says about its GPUs.
import { machineFields } from "../market/offer-record.ts";
import type { StoredInstance } from "../world/instance.ts";

function drawRows(gpu: number, { name, memory, watts }: Gpu): string[] {
  const bus = (gpu + 1).toString(16).toUpperCase().padStart(2, "0");
  const used = `2MiB / ${String(memory).padStart(6)}MiB`;
  const power = `${Math.round(watts / 20)}W / ${String(watts).padStart(4)}W`;
  return [
    `| ${String(gpu).padStart(3)}  ${`NVIDIA ${name}`.padEnd(30)} Off |   00000000:${bus}:00.0 Off |                  Off |`,
    `|  0%   38C    P8          ${power.padStart(14)} | ${used.padStart(22)} |      0%      Default |`,
    "|                                         |                        |                  N/A |",
    "+-----------------------------------------+------------------------+----------------------+",
  ];
}

interface Gpu {
  readonly name: string;
  /** MiB. */
  readonly memory: number;
  readonly watts: number;
}

function drawTable(gpu: Gpu, count: number, driver: string, cuda: string): string {
  const head = `| NVIDIA-SMI ${driver.padEnd(23)}Driver Version: ${driver.padEnd(15)}CUDA Version: ${cuda.padEnd(8)} |`;
  return [
    "+-----------------------------------------------------------------------------------------+",
    head,
    "|-----------------------------------------+------------------------+----------------------+",
    "| GPU  Name                 Persistence-M | Bus-Id          Disp.A | Volatile Uncorr. ECC |",
    "| Fan  Temp   Perf          Pwr:Usage/Cap |           Memory-Usage | GPU-Util  Compute M. |",
    "|                                         |                        |               MIG M. |",
    "|=========================================+========================+======================|",
    ...Array.from({ length: count }, (_, index) => drawRows(index, gpu)).flat(),
  ].join("\n");
}

/** Undefined for a machine without NVIDIA GPUs, which has no such program. */
export function writeNvidiaSmi({ offer }: StoredInstance): string | undefined {
  const fields = machineFields(offer);
  if (fields.gpu_arch !== "nvidia") return undefined;
  const count = Number(fields.num_gpus);
  const gpu = { name: String(fields.gpu_name), memory: Number(fields.gpu_ram), watts: Number(fields.gpu_max_power) };
  const list = Array.from({ length: count }, (_, index) => `GPU ${index}: NVIDIA ${gpu.name}`).join("\n");
  const cuda = Number(fields.cuda_max_good).toFixed(1);
  return `#!/bin/sh
# Made by the sandbox from what the offer says.
case "$*" in
"") cat <<'TABLE'
${drawTable(gpu, count, String(fields.driver_version), cuda)}
TABLE
  ;;
-L | --list-gpus) cat <<'LIST'
${list}
LIST
  ;;
*)
  echo "The nvidia-smi of the sandbox knows no options but -L." >&2
  exit 2
  ;;
esac
`;
}
