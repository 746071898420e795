// What each instance of a group is told to run, so that an engine joins them: one command a rank.
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { MOST_COMMAND } from "../base/command.ts";
import { AppError } from "../base/error.ts";
import type { RunPlan } from "../run/run-plan.ts";
import type { Engine } from "../run/run-record.ts";

/** An instance of a job. */
export interface JobHost {
  /** From 0. */
  readonly rank: number;
  /** Its private address in the network that all of them share; undefined without one. */
  readonly overlayIp: string | undefined;
  /** How many GPUs it has; undefined if the service doesn't say. */
  readonly gpus: number | undefined;
}

/** Engines whose ranks talk to each other. */
export const needsNetwork = (engine: Engine): boolean => engine !== "each";

const RENDEZVOUS_PORT = 29_500;
const RAY_PORT = 6379;
/** On the instance of rank 0, for its own computer only. */
export const RAY_DASHBOARD_PORT = 8265;
/** Times that ranks look for the others, 2 s apart: setting up may take longer on one than on another. */
const LOOKS = 300;

/** What `torchrun` takes of a command that would run the script on its own. */
export function toTorchScript(command: string): string {
  return command.replace(/^python3?(?:\s+-u)?\s+(?=\S)/, "");
}

interface Job {
  readonly engine: Engine;
  /** As the person wrote it; for torchrun a script and its arguments. */
  readonly command: string;
  /** Where it runs. */
  readonly remote: string;
  /** Tells the rendezvous of this job from others: letters, digits and hyphens. */
  readonly id: string;
}

/**
 * The command of a rank and its variables. @throws AppError `rejected` if the command is too long for Ray; RangeError if the engine needs
 * addresses that the hosts don't have.
 */
export function planRank(
  job: Job,
  hosts: readonly JobHost[],
  rank: number,
): Pick<RunPlan, "command" | "shown" | "variables"> {
  const { engine, command, id } = job;
  const own = hosts[rank];
  if (!own || (needsNetwork(engine) && hosts.some(({ overlayIp }) => overlayIp === undefined)))
    throw new RangeError("The engine needs a network.");
  const variables = { CLOUD_GPU_RANK: String(rank), CLOUD_GPU_COUNT: String(hosts.length) };
  switch (engine) {
    case "each":
      return { command, variables };
    case "torchrun":
      return {
        command: torchrunCommand(command, hosts, own, id),
        variables: { ...variables, NCCL_SOCKET_IFNAME: "eth0", GLOO_SOCKET_IFNAME: "eth0" },
      };
    case "ray":
      if (command.length > MOST_RAY_COMMAND) throw tooLong();
      return rank === 0
        ? { command: rayHeadCommand(job, hosts, own), shown: `ray job submit -- ${command}`, variables }
        : { command: rayWorkerCommand(hosts, own), shown: rayStart(hosts, own), variables };
  }
}

/** Characters: what starts the cluster is around it, and it is quoted twice. */
const MOST_RAY_COMMAND = MOST_COMMAND / 4;

const tooLong = (): AppError =>
  new AppError("rejected", t("The command is longer than {0} characters. Put it in a script.", MOST_RAY_COMMAND));

const countGpus = ({ gpus = 1 }: JobHost): number => Math.max(1, gpus);

function torchrunCommand(command: string, hosts: readonly JobHost[], own: JobHost, id: string): string {
  const words = [
    `--nnodes=${hosts.length}`,
    `--nproc-per-node=${countGpus(own)}`,
    `--node-rank=${own.rank}`,
    // Others take no notice of the rank, and guess by the host's name who is the first: instances don't know each other's names.
    "--rdzv-backend=static",
    `--rdzv-endpoint=${hosts[0]?.overlayIp}:${RENDEZVOUS_PORT}`,
    `--rdzv-id=${id}`,
  ];
  return `torchrun ${words.join(" ")} ${command}`;
}

/** Told by each rank before it joins, and compared by whoever reads them all. */
const SAY_VERSIONS = `python3 -c 'import ray, sys; print("Ray", ray.__version__, "Python", sys.version.split()[0], flush=True)' || exit`;
/** The line of `SAY_VERSIONS`. */
export function readVersions(line: string): string | undefined {
  return /^Ray \d\S{0,39} Python \d\S{0,39}$/.exec(line.trim())?.[0];
}

/** One that this job didn't start would be stopped with its own. */
const REFUSE_BESIDE_RAY = `if grep -qsx raylet /proc/[0-9]*/comm; then echo "Ray already runs on this instance. Stop it there with ray stop, then run this again." >&2; exit 1; fi`;

const COUNT_NODES = `python3 -c 'import ray; ray.init(address="auto", log_to_driver=False, logging_level="error"); print(sum(1 for n in ray.nodes() if n["Alive"]))' 2>/dev/null`;

/** Starts the cluster, waits for all others, submits the command as a job, and stops the cluster with it. */
function rayHeadCommand({ command, remote }: Job, hosts: readonly JobHost[], own: JobHost): string {
  return [
    SAY_VERSIONS,
    REFUSE_BESIDE_RAY,
    `trap 'ray stop >/dev/null 2>&1' EXIT`,
    `ray start --head --node-ip-address=${own.overlayIp} --port=${RAY_PORT} --dashboard-host=127.0.0.1 --dashboard-port=${RAY_DASHBOARD_PORT} --num-gpus=${countGpus(own)} --disable-usage-stats || exit`,
    `i=0; until [ "$(${COUNT_NODES})" = ${hosts.length} ]; do i=$((i + 1)); [ $i -lt ${LOOKS} ] || { echo "Not all instances joined the Ray cluster."; exit 1; }; sleep 2; done`,
    "ray status",
    `job=$(mktemp) && printf %s ${quoteWord(`cd -- ${quoteWord(remote)} || exit\n${command}\n`)} > "$job" || exit`,
    `ray job submit --address=http://127.0.0.1:${RAY_DASHBOARD_PORT} -- bash "$job"`,
  ].join("\n");
}

const rayStart = (hosts: readonly JobHost[], own: JobHost): string =>
  `ray start --address=${hosts[0]?.overlayIp}:${RAY_PORT} --node-ip-address=${own.overlayIp} --num-gpus=${countGpus(own)} --disable-usage-stats`;

/** Joins the cluster until it is told to end, which it is once the job is over. */
function rayWorkerCommand(hosts: readonly JobHost[], own: JobHost): string {
  return [
    SAY_VERSIONS,
    REFUSE_BESIDE_RAY,
    `trap 'ray stop >/dev/null 2>&1; exit 0' TERM`,
    `i=0; until ${rayStart(hosts, own)}; do i=$((i + 1)); [ $i -lt ${LOOKS} ] || exit 1; sleep 2; done`,
    // It runs beside this shell, and ends with the cluster: no window may be there to say so.
    "n=0; while [ $n -lt 5 ]; do",
    `  if ray health-check --address=${hosts[0]?.overlayIp}:${RAY_PORT} >/dev/null 2>&1; then n=0; else n=$((n + 1)); fi`,
    "  sleep 5",
    "done",
    "ray stop >/dev/null 2>&1; exit 0",
  ].join("\n");
}
