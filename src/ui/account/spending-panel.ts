// Shows what was spent as a page, and saves it as a file.
import { homedir } from "node:os";
import * as vscode from "vscode";
import { type SpendingChoice, startOfDay } from "../../domain/account/spending.ts";
import { AppError } from "../../domain/base/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import {
  buildSpendingView,
  describeUnread,
  readPeriod,
  type SpendingFacts,
} from "../../present/account/spending-page.ts";
import { spendingPage } from "../../protocol/spending-page.ts";
import type { Ledger } from "../../services/account/ledger.ts";
import type { Spending, SpendingService } from "../../services/account/spending.ts";
import { formatSpendingCsv } from "../../services/account/spending-csv.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { answerPage } from "../kit/page-line.ts";
import { PageTabs } from "../kit/page-tabs.ts";

interface Parts {
  readonly session: SessionService;
  readonly ledger: Ledger;
  readonly spending: SpendingService;
  readonly clock: Clock;
  readonly log: Log;
}

const FIRST: SpendingChoice = { period: "month", group: "day" };

export class SpendingPanel implements Disposable {
  readonly #parts: Parts;
  readonly #tabs: PageTabs<"spending">;
  readonly #listening: Disposable;

  constructor(extension: vscode.Uri, parts: Parts) {
    this.#parts = parts;
    this.#tabs = new PageTabs(extension, "spending");
    // It belonged to an account that was left.
    this.#listening = parts.session.onDidChange(() => this.#tabs.clear());
  }

  /** @throws AppError `signed-out`. */
  show(): void {
    const account = this.#parts.session.requireSignedIn();
    this.#tabs.show("spending", t("Spending"), (panel) => drawSpending(panel, account, this.#parts));
  }

  dispose(): void {
    this.#listening.dispose();
    this.#tabs.dispose();
  }
}

function drawSpending({ webview }: vscode.WebviewPanel, account: SignedIn, parts: Parts): Disposable {
  const bag = new Bag();
  const abort = new AbortController();
  bag.add({ dispose: () => abort.abort() });
  let choice = FIRST;
  let known: Spending | undefined;
  const read = async (wanted: SpendingChoice, charged?: Spending["charged"]) => {
    const period = readPeriod(wanted.period, parts.clock.now());
    const spending = await parts.spending.read(account, period, {
      signal: abort.signal,
      ...(charged ? { charged } : {}),
    });
    if (wanted === choice) known = spending;
    return buildSpendingView(toFacts(account, spending), wanted);
  };
  const answers = {
    open: async () => ({ state: await read(choice), dictionary: vscode.l10n.bundle ?? {} }),
    show: async (wanted: SpendingChoice) => {
      const isSamePeriod = wanted.period === choice.period;
      choice = wanted;
      return { state: await read(wanted, isSamePeriod ? known?.charged : undefined) };
    },
    exportCsv: async () => {
      await saveCsv(account, parts, choice.period);
      return null;
    },
  };
  bag.add(answerPage({ webview, contract: spendingPage, answers, fieldOf: () => undefined, log: parts.log }));
  bag.add(
    parts.ledger.onDidChange(() => {
      // Before the page asked for the first time, it hears nothing.
      if (!known) return;
      const wanted = choice;
      const tell = (state: unknown) => wanted === choice && void webview.postMessage({ update: { state } });
      read(wanted, known.charged).then(tell, (error) => parts.log.warn("What was spent could not be read.", error));
    }),
  );
  return bag;
}

const toFacts = ({ sandbox }: SignedIn, spending: Spending): SpendingFacts => ({ ...spending, sandbox });

/** Asks where to, reads, and writes. @throws AppError `rejected` if the file can't be written. */
export async function saveCsv(
  account: SignedIn,
  parts: Parts,
  period: SpendingChoice["period"] = "month",
): Promise<void> {
  const { session, spending, clock, log } = parts;
  const { from, to } = readPeriod(period, clock.now());
  const name = `cloud-gpu-spending-${dayName(from)}-to-${dayName(to)}.csv`;
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(homedir());
  const target = await vscode.window.showSaveDialog({
    title: t("Export Spending as CSV"),
    filters: { CSV: ["csv"] },
    defaultUri: vscode.Uri.joinPath(folder, name),
  });
  if (!target) return;
  session.assertStill(account);
  const spent = await spending.read(account, { from, to });
  await vscode.workspace.fs.writeFile(target, Buffer.from(formatSpendingCsv(spent))).then(undefined, (error: Error) => {
    throw new AppError("rejected", t("The file couldn't be saved: {0}", error.message));
  });
  const open = t("Open");
  const { unread } = spent;
  const told =
    unread.length > 0
      ? tellWarning(`${t("Spending was exported.")} ${describeUnread(unread)}`, open)
      : tellInfo(t("Spending was exported."), open);
  told
    .then((chosen) => (chosen === open ? vscode.window.showTextDocument(target) : undefined))
    .then(undefined, (error) => showError(error, log));
}

/** `2026-11-24` in the person's own time. */
function dayName(at: number): string {
  const date = new Date(startOfDay(at));
  const two = (part: number) => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
