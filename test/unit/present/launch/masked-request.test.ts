// A create request as people read it: no secret of it is shown, and nothing else is left out.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { CreateInstanceBody } from "../../../../src/domain/launch/create-request.ts";
import { type LaunchConfiguration, listConfigured } from "../../../../src/domain/launch/launch-configuration.ts";
import { type LaunchPlan, toLaunchRequest } from "../../../../src/domain/launch/launch-plan.ts";
import { CREATE_FIELDS } from "../../../../src/domain/launch/merge-request.ts";
import { MASK, rememberSecret } from "../../../../src/lib/redact.ts";
import { compareWithTemplate } from "../../../../src/present/launch/effective.ts";
import { formatRequest } from "../../../../src/present/launch/masked-request.ts";
import { buildRentQuestion } from "../../../../src/present/launch/rent-question.ts";
import { buildSummary, describeVolumeOf } from "../../../../src/present/launch/summary.ts";
import { PLAN, TEMPLATE } from "../../support.ts";

const LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
/** None of them can be a part of anything else in a request. */
const secret = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 16, maxLength: 40 })
  .map((letters) => `s3cr3t${letters.join("")}`);
const secretName = fc.constantFrom(
  ...["HF_TOKEN", "PGPASSWORD", "AWS_SECRET_ACCESS_KEY", "WANDB_API_KEY", "password", "Cookie", "MY_CREDENTIALS"],
);
const openName = fc.constantFrom("MODE", "PATH", "TOKENIZERS_PARALLELISM", "BATCH_SIZE");
const text = fc.constantFrom("train", "two words", "/usr/bin:/bin", "", "ü漢😀", '"quoted"');

const line = (hidden: string): fc.Arbitrary<string> =>
  fc.constantFrom(
    ...[
      `export HF_TOKEN=${hidden}`,
      `export API_KEY='${hidden}'`,
      `curl -H "Authorization: Bearer ${hidden}" x.example`,
    ],
    ...[
      `serve --api-key ${hidden}`,
      `serve --password=${hidden} --port 80`,
      `git clone https://me:${hidden}@git.example`,
    ],
  );

/** A request with everything, the secrets in it, and the open values of its variables. */
const drawn = fc
  .record({ hidden: fc.array(secret, { minLength: 4, maxLength: 4 }), names: fc.uniqueArray(secretName) })
  .chain(({ hidden: [first = "", second = "", third = "", fourth = ""], names }) =>
    fc
      .record({
        open: fc.dictionary(openName, text, { noNullPrototype: true }),
        script: line(second),
        args: line(fourth),
        disk: fc.integer({ min: 8, max: 500 }),
        isUsed: fc.array(fc.boolean(), { minLength: CREATE_FIELDS.length, maxLength: CREATE_FIELDS.length }),
      })
      .map(({ open, script, args, disk, isUsed }) => {
        const whole: Required<CreateInstanceBody> = {
          ...{ volume_info: { create_new: true, volume_id: 7, size: 2, mount_path: "/data" }, vm: true },
          ...{ cancel_unavail: false, image_login: `-u me -p ${third} ghcr.io`, lang_utf8: true, python_utf8: false },
          ...{
            jupyter_dir: "/work",
            use_jupyter_lab: true,
            args_str: args,
            onstart: `echo before\n${script}\necho after`,
          },
          env: { ...Object.fromEntries(names.map((name) => [name, first])), ...open, "-p 8000:8000": "1", "-h": "box" },
          ...{ price: 0.5, target_state: "stopped", runtype: "args", disk, label: "vsc-… mine" },
          ...{
            template_hash_id: CreateInstanceBody.shape.template_hash_id.parse("ab12") ?? assert.fail(),
            image: "a/b:1",
          },
        };
        const body: CreateInstanceBody = Object.fromEntries(
          Object.entries(whole).filter(([field], at) => isUsed[at] === true || field === "image"),
        );
        return { body, open, names, secrets: [first, second, third, fourth] };
      }),
  );

describe("drawn requests", () => {
  test("show no secret, and everything else as it is sent, in the order of the schema", () => {
    fc.assert(
      fc.property(drawn, ({ body, open, names, secrets }) => {
        const shown = formatRequest(body);
        for (const one of secrets) assert.ok(!shown.includes(one), shown);
        const read = JSON.parse(shown);
        assert.deepEqual(
          Object.keys(read),
          CREATE_FIELDS.filter((field) => body[field] !== undefined),
        );
        for (const field of CREATE_FIELDS) {
          if (["env", "image_login", "onstart", "args_str"].includes(field)) continue;
          assert.deepEqual(read[field], body[field]);
        }
        if (body.env) {
          const masked = Object.fromEntries(names.map((name) => [name, MASK]));
          assert.deepEqual(read.env, { ...masked, ...open, "-p 8000:8000": "1", "-h": "box" });
        }
        if (body.image_login) assert.equal(read.image_login, `-u me -p ${MASK} ghcr.io`);
        if (body.onstart) assert.match(read.onstart, /^echo before\n.*••••.*\necho after$/s);
        if (body.args_str) assert.match(read.args_str, /••••/);
      }),
      { seed: 4713, numRuns: 1000 },
    );
  });
});

test("a variable that runs is shown, and what is secret within it isn't", () => {
  const { env } = JSON.parse(formatRequest({ image: "a", env: { GET_TOKEN: "$(cat /run/token)" } }));
  assert.deepEqual(env, { GET_TOKEN: "$(cat /run/token)" });
  const inner = formatRequest({ image: "a", env: { COMMAND: "serve --api-key verysecretvalue" } });
  assert.ok(!inner.includes("verysecretvalue") && inner.includes("serve --api-key"));
});

test("options have their value, which is no secret", () => {
  const { env } = JSON.parse(formatRequest({ image: "a", env: { "-v /key:/key": "1", "-n token": "1" } }));
  assert.deepEqual(env, { "-v /key:/key": "1", "-n token": "1" });
});

test("a secret of one's own is shown nowhere, in whatever field it was typed", () => {
  const key = "own-key-0123456789abcdef";
  rememberSecret(key);
  const volume_info = { create_new: false, volume_id: 1, mount_path: `/${key}` };
  const configuration: LaunchConfiguration = {
    ...{ volume_info, env: { X: key, "-h": key, [`-v /${key}:/b`]: "1", [`-n ${key}`]: "1" } },
    ...{ onstart: `echo ${key}`, args_str: key, jupyter_dir: `/${key}` },
  };
  for (const template of [undefined, { ...TEMPLATE, private: false }]) {
    const plan: LaunchPlan = { ...PLAN, template, image: `a/${key}`, label: key, configuration };
    const shown = {
      preview: formatRequest(toLaunchRequest(plan, plan.label, 0)),
      summary: JSON.stringify(buildSummary(plan, plan.label, 0)),
      question: JSON.stringify(buildRentQuestion(plan, { sandbox: false, withoutTracking: false, now: 0 })),
      compared: JSON.stringify(compareWithTemplate(plan, plan.label, undefined, 0) ?? ""),
      volume: describeVolumeOf(plan),
      changes: listConfigured(plan).join(),
    };
    for (const [what, text = ""] of Object.entries(shown)) assert.ok(!text.includes(key), `${what}: ${text}`);
    assert.deepEqual(JSON.parse(shown.preview).volume_info, { ...volume_info, mount_path: `/${MASK}` });
  }
});
