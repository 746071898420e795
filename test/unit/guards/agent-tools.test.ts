// The tools of the manifest are those of the code: the same names, the same words, and JSON schemas made of the same schemas.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import * as z from "zod";
import { AGENT_TOOLS } from "../../../src/domain/agent/tools.ts";

interface Contributed {
  readonly name: string;
  readonly toolReferenceName: string;
  readonly displayName: string;
  readonly userDescription: string;
  readonly modelDescription: string;
  readonly inputSchema: object;
}

const ROOT = resolve(import.meta.dirname, "../../..");
const { contributes } = JSON.parse(readFileSync(resolve(ROOT, "package.json"), "utf8"));
const contributed: readonly Contributed[] = contributes.languageModelTools;

test("every tool is contributed as the code has it, and no other", () => {
  const tools = Object.entries(AGENT_TOOLS).map(([key, { name, words, input }]) => {
    const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: "input" });
    return {
      name,
      displayName: `%tool.${key}.name%`,
      userDescription: `%tool.${key}.description%`,
      modelDescription: words,
      inputSchema,
    };
  });
  assert.deepEqual(
    contributed.map(({ name, displayName, userDescription, modelDescription, inputSchema }) => ({
      ...{ name, displayName, userDescription, modelDescription, inputSchema },
    })),
    tools,
  );
});

test("the editor takes their names, and an agent is told that they only read", () => {
  for (const { name, toolReferenceName, modelDescription } of contributed) {
    assert.match(name, /^cloudGpu_[A-Za-z]+$/);
    assert.match(toolReferenceName, /^gpu[A-Za-z]+$/);
    assert.match(modelDescription, /Reads (only|what is on this computer only)/);
  }
});
