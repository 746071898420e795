// The tools of the manifest are those of the code: the same names, the same words, and JSON schemas made of the same schemas.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";
import * as z from "zod";
import { AGENT_TOOLS, type AgentTool, isActing } from "../../../src/domain/agent/tools.ts";

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

test("the skill is named as its folder, and names only tools and commands that there are", () => {
  const skills: readonly { readonly path: string }[] = contributes.chatSkills;
  assert.deepEqual(
    skills.map(({ path }) => path),
    ["./media/skills/cloud-gpu/SKILL.md"],
  );
  const text = readFileSync(resolve(ROOT, "media/skills/cloud-gpu/SKILL.md"), "utf8");
  const [, head = ""] = /^---\n(.+?)\n---\n/s.exec(text) ?? [];
  assert.match(head, /^name: cloud-gpu\ndescription: .{100,1024}$/);
  const tools = Object.values(AGENT_TOOLS).map(({ name }) => name);
  const named = new Set(text.match(/cloudGpu_\w+/g));
  assert.deepEqual([...named].sort(), tools.toSorted());
  const texts = Object.values(JSON.parse(readFileSync(resolve(ROOT, "package.nls.json"), "utf8")));
  const commands = [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, name]) => name);
  assert.ok(commands.length > 2);
  assert.deepEqual(
    commands.filter((name) => !texts.includes(name)),
    [],
  );
  const answers = ["tool-answers", "act-answers", "grant-text"]
    .map((name) => readFileSync(resolve(ROOT, `src/present/agent/${name}.ts`), "utf8"))
    .join("\n");
  const fields = [...text.matchAll(/`([a-z]+(?:_[a-z]+)+|complete)`/g)].map(([, name = ""]) => name);
  assert.deepEqual(
    fields.filter((name) => !answers.includes(`${name}:`)),
    [],
  );
});

test("the editor takes their names, and an agent is told which only read and which ask the person", () => {
  const asking: string[] = [];
  for (const { name, toolReferenceName, modelDescription } of contributed) {
    assert.match(name, /^cloudGpu_[A-Za-z]+$/);
    assert.match(toolReferenceName, /^gpu[A-Za-z]+$/);
    const asks = /Asks the person/.test(modelDescription);
    if (asks) asking.push(name);
    assert.notEqual(asks, /Reads (only|what is on this computer only)/.test(modelDescription), name);
  }
  const acting = (Object.keys(AGENT_TOOLS) as AgentTool[]).filter(isActing).map((tool) => AGENT_TOOLS[tool].name);
  assert.deepEqual(asking, acting);
  assert.deepEqual(acting, ["cloudGpu_launch", "cloudGpu_run", "cloudGpu_endInstance"]);
});
