// Guards what is shipped: which files, how large, what each bundle holds and what it must not hold.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../..");
const bundle = (name: string) => readFileSync(join(ROOT, "dist", name), "utf8");
const KB = 1024;

/** Names in a zip archive, from its central directory. */
function entries(archive: Buffer): string[] {
  const names: string[] = [];
  for (let at = archive.indexOf("PK\u0001\u0002"); at >= 0; at = archive.indexOf("PK\u0001\u0002", at + 46)) {
    names.push(archive.toString("utf8", at + 46, at + 46 + archive.readUInt16LE(at + 28)));
  }
  return names;
}

test("the VSIX holds what it needs and nothing else", () => {
  const shipped = entries(readFileSync(join(ROOT, "dist/cloud-gpu.vsix"))).filter((name) =>
    name.startsWith("extension/"),
  );
  assert.deepEqual(shipped.map((name) => name.slice("extension/".length)).sort(), [
    "LICENSE.txt",
    "changelog.md",
    "dist/ThirdPartyNotices.txt",
    "dist/extension.cjs",
    "dist/main.cjs",
    "dist/sandbox.cjs",
    "dist/template.schema.json",
    "dist/undici.cjs",
    "dist/webview/template.css",
    "dist/webview/template.js",
    "dist/zod.cjs",
    "media/activity.svg",
    "media/icon.png",
    "media/l10n/bundle.l10n.de.json",
    "media/l10n/bundle.l10n.zh-cn.json",
    "media/walkthrough/costs.webp",
    "media/walkthrough/receipt.webp",
    "media/walkthrough/sandbox.webp",
    "media/walkthrough/sign-in.webp",
    "media/walkthrough/template.webp",
    "package.json",
    "package.nls.de.json",
    "package.nls.json",
    "package.nls.zh-cn.json",
    "readme.md",
  ]);
});

test("the VSIX stays below 750,000 bytes, what activation loads below 8 KB", () => {
  assert.ok(statSync(join(ROOT, "dist/cloud-gpu.vsix")).size < 750_000);
  assert.ok(statSync(join(ROOT, "dist/extension.cjs")).size < 8 * KB);
});

test("every package that is bundled has its notice", () => {
  const notices = bundle("ThirdPartyNotices.txt");
  for (const name of ["undici", "zod", "lit", "@vscode-elements/elements", "jsonc-parser"]) {
    const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8"));
    assert.ok(notices.includes(`${name} ${version} (`), name);
  }
  assert.match(notices, /Permission is hereby granted/);
});

test("undici and the sandbox are loaded when needed, zod not at activation", () => {
  const entry = bundle("extension.cjs");
  assert.match(entry, /\.\/main\.cjs/);
  assert.doesNotMatch(entry, /undici|ZodError|sandbox\.cjs/);
  const main = bundle("main.cjs");
  assert.match(main, /undici\.cjs/);
  assert.match(main, /sandbox\.cjs/);
  assert.doesNotMatch(main, /llhttp/);
  assert.doesNotMatch(bundle("sandbox.cjs"), /llhttp|require\("vscode"\)/);
});

test("the bundled undici has all that the transport uses", async () => {
  const { default: undici } = await import(join(ROOT, "dist/undici.cjs"));
  const transport = readFileSync(join(ROOT, "src/api/transport.ts"), "utf8");
  const used = [...new Set(Array.from(transport.matchAll(/\bundici\.(\w+)\(/g), ([, name]) => name ?? ""))];
  assert.ok(used.includes("request") && used.includes("Agent"));
  for (const name of used) assert.equal(typeof undici[name], "function", name);
});

test("the page brings no address of its own and evaluates nothing", () => {
  for (const name of ["webview/template.js", "webview/template.css"]) {
    const text = bundle(name);
    // What is left are words in sentences and in the patterns that read addresses; the page's policy lets none be fetched.
    const hosts = new Set(Array.from(text.matchAll(/https?:\/\/([\w-]+\.[\w.-]+)/g), ([, host]) => host));
    for (const host of hosts) assert.match(host ?? "", /^(www\.w3\.org|json-schema\.org|vscode-elements\.github\.io)$/);
    assert.doesNotMatch(text, /\beval\(|@import|url\(["']?https?:/, name);
  }
});

test("no bundle of ours evaluates text as code, and none names the machine it was built on", () => {
  for (const name of ["extension.cjs", "main.cjs", "sandbox.cjs"]) {
    const text = bundle(name);
    assert.ok(!text.includes(ROOT), name);
    assert.doesNotMatch(text, /\beval\(/, name);
  }
});

test("the repository names no machine and no registry", () => {
  const tracked = execFileSync("git", ["ls-files"], { cwd: ROOT, encoding: "utf8" }).trim().split("\n");
  assert.ok(tracked.length > 50);
  for (const name of tracked.filter((name) => !/\.(png|svg)$/.test(name))) {
    const text = readFileSync(join(ROOT, name), "utf8");
    assert.ok(!text.includes(`${ROOT}/`), name);
    if (name === "package-lock.json") assert.doesNotMatch(text, /"resolved": "http/, name);
  }
});
