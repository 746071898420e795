// Guards package.json: every ID of the code is contributed and the other way round, every text exists, every setting is safe.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import {
  CONTAINER,
  commands,
  contexts,
  EXTENSION,
  fileSystem,
  panels,
  settings,
  terminals,
  views,
} from "../../../src/ids.ts";
import { LANGUAGES, manifestTexts } from "../../texts.ts";
import { findQuestions } from "./asking.ts";
import { readSources } from "./syntax.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const text = readFileSync(join(ROOT, "package.json"), "utf8");
const manifest = JSON.parse(text);
const texts: Record<string, string> = JSON.parse(readFileSync(join(ROOT, "package.nls.json"), "utf8"));
const contributes = manifest.contributes;
const settingGroups: readonly { title: string; properties: Record<string, Record<string, unknown>> }[] =
  contributes.configuration;
const settingsInManifest = settingGroups.flatMap(({ properties }) => Object.entries(properties));

function titleOf(id: string): string {
  const { title } = contributes.commands.find(({ command }: { command: string }) => command === id);
  return texts[title.slice(1, -1)] ?? "";
}

/** Commands of the editor itself that our texts lead to. */
const EDITORS_OWN = ["workbench.action.reloadWindow", "workbench.action.openSettings"];

test("commands, views and settings are the same in code and manifest", () => {
  const ids = (list: readonly { command?: string; id?: string }[]) =>
    list.map((item) => item.command ?? item.id).sort();
  assert.deepEqual(ids(contributes.commands), Object.values(commands).sort());
  const inManifest = contributes.commands.map(({ command }: { command: string }) => command);
  assert.deepEqual(inManifest, inManifest.toSorted(), "commands stand in the order of their IDs");
  assert.deepEqual(ids(Object.values(contributes.views).flat() as { id: string }[]), Object.values(views).sort());
  assert.deepEqual(settingsInManifest.map(([id]) => id).sort(), Object.values(settings).sort());
  assert.equal(contributes.viewsContainers.activitybar[0].id, CONTAINER);
  assert.equal(`${manifest.publisher}.${manifest.name}`, EXTENSION);
});

