// Shows an instance, a webhook or a workergroup as a page that follows what the service says. One page for each of them.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import type { RowCommand } from "../../ids.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import type { Event } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { t, toLabel } from "../../lib/text.ts";
import type { PageCommand, RecordPage } from "../../present/base/record-page.ts";
import { type RecordState, recordPage } from "../../protocol/record-page.ts";
import { answerPage } from "./page-line.ts";
import { PageTabs } from "./page-tabs.ts";

interface RecordSource {
  readonly draw: () => RecordPage;
  /** Runs a command that the page showed, for this thing. Commands say themselves what goes wrong. */
  readonly run: (command: RowCommand) => Promise<void>;
  /** Fires when it may look different. */
  readonly onDidChange: Event<unknown>;
  /** Called when its page closes. */
  readonly dispose?: () => void;
}

/** Characters of a record. A page is for reading; what is longer is no record of a machine. */
const MOST_OF_A_RECORD = 1_000_000;
const LONGEST_TAB = 40;

export class RecordPages implements Disposable {
  readonly #log: Log;
  readonly #tabs: PageTabs<string>;

  constructor(extension: vscode.Uri, log: Log) {
    this.#log = log;
    this.#tabs = new PageTabs(extension, "record");
  }

  /** Opens the page of what the key tells from everything else of its account, or shows the one that is open. */
  show(key: string, openSource: () => RecordSource): void {
    this.#tabs.show(key, "", (panel) => drawRecord(panel, openSource(), this.#log));
  }

  /** Closes all pages: they belonged to an account that was left. */
  clear(): void {
    this.#tabs.clear();
  }

  dispose(): void {
    this.clear();
  }
}

function drawRecord(panel: vscode.WebviewPanel, source: RecordSource, log: Log): Disposable {
  const { webview } = panel;
  const bag = new Bag();
  bag.add({ dispose: () => source.dispose?.() });
  const draw = () => {
    const drawn = source.draw();
    panel.title = toLabel(drawn.title, LONGEST_TAB);
    return drawn;
  };
  let page = draw();
  let shown = "";
  const answers = {
    open: async () => {
      page = draw();
      const state = toState(page);
      shown = JSON.stringify(state);
      return { state, dictionary: vscode.l10n.bundle ?? {} };
    },
    record: async () => shorten(page.record()),
    run: async (asked: string) => {
      const found = commandsOf(page).find(({ command }) => command === asked);
      if (!found) throw new AppError("rejected", t("This is no longer possible. Nothing was changed."));
      void source.run(found.command);
      return null;
    },
    copy: async ({ section, name }: { section: string; name: string }) => {
      const facts = page.sections.find(({ title }) => title === section)?.facts;
      const text = facts?.find((fact) => fact.name === name)?.copies;
      if (text === undefined) throw new AppError("rejected", t("This is no longer shown, so it wasn't copied."));
      await vscode.env.clipboard.writeText(text);
      return null;
    },
  };
  bag.add(answerPage({ webview, contract: recordPage, answers, fieldOf: () => undefined, log }));
  bag.add(
    source.onDidChange(() => {
      page = draw();
      const state = toState(page);
      const text = JSON.stringify(state);
      // Before the page asked for the first time, it hears nothing.
      if (shown === "" || text === shown) return;
      shown = text;
      void webview.postMessage({ update: { state } });
    }),
  );
  return bag;
}

const commandsOf = ({ commands, sections }: RecordPage): readonly PageCommand[] => [
  ...commands,
  ...sections.flatMap((section) => section.commands),
];

function shorten(record: string): string {
  if (record.length <= MOST_OF_A_RECORD) return record;
  const rest = record.length - MOST_OF_A_RECORD;
  return `${record.slice(0, MOST_OF_A_RECORD).toWellFormed()}\n${t("… and {0} more characters.", rest)}`;
}

/** What the page gets. The texts to copy aren't among it, and the record only when it is asked for. */
function toState({ title, status, remarks, commands, sections }: RecordPage): RecordState {
  return {
    ...{ title, status, remarks: [...remarks], commands: [...commands] },
    sections: sections.map((section) => ({
      title: section.title,
      commands: [...section.commands],
      facts: section.facts.map(({ name, value, copies }) => ({ name, value, canCopy: copies !== undefined })),
    })),
  };
}
