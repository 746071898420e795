// The files that work only where the machines can reach each other, or where they are virtual machines.

import { quoteWord } from "../../../lib/shell-words.ts";
import { describeNoNetwork, describeNoVm, type HandedFile, type HandOver, sharesNetwork } from "./group-host.ts";
import { quoteYaml, writeFileHead, writeSshCommand } from "./host-files.ts";

/** Words of a shell array. */
const listWords = (words: readonly string[]): string => words.map(quoteWord).join(" ");

/**
 * What both scripts begin with: the machines, and how to run something on one of them. They run on the person's computer, so they hold
 * nothing newer than bash 3.2, which macOS has, and no options that only GNU's tools know.
 */
function scriptHead(given: HandOver): string {
  const { hosts } = given;
  return [
    "#!/usr/bin/env bash",
    writeFileHead(given),
    "set -euo pipefail",
    `hosts=(${listWords(hosts.map(({ alias }) => alias))})`,
    `addresses=(${listWords(hosts.map(({ overlayIp = "" }) => overlayIp))})`,
    `gpus=(${hosts.map(({ gpus = 1 }) => gpus).join(" ")})`,
    `on() { local host=$1; shift; ${writeSshCommand(given)} -o BatchMode=yes "$host" -- "$@"; }`,
  ].join("\n");
}

/** Runs a script on all machines at once: `./torchrun.sh train.py --epochs 3`. */
export function writeTorchrun(given: HandOver): HandedFile {
  const name = "torchrun.sh";
  if (!sharesNetwork(given)) return { name, why: describeNoNetwork() };
  const text = `${scriptHead(given)}
if [ "$#" -eq 0 ]; then echo "Usage: $0 SCRIPT [ARGUMENT]…" >&2; exit 2; fi
words=$(printf '%q ' "$@")
job=${quoteWord(given.id)}-$$
pids=()
# Each rank has a process group of its own. Whatever ends this script ends what it started, here and there.
set -m
stop() {
  trap - EXIT INT TERM
  for pid in \${pids[@]+"\${pids[@]}"}; do kill -- "-$pid" 2>/dev/null || true; done
  for host in "\${hosts[@]}"; do on "$host" "pkill -f -- '--rdzv-id=$job( |\\$)'" >/dev/null 2>&1 & done
  wait
}
trap 'stop' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
for rank in "\${!hosts[@]}"; do
  command="NCCL_SOCKET_IFNAME=eth0 GLOO_SOCKET_IFNAME=eth0 torchrun --nnodes=\${#hosts[@]} --nproc-per-node=\${gpus[$rank]} --node-rank=$rank --rdzv-backend=static --rdzv-endpoint=\${addresses[0]}:29500 --rdzv-id=$job $words"
  ( set -o pipefail; on "\${hosts[$rank]}" "$command" 2>&1 | while IFS= read -r line || [ -n "$line" ]; do printf '[%s] %s\\n' "$rank" "$line"; done ) &
  pids+=("$!")
done
# The first that fails ends all. Bash 3.2 can't wait for whichever ends next, so it asks once a second.
left=\${!hosts[*]}
while [ -n "$left" ]; do
  running=
  for rank in $left; do
    if kill -0 "\${pids[$rank]}" 2>/dev/null; then running="$running $rank"; else wait "\${pids[$rank]}"; fi
  done
  left=$running
  # Beside this shell: Ctrl+C would end nothing but a sleep that has the terminal.
  if [ -n "$left" ]; then sleep 1 & wait "$!"; fi
done
`;
  return { name, text, isProgram: true };
}

/** Starts a Ray cluster, runs a job on it, and stops it: `./ray.sh python train.py`. */
export function writeRay(given: HandOver): HandedFile {
  const name = "ray.sh";
  if (!sharesNetwork(given)) return { name, why: describeNoNetwork() };
  const text = `${scriptHead(given)}
if [ "$#" -eq 0 ]; then echo "Usage: $0 COMMAND [ARGUMENT]…" >&2; exit 2; fi
words=$(printf '%q ' "$@")
# Ray needs the same versions of itself and of Python everywhere.
versions=""
for host in "\${hosts[@]}"; do
  said=$(on "$host" "python3 -c 'import ray, sys; print(\\"Ray\\", ray.__version__, \\"Python\\", sys.version.split()[0])'") || {
    echo "$host: Ray isn't installed for its python3." >&2; exit 1
  }
  if [ -n "$versions" ] && [ "$said" != "$versions" ]; then
    echo "The versions differ: $versions on \${hosts[0]}, $said on $host. Install the same ones." >&2; exit 1
  fi
  versions=$said
done
stop() {
  trap - EXIT INT TERM
  if [ -n "\${tunnel:-}" ]; then kill "$tunnel" 2>/dev/null || true; fi
  for host in "\${hosts[@]}"; do on "$host" "ray stop" >/dev/null 2>&1 & done
  wait
}
trap 'stop' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
on "\${hosts[0]}" "ray start --head --node-ip-address=\${addresses[0]} --port=6379 --dashboard-host=127.0.0.1 --num-gpus=\${gpus[0]} --disable-usage-stats"
for rank in "\${!hosts[@]}"; do
  if [ "$rank" -gt 0 ]; then
    on "\${hosts[$rank]}" "ray start --address=\${addresses[0]}:6379 --node-ip-address=\${addresses[$rank]} --num-gpus=\${gpus[$rank]} --disable-usage-stats"
  fi
done
on "\${hosts[0]}" "ray status"
${writeSshCommand(given)} -o BatchMode=yes -o ExitOnForwardFailure=yes -N -L 127.0.0.1:8265:127.0.0.1:8265 "\${hosts[0]}" &
tunnel=$!
echo "Dashboard: http://127.0.0.1:8265"
on "\${hosts[0]}" "ray job submit --address=http://127.0.0.1:8265 -- $words"
`;
  return { name, text, isProgram: true };
}

/** For SkyPilot: to be added to its own file by hand. */
export function writeSkyPilot(given: HandOver): HandedFile {
  const name = "ssh_node_pools.yaml";
  if (!given.isVm) return { name, why: describeNoVm() };
  const text = [
    writeFileHead(given),
    "# Add this to ~/.sky/ssh_node_pools.yaml. The names are those of your SSH configuration.",
    `${quoteYaml(given.name)}:`,
    "  user: root",
    ...(given.identity === undefined ? [] : [`  identity_file: ${quoteYaml(given.identity)}`]),
    "  hosts:",
    ...given.hosts.map(({ alias }) => `    - ${alias}`),
    "",
  ].join("\n");
  return { name, text };
}

/** For dstack: apply it with `dstack apply -f fleet.dstack.yml`. */
export function writeDstack(given: HandOver): HandedFile {
  const name = "fleet.dstack.yml";
  if (!given.isVm) return { name, why: describeNoVm() };
  const text = [
    writeFileHead(given),
    "type: fleet",
    `name: ${quoteYaml(given.name)}`,
    "ssh_config:",
    "  user: root",
    ...(given.identity === undefined ? [] : [`  identity_file: ${quoteYaml(given.identity)}`]),
    "  hosts:",
    ...given.hosts.flatMap(({ host, port }) => [`    - hostname: ${quoteYaml(host)}`, `      port: ${port}`]),
    "",
  ].join("\n");
  return { name, text };
}
