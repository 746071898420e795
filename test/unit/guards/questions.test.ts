// What is confirmed in one account is never done in another: commands take the account before they wait for anything,
// and each question of the source names the test that switches accounts behind it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import type { Node, SourceFile } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isAwaitExpression,
  isCallExpression,
  isExpressionStatement,
  isFunctionDeclaration,
  isFunctionExpression,
  isIdentifier,
  isMethodDeclaration,
  isPropertyAccessExpression,
  isReturnStatement,
} from "typescript/unstable/ast/is";
import { lineOf, nameOf, parseText, readSources, walk } from "./syntax.ts";

const TESTS = resolve(import.meta.dirname, "../..");
const JOURNEYS = readFileSync(resolve(TESTS, "journeys/account/account-guard.test.ts"), "utf8");
const WALKS = readFileSync(resolve(TESTS, "person/account/account-behind-modal.test.ts"), "utf8");
const sources = readSources();

const isFunction = (node: Node) =>
  isArrowFunction(node) || isFunctionDeclaration(node) || isFunctionExpression(node) || isMethodDeclaration(node);

interface Source {
  readonly path: string;
  readonly file: SourceFile;
}

/** The functions of each file, and those it imports from another one, that take the account themselves or call one that does. */
function findTakers(all: readonly Source[]): (path: string) => ReadonlySet<string> {
  const takers = new Map(all.map(({ path }) => [path, new Set<string>()]));
  const known = ({ path, file }: Source) => {
    const names = new Set(takers.get(path));
    for (const [, list = "", from = ""] of file.text.matchAll(/^import \{([^}]+)\} from "(\.[^"]+)";$/gm))
      for (const name of list.split(",").map((one) => one.trim()))
        if (takers.get(join(path, "..", from))?.has(name)) names.add(name);
    return names;
  };
  for (let [before, count] = [-1, 0]; before < count; ) {
    before = count;
    for (const source of all)
      walk(source.file, (outer) => {
        if (!isFunctionDeclaration(outer) || !outer.name || !outer.body) return;
        const [{ text }, names] = [outer.name, known(source)];
        walk(outer.body, (node) => {
          if (isFunction(node)) return false;
          if (takesAccount(node) || callsTaker(node, names)) takers.get(source.path)?.add(text);
          return true;
        });
      });
    count = [...takers.values()].reduce((sum, { size }) => sum + size, 0);
  }
  const sourceOf = new Map(all.map((source) => [source.path, source]));
  return (path) => known(sourceOf.get(path) as Source);
}

/** Where a function takes the account after it has waited, or calls one of the `takers`: another one may be signed in by then. */
function lateAccounts(file: SourceFile, takers: ReadonlySet<string> = new Set()): string[] {
  const found: string[] = [];
  walk(file, (outer) => {
    if (!isFunction(outer)) return;
    const taken: Node[] = [];
    let firstWaitEnds = Number.POSITIVE_INFINITY;
    const visit = (node: Node) => {
      if (isFunction(node)) return false;
      if (isAwaitExpression(node)) firstWaitEnds = Math.min(firstWaitEnds, node.end);
      if (takesAccount(node) || callsTaker(node, takers)) taken.push(node);
      return true;
    };
    outer.forEachChild((child) => walk(child, visit));
    // What is called is called once its arguments are there.
    for (const node of taken)
      if (takesAccount(node) ? node.getStart(file) >= firstWaitEnds : node.end > firstWaitEnds)
        found.push(`line ${lineOf(node)}: ${node.getText(file)}`);
  });
  return found;
}

/** Whether it calls a function that takes the account, and hands none over. */
function callsTaker(node: Node, takers: ReadonlySet<string>): boolean {
  if (!isCallExpression(node) || !isIdentifier(node.expression) || !takers.has(node.expression.text)) return false;
  return !node.arguments.some((argument) => /\baccount\b/.test(argument.getText()));
}

function takesAccount(node: Node): boolean {
  if (isCallExpression(node)) return nameOf(node.expression) === "signedIn";
  return isPropertyAccessExpression(node) && nameOf(node) === "current" && nameOf(node.expression) === "session";
}

