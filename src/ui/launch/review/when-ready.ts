// What is opened once a launched instance is ready: chosen on the summary, and remembered in this workspace for its template.
import { type LaunchPlan, readLaunchAccess } from "../../../domain/launch/launch-plan.ts";
import { stored } from "../../../ids.ts";
import { t } from "../../../lib/text.ts";
import {
  describeWhenReady,
  listWhenReadyChoices,
  WHEN_READY,
  type WhenReady,
} from "../../../present/launch/when-ready.ts";
import type { Notes } from "../../../services/core/notes.ts";
import { pickOne } from "../../kit/ask/pick.ts";
import { BACK } from "../../kit/ask/steps.ts";
import { isProjectOpen } from "../launch-person.ts";
import type { PurposeLine } from "../rent-purpose.ts";

type What = Pick<LaunchPlan, "template" | "image">;

const keyOf = ({ template }: What): string => stored.whenReady(template?.hash_id ?? "image");

export class ReadyChoice {
  readonly #notes: Notes;
  #chosen: WhenReady | undefined;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** As chosen, or as for the last launch of the same template here. What can't be opened here isn't. */
  find(what: What): WhenReady {
    const known = WHEN_READY.find((one) => one === this.#notes.get(keyOf(what)));
    const wanted = this.#chosen ?? known ?? "tell";
    return wanted === "open-project" && !isProjectOpen() ? "tell" : wanted;
  }

  /** What was rented begins like this the next time. */
  keep(what: What): void {
    this.#notes.set(keyOf(what), this.find(what) === "tell" ? undefined : this.find(what));
  }

  /** For the summary; none for an instance without SSH. */
  listLines(plan: LaunchPlan, title: string): readonly PurposeLine[] {
    if (!readLaunchAccess(plan).hasSsh) return [];
    const now = this.find(plan);
    return [{ name: t("When It's Ready"), value: describeWhenReady(now), change: () => this.#ask(title, now) }];
  }

  async #ask(title: string, now: WhenReady): Promise<void> {
    const answer = await pickOne<WhenReady>({
      title,
      placeholder: t("What happens when the instance is ready? It's remembered for this template."),
      choices: listWhenReadyChoices(isProjectOpen()),
      active: (value) => value === now,
    });
    if (answer !== undefined && answer !== BACK) this.#chosen = answer;
  }
}
