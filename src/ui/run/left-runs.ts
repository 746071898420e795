// Tells of runs whose window is gone, once in each window: they go on, and cost what their machine costs.

import type { RunId } from "../../domain/base/id.ts";
import { burn, phase } from "../../domain/instance/instance.ts";
import { awaitsRentalEnd, isStranded, type RunRecord } from "../../domain/run/run-record.ts";
import { commands } from "../../ids.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { t } from "../../lib/text.ts";
import { endMessage, leftMessage } from "../../present/run/run-text.ts";
import type { ScheduledJob } from "../../services/core/scheduler.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { isOfThisWindow } from "./run-folder.ts";
import type { RunServices } from "./run-services.ts";
import { tellStopped, tellStranded } from "./tell-kept.ts";

/** Milliseconds between looks: a window that follows a run may have been killed, and the service may be reached again. */
const AGAIN = 15_000;

export class LeftRuns implements Disposable {
  readonly #services: RunServices;
  readonly #listening: Disposable;
  readonly #looking: ScheduledJob;
  /** Runs, and jobs: those that began together are told of once. */
  readonly #told = new Set<string>();
  #looksAgain = false;

  constructor(services: RunServices) {
    this.#services = services;
    this.#looking = services.scheduler.add({
      id: "left-runs",
      wait: () => (this.#looksAgain ? AGAIN : undefined),
      run: () => this.#look(),
    });
    // It changes with the account as well.
    this.#listening = services.runList.onDidChange(() => void this.#looking.now());
  }

  async #look(): Promise<void> {
    const { session, runs } = this.#services;
    const { current } = session;
    this.#looksAgain = false;
    if (current.kind !== "signed-in") return;
    const { left, followed } = await runs.findLeft(current);
    this.#looksAgain = followed.length > 0;
    for (const run of left) {
      // Any window tells of an instance that should be gone by now.
      const concerns = isOfThisWindow(run) || awaitsRentalEnd(run);
      const key = run.member?.job ?? run.id;
      if (!concerns || this.#told.has(key)) continue;
      const standing = await this.#find(current, run).catch(() => "unknown" as const);
      if (standing === "unknown") this.#looksAgain = true;
      if (standing === "unknown" || standing === "gone") continue;
      this.#told.add(key);
      this.#tell(current, run, standing).catch((error) => showError(error, this.#services.log));
    }
  }

  /** An instance that was destroyed meanwhile is nothing to tell of. Only one that the run rented is read. */
  async #find(account: SignedIn, run: RunRecord): Promise<"there" | "stopped" | "gone"> {
    if (!run.rented) return "there";
    const { actions, runs } = this.#services;
    const now = await actions.reread(account, run.instance);
    if (now && phase(now.value) === "stopped") return await this.#findStopped(run, burn(now.value));
    if (now) return "there";
    await runs.noteGone(run, t("Instance {0} no longer exists.", run.instance));
    return "gone";
  }

  /** One that is stopped as was decided is told of with the end of its run. */
  async #findStopped(run: RunRecord, price: number | undefined): Promise<"stopped" | "gone"> {
    const over = await this.#services.runs.noteStopped(run, price);
    if (over) void tellInfo(endMessage(over, price).text);
    return over ? "gone" : "stopped";
  }

  async #tell(account: SignedIn, run: RunRecord, standing: "there" | "stopped"): Promise<void> {
    // What became of each of several shows once they are followed again.
    if (run.member) await this.#offer(run.id, leftMessage(run));
    else if (isStranded(run)) await tellStranded(this.#services, account, run);
    else if (standing === "stopped") await tellStopped(this.#services, account, run);
    else await this.#offer(run.id, leftMessage(run));
  }

  async #offer(id: RunId, message: string): Promise<void> {
    const again = t("Reattach");
    if ((await tellInfo(message, again)) === again) await runCommand(commands.runReattach, id);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#looking.dispose();
  }
}