/** What the editor reads: `!`, `==`, `!=`, `=~ /…/`, `&&`, `||` and parentheses. */
const CONDITION =
  /^(?:\s+|[()]|&&|\|\||!(?=[\w(])|[\w.:-]+(?:\s*(?:==|!=)\s*[\w.-]+|\s*=~\s*\/(?:[^/\\]|\\.)+\/[a-z]*)?)*$/;

test("conditions are such as the editor can read: one that it can't always holds", () => {
  const { menus, keybindings, viewsWelcome, views: inContainers } = contributes;
  const all = [...Object.values(menus), ...Object.values(inContainers), keybindings, viewsWelcome].flat();
  const conditions = all.flatMap(({ when }: { when?: string }) => when ?? []);
  assert.ok(conditions.length > 50);
  for (const one of conditions) assert.match(one, CONDITION);
  for (const wrong of ["viewItem !~ /x/", "a = b", "a & b"]) assert.doesNotMatch(wrong, CONDITION);
});

test("menus and welcome texts name existing commands, views and context keys", () => {
  const menus = Object.values(contributes.menus).flat() as { command: string; when?: string }[];
  for (const { command } of menus) assert.ok(Object.values<string>(commands).includes(command), command);
  const conditions = [...menus, ...contributes.viewsWelcome].map(({ when }: { when?: string }) => when ?? "");
  const known = new Set<string>([...Object.values(contexts), ...Object.values(views)]);
  for (const { view } of contributes.viewsWelcome) assert.ok(Object.values<string>(views).includes(view), view);
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

/** Where the manifest says something to people. */
const SAID = [
  "title",
  "name",
  "description",
  "markdownDescription",
  "contents",
  "enumDescriptions",
  "markdownEnumDescriptions",
  "label",
];

test("the manifest says nothing to people but by the names of its texts", () => {
  const said: string[] = [];
  // Schemas, and names by which agents call, are read by no person.
  const { languageModelTools, ...others } = contributes;
  const tools = languageModelTools.map(({ displayName, userDescription }: Record<string, string>) => ({
    title: displayName,
    description: userDescription,
  }));
  JSON.parse(JSON.stringify({ ...manifest, contributes: { ...others, tools } }), (key, value) => {
    if (SAID.includes(key)) said.push(...[value].flat().filter((one) => typeof one === "string"));
    return value;
  });
  assert.ok(said.length > 100);
  const own = [manifest.name, "Cloud GPU"];
  assert.deepEqual(
    said.filter((one) => !/^%[\w.-]+%$/.test(one) && !own.includes(one)),
    [],
  );
});

test("no workspace can set anything: every setting is application-scoped, with a default and an order", () => {
  for (const [id, setting] of settingsInManifest) {
    assert.equal(setting.scope, "application", id);
    assert.ok("default" in setting && "order" in setting && "markdownDescription" in setting, id);
    assert.ok(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations.includes(id), id);
  }
  assert.equal(settingsInManifest.find(([id]) => id === settings.baseUrl)?.[1].ignoreSync, true);
});

test("the extension runs beside the person, and starts once the editor has: money may be at risk in a launch", () => {
  assert.deepEqual(manifest.extensionKind, ["ui", "workspace"]);
  // A launch that is open is looked after at once, and a panel or tab left open is restored; every other start follows from what is contributed.
  assert.deepEqual(manifest.activationEvents, [
    "onStartupFinished",
    ...Object.values(panels).map((id) => `onWebviewPanel:${id}`),
    `onFileSystem:${fileSystem}`,
    "onUri",
  ]);
});

test("every kind of terminal is contributed, and no other", () => {
  const contributed: { readonly id: string }[] = contributes.terminal.profiles;
  assert.deepEqual(
    contributed.map(({ id }) => id),
    Object.values(terminals),
  );
});

test("commands carry the one category, and their titles begin with a capital letter", () => {
  for (const { command, category } of contributes.commands) {
    assert.equal(category, "Cloud GPU", command);
    assert.match(titleOf(command), /^[A-Z]/, command);
  }
});

/** Commands without an ellipsis that may ask: each asks in a rare case only, and mostly acts at once. */
const ASK_RARELY: Readonly<Record<string, string>> = {
  costsShow: "where something in its list is to be ended",
  spendingShow: "where its page is told to save a file",
  signOut: "where something goes on being billed",
  instanceOpenTerminal: "where the instance admits no key of this computer",
  instanceOpenPersistentTerminal: "where the instance admits no key of this computer",
  instanceOpenJupyter: "the first time, and where Jupyter is not installed",
  portStopForwarding: "from the palette, which of them",
  runAgain: "where the instance is gone, or much more would be uploaded",
  instanceForget: "where the instance may still be billed",
  templateNew: "where drafts of new templates were left",
  templateEdit: "where more than one draft of it was left",
  workergroupOpenTemplate: "where more than one draft of it was left",
  templateCompleteMerge: "where something is still undecided",
};

/** Commands that open a page on which someone chooses, and which do nothing on their own. */
const CHOOSE_ON_PAGE: readonly string[] = ["offersExplore"];

test("a command's title ends with an ellipsis exactly where it asks for something before it acts", () => {
  const questions = findQuestions(readSources().filter(({ path }) => /^ui\/\w+\/module\.ts$/.test(path)));
  assert.deepEqual([...questions.keys()].sort(), Object.keys(commands).sort(), "every command was followed");
  const wrong = [...questions].flatMap(([name, way]) => {
    const title = titleOf(commands[name as keyof typeof commands]);
    const wants = CHOOSE_ON_PAGE.includes(name) || (way !== undefined && !(name in ASK_RARELY));
    return title.endsWith("…") === wants ? [] : [`${title}: ${way ?? "asks nothing"}`];
  });
  assert.deepEqual(wrong, []);
  for (const name of Object.keys(ASK_RARELY)) assert.ok(questions.get(name), `${name} does not ask at all`);
});

test("an ellipsis is the one character, in every language where it is in English", () => {
  for (const language of [undefined, ...LANGUAGES])
    for (const { command, title } of contributes.commands) {
      const shown = manifestTexts(language)[title.slice(1, -1)] ?? "";
      assert.equal(shown.endsWith("…"), titleOf(command).endsWith("…"), `${language}: ${shown}`);
      assert.ok(!shown.endsWith("..."), shown);
    }
});

test("destroying is never inline", () => {
  const inline = contributes.menus["view/item/context"].filter(({ group }: { group: string }) =>
    group.startsWith("inline"),
  );
  assert.ok(inline.length > 0);
  for (const { command } of inline) assert.doesNotMatch(command, /destroy|delete/i);
});

test("the walkthrough has six steps, begins with the sandbox, and shows a picture at each", () => {
  const [{ steps }] = contributes.walkthroughs;
  assert.equal(steps.length, 6);
  assert.match(texts["walkthrough.sandbox.description"] ?? "", /command:cloudGpu\.sandbox\.try/);
  assert.equal(steps[0].id, "sandbox");
  for (const { id, media } of steps)
    for (const theme of ["dark", "light", "hc", "hcLight"])
      assert.ok(existsSync(join(ROOT, media.image[theme] ?? "")), `${id}, ${theme}`);
});

test("the walkthrough of groups has an example for each engine, as docs/engines.md has it", () => {
  const steps: { id: string; media: { markdown: string } }[] = contributes.walkthroughs[1].steps;
  assert.deepEqual(
    steps.map(({ id }) => id),
    ["each", "torchrun", "ray", "ansible", "parallel"],
  );
  const document = readFileSync(join(ROOT, "docs", "engines.md"), "utf8");
  for (const { media } of steps) {
    const blocks = readFileSync(join(ROOT, media.markdown), "utf8").match(/```.+?```/gs) ?? [];
    assert.ok(blocks.length > 0, media.markdown);
    for (const block of blocks) assert.ok(document.includes(block), block);
  }
});
