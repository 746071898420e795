// Guards the direction of imports: data flows one way, and only src/ui and the entry point meet the editor.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { test } from "node:test";

const SRC = resolve(import.meta.dirname, "../../src");

/** What each room may import beside itself; `node:` stands for the platform. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: ["node:"],
  domain: ["lib", "zod", "ids"],
  present: ["domain", "lib", "ids"],
  api: ["domain", "lib", "zod", "undici", "node:"],
  services: ["api", "domain", "lib", "zod", "ids", "node:"],
  sandbox: ["api", "domain", "lib", "zod", "node:"],
  protocol: ["domain", "lib", "zod"],
  webview: ["protocol", "domain", "lib", "zod", "lit", "@vscode-elements"],
  ui: ["services", "present", "protocol", "domain", "lib", "ids", "zod", "vscode", "node:"],
  extension: ["ui", "lib", "ids", "vscode"],
  ids: [],
};

/** Exceptions, each with its reason. */
const ALSO: Readonly<Record<string, readonly string[]>> = {
  // The composition root loads the sandbox on demand; the network settings' shape belongs to the transport.
  "ui/main.ts": ["sandbox"],
  "ui/kit/ports.ts": ["api"],
  // Reads JSON with comments, and changes it without losing them.
  "domain/template/template-file.ts": ["jsonc-parser"],
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
  if (!specifier.startsWith(".")) return specifier.startsWith("@vscode-elements/") ? "@vscode-elements" : specifier;
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

test("undici is imported by the transport alone, vscode by the editor's side alone", () => {
  const who = (name: string) => [...new Set(all.filter(({ specifier }) => specifier === name).map(({ from }) => from))];
  assert.deepEqual(who("undici"), ["api/transport.ts"]);
  assert.deepEqual(
    who("vscode").filter((from) => !from.startsWith("ui/")),
    ["extension.ts"],
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

test("files and functions stay small enough to read", () => {
  const long = sources(SRC).filter((file) => readFileSync(file, "utf8").split("\n").length > 300);
  assert.deepEqual(
    long.map((file) => relative(SRC, file)),
    [],
  );
});
