// The sandbox as a program: its first line, its request file, its end, and what it says to a wrong call.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { test } from "node:test";
import { FAULTS } from "../../../src/sandbox/faults/faults.ts";
import { startSandbox } from "../../../src/sandbox/start.ts";

const MAIN = new URL("../../../src/sandbox/main.ts", import.meta.url).pathname;

async function run(argv: readonly string[]): Promise<{ status: number; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [MAIN, ...argv]);
  let [stdout, stderr] = ["", ""];
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const [status] = (await once(child, "close")) as [number];
  return { status, stdout, stderr };
}

for (const signal of ["SIGTERM", "SIGINT"] as const) {
  test(`the first line is the JSON of url and key, requests are written down, ${signal} ends it with 0`, async () => {
    const folder = mkdtempSync(join(tmpdir(), "sandbox-"));
    const file = join(folder, "requests.jsonl");
    const child = spawn(process.execPath, [MAIN, "--port", "0", "--seed", "3", "--speed", "60", "--requests", file]);
    const ended = once(child, "exit");
    const [line] = (await once(createInterface(child.stdout), "line")) as [string];
    const { url, apiKey, ...more } = JSON.parse(line) as Record<string, string>;
    assert.deepEqual(more, {});
    assert.match(url ?? "", /^http:\/\/127\.0\.0\.1:\d+$/);
    const headers = { authorization: `Bearer ${apiKey}` };
    const query = "select_filters=%7B%7D";
    assert.equal((await fetch(`${url}/api/v0/template/?${query}`, { headers })).status, 200);
    const body = JSON.stringify({ image: "a/b", image_login: "-u me -p hunter22 r.example" });
    assert.equal((await fetch(`${url}/api/v0/asks/1/`, { method: "PUT", headers, body })).status, 404);
    child.kill(signal);
    assert.deepEqual(await ended, [0, null]);
    const text = readFileSync(file, "utf8");
    const [first, second] = text
      .trim()
      .split("\n")
      .map((one) => JSON.parse(one) as Record<string, unknown>);
    assert.deepEqual(
      [first?.method, first?.path, first?.query, first?.body, first?.status],
      ["GET", "/api/v0/template/", { select_filters: "{}" }, null, 200],
    );
    assert.equal(second?.status, 404);
    assert.ok(!text.includes(apiKey ?? "") && !text.includes("hunter22"));
    rmSync(folder, { recursive: true });
  });
}

for (const [argv, says] of [
  [["--colour"], /--colour/],
  [["stray"], /stray/],
  [["--port", "99999"], /--port.*65535/],
  [["--port", "x"], /--port/],
  [["--seed", "-1"], /--seed/],
  [["--seed=1.5"], /--seed/],
  [["--offers", "0"], /--offers.*from 1 to 100000/],
  [["--offers", "many"], /--offers/],
  [["--speed", "0"], /--speed/],
  [["--speed", "fast"], /--speed/],
  [["--faults", "create-lost,nonsense"], /--faults.*nonsense.*create-502/],
  [["--faults", "500@nowhere"], /--faults.*500@nowhere/],
  [["--rate-limits=1"], /--rate-limits/],
  [["--requests", "/nowhere/at/all"], /--requests/],
] as const) {
  test(`${argv.join(" ")} is refused with one sentence and status 2`, async () => {
    const { status, stdout, stderr } = await run(argv);
    assert.deepEqual([status, stdout], [2, ""]);
    assert.match(stderr, says);
    assert.equal(stderr.trim().split("\n").length, 1);
  });
}

test("--only-documented, --rate-limits, --old-account and a fault at one endpoint take effect together", async () => {
  const flags = ["--only-documented", "--rate-limits", "--old-account", "--faults", "empty@listWebhooks"];
  const child = spawn(process.execPath, [MAIN, ...flags]);
  const [line] = (await once(createInterface(child.stdout), "line")) as [string];
  const { url, apiKey } = JSON.parse(line) as Record<string, string>;
  const get = (path: string) => fetch(url + path, { headers: { authorization: `Bearer ${apiKey}` } });
  assert.equal((await get("/api/v0/users/current/")).status, 404);
  assert.equal(await (await get("/api/v0/webhooks/")).text(), "");
  assert.equal((await get("/api/v0/webhooks/")).status, 429);
  child.kill();
  await once(child, "exit");
});

test("--help names every flag and every fault, and exits with 0", async () => {
  const { status, stdout } = await run(["--help"]);
  assert.equal(status, 0);
  for (const flag of [
    "--port",
    "--seed",
    "--offers",
    "--speed",
    "--faults",
    "--requests",
    "--only-documented",
    "--rate-limits",
    "--old-account",
    "--no-ssh",
  ])
    assert.ok(stdout.includes(flag));
  for (const [name, { says }] of Object.entries(FAULTS)) assert.ok(stdout.includes(name) && stdout.includes(says));
});

test("a port that is taken is said in one sentence, status 1", async () => {
  const other = await startSandbox();
  const { status, stderr } = await run(["--port", String(other.port)]);
  await other.stop();
  assert.equal(status, 1);
  assert.match(stderr, /in use/);
});
