// Commands for hosts: create background jobs, take a volume off the market, read the last response.
import { AppError, asAppError } from "../../domain/base/error.ts";
import { WireId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { VolumeOffer } from "../../domain/host/volume.ts";
import { commands } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { recordText } from "../../present/base/record.ts";
import { clock } from "../../present/base/state.ts";
import { type JobsDraft, jobsQuestion, listingRow } from "../../present/host/host.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { confirm } from "../kit/confirm.ts";
import { tellInfo, withStatusProgress } from "../kit/messages.ts";
import { runCommand } from "../kit/run-command.ts";
import { ask, BACK, BackWith, type Choice, pick, type StepPlace, walk } from "../kit/steps.ts";
import { nodeValue } from "../kit/targets.ts";
import type { HostServices } from "./host-services.ts";
import { askJobsField, FIRST, showJobs, toJobs } from "./job-form.ts";

export async function createBackgroundJobs(services: HostServices): Promise<void> {
  const account = services.session.signedIn();
  const title = t("Create Background Jobs");
  await walk<JobsDraft>({}, [
    ...FIRST.map((field) => ({
      ask: (draft: JobsDraft, place: Omit<StepPlace, "title">) => askJobsField(field, { ...place, title }, draft),
    })),
    { ask: (draft, place) => review(services, account, { ...place, title }, draft) },
  ]);
}

/** The review with its changes. If the service refuses, the review shows why and keeps everything that was typed. */
async function review(
  services: HostServices,
  account: SignedIn,
  place: StepPlace,
  start: JobsDraft,
): Promise<JobsDraft | BackWith<JobsDraft> | undefined> {
  const sub: StepPlace = { title: place.title, back: true };
  let draft = start;
  let refusal: string | undefined;
  for (;;) {
    const chosen = await showJobs(place, draft, refusal);
    if (chosen === undefined) return undefined;
    if (chosen === BACK) return new BackWith(draft);
    if (chosen === "create") {
      const ending = await send(services, account, draft);
      if (ending === "created") return draft;
      refusal = ending?.refusal;
      continue;
    }
    const changed = await askJobsField(chosen, sub, draft);
    if (changed === undefined) return undefined;
    if (changed !== BACK) draft = changed;
  }
}

/** @returns undefined if the person kept the existing jobs. @throws AppError if changing the form wouldn't help. */
async function send(
  { host, log }: HostServices,
  account: SignedIn,
  draft: JobsDraft,
): Promise<"created" | { readonly refusal: string } | undefined> {
  try {
    const jobs = toJobs(draft);
    const sure = await confirm({ ...jobsQuestion(jobs), go: t("Replace"), keep: t("Keep the Present Ones") });
    if (!sure) return undefined;
    const { text } = await withStatusProgress(t("Creating background jobs…"), () => host.createJobs(account, jobs));
    void say(text);
    return "created";
  } catch (thrown) {
    const error = asAppError(thrown);
    if (error.kind === "outcome-unknown" || error.kind === "key-refused") throw error;
    log.warn("Background jobs were refused.", error);
    return { refusal: error.cause instanceof AppError ? error.cause.message : error.message };
  }
}

async function say(text: string): Promise<void> {
  const show = t("Show Answer");
  if ((await tellInfo(text, show)) === show) await runCommand(commands.hostShowAnswer);
}

export async function showAnswer({ host, session, documents }: HostServices): Promise<void> {
  session.signedIn();
  const answer = host.lastAnswer;
  if (!answer) throw new AppError("not-found", t("The service has not answered a host's request in this session."));
  const { at, text, sent: echo } = answer;
  const remarks = [text, t("Answered {0}", clock(at))];
  await documents.show(
    `${t("Last Answer")}.jsonc`,
    echo === undefined
      ? recordText(remarks, answer.about)
      : recordText(
          [...remarks, t("What the service says you sent; secrets and values of variables are masked.")],
          echo,
        ),
  );
}

export async function unlistVolume(services: HostServices, [given]: readonly unknown[]): Promise<void> {
  const account = services.session.signedIn();
  const id = await volumeFor(services, given);
  if (id === undefined) return;
  const sure = await ask<true>({
    title: t("Unlist Volume"),
    prompt: t("Type {0} again: the volume is taken off the market, and nobody can rent it any more.", id),
    read: (text) => {
      if (text.trim() === String(id)) return true;
      throw new AppError("rejected", t("That is another id. Type {0}, or press Escape to leave it listed.", id));
    },
  });
  if (sure !== true) return;
  const { text } = await withStatusProgress(t("Taking volume {0} off the market…", id), () =>
    services.host.unlist(account, id),
  );
  void tellInfo(text);
}

/** From a row, from the listings that the service names, or typed. */
async function volumeFor({ host }: HostServices, given: unknown): Promise<number | undefined> {
  const id = WireId.safeParse(nodeValue<Row<VolumeOffer>>(given)?.value?.id ?? given);
  if (id.success) return id.data;
  await host.collection.known();
  const title = t("Unlist Volume");
  if (host.listings.length > 0) {
    const chosen = await pick<number | "typed">({
      title,
      placeholder: t("Which volume is taken off the market?"),
      choices: [
        ...host.listings.map(
          ({ value }): Choice<number> => ({
            label: String(value.id),
            description: listingRow(value, "", undefined).description,
            value: value.id,
          }),
        ),
        { label: `$(edit) ${t("Another id…")}`, value: "typed", alwaysShow: true },
      ],
    });
    if (typeof chosen !== "string") return chosen === BACK ? undefined : chosen;
  }
  const typed = await ask<number>({
    title,
    prompt: t("Id of the volume's listing, as the service's web site shows it"),
    placeholder: "26000000",
    read: readId,
  });
  return typed === BACK ? undefined : typed;
}

function readId(text: string): number {
  const id = WireId.safeParse(text.trim());
  if (id.success) return id.data;
  throw new AppError("rejected", t("“{0}” is no id. It is a whole number, such as 26000000.", text.trim()));
}
