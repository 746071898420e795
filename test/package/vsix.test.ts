// Guards what is shipped: which files, how large, what each bundle holds and what it must not hold.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { inflateRawSync } from "node:zlib";

const ROOT = resolve(import.meta.dirname, "../..");
const bundle = (name: string) => readFileSync(join(ROOT, "dist", name), "utf8");
const KB = 1024;
const require = createRequire(import.meta.url);

const VSIX = join(ROOT, "dist/cloud-gpu.vsix");

/** The compressed files of a zip archive by their names, from its central directory. */
function entries(archive: Buffer): ReadonlyMap<string, Buffer> {
  const found = new Map<string, Buffer>();
  for (let at = archive.indexOf("PK\u0001\u0002"); at >= 0; at = archive.indexOf("PK\u0001\u0002", at + 46)) {
    const name = archive.toString("utf8", at + 46, at + 46 + archive.readUInt16LE(at + 28));
    const head = archive.readUInt32LE(at + 42);
    const begin = head + 30 + archive.readUInt16LE(head + 26) + archive.readUInt16LE(head + 28);
    found.set(name, archive.subarray(begin, begin + archive.readUInt32LE(at + 20)));
  }
  return found;
}

test("the VSIX holds what it needs and nothing else", () => {
  const shipped = [...entries(readFileSync(VSIX)).keys()].filter((name) => name.startsWith("extension/"));
  const names = shipped.map((name) =>
    name
      .slice("extension/".length)
      .replace(/^dist\/shared-\w+/, "dist/shared")
      .replace(/^(dist\/webview\/\w+)-\w+/, "$1"),
  );
  assert.deepEqual([...new Set(names)].sort(), [
    "LICENSE.txt",
    "changelog.md",
    "dist/ThirdPartyNotices.txt",
    "dist/extension.cjs",
    "dist/main.cjs",
    "dist/mcp.cjs",
    "dist/sandbox-ssh.cjs",
    "dist/sandbox.cjs",
    "dist/shared.cjs",
    "dist/template.schema.json",
    "dist/undici.cjs",
    "dist/webview/chunk.js",
    "dist/webview/main.js",
    "dist/webview/pages.css",
    "dist/webview/pages.js",
    "media/activity.svg",
    "media/icon.png",
    "media/l10n/bundle.l10n.de.json",
    "media/l10n/bundle.l10n.zh-cn.json",
    "media/skills/cloud-gpu/SKILL.md",
    "media/walkthrough/ansible.md",
    "media/walkthrough/connect-dark.webp",
    "media/walkthrough/connect-light.webp",
    "media/walkthrough/costs-dark.webp",
    "media/walkthrough/costs-light.webp",
    "media/walkthrough/each.md",
    "media/walkthrough/parallel.md",
    "media/walkthrough/ray.md",
    "media/walkthrough/sandbox-dark.webp",
    "media/walkthrough/sandbox-light.webp",
    "media/walkthrough/sign-in-dark.webp",
    "media/walkthrough/sign-in-light.webp",
    "media/walkthrough/summary-dark.webp",
    "media/walkthrough/summary-light.webp",
    "media/walkthrough/template-dark.webp",
    "media/walkthrough/template-light.webp",
    "media/walkthrough/torchrun.md",
    "package.json",
    "package.nls.de.json",
    "package.nls.json",
    "package.nls.zh-cn.json",
    "readme.md",
  ]);
});

test("the page of the installed extension shows no picture that the editor would leave out, and no link that leads nowhere", () => {
  const page = readFileSync(join(ROOT, "dist", "README.md"), "utf8");
  const targets = [...page.matchAll(/\]\(([^)]*)\)/g)].map(([, target = ""]) => target);
  assert.doesNotMatch(page, /!\[|<img|data:/);
  assert.doesNotMatch(page, /npm |\bMore\b|<!--|CONTRIBUTING/, "what makes sense in the repository alone");
  assert.match(page, /^\| I want to \| choose \|$/m);
  const headings = [...page.matchAll(/^## (.*)$/gm)].map(
    ([, name = ""]) => `#${name.toLowerCase().replaceAll(" ", "-")}`,
  );
  const dead = targets.filter((target) => !headings.includes(target));
  assert.deepEqual(dead, []);
});

