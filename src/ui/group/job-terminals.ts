// The terminals with jobs of this window, at most one for each job, and those of tasks.
import * as vscode from "vscode";
import { commands } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { describeDetachedJob, describeJobEnd } from "../../present/group/job-text.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { RankEnd } from "../../services/group/followed-job.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo, tellWarning } from "../kit/messages.ts";
import { runCommand, runEditorCommand } from "../kit/run-command.ts";
import type { GroupServices } from "./group-services.ts";
import { type JobInTerminal, JobTerminal, type JobTerminalParts } from "./job-terminal.ts";

interface Watched {
  readonly account: SignedIn;
  readonly view: JobTerminal;
  /** The editor has those of tasks. */
  readonly terminal: vscode.Terminal | undefined;
  readonly started: () => JobInTerminal | undefined;
}

export class JobTerminals implements Disposable {
  readonly #services: GroupServices;
  readonly #watched = new Set<Watched>();
  readonly #listening: Disposable;

  constructor(services: GroupServices) {
    this.#services = services;
    // What belongs to an account ends with it. Its runs go on.
    this.#listening = services.session.onDidChange(() => {
      for (const { account, view } of this.#watched) if (account !== services.session.current) view.leave();
    });
  }

  /** Whether a job is followed here. Its terminal is shown then. */
  reveal(job: string): boolean {
    const open = [...this.#watched].find(({ view, started }) => !view.isOver && started()?.id === job);
    open?.terminal?.show();
    return open !== undefined;
  }

  show(title: string, job: JobInTerminal): void {
    const { view, started } = this.#createView(job.account, { prepare: async () => job });
    const iconPath = new vscode.ThemeIcon("server-environment");
    const terminal = vscode.window.createTerminal({ name: title, pty: view, iconPath, isTransient: true });
    this.#watched.add({ account: job.account, view, terminal, started });
    terminal.show();
  }

  /** The terminal of a task. What is to be asked before is asked once it is open. */
  createTask(account: SignedIn, prepare: () => Promise<JobInTerminal>): vscode.Pseudoterminal {
    const { view, started } = this.#createView(account, { prepare, isTask: true });
    this.#watched.add({ account, view, terminal: undefined, started });
    return view;
  }

  #createView(account: SignedIn, { prepare, isTask = false }: Pick<JobTerminalParts, "prepare" | "isTask">) {
    const { clock, log } = this.#services;
    let job: JobInTerminal | undefined;
    const started = () => job;
    const tell = (work: (given: JobInTerminal) => Promise<void>) => {
      if (job) work(job).catch((error) => showError(error, log));
    };
    const view = new JobTerminal({
      prepare: async () => {
        job = await prepare();
        return job;
      },
      conclude: (ends) => tell((given) => this.#tellEnd(given, ends)),
      detach: (isOver) => tell((given) => this.#tellDetached(account, given, isOver)),
      isTask,
      now: () => clock.now(),
    });
    return { view, started };
  }

  async #tellEnd({ name }: JobInTerminal, ends: readonly RankEnd[]): Promise<void> {
    const { severity, text } = describeJobEnd(name, ends);
    const places = ends.flatMap(({ run }) => {
      const results = run?.state.kind === "ended" ? run.state.results : undefined;
      return results?.kind === "fetched" ? [results.place] : [];
    });
    const show = t("Reveal Results");
    const tell = severity === "info" ? tellInfo : tellWarning;
    const [first] = places;
    if ((await tell(text, ...(first === undefined ? [] : [show]))) === show && first !== undefined)
      await runEditorCommand("revealInExplorer", vscode.Uri.file(first));
  }

  async #tellDetached(account: SignedIn, { name, job, runs }: JobInTerminal, isOver: boolean): Promise<void> {
    const [again, stop] = [t("Reattach"), t("Stop Command")];
    const answer = await tellInfo(describeDetachedJob(name, runs.length, isOver), again, ...(isOver ? [] : [stop]));
    const [first] = runs;
    if (answer === undefined || !first) return;
    this.#services.session.assertStill(account);
    if (answer === stop) await job.stop("TERM");
    await runCommand(commands.runReattach, first.run.id);
  }

  dispose(): void {
    this.#listening.dispose();
    for (const { view, terminal } of this.#watched) {
      view.dispose();
      terminal?.dispose();
    }
    this.#watched.clear();
  }
}
