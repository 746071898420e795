// Builds the bundles: a tiny entry, the extension it loads in the next turn, and undici and the sandbox for when they are needed.
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { minify } from "terser";
import { buildTemplateFileSchema } from "./src/domain/template/template-file-schema.ts";

const production = process.argv.includes("--production");

/** @type {import("esbuild").BuildOptions} */
const common = {
  platform: "node",
  target: "node22",
  outdir: "dist",
  minify: production,
  sourcemap: production ? false : "linked",
  logLevel: "warning",
};

/** @type {import("esbuild").BuildOptions} */
const bundled = {
  ...common,
  bundle: true,
  metafile: true,
  // Its main file asks for its parts by a name of the moment, which no bundler follows.
  alias: { "jsonc-parser": "jsonc-parser/lib/esm/main.js" },
};

/** Compiled parts that the SSH server of the sandbox uses where they are installed, and does without elsewhere. */
const NATIVE = ["cpu-features", "*.node"];

/** Editors load extensions as CommonJS. */
const COMMON_JS = { format: "cjs", outExtension: { ".js": ".cjs" }, supported: { "dynamic-import": false } };

/**
 * Every window loads the entry, so it is one file on its own.
 * @type {import("esbuild").Plugin}
 */
const mainLater = {
  name: "main-later",
  setup: (context) =>
    context.onResolve({ filter: /^\.\/ui\/main\.ts$/ }, () => ({ path: "./main.cjs", external: true })),
};

const MODULES = "dist/modules";
for (const name of await readdir("dist").catch(() => []))
  if (/^(modules|webview|shared-.*)$/.test(name)) await rm(join("dist", name), { recursive: true });

const built = [];
built.push(
  await build({
    ...bundled,
    ...COMMON_JS,
    external: ["vscode"],
    plugins: [mainLater],
    entryPoints: { extension: "src/extension.ts" },
  }),
);
// What is loaded by `import()` becomes a file of its own, and what several of them use is shared.
built.push(
  await build({
    ...bundled,
    format: "esm",
    splitting: true,
    outdir: MODULES,
    outExtension: { ".js": ".cjs" },
    chunkNames: "shared-[hash]",
    external: ["vscode", ...NATIVE],
    entryPoints: {
      main: "src/ui/main.ts",
      mcp: "src/services/agent/mcp/mcp-server.ts",
      sandbox: "src/sandbox/start.ts",
      "sandbox-ssh": "src/sandbox/ssh/machines.ts",
      undici: "src/api/undici.ts",
    },
  }),
);
// The bundler can't split CommonJS.
await build({
  ...common,
  ...COMMON_JS,
  // Said of a library's own lines, which the bundler passes over and this step no longer recognizes.
  logOverride: { "suspicious-boolean-not": "silent" },
  loader: { ".cjs": "js" },
  entryPoints: (await readdir(MODULES)).filter((name) => name.endsWith(".cjs")).map((name) => join(MODULES, name)),
});
await rm(MODULES, { recursive: true });
// The pages, for the browser inside the editor: one file, so that they share what they are made of. A page that brings libraries of its
// own is loaded by `import()` from a file beside it.
built.push(
  await build({
    bundle: true,
    platform: "browser",
    metafile: true,
    target: "es2024",
    format: "esm",
    splitting: true,
    chunkNames: "[name]-[hash]",
    conditions: production ? ["production"] : ["development"],
    outdir: "dist/webview",
    minify: production,
    sourcemap: production ? false : "linked",
    logLevel: "warning",
    entryPoints: ["src/webview/main.ts", "src/webview/style.css"].map((file) => ({ in: file, out: "pages" })),
  }),
);
// The sandbox as a program of its own, for `npm start` and for other programs to talk to.
await build({
  ...bundled,
  format: "esm",
  outExtension: { ".js": ".mjs" },
  external: NATIVE,
  // The SSH server is CommonJS and uses what only such a file has.
  banner: {
    js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url), __dirname = import.meta.dirname;',
  },
  entryPoints: { sandbox: "src/sandbox/main.ts" },
});

// What the editor knows template files by: made of the schema that the form and the requests are checked with.
await mkdir("dist", { recursive: true });
await writeFile("dist/template.schema.json", `${JSON.stringify(buildTemplateFileSchema())}\n`);

if (production) {
  await writeFile("dist/README.md", await readmeByItself());
  const programs = (await readdir("dist")).filter((name) => name.endsWith(".cjs"));
  const pages = (await readdir("dist/webview")).filter((name) => name.endsWith(".js"));
  for (const name of [...programs, ...pages.map((page) => join("webview", page))]) await shorten(join("dist", name));
}

await writeFile("dist/ThirdPartyNotices.txt", await noticesOf(built));

/** Says the same in less: the bundler minifies each statement as it is, and this looks at them together. License notices stay. */
async function shorten(path) {
  const { code } = await minify(await readFile(path, "utf8"), {
    module: path.endsWith(".js"),
    compress: { passes: 2 },
    format: { comments: "some" },
  });
  if (!code) throw new Error(`Nothing is left of ${path}.`);
  await writeFile(path, code);
}

/**
 * The README as an installed extension shows it. The editor shows pictures there only from an address on the web, and opens no
 * file beside it: pictures are left out, what makes sense in the repository alone is left out, and other links are text.
 */
async function readmeByItself() {
  const readme = await readFile("README.md", "utf8");
  return readme
    .replace(/^<!-- repo -->\n[\s\S]*?^<!-- \/repo -->\n+/gm, "")
    .replace(/^!\[[^\]]*\]\(media\/[^)]+\)\n\n/gm, "")
    .replace(/ \[More\]\([^)]+\)/g, "")
    .replace(/^\|.*\| more \|\n(?:\|.*\n)+/m, (table) => table.replaceAll(/[^|\n]*\|$/gm, ""))
    .replace(/\[([^\]]+)\]\((?!https:|#)[^)]+\)/g, "$1");
}

/** Name, version and license of every package that some of it was bundled from. */
async function noticesOf(results) {
  const inputs = results.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const packages = new Set(inputs.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? []));
  const notices = [...packages].sort().map(async (name) => {
    const folder = join("node_modules", name);
    const { version, license, licenses } = JSON.parse(await readFile(join(folder, "package.json"), "utf8"));
    // Older packages list theirs.
    const named = license ?? licenses?.map(({ type }) => type).join(", ");
    const file = (await readdir(folder)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined || !named) throw new Error(`${name} is bundled and brings no license.`);
    return `${name} ${version} (${named})\n\n${(await readFile(join(folder, file), "utf8")).trim()}\n`;
  });
  const head = "Cloud GPU contains parts of these packages.\n";
  return [head, ...(await Promise.all(notices))].join(`\n${"-".repeat(80)}\n\n`);
}
