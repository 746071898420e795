// Builds the bundles: a tiny entry, the house it loads in the next turn, undici and the sandbox for when they are needed.
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

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
 * undici's index loads parts nothing here uses: its mocks for tests, web sockets and event streams. They are a tenth of it.
 * @type {import("esbuild").Plugin}
 */
const onlyRequests = {
  name: "only-requests",
  setup(context) {
    const unused = /[\\/]undici[\\/]lib[\\/](?:mock|web[\\/](?:websocket|eventsource))[\\/]/;
    context.onLoad({ filter: unused }, () => ({ contents: "module.exports = {};" }));
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
  plugins: [loadedLater, onlyRequests],
};

await build({
  ...common,
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

if (production) {
  // The packaged README goes without its picture: an installed extension cannot show one that is not on the web.
  const readme = await readFile("README.md", "utf8");
  await writeFile("dist/README.md", readme.replace(/^!\[.*\n\n?/gm, ""));
}
