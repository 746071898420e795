// A question about many machines names each once, and says what they come to together.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  buildCountPrompt,
  buildDestroyQuestion,
  buildStartQuestion,
  buildStateQuestion,
  readCount,
} from "../../../../src/present/instance/instance-questions.ts";

const machine = (id: number, fields: object = {}) => ({
  value: Instance.parse({
    id,
    label: `run-${id}`,
    gpu_name: "RTX 4090",
    num_gpus: 1,
    actual_status: "running",
    dph_total: 0.4,
    storage_total_cost: 0.01,
    disk_space: 20,
    ...fields,
  }),
  launchPrice: undefined,
});
const many = (count: number, fields?: object) => Array.from({ length: count }, (_, at) => machine(at + 1, fields));
const times = (text: string, word: string | RegExp) => text.split(word).length - 1;

describe("a question about several machines", () => {
  test("names each once and says the sums once", () => {
    for (const question of [
      buildDestroyQuestion(many(3)),
      buildStartQuestion(many(3)),
      buildStateQuestion("stop", many(3)),
      buildStateQuestion("reboot", many(3)),
    ])
      for (const name of ["run-1", "run-2", "run-3"]) assert.equal(times(question.detail, name), 1, question.detail);
    const destroy = buildDestroyQuestion(many(3));
    assert.equal(destroy.message, "Destroy 3 instances ($1.20/h in total)?");
    assert.equal(times(destroy.detail, "be undone"), 1);
    assert.match(destroy.detail, /their disks \(60 GB in total\)/);
    assert.match(buildStartQuestion(many(3)).message, /\(\$1\.20\/h in total\)/);
    assert.match(buildStateQuestion("stop", many(3)).detail, /disks still cost \$0\.03\/h in total/);
  });

  test("says what stopping does to an instance that waits for its GPU", () => {
    const waiting = { actual_status: "exited", intended_status: "running", cur_state: "stopped" };
    const [running, queued] = [machine(1), machine(2, waiting)];
    assert.match(buildStateQuestion("stop", [queued]).detail, /It leaves the queue for its GPU\.$/);
    assert.match(buildStateQuestion("stop", [running, queued]).detail, /Running programs stop\./);
  });

  test("never takes an unknown price or size for nothing", () => {
    const rows = [machine(1), machine(2, { dph_total: undefined, storage_total_cost: 0, disk_space: undefined })];
    assert.match(buildDestroyQuestion(rows).message, /\$0\.40 \+ \$\?\/h in total/);
    assert.doesNotMatch(buildDestroyQuestion(rows).detail, /GB in total/);
    assert.match(buildStartQuestion(rows).message, /\$0\.40 \+ \$\?\/h in total/);
    assert.match(buildStateQuestion("stop", rows).detail, /\$0\.01 \+ \$\?\/h in total/);
  });

  test("says which volumes outlive them, however a service lists them", () => {
    const cases: readonly [unknown, RegExp | undefined][] = [
      [[{ id: 1, volume_id: 5012 }], /\nVolume 5012 stays, and is billed until you delete it\.$/],
      [[{ id: 5012 }, { id: -1 }, { name: "x" }], /Volume 5012 stays/],
      [[{ id: 5012 }, { id: 5013 }], /\n2 volumes stay \(5012, 5013\), and are billed/],
      [[], undefined],
      [null, undefined],
      ["5012", undefined],
    ];
    for (const [volume_info, says] of cases) {
      const { detail } = buildDestroyQuestion([machine(1, { volume_info })]);
      if (says) assert.match(detail, says);
      else assert.doesNotMatch(detail, /volume/i);
    }
    const two = [machine(1, { volume_info: [{ id: 7 }] }), machine(2, { volume_info: [{ id: 7 }] })];
    assert.match(buildDestroyQuestion(two).detail, /Volume 7 stays/);
    assert.match(buildCountPrompt("destroy", two), /be undone\. Volume 7 stays/);
  });

  test("keeps its buttons in sight however many there are, and counts those that it leaves out", () => {
    const { detail } = buildDestroyQuestion(many(50));
    assert.equal(times(detail, "run-"), 11);
    assert.match(detail, /And 39 more: \$15\.60\/h in total\./);
    assert.equal(times(buildDestroyQuestion(many(12)).detail, "run-"), 12);
  });
});

describe("several that are ended by typing how many", () => {
  test("are counted in the prompt, with what they cost and what is lost or stays billed", () => {
    assert.equal(
      buildCountPrompt("destroy", many(3)),
      "Type 3 to destroy 3 instances ($1.20/h in total). Everything on their disks (60 GB in total) will be deleted. This can't be undone.",
    );
    assert.equal(
      buildCountPrompt("stop", many(2)),
      "Type 2 to stop 2 instances ($0.80/h in total). Their disks still cost $0.02/h in total.",
    );
    assert.match(buildCountPrompt("stop", many(2), 1), / 1 selected instance isn't running and won't be changed\.$/);
    assert.match(buildCountPrompt("stop", many(2), 3), / 3 selected instances aren't running and won't be changed\.$/);
  });

  test("take nothing but that number", () => {
    assert.equal(readCount(" 3 ", 3), true);
    for (const typed of ["", "2", "33", "03", "3.0", "yes", "-3", "three"])
      assert.throws(() => readCount(typed, 3), /Type 3, the number of instances, to confirm\./, typed);
  });
});
