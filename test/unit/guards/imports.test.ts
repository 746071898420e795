// Guards the direction of imports: data flows one way, and only src/ui and the entry point meet the editor.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

const SRC = resolve(import.meta.dirname, "../../../src");

/** What each room may import beside itself; `node:` stands for the platform. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: ["node:"],
  domain: ["lib", "zod", "ids"],
  present: ["domain", "lib", "ids"],
  api: ["domain", "lib", "zod", "undici", "node:"],
  services: ["api", "domain", "lib", "zod", "ids", "node:"],
  sandbox: ["api", "domain", "lib", "zod", "ssh2", "node:"],
  protocol: ["domain", "lib", "zod"],
  webview: ["protocol", "domain", "lib", "zod", "lit", "@vscode-elements"],
  ui: ["services", "present", "protocol", "domain", "lib", "ids", "zod", "vscode", "node:"],
  extension: ["ui", "lib", "ids", "vscode"],
  ids: [],
};

/** What a folder inside a room is about, in their order: it imports from itself and from what stands before it. */
const NOUNS: readonly (readonly string[])[] = [
  ["base", "core", "kit", "list"],
  ["offer"],
  ["template"],
  ["instance"],
  ["connection"],
  ["port"],
  ["transfer"],
  ["launch"],
  ["run"],
  ["group"],
  ["host"],
  ["serverless"],
  ["account"],
  ["agent"],
];
/** The same for the rooms that aren't divided by nouns. */
const PARTS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  api: [["table"], [".", "operations"]],
  sandbox: [["base"], ["market"], ["world"], ["handlers"], ["faults"], ["http"], ["jupyter"], ["ssh"], ["."]],
  webview: [["kit"], ["launch", "offers", "record", "spending", "template"], ["host"]],
};

/** Exceptions, each with its reason. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  // The composition root loads the sandbox on demand; the network settings' shape belongs to the transport.
  "ui/sandbox-entry.ts": ["sandbox"],
  "ui/kit/ports.ts": ["api"],
  "ui/kit/schema-language.ts": ["zod/locales"],
  // Types only.
  "ui/port/jupyter-kernels.ts": ["@vscode/jupyter-extension"],
  "services/agent/mcp/mcp-exchange.ts": [
    "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js",
    "@modelcontextprotocol/sdk/shared/protocol.js",
    "@modelcontextprotocol/sdk/types.js",
  ],
  "services/agent/mcp/mcp-server.ts": ["@modelcontextprotocol/sdk/types.js"],
  "services/account/spending-csv.ts": ["csv-stringify/sync"],
  "services/transfer/ignore-rules.ts": ["ignore"],
  "services/transfer/pack-files.ts": ["modern-tar"],
  "webview/offers/grid.ts": ["@tanstack/virtual-core"],
  "webview/offers/plot-scene.ts": ["d3-quadtree", "d3-scale"],
  // Reads JSON with comments, and changes it without losing them.
  "domain/template/template-file.ts": ["jsonc-parser"],
  "domain/template/template-file-lint.ts": ["jsonc-parser"],
  "domain/template/template-file-problem.ts": ["jsonc-parser"],
};

interface Import {
  readonly from: string;
  readonly specifier: string;
}

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(folder, name));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(file, "utf8");
  const found = text.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^;]*?from\s+"([^"]+)"|import\(\s*"([^"]+)"\s*\)|^import\s+"([^"]+)"/gm,
  );
  return [...found].map((match) => ({ from: relative(SRC, file), specifier: match[1] ?? match[2] ?? match[3] ?? "" }));
}

function room(path: string): string {
  return (path.split("/")[0] ?? "").replace(/\.ts$/, "");
}

function target({ from, specifier }: Import): string {
  if (specifier.startsWith("node:")) return "node:";
  // A part of a package is that package.
  const [whole = specifier] = /^(@vscode-elements|lit)(?=\/)/.exec(specifier) ?? [];
  if (!specifier.startsWith(".")) return whole;
  return room(relative(SRC, resolve(SRC, dirname(from), specifier)));
}

const all = sources(SRC).flatMap(importsOf);

test("every room imports only what lies inward of it", () => {
  const wrong = all.filter((one) => {
    const own = room(one.from);
    const to = target(one);
    return to !== own && !MAY_IMPORT[own]?.includes(to) && !ALSO[one.from]?.includes(to);
  });
  assert.deepEqual(wrong, []);
  assert.ok(all.length > 150, "the imports were found");
});

/** Where in its room's order a file stands. What lies above the folders puts the parts together and comes last. */
function rank(path: string): number {
  const [own = "", folder = "", ...rest] = path.split("/");
  const order = PARTS[own] ?? NOUNS;
  if (rest.length === 0) return order.findIndex((names) => names.includes(".")) + 1 || order.length + 1;
  const found = order.findIndex((names) => names.includes(folder)) + 1;
  assert.ok(found > 0, `${path} lies in no known folder`);
  return found;
}

const NOUN_ROOMS = ["domain", "present", "services", "ui"];

/** Folders inside a noun that build on its other files. Only the file that puts the noun together knows them. */
const BUILT_ON_IT: Readonly<Record<string, readonly string[]>> = { "services/instance": ["ends", "idle"] };

