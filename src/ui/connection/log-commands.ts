// Reading the log of an instance from its row and from the Command Palette: followed in a terminal, or once in a document.
import * as vscode from "vscode";
import { cleanInTurns, type LogSource, toPlainLog } from "../../domain/connection/log-text.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { formatTime, t } from "../../lib/text.ts";
import { Turns } from "../../lib/turns.ts";
import { formatLogDocument, formatLogHeader, formatLogTitle } from "../../present/connection/log-lines.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { withNotification } from "../kit/messages.ts";
import type { ConnectionServices } from "./connection-services.ts";
import { LogTerminal } from "./log-terminal.ts";

/** Lines that a terminal begins with: twice what the editor keeps by default. */
const TERMINAL_LINES = 2000;
const DOCUMENT_LINES = 10_000;

interface Open {
  readonly account: SignedIn;
  readonly view: LogTerminal;
  readonly terminal: vscode.Terminal;
}

/** The terminals with logs of this window, at most one for each machine and source. */
export class LogTerminals implements vscode.Disposable {
  readonly #services: ConnectionServices;
  readonly #open = new Map<string, Open>();
  readonly #listening: vscode.Disposable;

  constructor(services: ConnectionServices) {
    this.#services = services;
    this.#listening = vscode.window.onDidCloseTerminal((closed) => {
      for (const [name, { terminal, view }] of this.#open)
        if (terminal === closed) {
          view.dispose();
          this.#open.delete(name);
        }
    });
  }

  /** Shows the terminal that follows this log, or a new one if there is none or it no longer follows. */
  show(account: SignedIn, instance: Instance, source: LogSource): void {
    const name = `${instance.id} ${source}`;
    const open = this.#open.get(name);
    if (open?.account === account && !open.view.isOver) {
      open.terminal.show();
      return;
    }
    const { logs } = this.#services;
    const view = new LogTerminal(formatLogHeader(instance, source), (stopped) =>
      logs.follow(account, instance.id, { source, lines: TERMINAL_LINES }, stopped),
    );
    const terminal = vscode.window.createTerminal({
      name: formatLogTitle(instance, source),
      pty: view,
      iconPath: new vscode.ThemeIcon("output"),
      isTransient: true,
    });
    this.#open.set(name, { account, view, terminal });
    terminal.show();
    open?.terminal.dispose();
  }

  dispose(): void {
    this.#listening.dispose();
    for (const { view, terminal } of this.#open.values()) {
      view.dispose();
      terminal.dispose();
    }
    this.#open.clear();
  }
}

/** Follows a log in a terminal. */
export async function showLog(
  services: ConnectionServices,
  terminals: LogTerminals,
  source: LogSource,
  args: readonly unknown[],
): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  const title = source === "daemon" ? t("Show Host Daemon Log") : t("Show Log");
  const row = await findOneTarget(services, args, title);
  if (!row) return;
  session.assertStill(account);
  terminals.show(account, row.value, source);
}

/** Opens the log as it is now, to search in it or to save it. */
export async function openLog(services: ConnectionServices, args: readonly unknown[]): Promise<void> {
  const { session, logs, documents } = services;
  const account = session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Open Log as Document"));
  if (!row) return;
  session.assertStill(account);
  const { value } = row;
  const request = { source: "container", lines: DOCUMENT_LINES } as const;
  const { text, isCut } = await withNotification(t("Reading the log of instance {0}", value.id), true, (_, cancelled) =>
    logs.read(account, value.id, request, cancelled),
  );
  const plain = await cleanInTurns(text, toPlainLog, new Turns());
  session.assertStill(account);
  const at = formatTime(services.clock.now());
  const content = formatLogDocument(value, { text: plain, isCut, at });
  await documents.show(`${t("Log of Instance {0}", value.id)}.log`, content);
}
