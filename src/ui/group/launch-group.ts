// Launching a group: the template, the machines, the summary, and what follows its confirmation.

import type { GroupDraft } from "../../domain/group/group-plan.ts";
import { toGroupPlan, USUAL_RUNNING_MINUTES } from "../../domain/group/group-plan.ts";
import { suggestGroupName } from "../../domain/group/machine-group.ts";
import { emptyDraft, withTemplate } from "../../domain/launch/launch-draft.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import type { Template } from "../../domain/template/template.ts";
import { toDisplayName } from "../../domain/template/template.ts";
import { views } from "../../ids.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { buildRentGroupQuestion } from "../../present/group/group-summary.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { GroupReviewed, GroupReviewer } from "../../services/group/review-group.ts";
import type { GroupPerson, GroupStage } from "../../services/group/run-group.ts";
import { addAccountKey } from "../connection/choose-key.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { BACK, BackWith, type StepPlace, walkSteps } from "../kit/ask/steps.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo, withNotification } from "../kit/messages.ts";
import { showView } from "../kit/run-command.ts";
import { readUsualEnd } from "../launch/launch-settings.ts";
import { askTemplate } from "../launch/plan-steps.ts";
import { askMachines } from "./choose-machines.ts";
import type { GroupServices } from "./group-services.ts";
import { changeGroup, formatGroupSummary, showGroupSummary } from "./group-summary.ts";

export async function launchGroup(
  services: GroupServices,
  account: SignedIn,
  template: Template | undefined,
): Promise<void> {
  const title = t("Launch Group from Template");
  let reviewed: GroupReviewed | undefined;
  const start = emptyGroup(services);
  await walkSteps<GroupDraft>(template ? withGroupTemplate(services, start, template) : start, [
    {
      applies: () => template === undefined,
      ask: async (draft, place) => {
        const base = await askTemplate(services.templates, { ...place, title }, draft.base);
        if (base === undefined || base === BACK) return base;
        return base.template ? withGroupTemplate(services, { ...draft, base }, base.template) : { ...draft, base };
      },
    },
    { ask: (draft, place) => askMachines(services, account, { ...place, title }, draft) },
    {
      ask: async (draft, place) => {
        reviewed = await services.groupReview.review(
          account,
          createReviewer(services, account, { ...place, title }),
          draft,
        );
        return reviewed?.kind === "back" ? new BackWith(reviewed.draft) : reviewed?.draft;
      },
    },
  ]);
  if (reviewed?.kind !== "confirmed") return;
  const { draft, id, withoutTracking } = reviewed;
  const plan = toGroupPlan(draft);
  const confirmed = { account, plan, id, withoutTracking, search: draft.base.search };
  await services.groupRunner.run(createPerson(), confirmed);
}

function emptyGroup({ scheduler }: GroupServices): GroupDraft {
  return {
    base: { ...emptyDraft, end: readUsualEnd(scheduler.clock.now()) },
    name: "",
    offers: [],
    spares: [],
    isApart: false,
    least: undefined,
    rest: "ask",
    minutes: USUAL_RUNNING_MINUTES,
  };
}

function withGroupTemplate({ groups }: GroupServices, draft: GroupDraft, template: Template): GroupDraft {
  const taken = groups.all.map(({ name }) => name);
  const name = suggestGroupName(toDisplayName(template.name ?? "", 40), taken);
  return { ...draft, name, base: withTemplate(draft.base, template) };
}

function createReviewer(services: GroupServices, account: SignedIn, place: StepPlace): GroupReviewer {
  const { scheduler, documents, log } = services;
  const sub: StepPlace = { title: place.title, back: true };
  return {
    showSummary: async (draft, keys) => {
      const answer = await showGroupSummary(draft, keys, scheduler.clock.now(), place);
      return answer === BACK ? "back" : answer;
    },
    change: async (what, draft) => {
      const changed = await changeGroup(services, account, what, { place: sub, draft });
      return changed === BACK ? "back" : changed;
    },
    read: (draft) =>
      documents.read((folder) =>
        documents.show(`${folder}/${t("Summary")}.txt`, formatGroupSummary(draft, scheduler.clock.now())),
      ),
    addKey: (account) => addAccountKey(services, account),
    confirm: ({ plan, ...terms }) => confirm({ ...buildRentGroupQuestion(plan, terms), go: t("Rent") }),
    tell: (what) => {
      if (what.kind === "refused") void showError(what.error, log);
      else if (what.kind === "template-changed")
        void tellInfo(t("The template has changed. The summary shows the current version."));
      else void tellInfo(t("Some of the machines were taken. The summary shows others of the same kind."));
    },
  };
}

function createPerson(): GroupPerson {
  return {
    accompany: (plan, work) =>
      withNotification(t("Renting group “{0}”", plan.name), true, async (show, cancelled) => {
        let isShown = false;
        return await work((stage) => {
          if (!isShown && stage.sent > 0) {
            isShown = true;
            void showView(views.instances, true);
          }
          show(stageText(stage));
        }, cancelled);
      }),
    tellReplacing: (id, { offer }) =>
      void tellInfo(
        t(
          "Instance {0} failed before it started. Replacing it with another {1}, as set in your settings.",
          id,
          toPlainText(formatMachineName(offer), 60),
        ),
      ),
  };
}

function stageText({ wanted, sent, ready }: GroupStage): string {
  if (sent < wanted) return t("renting {0} of {1}…", sent + 1, wanted);
  return t("{0} of {1} ready…", ready, wanted);
}
