// What the extension host says during tests, gathered from the two places it comes out at, and the news of its end.

import { format } from "node:util";
import type { ConsoleMessage, Page } from "playwright-core";

/** The workbench's own chatter in the console; see install.ts on the parts that weren't compiled. */
const NOISE = new RegExp(
  [
    "^\\s*$",
    "^\\[(AgentHost|AccountPolicyGate|Service Worker|reconnection-grace-time)",
    "^(Resolving|Resolved) connection token",
    "^Creating a socket",
    "^Updating additional builtin extensions cache",
    "^Ignoring fetching additional builtin extensions",
    "^Unable to write into user settings because",
    "^Error: Could not locate the bindings file",
    "native-watchdog",
    "vsda",
    "^Failed to load resource",
    "web worker extension host",
    "is not a web extension",
  ].join("|"),
);

const ENDED = /Extension Host Process exited with code: (\S+), signal: (\w+)/;

export class HostOutput {
  /** Settles, with words on how, when the extension host or the page it belongs to is gone. */
  readonly ended: Promise<string>;
  /** The last lines it said, which tell how far it came. */
  readonly last: string[] = [];
  private end: (reason: string) => void = () => undefined;
  private said: Promise<void> = Promise.resolve();

  constructor() {
    this.ended = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  /** Takes the server's output: mostly talk of its own, but it is the one that sees the extension host end. */
  hear(text: string): void {
    const [, code, signal] = ENDED.exec(text) ?? [];
    if (code === undefined) return;
    // What the host said last may still be on its way to us through the page.
    void this.said.then(() => this.end(`the extension host ended with code ${code}, signal ${signal}`));
  }

  /** Takes the page's console, where the workbench repeats what extensions print. */
  watch(page: Page): void {
    page.on("console", (message) => {
      this.said = this.said.then(async () => {
        const text = await read(message);
        if (NOISE.test(text)) return;
        this.last.splice(0, this.last.length, ...this.last.slice(-4), text);
        process.stderr.write(`${text}\n`);
      });
    });
    page.on("pageerror", (error) => process.stderr.write(`page: ${error.message}\n`));
    page.on("close", () => this.end("the page closed"));
    page.on("crash", () => this.end("the page crashed"));
  }
}

async function read(message: ConsoleMessage): Promise<string> {
  const values: unknown[] = await Promise.all(message.args().map((arg) => arg.jsonValue().catch(() => "…")));
  // The workbench's logger puts "%c INFO" and a color before what was logged.
  const logged = String(values[0]).startsWith("%c") ? values.slice(2) : values;
  return format(...logged);
}
