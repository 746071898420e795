// What can't succeed, by texts of Docker, containerd, NVIDIA's runtime and registries.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { getPhase, Instance, isDead } from "../../../../src/domain/instance/instance.ts";
import { findReason, judgeStartFailure } from "../../../../src/domain/instance/start-failure.ts";

const OCI =
  "Error response from daemon: failed to create task for container: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: ";

const CASES: readonly [message: string, failure: ReturnType<typeof judgeStartFailure>][] = [
  [`${OCI}exec: "/start.sh": permission denied: unknown`, "image"],
  [`${OCI}exec: "serve": executable file not found in $PATH: unknown`, "image"],
  [`${OCI}exec: "/run.sh": stat /run.sh: no such file or directory: unknown`, "image"],
  ["exec /entrypoint.sh: exec format error", "image"],
  [
    "Error response from daemon: manifest for pytorch/pytorch:9.9 not found: manifest unknown: manifest unknown",
    "image",
  ],
  ["manifest unknown", "image"],
  ["failed to resolve reference: docker.io/lab/a:1: not found: manifest unknown", "image"],
  ["no matching manifest for linux/amd64 in the manifest list entries", "image"],
  [
    "pull access denied for lab/private, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    "image",
  ],
  [
    "Error response from daemon: Head https://ghcr.io/v2/lab/a/manifests/1: unauthorized: authentication required",
    "image",
  ],
  ["unauthorized: incorrect username or password", "image"],
  ["invalid reference format: repository name must be lowercase", "image"],
  [
    `${OCI}error running hook #0: nvidia-container-cli: requirement error: unsatisfied condition: cuda>=12.8: unknown`,
    "machine",
  ],
  [`${OCI}nvidia-container-cli: initialization error: nvml error: driver not loaded: unknown`, "machine"],
  ['could not select device driver "nvidia" with capabilities: [[gpu]]', "machine"],
  ["failed to register layer: write /opt/conda/lib/x.so: no space left on device", "machine"],
  // These may pass, or say nothing of a failure.
  ["toomanyrequests: You have reached your pull rate limit", undefined],
  ["net/http: TLS handshake timeout", undefined],
  ["a1b2c3: Downloading [====>      ] error-free", undefined],
  ["Error response from daemon: Get https://registry-1.docker.io/v2/: dial tcp: i/o timeout", undefined],
  ["success, running pytorch/pytorch/ssh", undefined],
  ["Waiting for its GPU", undefined],
  ["", undefined],
];

describe("a start", () => {
  for (const [message, failure] of CASES)
    test(`${failure ?? "goes on"}: ${message.slice(-90)}`, () => {
      assert.equal(judgeStartFailure(message), failure);
      for (const status of ["created", "loading", null]) {
        const instance = Instance.parse({
          id: 7,
          actual_status: status,
          intended_status: "running",
          status_msg: message,
        });
        assert.deepEqual([getPhase(instance), isDead(instance)], failure ? ["failed", true] : ["starting", false]);
        const stopped = Instance.parse({ ...instance, intended_status: "stopped" });
        assert.deepEqual([getPhase(stopped), isDead(stopped)], ["stopped", false], "nobody wants it to start");
      }
      const phaseOf = (status: string) =>
        getPhase(Instance.parse({ id: 7, actual_status: status, intended_status: "running", status_msg: message }));
      assert.equal(phaseOf("rebooting"), "starting", "it may be the message of the time before");
      assert.equal(phaseOf("running"), "running", "it runs, whatever was said before");
    });
});

test("the reason is at the end of a message, in whole parts", () => {
  assert.equal(
    findReason(`${OCI}exec: "serve": executable file not found in $PATH: unknown`, 60),
    'exec: "serve": executable file not found in $PATH',
  );
  assert.equal(findReason("manifest unknown", 60), "manifest unknown");
  assert.equal(findReason("", 60), "");
  assert.equal(findReason(`short: ${"x".repeat(90)}`, 60), "x".repeat(90));
});
