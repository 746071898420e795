// Guards package.json: every id of the code is contributed and the other way round, every text exists, every setting is safe.
import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { CONTAINER, commands, contexts, EXTENSION, fileSystem, panels, settings, views } from "../../../src/ids.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const text = readFileSync(join(ROOT, "package.json"), "utf8");
const manifest = JSON.parse(text);
const texts: Record<string, string> = JSON.parse(readFileSync(join(ROOT, "package.nls.json"), "utf8"));
const contributes = manifest.contributes;
const source = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts"))
  .map((name) => readFileSync(join(ROOT, "src", name), "utf8"))
  .join("\n");

/** Commands of the editor itself that our texts lead to. */
const EDITORS_OWN = ["workbench.action.reloadWindow", "workbench.action.openSettings"];

test("commands, views and settings are the same in code and manifest", () => {
  const ids = (list: readonly { command?: string; id?: string }[]) =>
    list.map((item) => item.command ?? item.id).sort();
  assert.deepEqual(ids(contributes.commands), Object.values(commands).sort());
  assert.deepEqual(ids(Object.values(contributes.views).flat() as { id: string }[]), Object.values(views).sort());
  assert.deepEqual(Object.keys(contributes.configuration.properties).sort(), Object.values(settings).sort());
  assert.equal(contributes.viewsContainers.activitybar[0].id, CONTAINER);
  assert.equal(`${manifest.publisher}.${manifest.name}`, EXTENSION);
});

test("menus and welcome texts name existing commands, views and context keys", () => {
  const menus = Object.values(contributes.menus).flat() as { command: string; when?: string }[];
  for (const { command } of menus) assert.ok(Object.values<string>(commands).includes(command), command);
  const conditions = [...menus, ...contributes.viewsWelcome].map(({ when }: { when?: string }) => when ?? "");
  const known = new Set<string>([...Object.values(contexts), ...Object.values(views)]);
  for (const key of conditions.join(" ").match(/cloudGpu[.\w]*\w/g) ?? [])
    assert.ok(known.has(key) || key === "cloudGpu", key);
  for (const link of Object.values(texts)
    .join("\n")
    .matchAll(/\(command:([\w.]+)\)/g)) {
    const known = [
      ...Object.values<string>(commands),
      ...Object.values<string>(views).map((id) => `${id}.focus`),
      ...EDITORS_OWN,
    ];
    assert.ok(known.includes(link[1] ?? ""), link[1]);
  }
});

test("every text of the manifest exists and none is left over", () => {
  const used = [...text.matchAll(/"%([\w.-]+)%"/g)].map((match) => match[1] ?? "");
  assert.deepEqual([...new Set(used)].sort(), Object.keys(texts).sort());
});

test("no workspace can set anything: every setting is application-scoped, with a default and an order", () => {
  for (const [id, setting] of Object.entries<Record<string, unknown>>(contributes.configuration.properties)) {
    assert.equal(setting.scope, "application", id);
    assert.ok("default" in setting && "order" in setting && "markdownDescription" in setting, id);
    assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(id), id);
  }
  assert.equal(contributes.configuration.properties[settings.baseUrl].ignoreSync, true);
});

test("the extension runs beside the person, and starts once the editor has: money may be at risk in a launch", () => {
  assert.deepEqual(manifest.extensionKind, ["ui", "workspace"]);
  // A launch that is open is looked after at once, and a panel or tab left open is restored; every other start follows from what is contributed.
  assert.deepEqual(manifest.activationEvents, [
    "onStartupFinished",
    ...Object.values(panels).map((id) => `onWebviewPanel:${id}`),
    `onFileSystem:${fileSystem}`,
  ]);
});

test("commands carry the one category; what needs more input ends with an ellipsis; destroying is never inline", () => {
  for (const { command, title, category } of contributes.commands) {
    assert.equal(category, "Cloud GPU", command);
    const shown = texts[title.slice(1, -1)] ?? "";
    assert.match(shown, /^[A-Z]/, command);
  }
  const inline = contributes.menus["view/item/context"].filter(({ group }: { group: string }) =>
    group.startsWith("inline"),
  );
  assert.ok(inline.every(({ command }: { command: string }) => !/destroy|delete/.test(command)));
});

test("every message for people goes through the translator, with as many values as it has places", () => {
  const calls = [...source.matchAll(/\bt\(\s*"((?:[^"\\]|\\.)*)"/g)];
  assert.ok(calls.length > 100);
  for (const [, message] of calls) {
    const places = [...new Set(message?.match(/\{\d+\}/g) ?? [])].sort();
    assert.deepEqual(
      places,
      places.map((_, index) => `{${index}}`),
      message,
    );
  }
});

test("the walkthrough has five steps, begins with the sandbox, and shows a picture at each", () => {
  const [{ steps }] = contributes.walkthroughs;
  assert.equal(steps.length, 5);
  assert.match(texts["walkthrough.sandbox.description"] ?? "", /command:cloudGpu\.tryDemo/);
  assert.equal(steps[0].id, "sandbox");
  for (const { media } of steps) assert.ok(existsSync(join(ROOT, media.image)), media.image);
});
