// What people read goes through `t`: a sentence that doesn't stays English whatever language the editor speaks.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { CallExpression, SourceFile } from "typescript/unstable/ast";
import { isCallExpression, isSpreadElement, isStringLiteral } from "typescript/unstable/ast/is";
import { findEnglish } from "./english.ts";
import { lineOf, nameOf, parseText, readSources, walk } from "./syntax.ts";

const sources = readSources();

/** Names, units, values of the wire, names of files and examples are the same in every language. */
const SAME = new Set([
  ...["Cloud GPU", "Vast.ai", "GB", "string", "Remote - SSH", "Open Remote - SSH"],
  ...["args", "args_str", "ssh_direct", "ssh_proxy", "jupyter_direct", "jupyter_proxy", "latest"],
  ...[".txt", ".log", ".jsonc", "template.json", "/workspace", "/data", "ghcr.io"],
  ...["pytorch/pytorch", "pytorch/pytorch:latest", "serve --name 'my model'"],
]);

/** Exceptions, each with its reason. */
const MAY: Readonly<Record<string, RegExp>> = {
  // Commands for the shell of a machine.
  "domain/run/run-plan.ts": /^python3 -m |^if command/,
  "domain/run/environment.ts": /^PIP_\w+=1 python3 -m | (uv|poetry) |^conda /,
  "domain/run/environment-script.ts": /\$|python|^(uv|poetry|conda) /,
  "domain/run/project-there.ts": /\$|^ *trap |git|-exec|alive|origin |HEAD/,
  "domain/run/keep-script.ts": /\$|; then |^call running \|\| \{/,
  "domain/connection/own-call.ts": /\$|^import os|^ def |^elif command|^try: sys|^except f/,
  "domain/connection/idle-keeper/keeper-script.ts":
    /\$|^put; mine|^unset |^; (?:sure=1|smi=)|&& call running|seen=gap|; ulimit /,
  "domain/connection/idle-keeper/keeper-command.ts": /\$|^set -f;|; sleep 1;/,
  "domain/connection/self-stop-command.ts": /\$|^unset /,
  "domain/instance/self-stop.ts": /\$|^set -- /,
  "domain/run/run-folder.ts": /\$/,
  "domain/connection/tmux.ts": /^if command/,
  "domain/run/run-script.ts":
    /^export |^lost left$|^trap |^b=sh|^elif |^ {2}if |^n=|^exec |^unset |\$[[({dlpqrw]|^ "\$q"|^; exit|^"\/\*\//,
  "domain/run/result-commands.ts": /\$|^exec |-prune/,
  "domain/run/run-secrets.ts": /^\{ set |\$/,
  "ui/run/ask-command.ts": /^python3 -u train\.py|^out\/\*\*/,
  "ui/run/secrets/ask-secrets.ts": /^HF_TOKEN$/,
  "ui/instance/ask-auto-stop.ts": /^90 min, 2 d, 18:00/,
  // The page around the pages: markup and its policy.
  "ui/kit/page-html.ts": /[<>]|^default-src/,
  // Words for the program: what a menu asks for, an outcome, the classes of a list.
  "present/instance/instances.ts": /^instance ordered$/,
  "services/instance/instance-actions.ts": /^not yet$/,
  // A folder of macOS.
  "services/core/book/state-folder.ts": /^Application Support$/,
  "webview/kit/problem-banner.ts": /^wrong alone$/,
  "webview/kit/focus.ts": /^ tbody /,
  "lib/secret-name.ts": /^[a-z ]+$/,
  // What a model reads; `package.json` has the same words.
  "domain/agent/tools.ts": /./,
  "present/agent/act-answers.ts": /./,
  // Countries by their letters.
  "domain/offer/place.ts": /^([A-Z]{2} ?)+$/,
  "webview/template/machines-section.ts": /^SE, DE$/,
  // Readers of shell words say where a text ends too early in words of their own.
  "lib/shell-words.ts": /^No word can be read from character $/,
  // The head of a request.
  "services/port/web-fronts.ts": /^\s*Connection: close\s*/,
  // Written into scripts, which whoever launches from the template reads.
  "domain/template/packed-script.ts": /^# Packed by Cloud GPU/,
  // The head of a file for `ssh` and a keyword in it, and command lines for a machine's shell.
  "domain/connection/ssh-config.ts": /^# Written by Cloud GPU|^\s*Match all\s*(SendEnv -\*\s*)?$/,
  "domain/connection/ssh-command.ts": /^; exec cat/,
  "domain/port/jupyter-server.ts": /^(PATH=|if command|no jupyter$|read -r|\(umask|; PIP_)/,
  "domain/connection/remote-machine.ts": /^(echo|\[) ?|^ && echo |echo "/,
  "domain/connection/machine-answer.ts": /^exec sh -c /,
  "services/connection/keep-out-tmux.ts": /^ && echo /,
  "domain/transfer/transfer-command.ts":
    /exec |^do head |^; do command -v |; then echo |^else echo |^ missing; fi$|^ none; exit/,
  // What is wrong with an archive, for the log: people read that it is damaged.
  "domain/transfer/tar-reader.ts": /^a(nother)? /,
  "domain/group/group-run.ts": /\$|^exec 3|^setsid /,
  "ui/group/run-on-group.ts": /^nvidia-smi -L$/,
  // A command line for a person's own shell.
  "domain/agent/mcp-snippet.ts": /^claude mcp add /,
  // The name of a program, and its command.
  "ui/group/ask-job.ts": /^\$\(list-tree\) Ansible$/,
  "domain/group/ansible.ts": /^ansible all -m raw /,
  // Scripts and files for other programs, and the command that asks a machine for its address.
  "domain/group/job-plan.ts": /./,
  "domain/group/hand-over/engine-files.ts": /./,
  "domain/group/hand-over/host-files.ts": /./,
  "services/group/read-hand-over.ts": /\$\(ip /,
  // Made when the extension is built: a schema is the same in every language.
  "domain/template/template-file-schema.ts": /./,
  "domain/template/template-filter-schema.ts": /./,
};

/** The sandbox speaks as the service does, and the table of the interface names its sections. */
const isOurs = ({ path }: { readonly path: string }) => !/^(sandbox|api\/table)\//.test(path);

/** What is wrong with a call of the translator; undefined where nothing is. */
function flawOf({ arguments: [message, ...values] }: CallExpression): string | undefined {
  if (!message || !isStringLiteral(message)) return "has no plain text to look up";
  if (values.some(isSpreadElement)) return "has values nobody can count";
  const places = [...new Set(message.text.match(/\{\d+\}/g))].sort();
  const filled = values.map((_, index) => `{${index}}`).sort();
  return places.join() === filled.join() ? undefined : `has places ${places.join()} for ${values.length} values`;
}

function findFlaws(file: SourceFile): { found: string[]; calls: number } {
  const found: string[] = [];
  let calls = 0;
  walk(file, (node) => {
    if (!isCallExpression(node) || nameOf(node.expression) !== "t") return;
    calls += 1;
    const flaw = flawOf(node);
    if (flaw !== undefined) found.push(`${lineOf(node)}: ${node.getText()} ${flaw}`);
  });
  return { found, calls };
}

describe("the guard of calls", () => {
  const BAD: readonly string[] = [
    't("{0} of {1}", one);',
    't("{0}", one, other);',
    't("{1}", one);',
    't("nothing", one);',
    't("{0}", ...all);',
    "t(`a template`);",
    "vscode.l10n.t(sentence);",
    't(isOne ? "one" : "many");',
  ];
  for (const text of BAD) test(`finds ${text}`, () => assert.equal(findFlaws(parseText(text)).found.length, 1));

  for (const text of ['t("{0} of {1}, {0} again", one, other);', 't("none");', 'list.at("{0}");'])
    test(`lets pass ${text}`, () => assert.deepEqual(findFlaws(parseText(text)).found, []));
});

test("every call of the translator has one plain text, and as many values as the text has places", () => {
  const all = sources.map(({ path, file }) => ({ path, ...findFlaws(file) }));
  assert.deepEqual(
    all.flatMap(({ path, found }) => found.map((flaw) => `${path}:${flaw}`)),
    [],
  );
  assert.ok(all.reduce((sum, { calls }) => sum + calls, 0) > 1000, "the calls were found");
});

describe("the guard of sentences", () => {
  const BAD: readonly string[] = [
    'void tellError("It failed");',
    'void tellInfo(isOne ? t("One.") : "Several.");',
    `throw new AppError("rejected", \`Instance \${id} is gone.\`);`,
    'const item = { label: `$(add) Another`, value: "add" };',
    'const item = { label: t("Add"), description: isNow ? "now" : undefined };',
    'await ask({ prompt: text ?? "Name" });',
    'const question = { go: "Delete" };',
    'const lines = [t("Instance"), "it is gone"];',
    'setListMessage(view, "old");',
    `buildDetailRow(\`\${id} address\`, "Address", value);`,
    'await documents.show("Summary.txt", text);',
    'const page = html`<p class="quiet">Nothing</p>`;',
    `const page = html\`<button aria-label="Remove">\${icon}</button>\`;`,
    `const page = html\`<p title=\${text}>\${before} and after</p>\`;`,
  ];
  for (const text of BAD) test(`finds ${text}`, () => assert.notDeepEqual(findEnglish(parseText(text)), []));

  const GOOD: readonly string[] = [
    'void tellError(t("It failed: {0}", reason), t("OK"));',
    'log.warn("An action failed.", error);',
    'throw new RangeError("There is nothing to draw from.");',
    `const item = { id: \`instance \${id}\`, context: "instance canDestroy", label: \`$(add) \${t("Add")}\` };`,
    `const item = { label: \`$(\${isNow ? "check" : "account"}) \${name}\`, description: "https://a.example" };`,
    `const page = html\`<p class="quiet" @click=\${() => close()}>\${t("Nothing")}</p>\`;`,
    'type Answer = "not yet" | "never again";',
    'if (kind === "ssh") return { accessible: a.kind === "ssh" ? t("SSH") : t("none") };',
  ];
  for (const text of GOOD) test(`lets pass ${text}`, () => assert.deepEqual(findEnglish(parseText(text)), []));
});

test("every text shown to people goes through the translator", () => {
  const used = new Set<string>();
  const left = sources.filter(isOurs).flatMap(({ path, file }) =>
    findEnglish(file).flatMap(({ line, text }) => {
      if (SAME.has(text.trim())) return [];
      if (!MAY[path]?.test(text)) return [`${path}:${line} “${text}”`];
      used.add(path);
      return [];
    }),
  );
  assert.deepEqual(left, []);
  assert.deepEqual([...used].sort(), Object.keys(MAY).sort(), "every exception is needed");
});