/**
 * Commands that show what the account pays for, or are given an ID which means something else in another account, or nothing, which would
 * read as if it were gone.
 */
const OF_ACCOUNT = /^commands\.(costsShow|instanceShow|launchReview|runReattach|groupExport|workergroupShow)$/;

/** Who leads to such a command in a function that asserts nothing, and who does it before. */
const LEADS: Readonly<Record<string, string>> = {
  "ui/account/paying-for.ts follow": "showPayingFor asserts the account once the list was answered",
};

/**
 * Where an answer leads to such a command although another account may be signed in by now. Between the answer and what asserts the
 * account nothing else is waited for: it would be done in the other one.
 */
function unassertedLeads({ path, file }: Source): string[] {
  const found: string[] = [];
  walk(file, (outer) => {
    if (!isFunction(outer)) return;
    const [leads, asserted, answers, waits]: [Node[], number[], number[], number[]] = [[], [], [], []];
    const visit = (node: Node) => {
      if (isFunction(node)) return false;
      // What is returned is followed by nothing.
      if (isAwaitExpression(node) && !isReturnStatement(node.parent))
        (isExpressionStatement(node.parent) ? waits : answers).push(node.end);
      if (!isCallExpression(node)) return true;
      if (nameOf(node.expression) === "assertStill") asserted.push(node.end);
      if (nameOf(node.expression) === "runCommand" && OF_ACCOUNT.test(node.arguments[0]?.getText(file) ?? ""))
        leads.push(node);
      return true;
    };
    outer.forEachChild((child) => walk(child, visit));
    const name = isFunctionDeclaration(outer) ? outer.name?.text : undefined;
    for (const lead of leads) {
      const start = lead.getStart(file);
      const answer = Math.max(0, ...answers.filter((end) => end < start));
      const assertion = asserted.find((end) => answer < end && end < start);
      const isDoneBefore = waits.some((end) => answer < end && end < (assertion ?? start));
      if ((assertion === undefined || isDoneBefore) && !(`${path} ${name}` in LEADS))
        found.push(`${path} line ${lineOf(lead)}: ${lead.getText(file)}`);
    }
  });
  return found;
}

