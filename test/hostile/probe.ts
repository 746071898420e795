// An extension beside ours, in the same extension host: it can make a live link, and sees what that host does and for how long.
import type { ChildProcess } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo, Socket } from "node:net";
import { Worker } from "node:worker_threads";
import * as vscode from "vscode";
import { PAYLOADS } from "./payloads.ts";
import { type Clocked, longestStretches, type Profile, type Stretches } from "./stretches.ts";

/** Where the port is written for the test to read. */
const PORT_FILE = "CLOUD_GPU_PROBE";

const connected = new Set<string>();
/** Names of the terminals that were opened. */
const terminals: string[] = [];
/** What the extension host started, with arguments. */
const programs: string[] = [];
let session: Session | undefined;

/** Notes every 5 ms how much processor time the main thread has had, from a thread of its own. Linux tells it; others don't. */
const CLOCK = `
  const { parentPort } = require("node:worker_threads");
  const { readFileSync } = require("node:fs");
  const clocked = [];
  const note = () => {
    try {
      const cpu = Number(readFileSync("/proc/" + process.pid + "/task/" + process.pid + "/schedstat", "utf8").split(" ")[0]);
      clocked.push([Number(process.hrtime.bigint() / 1000n), cpu / 1e6]);
    } catch {}
  };
  setInterval(note, 5);
  parentPort.on("message", () => { note(); parentPort.postMessage(clocked); });
`;
let clock: Worker | undefined;

/** Characters; about as many as the largest answer of the hostile service, a search for offers, has. */
const YARDSTICK = 20_000_000;
let yardstick: NodeJS.Timeout | undefined;

/** A list of a known size is read every 5 s, as it comes from the network. Other work is judged beside it: a busy machine slows both. */
function startYardstick(): void {
  const texts = JSON.stringify(PAYLOADS);
  const list = Buffer.from(`[${Array.from({ length: Math.ceil(YARDSTICK / texts.length) }, () => texts).join(",")}]`);
  yardstick = setInterval(function readYardstick() {
    JSON.parse(list.toString("utf8"));
  }, 5000);
}

async function startProfile(): Promise<null> {
  clock = new Worker(CLOCK, { eval: true });
  clock.unref();
  await once(clock, "online");
  session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 1000 });
  await session.post("Profiler.start");
  startYardstick();
  return null;
}

/** The longest runs of samples in which a file of this name was on the stack, and those of the probe itself. */
async function stopProfile(file: string): Promise<Stretches> {
  if (!session) throw new Error("no profile");
  clearInterval(yardstick);
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  clock?.postMessage("stop");
  const [clocked] = clock ? ((await once(clock, "message")) as [Clocked]) : [[]];
  await clock?.terminate();
  const of = (name: string) => longestStretches(profile as Profile, name, clocked);
  return { file: of(file), probe: of("probe.cjs") };
}

/** Keeps the extension host busy on purpose. */
function busy(ms: number): null {
  for (const end = performance.now() + ms; performance.now() < end; );
  return null;
}

function tell(text: string): null {
  void vscode.window.showInformationMessage(text);
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: text }, async () => {});
  return null;
}

function box(text: string): null {
  const input = vscode.window.createInputBox();
  input.ignoreFocusOut = true;
  input.validationMessage = text;
  input.onDidHide(() => input.dispose());
  input.show();
  return null;
}

const questions: Readonly<Record<string, (given: string) => unknown>> = {
  "/profile": startProfile,
  "/profiled": stopProfile,
  "/busy": (given) => busy(Number(given)),
  "/tell": tell,
  "/box": box,
  "/state": () => ({ terminals, programs, connected: [...connected] }),
};

export function activate(context: vscode.ExtensionContext): void {
  subscribe("net.client.socket", (message) => {
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => connected.add(`${socket.remoteAddress}:${socket.remotePort}`));
  });
  subscribe("child_process", (message) => {
    const { process: started } = message as { process: ChildProcess };
    // Told before it is known what is started.
    queueMicrotask(() => programs.push((started.spawnargs ?? []).join(" ")));
  });
  context.subscriptions.push(vscode.window.onDidOpenTerminal(({ name }) => void terminals.push(name)));
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://probe");
    const answer = await questions[pathname]?.(searchParams.get("given") ?? "");
    response.end(JSON.stringify(answer ?? null));
  });
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo;
    writeFileSync(process.env[PORT_FILE] ?? "", String(port));
  });
  context.subscriptions.push({ dispose: () => void server.close() });
}
