// A host's prices, question and machines in words.
import assert from "node:assert/strict";
import { test } from "node:test";
import { HostMachine } from "../../../../src/domain/host/host-machine.ts";
import { rememberSecret } from "../../../../src/lib/redact.ts";
import { buildJobsQuestion, describeOwnMachine, formatDayPrice } from "../../../../src/present/host/host.ts";

test("the question names the machine, the price per day and per hour, and what is replaced", () => {
  assert.equal(formatDayPrice(24), "$24.00 per GPU per day ($1.00/h)");
  const jobs = { machine: 7, image: "a/b", price_gpu: 4.8, price_inetu: 0.01, price_inetd: 0.02 };
  const { message, detail } = buildJobsQuestion({ ...jobs, env: { HF_TOKEN: "abc" }, onstart: "TOKEN=abc x" });
  assert.equal(message, "Replace the background jobs of machine 7?");
  assert.match(
    detail,
    /can't be restored.*\$4\.80 per GPU per day \(\$0\.20\/h\).*\$0\.01 per GB up, \$0\.02 per GB down/s,
  );
  assert.doesNotMatch(detail, /abc/);
});

test("the question shows no beginning of a known secret, wherever the script was cut", () => {
  const secret = "q7w8e9r0t1z2u3i4o5p6a7s8d9f0g1h2";
  rememberSecret(secret);
  const jobs = { machine: 7, image: "a/b", price_gpu: 4.8, price_inetu: 0.01, price_inetd: 0.02 };
  // 400 characters are read, of which those of the indentation aren't shown.
  const onstart = `set -e\n${" ".repeat(350)}run /srv/`.padEnd(376).trimEnd().padEnd(376, "x") + secret;
  const { detail } = buildJobsQuestion({ ...jobs, onstart });
  assert.doesNotMatch(detail, /q7w8e9r0/);
});

test("a machine is told by what is known of it", () => {
  const machine = HostMachine.parse({ id: 7, gpu_name: "RTX 4090", num_gpus: 2, hostname: "rig\u202e-7" });
  assert.equal(describeOwnMachine(machine), "2× RTX 4090 · rig-7");
  assert.equal(describeOwnMachine(HostMachine.parse({ id: 7 })), "");
  assert.equal(describeOwnMachine(undefined), "Has a listed volume");
});
