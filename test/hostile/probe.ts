// An extension beside ours, in the same extension host: it can make a live link, and sees what that host does and for how long.
import { subscribe } from "node:diagnostics_channel";
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { Session } from "node:inspector/promises";
import type { AddressInfo, Socket } from "node:net";
import * as vscode from "vscode";
import { longestStretches, type Profile } from "./stretches.ts";

/** Where the port is written for the test to read. */
const PORT_FILE = "CLOUD_GPU_PROBE";

const connected = new Set<string>();
let terminals = 0;
let session: Session | undefined;

async function startProfile(): Promise<null> {
  session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 1000 });
  await session.post("Profiler.start");
  return null;
}

/** The longest runs of samples in which a file of this name was on the stack. */
async function stopProfile(file: string): Promise<unknown> {
  if (!session) throw new Error("no profile");
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  return longestStretches(profile as Profile, file);
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
  "/state": () => ({ terminals, connected: [...connected] }),
};

export function activate(context: vscode.ExtensionContext): void {
  subscribe("net.client.socket", (message) => {
    const { socket } = message as { socket: Socket };
    socket.once("connect", () => connected.add(`${socket.remoteAddress}:${socket.remotePort}`));
  });
  context.subscriptions.push(vscode.window.onDidOpenTerminal(() => (terminals += 1)));
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