/** Where the source asks, and the tests that switch accounts behind the question; in brackets why none needs to. */
const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  "ui/launch/explore-offers.ts": [
    "(saves filters to a template; the save asserts the account before it sends anything)",
  ],
  "ui/instance/instance-actions.ts": ["destroy", "start", "reboot", "change bid"],
  "ui/port/jupyter.ts": [
    "(installs Jupyter; the account is asserted and the machine read again before it does)",
    "(opens a browser; the account is asserted before it does)",
  ],
  "ui/port/open-in-browser.ts": [
    "(in place of an address of the editor's own; the account is asserted and the port looked for again before another is opened)",
  ],
  "ui/port/port-commands.ts": ["(opens a browser; the account is asserted and the port read again before it does)"],
  "ui/connection/reach-machine.ts": [
    "(a host key that changed; the account is asserted before anything is forgotten)",
    "(the second click of it; forgets a key on this computer)",
  ],
  "ui/connection/remote-window.ts": ["(opens a window of the editor; the account is asserted before it does)"],
  "ui/connection/ssh-include.ts": [
    "(adds a line to a file of this computer)",
    "(removes it again; no account has a part in it)",
  ],
  "ui/transfer/upload-consent.ts": ["(the machine is read again in the account before anything is sent)"],
  "services/run/prepare-run.ts": ["(journeys/run/prepare-run.test.ts switches accounts while it is open)"],
  "services/run/rent-for-run.ts": ["(passes on what the launch asks, which journeys/launch/run-launch.test.ts holds)"],
  "ui/run/run-terminal.ts": [
    "(whether more is downloaded to this computer; the download ends with the account)",
    "(destroys what a run rented; services/run/end-rented.ts asserts the account before it does)",
  ],
  "ui/transfer/download-command.ts": [
    "(whether more is downloaded to this computer; the download ends with the account)",
    "(whether files of this computer are replaced)",
  ],
  "ui/account/api-key-commands.ts": ["delete an API key"],
  "ui/account/rename-account.ts": ["(names an account on this computer: the one that it was asked for)"],
  "ui/account/sign-in.ts": ["(the key itself, which says whose account it is)"],
  "ui/group/overlay-commands.ts": ["delete an overlay network"],
  "ui/host/host-commands.ts": ["unlist a volume"],
  "services/host/jobs-edit.ts": ["create background jobs"],
  "ui/host/jobs-panel.ts": ["(asks for services/host/jobs-edit.ts)"],
  "ui/launch/unresolved-launches.ts": ["a launch is settled in its own account only"],
  "services/launch/run-launch.ts": ["cancel while renting"],
  "services/launch/dead-machines.ts": [
    "replace a dead machine",
    "(before its launch is opened again; journeys/launch/run-launch.test.ts switches accounts while it is open)",
  ],
  "services/account/sign-out.ts": ["sign out"],
  "services/template/delete-template.ts": ["remove"],
  "ui/serverless/workergroup-commands.ts": ["copy a workergroup's key"],
  "services/launch/review-launch.ts": ["rent"],
  "services/group/review-group.ts": ["rent a group"],
  "ui/group/group-commands.ts": ["destroy", "stop"],
  "ui/group/hand-over-group.ts": [
    "(asks whether files of a folder are replaced; the account is asserted before they are)",
  ],
  "services/group/prepare-job.ts": ["(journeys/group/prepare-job.test.ts switches accounts while it is open)"],
  "ui/group/run-ansible.ts": ["(the account is asserted before anything is uploaded or run)"],
  "ui/group/job-terminal.ts": [
    "(whether more is downloaded to this computer; the download ends with the account)",
    "(a job rents nothing, so nothing is destroyed with it)",
  ],
  "services/template/save-consent.ts": ["save a script tab"],
  "services/template/template-file-actions.ts": ["push a file"],
  "ui/template/template-file-commands.ts": ["(asks whether a file of the folder is replaced)"],
  "services/template/template-edit.ts": ["(discards what was typed in this window)"],
  "ui/template/form/merge-view.ts": ["(takes a merge over into a form of this window)"],
  "services/agent/agent-launches.ts": [
    "(passes on what the launch asks; journeys/agent/agent-launches.test.ts switches accounts while it is open)",
  ],
  "ui/agent/share-tools.ts": [
    "(shares tools that act in this account; journeys/agent/mcp-server.test.ts switches accounts before it begins)",
  ],
  "ui/agent/act-tools.ts": [
    "(rents; journeys/agent/agent-launches.test.ts switches accounts while it is open)",
    "(stops, destroys or sets a sooner end; the account is asserted before it does)",
  ],
  "ui/agent/grant-commands.ts": [
    "(journeys/agent/grants.test.ts: a budget isn't given in an account that was entered behind the question)",
  ],
  "ui/instance/instance-commands.ts": ["(forgets a row; it sends nothing, and asserts the account itself)"],
};

function questionsIn(file: SourceFile, isUi: boolean): number {
  let count = 0;
  walk(file, (node) => {
    if (!isCallExpression(node)) return;
    const isTyped = nameOf(node.expression) === "askText" && node.typeArguments?.[0]?.getText(file) === "true";
    if (!isTyped && !["confirm", "confirmOr", "askModally"].includes(nameOf(node.expression))) return;
    // In services a question is asked through the person they were given.
    if (isUi || isPropertyAccessExpression(node.expression)) count += 1;
  });
  return count;
}

