// The JSON schema the editor checks template files by.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { TemplateHash, TemplateId } from "../../../../src/domain/base/id.ts";
import { OPERATORS } from "../../../../src/domain/offer/filter.ts";
import { FILTER_FIELDS } from "../../../../src/domain/offer/filter-rows.ts";
import { createTemplateFile, readTemplateFile, TemplateFile } from "../../../../src/domain/template/template-file.ts";
import { buildTemplateFileSchema } from "../../../../src/domain/template/template-file-schema.ts";
import { NEW_TEMPLATE } from "../../../../src/domain/template/template-form.ts";
import { TemplateLaunch } from "../../../../src/domain/template/template-proposals.ts";

interface Filters {
  readonly properties: Record<
    string,
    { description?: string } & Omit<Filters, "properties"> & {
        readonly properties: Record<string, { description?: string }>;
      }
  >;
  readonly additionalProperties: unknown;
}

const sync = { id: TemplateId.parse(7), hash: TemplateHash.parse("abc") };

const errorsOf = (file: string) => readTemplateFile(file).problems.filter(({ severity }) => severity === "error");

describe("the JSON schema", () => {
  const schema = buildTemplateFileSchema() as {
    properties: Record<string, { description?: string }>;
    required: string[];
    additionalProperties: unknown;
  };

  test("knows every field of a file and no token, each with a word about it", () => {
    assert.deepEqual(Object.keys(schema.properties).sort(), Object.keys(TemplateFile.shape).sort());
    assert.ok(!("docker_login_pass" in schema.properties));
    for (const [field, { description }] of Object.entries(schema.properties)) assert.ok(description, field);
    assert.deepEqual([...schema.required].sort(), ["image", "name"]);
    assert.equal(schema.additionalProperties, false);
  });

  test("knows what a file may say to run, each field with a word about it", () => {
    const { run } = schema.properties as { run?: typeof schema & { defaultSnippets?: unknown } };
    assert.deepEqual(Object.keys(run?.properties ?? {}).sort(), [
      "command",
      "dataFolders",
      "env",
      "maxAttempts",
      "maxPricePerHour",
      "results",
      "resultsEveryMinutes",
      "secrets",
      "setup",
      "whenDone",
    ]);
    for (const { description } of Object.values(run?.properties ?? {})) assert.ok(description);
    assert.deepEqual([run?.required, run?.additionalProperties], [["command"], false]);
    assert.ok(run?.defaultSnippets);
  });

  test("knows every field that a launch may change, each with a word about it", () => {
    const { launch } = schema.properties as { launch?: typeof schema };
    assert.deepEqual(Object.keys(launch?.properties ?? {}).sort(), Object.keys(TemplateLaunch.shape).sort());
    for (const { description } of Object.values(launch?.properties ?? {})) assert.ok(description);
    assert.equal(launch?.additionalProperties, false);
  });

  test("knows what machines can be filtered by, with units and the comparisons that each field takes", () => {
    const { extra_filters: filters } = schema.properties as unknown as Record<string, Filters>;
    assert.ok(filters);
    assert.deepEqual(Object.keys(filters.properties), Object.keys(FILTER_FIELDS));
    const of = (field: string) => filters.properties[field];
    assert.match(of("gpu_ram")?.description ?? "", /VRAM.*MB/);
    assert.match(of("reliability")?.description ?? "", /0 to 1/);
    assert.match(of("duration")?.description ?? "", /seconds/);
    assert.match(of("disk_space")?.description ?? "", /GB/);
    assert.deepEqual(Object.keys(of("gpu_name")?.properties ?? {}), ["eq", "neq", "in", "notin"]);
    assert.deepEqual(Object.keys(of("verified")?.properties ?? {}), ["eq", "neq"]);
    assert.deepEqual(Object.keys(of("gpu_ram")?.properties ?? {}), [...OPERATORS]);
    for (const { properties } of Object.values(filters.properties))
      for (const [operator, { description }] of Object.entries(properties)) assert.ok(description, operator);
    assert.equal(of("gpu_ram")?.additionalProperties, false);
    assert.ok(typeof filters.additionalProperties === "object", "other names are the service's to judge");
  });

  test("is plain draft 7, which the editor reads", () => {
    assert.doesNotMatch(JSON.stringify(schema), /\$defs|2020-12/);
    assert.ok(errorsOf(createTemplateFile({ ...NEW_TEMPLATE, name: "a", image: "b" }, sync)).length === 0);
  });
});
