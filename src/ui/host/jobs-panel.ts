// The tab with the form for background jobs. The editor doesn't bring it back after a reload: variables and commands may
// hold secrets, so nothing that was typed is stored.
import * as vscode from "vscode";
import type { JobsForm } from "../../domain/host/jobs-form.ts";
import { commands } from "../../ids.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { buildJobsQuestion } from "../../present/host/host.ts";
import { type JobsPage, jobsPage } from "../../protocol/jobs-page.ts";
import { findRefusedJobsField, type JobsEdit } from "../../services/host/jobs-edit.ts";
import type { JobsEdits, JobsFormPerson } from "../../services/host/jobs-edits.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo, withStatusProgress } from "../kit/messages.ts";
import { type Answers, answerPage } from "../kit/page-line.ts";
import { PageTabs } from "../kit/page-tabs.ts";
import { runCommand } from "../kit/run-command.ts";
import { chooseOwnMachine } from "./choose-machine.ts";

interface Services {
  readonly jobs: JobsEdits;
  readonly log: Log;
}

export class JobsPanel {
  readonly #services: Services;
  readonly #tabs: PageTabs<JobsEdit>;
  readonly #person: JobsFormPerson = {
    confirm: (jobs) => confirm({ ...buildJobsQuestion(jobs), go: t("Replace"), keep: t("Keep Current Jobs") }),
    wait: (work) => withStatusProgress(t("Creating background jobs…"), work),
    show: (edit) => this.#tabs.show(edit, t("Create Background Jobs"), (panel) => this.#fill(panel, edit)),
    tellClosed,
  };

  constructor(extension: vscode.Uri, services: Services) {
    this.#services = services;
    this.#tabs = new PageTabs(extension, "jobs");
  }

  /** @throws AppError `signed-out`. */
  open(): void {
    this.#services.jobs.open(this.#person);
  }

  #fill(panel: vscode.WebviewPanel, edit: JobsEdit): Disposable {
    const { jobs, log } = this.#services;
    const { webview } = panel;
    const bag = new Bag();
    bag.add({ dispose: () => void jobs.close(this.#person, edit).catch((error) => showError(error, log)) });
    bag.add(edit.onDidEnd(() => panel.dispose()));
    bag.add(
      answerPage({ webview, contract: jobsPage, answers: this.#answersOf(edit), fieldOf: findRefusedJobsField, log }),
    );
    return bag;
  }

  #answersOf(edit: JobsEdit): Answers<JobsPage> {
    return {
      open: async () => ({ form: edit.form, isRestored: edit.isRestored, dictionary: vscode.l10n.bundle ?? {} }),
      change: async (form) => {
        edit.change(form);
        return null;
      },
      machine: () => chooseOwnMachine(edit),
      create: (form) => this.#create(edit, form),
    };
  }

  /** What no one would read in the form, because it closed in the meantime, is said outside of it. */
  async #create(edit: JobsEdit, form: JobsForm) {
    const { jobs, log } = this.#services;
    try {
      const outcome = await jobs.create(this.#person, edit, form);
      if (outcome.kind === "created") void tellCreated(outcome.text);
      if (outcome.kind !== "unconfirmed") return { kind: outcome.kind };
      void showError(outcome.error, log);
      return { kind: outcome.kind, message: outcome.error.message };
    } catch (error) {
      if (edit.isOver) void showError(error, log);
      throw error;
    }
  }
}

async function tellCreated(text: string): Promise<void> {
  const show = t("Show Response");
  if ((await tellInfo(text, show)) === show) await runCommand(commands.hostShowLastResponse);
}

async function tellClosed(): Promise<"reopen" | "discard" | undefined> {
  const [reopen, discard] = [t("Reopen"), t("Discard")];
  const text = t("The background jobs form was closed. Your entries are kept until this window closes.");
  const chosen = await tellInfo(text, reopen, discard);
  if (chosen === reopen) return "reopen";
  return chosen === discard ? "discard" : undefined;
}
