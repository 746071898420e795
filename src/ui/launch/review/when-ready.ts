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

/** A template keeps its ID through its edits. */
const keyOf = ({ template, image }: What): string =>
  stored.whenReady(template ? `template ${template.id}` : `image ${image ?? ""}`);

export class ReadyChoice {
  readonly #notes: Notes;
  /** By template or image: another one may be chosen before the launch. */
  readonly #chosen = new Map<string, WhenReady>();

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  /** As chosen, or as for the last launch of the same template here. What can't be opened here isn't. */
  find(what: What): WhenReady {
    const key = keyOf(what);
    const known = WHEN_READY.find((one) => one === this.#notes.get(key));
    const wanted = this.#chosen.get(key) ?? known ?? "tell";
    return wanted === "open-project" && !isProjectOpen() ? "tell" : wanted;
  }

  /** What was rented begins like this the next time. */
  keep(what: What): void {
    const chosen = this.#chosen.get(keyOf(what));
    if (chosen !== undefined) this.#notes.set(keyOf(what), chosen === "tell" ? undefined : chosen);
  }

  /** For the summary; none for an instance without SSH. */
  listLines(plan: LaunchPlan, title: string): readonly PurposeLine[] {
    if (!readLaunchAccess(plan).hasSsh) return [];
    const now = this.find(plan);
    return [{ name: t("When It's Ready"), value: describeWhenReady(now), change: () => this.#ask(plan, title, now) }];
  }

  async #ask(what: What, title: string, now: WhenReady): Promise<void> {
    const answer = await pickOne<WhenReady>({
      title,
      placeholder: t("What happens when the instance is ready? It's remembered for this template."),
      choices: listWhenReadyChoices(isProjectOpen()),
      active: (value) => value === now,
    });
    if (answer !== undefined && answer !== BACK) this.#chosen.set(keyOf(what), answer);
  }
}