test("what a folder inside a noun builds on knows nothing of it", () => {
  for (const [noun, folders] of Object.entries(BUILT_ON_IT)) {
    const own = all.filter(({ from }) => dirname(from) === noun && !from.endsWith("-services.ts"));
    const wrong = own.filter(({ specifier }) => folders.some((folder) => specifier.startsWith(`./${folder}/`)));
    assert.ok(own.length > 20, "the imports were found");
    assert.deepEqual(wrong, []);
  }
});

test("every noun imports only what stands before it, in its own room and in the others", () => {
  const inside = all.filter(({ specifier }) => specifier.startsWith("."));
  const wrong = inside.filter(({ from, specifier }) => {
    const to = relative(SRC, resolve(SRC, dirname(from), specifier));
    const nouns = NOUN_ROOMS.includes(room(from)) && NOUN_ROOMS.includes(room(to));
    const parts = room(from) === room(to) && room(from) in PARTS;
    return (nouns || parts) && rank(to) > rank(from);
  });
  assert.deepEqual(wrong, []);
  assert.ok(inside.length > 1000, "the imports were found");
});

test("undici is imported by the transport alone, vscode by the editor's side alone, ssh2 by the sandbox's machines alone", () => {
  const who = (name: string) => [...new Set(all.filter(({ specifier }) => specifier === name).map(({ from }) => from))];
  // Its types, and the chunk that is loaded with the first request.
  assert.deepEqual(who("undici").sort(), ["api/transport.ts", "api/undici.ts"]);
  assert.ok(who("ssh2").every((from) => from.startsWith("sandbox/ssh/")));
  assert.deepEqual(
    who("vscode").filter((from) => !from.startsWith("ui/")),
    ["extension.ts"],
  );
});

test("programs of this computer are started in one place, and by the sandbox's machines", () => {
  const starters = all.filter(({ specifier }) => specifier === "node:child_process").map(({ from }) => from);
  const others = starters.filter((from) => !from.startsWith("sandbox/ssh/"));
  assert.deepEqual([...new Set(others)], ["services/connection/ssh/ssh-program.ts"]);
});

test("the editor's commands are run by ui/kit/run-command.ts alone, which types their arguments", () => {
  const running = sources(SRC).filter((file) => /\bexecuteCommand\b/.test(readFileSync(file, "utf8")));
  assert.deepEqual(
    running.map((file) => relative(SRC, file)),
    ["ui/kit/run-command.ts"],
  );
});

test("there is no cycle between files", () => {
  const edges = Map.groupBy(
    all.filter(({ specifier }) => specifier.startsWith(".")),
    ({ from }) => from,
  );
  const done = new Set<string>();
  const visit = (file: string, path: readonly string[]): void => {
    assert.ok(!path.includes(file), `cycle: ${[...path, file].join(" → ")}`);
    if (done.has(file)) return;
    for (const { specifier } of edges.get(file) ?? [])
      visit(relative(SRC, resolve(SRC, dirname(file), specifier)), [...path, file]);
    done.add(file);
  };
  for (const file of edges.keys()) visit(file, []);
});

/** What other files can import from a file: its name begins the export. */
const EXPORTED =
  /^export (?:(?:abstract |async )*(?:class|function\*?|const|type|interface|enum) (\w+)|const [[{]([^\]}=]+))/gm;

const namesExported = (text: string): string[] =>
  [...text.matchAll(EXPORTED)].flatMap(([, name, list = ""]) => name ?? list.split(",").map((one) => one.trim()));

test("exported names are found, also several at once", () => {
  const text = "export const [LEAST, MOST] = [1, 2];\nexport type { A } from './a.ts';\nexport async function run() {}";
  assert.deepEqual(namesExported(text), ["LEAST", "MOST", "run"]);
});

test("one exported name exists once, so that a search for it leads to one place", () => {
  // A schema and its type are one thing. The sandbox is a program of its own, and modules are told apart by their folder.
  const files = sources(SRC).filter((file) => !relative(SRC, file).startsWith("sandbox"));
  const places = new Map<string, Set<string>>();
  for (const file of files)
    for (const name of namesExported(readFileSync(file, "utf8")))
      places.set(name, (places.get(name) ?? new Set()).add(relative(SRC, file)));
  const twice = [...places]
    .filter(([, { size }]) => size > 1)
    .map(([name, found]) => `${name}: ${[...found].join(", ")}`);
  assert.deepEqual(twice, []);
});

test("nothing is exported that no other file names", () => {
  const texts = [...sources(SRC), ...sources(join(SRC, "..", "test"))].map((file) => [
    file,
    readFileSync(file, "utf8"),
  ]);
  const files = new Map<string, Set<string>>();
  for (const [file = "", text = ""] of texts)
    for (const word of text.match(/[\w$]+/g) ?? []) files.set(word, (files.get(word) ?? new Set()).add(file));
  const alone = texts.flatMap(([file = "", text = ""]) =>
    !relative(SRC, file).startsWith("..") ? namesExported(text).filter((name) => files.get(name)?.size === 1) : [],
  );
  assert.deepEqual(alone, []);
});