test("what is compressed in it is what was built", () => {
  const built = [...entries(readFileSync(VSIX))].filter(([name]) => /^extension\/(?:dist|media)\//.test(name));
  assert.ok(built.length > 15);
  for (const [name, packed] of built)
    assert.ok(inflateRawSync(packed).equals(readFileSync(join(ROOT, name.slice("extension/".length)))), name);
});

test("packed at another time and place it is the same, byte for byte", { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "cloud-gpu-vsix-"));
  try {
    const copy = join(folder, "copy.vsix");
    copyFileSync(VSIX, copy);
    const child = spawn(process.execPath, [join(ROOT, ".ci/pack.mjs"), copy], {
      env: { ...process.env, TZ: "Asia/Tokyo" },
      stdio: ["ignore", "inherit", "inherit"],
    });
    assert.deepEqual(await once(child, "exit"), [0, null]);
    assert.ok(readFileSync(copy).equals(readFileSync(VSIX)));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

/** The bundles that this one loads at once, itself included. */
function loadedWith(name: string, known = new Set<string>()): ReadonlySet<string> {
  if (known.has(name)) return known;
  known.add(name);
  const text = bundle(name).replaceAll(/\.then\(\(\)=>[\w$]*\(?require\("[^"]+"\)/g, "");
  for (const [, next = ""] of text.matchAll(/\brequire\("\.\/([\w-]+\.cjs)"\)/g)) loadedWith(next, known);
  return known;
}

test("the program and its texts take less than 1,200,000 bytes, the pictures and the page less than 400,000, what activation loads 8 KB", () => {
  const files = [...entries(readFileSync(VSIX))];
  const isPicture = (name: string) => /\.(png|webp|gif|svg)$|\/readme\.md$/.test(name);
  const sizeOf = (wanted: boolean) =>
    files.reduce((sum, [name, { length }]) => sum + (isPicture(name) === wanted ? length : 0), 0);
  assert.ok(sizeOf(false) < 1_200_000, `the program: ${sizeOf(false)}`);
  assert.ok(sizeOf(true) < 400_000, `the pictures: ${sizeOf(true)}`);
  const sizes = [...loadedWith("extension.cjs")].map((name) => statSync(join(ROOT, "dist", name)).size);
  assert.ok(sizes.reduce((sum, size) => sum + size) < 8 * KB);
});

test("every package that is bundled has its notice", () => {
  const notices = bundle("ThirdPartyNotices.txt");
  const ssh = ["ssh2", "asn1", "bcrypt-pbkdf", "safer-buffer", "tweetnacl"];
  for (const name of [
    "@modelcontextprotocol/sdk",
    "content-type",
    "zod-to-json-schema",
    "undici",
    "zod",
    "lit",
    "@vscode-elements/elements",
    "jsonc-parser",
    "ignore",
    "modern-tar",
    "@tanstack/virtual-core",
    "csv-stringify",
    "d3-quadtree",
    "d3-scale",
    ...ssh,
  ]) {
    const { version } = JSON.parse(readFileSync(join(ROOT, "node_modules", name, "package.json"), "utf8"));
    assert.match(
      notices,
      new RegExp(`^${name} ${version.replaceAll(".", "\\.")} \\((?!undefined)[^)]+\\)$`, "m"),
      name,
    );
  }
  assert.match(notices, /Permission is hereby granted/);
});

test("undici and the sandbox are loaded when needed, zod not at activation", () => {
  const all = (name: string) => [...loadedWith(name)].map(bundle).join("\n");
  assert.match(bundle("extension.cjs"), /then\(\(\)=>[\w$]+\(require\("\.\/main\.cjs"\)/);
  assert.doesNotMatch(all("extension.cjs"), /undici|ZodError|sandbox\.cjs/);
  assert.match(all("main.cjs"), /ZodError/);
  assert.match(all("main.cjs"), /undici\.cjs/);
  assert.match(all("main.cjs"), /sandbox\.cjs/);
  assert.doesNotMatch(all("main.cjs"), /llhttp/);
  // What other agents speak, with the first sharing: none of its server's validator, which makes code of schemas.
  assert.match(all("main.cjs"), /mcp\.cjs/);
  assert.doesNotMatch(all("main.cjs"), /notifications\/cancelled/);
  assert.match(bundle("mcp.cjs"), /notifications\/cancelled/);
  assert.doesNotMatch(all("mcp.cjs"), /\bajv\b|hono|express/);
  assert.doesNotMatch(all("sandbox.cjs"), /llhttp|require\("vscode"\)|chacha20-poly1305/);
  assert.match(bundle("sandbox.cjs"), /sandbox-ssh\.cjs/);
  assert.ok(bundle("sandbox-ssh.cjs").includes("chacha20-poly1305"));
});

test("the bundled undici has all that the transport uses", async () => {
  const { undici } = require(join(ROOT, "dist/undici.cjs"));
  const transport = readFileSync(join(ROOT, "src/api/transport.ts"), "utf8");
  const used = [...new Set(Array.from(transport.matchAll(/\bundici\.(\w+)\(/g), ([, name]) => name ?? ""))];
  assert.ok(used.includes("request") && used.includes("Agent"));
  for (const name of used) assert.equal(typeof undici[name], "function", name);
});

/** The first line that the machine at this port sends. */
async function readGreeting(port: number): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port });
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return bytes.toString("latin1").split("\r\n")[0] ?? "";
}

async function rentMachine({ url, apiKey }: { url: string; apiKey: string }): Promise<number> {
  const ask = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${apiKey}` };
    return (await (await fetch(url + path, { method, headers, body: JSON.stringify(body) })).json()) as Answer;
  };
  const { offers } = await ask("POST", "/api/v0/bundles/", { verified: { eq: true }, limit: 1 });
  const body = { image: "a/b", disk: 10, runtype: "ssh_direct" };
  const { new_contract } = await ask("PUT", `/api/v0/asks/${offers?.[0]?.id}/`, body);
  for (;;) {
    const { instances } = await ask("GET", `/api/v0/instances/${new_contract}/`);
    if (instances?.ssh_host === "127.0.0.1") return Number(instances.ssh_port);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

interface Answer {
  readonly offers?: readonly { readonly id: number }[];
  readonly new_contract?: number;
  readonly instances?: { readonly ssh_host: string; readonly ssh_port: number };
}

const noShell = process.platform === "win32" && "there is no POSIX shell";

test("the bundled sandbox loads its SSH server", { skip: noShell, timeout: 60_000 }, async () => {
  const { startSandbox } = require(join(ROOT, "dist/sandbox.cjs"));
  const sandbox = await startSandbox({ ssh: true, speed: 600 });
  assert.equal(await readGreeting(await rentMachine(sandbox)), "SSH-2.0-CloudGpuSandbox");
  await sandbox.stop();
});

test("so does the one that is a program", { skip: noShell, timeout: 60_000 }, async () => {
  const child = spawn(process.execPath, [join(ROOT, "dist/sandbox.mjs"), "--speed", "600"]);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  assert.equal(await readGreeting(await rentMachine(JSON.parse(line))), "SSH-2.0-CloudGpuSandbox");
  child.kill();
  assert.deepEqual(await once(child, "exit"), [0, null]);
});

test("the page brings no address of its own and evaluates nothing", () => {
  const pages = readdirSync(join(ROOT, "dist/webview")).map((name) => `webview/${name}`);
  assert.ok(pages.length > 3);
  for (const name of pages) {
    const text = bundle(name);
    // What is left are words in sentences and in the patterns that read addresses; the page's policy lets none be fetched.
    const hosts = new Set(Array.from(text.matchAll(/https?:\/\/([\w-]+\.[\w.-]+)/g), ([, host]) => host));
    for (const host of hosts) assert.match(host ?? "", /^(www\.w3\.org|json-schema\.org|vscode-elements\.github\.io)$/);
    assert.doesNotMatch(text, /\beval\(|@import|url\(["']?https?:/, name);
  }
});

test("no bundle of ours evaluates text as code, and none names the machine it was built on", () => {
  const ours = readdirSync(join(ROOT, "dist")).filter((name) => name.endsWith(".cjs") && name !== "undici.cjs");
  assert.ok(ours.length > 3);
  for (const name of ours) {
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