describe("the guard itself finds", () => {
  const planted = {
    "async function a() { await ask(); const account = session.signedIn(); }": 1,
    "const a = async () => { if (await ask()) send(session.current); };": 1,
    "async function a() { const account = session.signedIn(); await ask(account); }": 0,
    "async function a() { await ask(); } async function b() { session.signedIn(); }": 0,
    "async function a() { await send(session.signedIn()); }": 0,
    "async function a() { await walk(async () => session.signedIn()); }": 0,
  };
  for (const [text, count] of Object.entries(planted))
    test(text, () => assert.equal(lateAccounts(parseText(text)).length, count));

  const open = { path: "ui/open.ts", file: parseText("export async function open() { send(session.signedIn()); }") };
  const calling = {
    "async function a() { await open(); }": 0,
    "async function a() { await ask(); await open(); }": 1,
    "async function a() { await open(await ask()); }": 1,
    "async function a() { await ask(); await open(account); }": 0,
    "async function b() { await open(); } async function a() { await ask(); await b(); }": 1,
  };
  for (const [text, count] of Object.entries(calling))
    test(`across files: ${text}`, () => {
      const caller = { path: "ui/caller.ts", file: parseText(`import { open } from "./open.ts";\n${text}`) };
      const takers = findTakers([open, caller]);
      assert.equal(lateAccounts(caller.file, takers(caller.path)).length, count);
    });
});

describe("the guard finds where an answer is carried out in another account:", () => {
  const lead = "await runCommand(commands.launchReview, token);";
  const planted = {
    [`async function a() { if (await tell()) ${lead} }`]: 1,
    [`async function a() { await tell(); ${lead} }`]: 1,
    [`async function a() { session.assertStill(account); if (await tell()) ${lead} }`]: 1,
    [`async function a() { const go = await tell(); await stop(); session.assertStill(account); ${lead} }`]: 1,
    [`async function a() { const go = await tell(); session.assertStill(account); await stop(); ${lead} }`]: 0,
    [`const a = { go: async () => { session.assertStill(account); return ${lead} } };`]: 0,
    "async function a() { if (await tell()) await runCommand(commands.refresh); }": 0,
  };
  for (const [text, count] of Object.entries(planted))
    test(text, () => assert.equal(unassertedLeads({ path: "ui/a.ts", file: parseText(text) }).length, count));
});

test("no answer leads to something of the account once another one is signed in", () => {
  const asking = sources.filter(({ path }) => path.startsWith("ui/"));
  assert.deepEqual(asking.flatMap(unassertedLeads), []);
  const known = Object.keys(LEADS).filter((one) => {
    const [path, name] = one.split(" ");
    return !asking.some((source) => source.path === path && source.file.text.includes(`function ${name}(`));
  });
  assert.deepEqual(known, [], "each exception is still there");
});

test("no command takes the account after it has waited", () => {
  // Follows who is signed in, and asks nothing.
  const isFollower = (path: string) => path === "ui/main.ts";
  const asking = sources.filter(({ path }) => path.startsWith("ui/") && !isFollower(path));
  const takers = findTakers(asking);
  const problems = asking.flatMap(({ path, file }) =>
    lateAccounts(file, takers(path)).map((problem) => `${path} ${problem}`),
  );
  assert.deepEqual(problems, []);
});

test("every question of the source is known here, and each names its test", () => {
  // They pass on what services ask.
  const isWay = (path: string) =>
    /^ui\/(kit\/(ask\/confirm|messages)|launch\/(launch-person|review\/reviewer)|group\/(job-person|launch-group)|account\/sign-out|template\/template-person)\.ts$/.test(
      path,
    );
  const found: Record<string, number> = {};
  for (const { path, file } of sources) {
    if (!/^(ui|services)\//.test(path) || isWay(path)) continue;
    const count = questionsIn(file, path.startsWith("ui/"));
    if (count > 0) found[path] = count;
  }
  assert.deepEqual(found, Object.fromEntries(Object.entries(QUESTIONS).map(([path, names]) => [path, names.length])));
  const isHeld = (name: string) =>
    name.startsWith("(") ||
    [JOURNEYS, WALKS].some((text) => text.includes(`"${name}"`) || text.includes(`    ${name}: (`));
  assert.deepEqual(
    Object.values(QUESTIONS)
      .flat()
      .filter((name) => !isHeld(name)),
    [],
  );
});
