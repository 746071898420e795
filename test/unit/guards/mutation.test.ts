// The groups of `npm run mutate` name files that exist, and together every file of the money path.
import assert from "node:assert/strict";
import { existsSync, globSync } from "node:fs";
import { test } from "node:test";
import { groups } from "../../mutation/groups.ts";

const MONEY_PATH = [
  ...[
    "src/domain/launch/*.ts",
    "src/services/launch/*.ts",
    "src/services/launch/outcome/*.ts",
    "src/api/call.ts",
    "src/api/reply.ts",
  ],
  ...["src/services/core/book/*.ts", "src/services/core/duty.ts", "src/services/instance/whereabouts.ts"],
];

test("every test that a group names exists", () => {
  const missing = Object.values(groups).flatMap(({ tests }) => tests.filter((file) => !existsSync(file)));
  assert.deepEqual(missing, []);
});

test("the groups mutate the money path, whole and nothing else", () => {
  const mutated = Object.values(groups).flatMap(({ mutate }) => mutate.flatMap((pattern) => globSync(pattern)));
  assert.deepEqual(mutated.sort(), MONEY_PATH.flatMap((pattern) => globSync(pattern)).sort());
});
