// No dependency runs a script of its own when it is installed, but for those that bring a program for this system.
import assert from "node:assert/strict";
import { execSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";

const ROOT = resolve(import.meta.dirname, "../../..");
const readJson = (name: string) => JSON.parse(readFileSync(join(ROOT, name), "utf8"));
const { allowScripts }: { allowScripts: Readonly<Record<string, boolean>> } = readJson("package.json");
const { packages }: { packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>> } =
  readJson("package-lock.json");

const scripted = Object.entries(packages)
  .filter(([, { hasInstallScript }]) => hasInstallScript)
  .map(([path]) => path.replace(/^.*node_modules\//, ""));

test("every package that has an install script is allowed or denied by name", () => {
  assert.ok(scripted.length > 0);
  assert.deepEqual(
    scripted.filter((name) => !Object.hasOwn(allowScripts, name)),
    [],
  );
});

test("only Node.js and esbuild are allowed to, which bring a program for this system", () => {
  const allowed = Object.keys(allowScripts).filter((name) => allowScripts[name]);
  assert.deepEqual(allowed, ["node", "esbuild"]);
});

test("the SSH library needs nothing native, and nothing of it was built", () => {
  const folders = ["ssh2", "cpu-features"].map((name) => join(ROOT, "node_modules", name)).filter(existsSync);
  assert.ok(folders.length > 0);
  const built = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".node")),
  );
  // Before version 11, npm runs every script where it can.
  const isOlder = () => Number.parseInt(execSync("npm --version", { encoding: "utf8" }), 10) < 11;
  assert.ok(built.length === 0 || isOlder(), built.join());
});
