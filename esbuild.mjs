// Builds the bundles: a tiny entry, the house it loads in the next turn, undici and the sandbox for when they are needed.
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";
import * as zod from "zod";
import { templateFileSchema } from "./src/domain/template-file-schema.ts";

const production = process.argv.includes("--production");

/** Modules that are loaded by `import()` become files of their own; everything else is bundled where it is used. */
const chunks = {
  "./ui/house.ts": "./house.cjs",
  "../sandbox/start.ts": "./sandbox.cjs",
  undici: "./undici.cjs",
};

/** @type {import("esbuild").Plugin} */
const loadedLater = {
  name: "loaded-later",
  setup(context) {
    context.onResolve({ filter: /.*/ }, ({ path, kind }) => {
      const chunk = kind === "dynamic-import" ? chunks[path] : undefined;
      return chunk === undefined ? undefined : { path: chunk, external: true };
    });
  },
};

/**
 * House and sandbox share one zod. Its entry names what the source uses of it: all of it would be six times as much.
 * @type {import("esbuild").Plugin}
 */
const sharedZod = {
  name: "shared-zod",
  setup(context) {
    context.onResolve({ filter: /^zod$/ }, ({ kind, importer }) =>
      kind === "entry-point" || importer === "" ? undefined : { path: "./zod.cjs", external: true },
    );
  },
};

function zodInUse() {
  const source = readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(`src/${name}`, "utf8"))
    .join("\n");
  const names = new Set(Array.from(source.matchAll(/\bz\s*\.\s*(\w+)/g), ([, name = ""]) => name));
  return `export { ${[...names].filter((name) => name in zod).join(", ")} } from "zod";`;
}

/**
 * Parts of libraries that their own indexes load and nothing here uses: undici's `fetch` and all around it, HTTP/2, its
 * mocks, caches, interceptors, retries and further pools; zod's way to describe schemas as JSON Schema. What asks for one of them gets an empty hand.
 * @type {import("esbuild").Plugin}
 */
const withoutUnused = {
  name: "without-unused",
  setup(context) {
    const undici = new RegExp(
      [
        "(?:mock|web|cache|interceptor)[\\\\/]",
        "dispatcher[\\\\/](?:client-h2|h2c-client|balanced-pool|round-robin-pool|retry-agent)",
        "handler[\\\\/](?:retry|redirect)-handler",
      ]
        .map((part) => `[\\\\/]undici[\\\\/]lib[\\\\/]${part}`)
        .join("|"),
    );
    const zod = /[\\/]zod[\\/]v4[\\/]core[\\/](?:to-json-schema|json-schema-[a-z]+)\.js$/;
    const contents = "module.exports = new Proxy({}, { get: () => () => ({}) });";
    // Its HTTP parser comes twice, for processors with SIMD and for all; the one for all is what it falls back to.
    const simd = /[\\/]undici[\\/]lib[\\/]llhttp[\\/]llhttp_simd-wasm\.js$/;
    context.onLoad({ filter: simd }, () => ({ contents: "module.exports = Buffer.alloc(0);" }));
    // The index makes an instance of some of them as it loads, so each name is a class without anything in it.
    const classes = "module.exports = new Proxy({}, { get: () => class {} });";
    context.onLoad({ filter: undici }, () => ({ contents: classes }));
    context.onLoad({ filter: zod }, () => ({ contents, loader: "js" }));
  },
};

/** @type {import("esbuild").BuildOptions} */
const common = {
  bundle: true,
  platform: "node",
  target: "node22",
  format: "cjs",
  outExtension: { ".js": ".cjs" },
  outdir: "dist",
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  plugins: [loadedLater, withoutUnused],
  // Its main file asks for its parts by a name of the moment, which no bundler follows.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
};

await build({
  ...common,
  entryPoints: undefined,
  outdir: undefined,
  outfile: "dist/zod.cjs",
  stdin: { contents: zodInUse(), resolveDir: ".", sourcefile: "zod-in-use.js" },
});
await build({
  ...common,
  plugins: [sharedZod, ...common.plugins],
  external: ["vscode"],
  // undici's own switch for being bundled: without its second, experimental HTTP parser, a fifth of what is shipped.
  define: { esbuildDetection: "true" },
  entryPoints: {
    extension: "src/extension.ts",
    house: "src/ui/house.ts",
    sandbox: "src/sandbox/start.ts",
    undici: "undici",
  },
});
// The pages, for the browser inside the editor.
await build({
  bundle: true,
  platform: "browser",
  plugins: [withoutUnused],
  target: "es2024",
  format: "iife",
  conditions: production ? ["production"] : ["development"],
  outdir: "dist/webview",
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
  entryPoints: ["src/webview/template/main.ts", "src/webview/template/style.css"].map((file) => ({
    in: file,
    out: "template",
  })),
});
// The sandbox as a program of its own, for `npm start` and for other programs to talk to.
await build({
  ...common,
  format: "esm",
  outExtension: { ".js": ".mjs" },
  entryPoints: { sandbox: "src/sandbox/main.ts" },
});

// What the editor knows template files by: made of the schema that the form and the requests are checked with.
await mkdir("dist", { recursive: true });
await writeFile("dist/template.schema.json", `${JSON.stringify(templateFileSchema())}\n`);

if (production) {
  // The packaged README goes without its picture: an installed extension cannot show one that is not on the web.
  const readme = await readFile("README.md", "utf8");
  await writeFile("dist/README.md", readme.replace(/^!\[.*\n\n?/gm, ""));
}
