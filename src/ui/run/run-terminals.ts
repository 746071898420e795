// The terminals with runs of this window, at most one for each run, and those of tasks.
import * as vscode from "vscode";
import type { RunId } from "../../domain/base/id.ts";
import { getCurrentPrice } from "../../domain/instance/instance.ts";
import type { RunFacts } from "../../domain/run/run-facts.ts";
import { canContinue, isLost, type RunRecord } from "../../domain/run/run-record.ts";
import { commands } from "../../ids.ts";
import { waitForAbort } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import type { Message } from "../../present/base/message.ts";
import { isOnlyOnDisk, mayStillCost, mayStillRun } from "../../present/run/rental-end-text.ts";
import {
  describeDetachedRun,
  describeRunEnd,
  describeStage,
  formatTerminalTitle,
  listRunEndLines,
} from "../../present/run/run-text.ts";
import type { MachineLogin } from "../../services/connection/run-there.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { startAttempts } from "../../services/run/attempts/run-attempts.ts";
import type { PreparedRun } from "../../services/run/prepared-run.ts";
import type { RentingWatch } from "../../services/run/rent-for-run.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { destroyById } from "../instance/instance-commands.ts";
import { showError } from "../kit/errors.ts";
import { tellError, tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { runCommand, runEditorCommand } from "../kit/run-command.ts";
import { isOfThisWindow } from "./run-folder.ts";
import type { RunServices } from "./run-services.ts";
import { RunTerminal, type RunTerminalParts } from "./run-terminal.ts";
import { continueLater, startById, tellKept } from "./tell-kept.ts";

const NEVER = new AbortController().signal;

type Started = Omit<PreparedRun, "list">;

/** What leads to a prepared run: questions, or renting a machine. @throws AppError if nothing is to be run. */
type Prepare = (watch: RentingWatch, signal: AbortSignal) => Promise<PreparedRun>;

interface ViewParts extends Pick<RunTerminalParts, "follow" | "isTask"> {
  /** Undefined as long as it isn't known. */
  readonly started: () => Started | undefined;
}

interface Watched {
  readonly account: SignedIn;
  readonly view: RunTerminal;
  readonly id: () => RunId | undefined;
  /** The editor has those of tasks. */
  readonly terminal?: vscode.Terminal;
}

export class RunTerminals implements vscode.Disposable {
  readonly #services: RunServices;
  readonly #watched = new Set<Watched>();
  readonly #listening: readonly Disposable[];

  constructor(services: RunServices) {
    this.#services = services;
    this.#listening = [
      vscode.window.onDidCloseTerminal((closed) => {
        for (const one of this.#watched)
          if (one.terminal ? one.terminal === closed : one.view.isOver) this.#watched.delete(one);
      }),
      // What belongs to an account ends with it. Its runs go on.
      services.session.onDidChange(() => {
        for (const { account, view } of this.#watched) if (account !== services.session.current) view.leave();
      }),
    ];
  }

  /** Whether a run is followed here. Its terminal is shown then. */
  show(id: RunId): boolean {
    const open = [...this.#watched].find((one) => one.id() === id && !one.view.isOver);
    open?.terminal?.show();
    return open !== undefined;
  }

  /** Uploads, starts and follows a run, once it is prepared. */
  start(account: SignedIn, title: string, prepare: Prepare): void {
    this.#show(account, title, this.#prepared(account, prepare));
  }

  /** Follows a run that was started before. */
  follow(account: SignedIn, machine: MachineLogin, run: RunRecord): void {
    const before = [...this.#watched].filter(({ id }) => id() === run.id);
    this.#show(account, formatTerminalTitle(run.plan.name, run.instance), {
      follow: (watch, signal) => this.#services.runs.follow(machine, run, { account, watch, signal }),
      started: () => ({ machine, run }),
    });
    for (const { terminal } of before) terminal?.dispose();
  }

  /** The terminal of a task. What is to be asked before is asked once it is open. */
  createTask(account: SignedIn, prepare: Prepare): vscode.Pseudoterminal {
    const parts = { ...this.#prepared(account, prepare), isTask: true };
    const view = this.#createView(account, parts);
    this.#watched.add({ account, view, id: () => parts.started()?.run.id });
    return view;
  }

  #prepared(account: SignedIn, prepare: Prepare): ViewParts {
    let prepared: PreparedRun | undefined;
    return {
      follow: async (watch, signal) => {
        prepared = await prepare(watch, signal);
        return await startAttempts(this.#services.runs, prepared, { account, watch, signal }, (next) => {
          prepared = next;
        });
      },
      started: () => prepared,
    };
  }

  #show(account: SignedIn, title: string, parts: ViewParts): void {
    const view = this.#createView(account, parts);
    const iconPath = new vscode.ThemeIcon("rocket");
    const terminal = vscode.window.createTerminal({ name: title, pty: view, iconPath, isTransient: true });
    this.#watched.add({ account, view, terminal, id: () => parts.started()?.run.id });
    terminal.show();
  }

  #createView(account: SignedIn, { follow, started, isTask = false }: ViewParts): RunTerminal {
    const { runs, clock, log } = this.#services;
    const view: RunTerminal = new RunTerminal({
      describe: (stage) => describeStage(stage, started()?.run, clock.now()),
      follow,
      stop: async (how) => {
        const given = started();
        if (given) await runs.stop(given.machine, given.run, how, NEVER);
      },
      conclude: (ended) => {
        this.#tellEnd(account, ended).catch((error) => showError(error, log));
        return listRunEndLines(ended, this.#priceOf(account, ended), this.#autoStopOf(account, ended));
      },
      fail: (error) => {
        const run = started()?.run;
        if (run?.rented) tellKept(this.#services, account, run.plan.name, run.instance, error, run);
      },
      detach: (isOver) => {
        const given = started();
        if (given) this.#tellDetached(account, given, isOver).catch((error) => showError(error, log));
      },
      tellAsked: (message) => void this.#tellAsked(view, message),
      tellLost: (text, isOver, callOff) =>
        void withNotification(text, true, (_, cancelled) => {
          cancelled.addEventListener("abort", callOff, { once: true });
          return waitForAbort(isOver).catch(() => undefined);
        }),
      isTask,
    });
    return view;
  }

  async #tellAsked(view: RunTerminal, { severity, text }: Message): Promise<void> {
    const terminal = () => [...this.#watched].find((one) => one.view === view)?.terminal;
    const tell = { info: tellInfo, warning: tellWarning, error: tellError }[severity];
    // The editor has the terminals of tasks.
    const answer = await tell(
      `${text} ${t("The run waits for your choice in its terminal.")}`,
      ...(terminal() ? [t("Show Run")] : []),
    );
    if (answer !== undefined) terminal()?.show();
  }

  /** $/h, if the machine is still there. */
  #priceOf(account: SignedIn, { instance }: RunRecord): number | undefined {
    const { session, instances } = this.#services;
    const row = session.current === account ? instances.find(instance) : undefined;
    return row && getCurrentPrice(row);
  }

  #autoStopOf(account: SignedIn, { instance: id }: RunRecord): RunFacts["autoStop"] {
    const { session, autoStops, clock } = this.#services;
    const end = session.current === account ? autoStops.findAutoStop({ id }) : undefined;
    return end && { end, now: clock.now() };
  }

  async #tellEnd(account: SignedIn, run: RunRecord): Promise<void> {
    const { severity, text } = describeRunEnd(run, this.#priceOf(account, run));
    const tell = severity === "info" ? tellInfo : tellWarning;
    const { results } = run.state.kind === "ended" ? run.state : { results: undefined };
    const place = results?.kind === "fetched" ? results.place : undefined;
    const [show, destroy, keep] = [t("Reveal Results"), t("Destroy Instance…"), t("Keep Running")];
    const [start, goOn] = [t("Start Instance…"), t("Continue on Another Instance…")];
    const buttons = [
      ...(isLost(run) && canContinue(run) && isOfThisWindow(run) ? [goOn] : []),
      ...(place === undefined ? [] : [show]),
      ...(mayStillRun(run) && run.guard?.kind === "armed" ? [keep] : []),
      ...(isOnlyOnDisk(run) ? [start] : []),
      ...(mayStillCost(run) ? [destroy] : []),
    ];
    const answer = await tell(text, ...buttons);
    if (answer === show && place !== undefined) await runEditorCommand("revealInExplorer", vscode.Uri.file(place));
    if (answer === destroy) await destroyById(this.#services, account, run.instance);
    if (answer === start) await startById(this.#services, account, run.instance);
    if (answer === keep) await this.#keepRunning(account, run);
    if (answer === goOn) await continueLater(this.#services, account, run);
  }

  /** The person takes over an instance that would stop itself. */
  async #keepRunning(account: SignedIn, run: RunRecord): Promise<void> {
    const { session, runs } = this.#services;
    session.assertStill(account);
    const machine = await reachForCommands(
      this.#services,
      account,
      { id: run.instance },
      t("Connecting to {0}", run.instance),
    );
    if (!machine) return;
    await runs.keepRunning(account, machine, NEVER);
    void tellInfo(t("Instance {0} keeps running until you stop or destroy it.", run.instance));
  }

  async #tellDetached(account: SignedIn, { machine, run: before }: Started, isOver: boolean): Promise<void> {
    // Whether the instance stops itself shows only once the command has begun.
    const run = (await this.#services.runs.readAll(account)).find(({ id }) => id === before.id) ?? before;
    const [again, stop] = [t("Reattach"), t("Stop Command")];
    const answer = await tellInfo(describeDetachedRun(run, isOver), again, ...(isOver ? [] : [stop]));
    if (answer === undefined) return;
    const { session } = this.#services;
    session.assertStill(renewAccount(session, account));
    if (answer === stop) await this.#services.runs.stop(machine, run, "TERM", NEVER);
    await runCommand(commands.runReattach, run.id);
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
    for (const { view, terminal } of this.#watched) {
      view.dispose();
      terminal?.dispose();
    }
    this.#watched.clear();
  }
}
