// The commands of ranks: as an engine expects them, and read by a shell without a word.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { RunId } from "../../../../src/domain/base/id.ts";
import { planRank, readVersions, toTorchScript } from "../../../../src/domain/group/job-plan.ts";
import { RunPlan } from "../../../../src/domain/run/run-plan.ts";
import { buildRunScript } from "../../../../src/domain/run/run-script.ts";

const HOSTS = [
  { rank: 0, overlayIp: "10.77.1.2", gpus: 2 },
  { rank: 1, overlayIp: "10.77.1.3", gpus: undefined },
];
const job = (engine: "each" | "torchrun" | "ray", command: string) => ({
  ...{ engine, command, remote: "/workspace/it's mine", id: "job-1" },
});
const HAS_SHELLCHECK = spawnSync("shellcheck", ["--version"], { stdio: "ignore" }).error === undefined;

describe("a rank", () => {
  test("knows its number and how many there are", () => {
    assert.deepEqual(planRank(job("each", "echo hi"), HOSTS, 1), {
      command: "echo hi",
      variables: { CLOUD_GPU_RANK: "1", CLOUD_GPU_COUNT: "2" },
    });
  });

  test("of torchrun has as many processes as GPUs, and one where that isn't known", () => {
    const [first, second] = [0, 1].map((rank) => planRank(job("torchrun", "train.py --name 'a b'"), HOSTS, rank));
    assert.equal(
      first?.command,
      "torchrun --nnodes=2 --nproc-per-node=2 --node-rank=0 --rdzv-backend=static --rdzv-endpoint=10.77.1.2:29500 --rdzv-id=job-1 train.py --name 'a b'",
    );
    assert.match(second?.command ?? "", /--nproc-per-node=1 --node-rank=1 /);
    assert.equal(second?.variables?.NCCL_SOCKET_IFNAME, "eth0");
  });

  for (const count of [1, 2, 3, 64])
    test(`of torchrun is told which of ${count} it is and where the first is, so that no host name counts`, () => {
      const hosts = Array.from({ length: count }, (_, rank) => ({ rank, overlayIp: `10.77.1.${rank + 2}`, gpus: 8 }));
      for (const { rank } of hosts) {
        const words = planRank(job("torchrun", "a.py"), hosts, rank).command.split(" ");
        for (const word of ["--rdzv-backend=static", `--node-rank=${rank}`, "--rdzv-endpoint=10.77.1.2:29500"])
          assert.ok(words.includes(word), words.join(" "));
      }
    });

  test("of an engine that needs a network isn't planned without one", () => {
    const without = HOSTS.map((host) => ({ ...host, overlayIp: undefined }));
    for (const engine of ["torchrun", "ray"] as const)
      assert.throws(() => planRank(job(engine, "a.py"), without, 0), RangeError);
    assert.doesNotThrow(() => planRank(job("each", "a.py"), without, 0));
    assert.throws(() => planRank(job("each", "a.py"), HOSTS, 2), RangeError);
  });

  test("of Ray has a shorter command than others, which is quoted twice on its way", () => {
    const long = "x".repeat(2501);
    assert.throws(() => planRank(job("ray", long), HOSTS, 0), /longer than 2500 characters\. Put it in a script/);
    assert.equal(planRank(job("each", long), HOSTS, 0).command, long);
  });

  test("of Ray is shown by what it submits or joins, not by all that leads there", () => {
    assert.equal(planRank(job("ray", "python3 job.py"), HOSTS, 0).shown, "ray job submit -- python3 job.py");
    assert.match(
      planRank(job("ray", "python3 job.py"), HOSTS, 1).shown ?? "",
      /^ray start --address=10\.77\.1\.2:6379 /,
    );
  });

  test("of Ray leaves a Ray alone that runs there already", { skip: process.platform === "win32" }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "cloud-gpu-ray-"));
    const asked = join(folder, "asked");
    for (const name of ["ray", "python3"])
      await writeFile(join(folder, name), `#!/bin/sh\necho ${name} "$1" >> '${asked}'\n`, { mode: 0o755 });
    await mkdir(join(folder, "proc", "7"), { recursive: true });
    await writeFile(join(folder, "proc", "7", "comm"), "raylet\n");
    for (const rank of [0, 1]) {
      const { command } = planRank(job("ray", "python3 job.py"), HOSTS, rank);
      const script = command.replace("/proc/", `${folder}/proc/`);
      const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
      const { status, stderr } = spawnSync("sh", ["-c", script], { encoding: "utf8", env, timeout: 20_000 });
      assert.equal(status, 1);
      assert.match(stderr, /^Ray already runs on this instance\. Stop it there with ray stop/);
    }
    assert.deepEqual([...new Set((await readFile(asked, "utf8")).trim().split("\n"))], ["python3 -c"]);
    await rm(folder, { recursive: true });
  });

  for (const engine of ["each", "torchrun", "ray"] as const)
    for (const rank of [0, 1])
      test(`${rank} of ${engine} is a run that a shell reads${HAS_SHELLCHECK ? ", and shellcheck" : ""}`, () => {
        const command = `echo "it's" $(date) 'a\\b' && true`;
        const planned = planRank(job(engine, command), HOSTS, rank);
        const plan = RunPlan.parse({ name: "a", setup: "", folder: "/a", remote: "/b", ...planned });
        const script = buildRunScript(RunId.parse("20261125-201500-a-r0-abcd"), plan);
        for (const text of [script, planned.command]) {
          const { status, stderr } = spawnSync("sh", ["-n"], { input: text, encoding: "utf8" });
          assert.equal(status, 0, stderr);
        }
        if (!HAS_SHELLCHECK) return;
        const found = spawnSync("shellcheck", ["-s", "bash", "-S", "error", "-"], {
          input: planned.command,
          encoding: "utf8",
        });
        assert.equal(found.status, 0, found.stdout);
      });
});

test("a script is what torchrun takes of a command that runs it", () => {
  assert.equal(toTorchScript("python3 -u train.py --a"), "train.py --a");
  assert.equal(toTorchScript("python train.py"), "train.py");
  assert.equal(toTorchScript("train.py"), "train.py");
  assert.equal(toTorchScript("python3"), "python3");
});

test("versions are read of a line that has nothing else", () => {
  assert.equal(readVersions("Ray 2.58.0 Python 3.12.3\n"), "Ray 2.58.0 Python 3.12.3");
  for (const line of ["Ray", "Ray 2 Python 3 and more", "", `Ray ${"1".repeat(50)} Python 3`])
    assert.equal(readVersions(line), undefined);
});
