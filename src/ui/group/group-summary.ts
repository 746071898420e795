// Shows the summary of a group, and asks about what can be changed on it.

import { AppError } from "../../domain/base/error.ts";
import { addPrices, formatHourlyPrice, formatHourlySum } from "../../domain/base/money.ts";
import { parseHours } from "../../domain/base/time-span.ts";
import { findJoinable, type GroupDraft, sumPrice, toGroupPlan } from "../../domain/group/group-plan.ts";
import { parseGroupName } from "../../domain/group/machine-group.ts";
import { describeConfigured, listConfigured } from "../../domain/launch/launch-configuration.ts";
import { calculatePlanPrice, findNoSelfStopInPlan } from "../../domain/launch/launch-plan.ts";
import { calculateDiskPrice } from "../../domain/offer/disk.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatInstanceCount } from "../../present/base/counts.ts";
import {
  describeGroupEnd,
  describeHosts,
  describeMustRun,
  describeNetwork,
  describeRest,
  formatGroupDisk,
  formatGroupImage,
  formatGroupKind,
  formatMinutes,
  listGroupCosts,
  listGroupNotKnown,
  listMachineLines,
} from "../../present/group/group-summary.ts";
import type { SummaryLine } from "../../present/launch/summary.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { GroupAnswer, GroupChange } from "../../services/group/review-group.ts";
import type { KeyNotice } from "../../services/launch/notice-keys.ts";
import { askEnd } from "../instance/ask-auto-stop.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { askDisk } from "../launch/plan-steps.ts";
import { buildKeyLines, formatSummary } from "../launch/review/review-summary.ts";
import { askMachines } from "./choose-machines.ts";
import { askNetwork } from "./choose-network.ts";
import type { GroupServices } from "./group-services.ts";

/** Minutes that a group may take at most. */
const MOST_MINUTES = 1440;

export async function showGroupSummary(
  draft: GroupDraft,
  keys: KeyNotice | undefined,
  now: number,
  place: StepPlace,
): Promise<Answer<GroupAnswer>> {
  return await pickOne<GroupAnswer>({
    ...place,
    placeholder: t("Review your group. Nothing is rented until you confirm."),
    choices: lines(draft, keys, now),
    active: (value) => value === "rent",
  });
}

function lines(draft: GroupDraft, keys: KeyNotice | undefined, now: number): Choice<GroupAnswer>[] {
  const plan = toGroupPlan(draft);
  const { machines, policy, name } = plan;
  const count = machines.length;
  const info = ({ name, value }: SummaryLine): Choice<GroupAnswer> => ({
    label: toLabel(name),
    description: toLabel(value, 300),
  });
  const edit = (title: string, description: string, value: GroupChange): Choice<GroupAnswer> => ({
    label: `$(edit) ${title}`,
    description,
    value,
  });
  const notKnown = listGroupNotKnown(plan);
  return [
    {
      label: `$(credit-card) ${t("Rent {0} for {1}…", formatInstanceCount(count), formatHourlySum(machines.map(calculatePlanPrice)))}`,
      value: "rent",
    },
    { label: t("Runs"), description: toLabel(formatGroupImage(plan), 300) },
    ...buildKeyLines(keys),
    createSeparator(t("Group")),
    edit(t("Machines…"), formatGroupKind(machines), "machines"),
    edit(t("Must Run…"), describeMustRun(policy, count), "policy"),
    edit(t("Time Limit…"), formatMinutes(policy.minutes), "minutes"),
    edit(t("If Too Few Run…"), describeRest(policy, count), "rest"),
    edit(t("Auto-Stop…"), describeGroupEnd(plan, now), "end"),
    createSeparator(t("Cost")),
    ...listGroupCosts(plan, now).map(info),
    edit(t("Disk…"), formatGroupDisk(plan), "disk"),
    ...(notKnown.length > 0 ? [createSeparator<GroupAnswer>(t("Extra or unknown costs"))] : []),
    ...notKnown.map((text): Choice<GroupAnswer> => ({ label: `$(question) ${text}` })),
    createSeparator(t("Change")),
    edit(
      t("Configuration…"),
      describeConfigured(listConfigured(draft.base), draft.base.template ? t("as in the template") : t("defaults")),
      "configuration",
    ),
    edit(t("Name…"), name, "name"),
    edit(t("Hosts…"), describeHosts(draft.isApart), "apart"),
    ...(findJoinable(draft) === undefined ? [] : [edit(t("Network…"), describeNetwork(plan.overlay), "overlay")]),
    createSeparator(t("Machines")),
    ...listMachineLines(plan).map(info),
    createSeparator(t("Will be sent")),
    { label: `$(go-to-file) ${t("Show Full Summary…")}`, description: t("every field, in a document"), value: "full" },
  ];
}

/** Every machine's own summary, one below the other. The labels begin with marks that are made when they are sent. */
export function formatGroupSummary(draft: GroupDraft, now: number): string {
  const plan = toGroupPlan(draft);
  const each = plan.machines.map((one, rank) => {
    const text = formatSummary({ plan: one, sentLabel: `vsc-… ${one.label}`, now, known: {} });
    const [, ...rest] = text.split("\n");
    return [t("Instance {0} of {1}", rank + 1, plan.machines.length), ...rest].join("\n");
  });
  const total = t("All of them: {0}", formatHourlyPrice(sumPrice(plan.machines)));
  return [t("Press Escape or close this tab to return to the summary."), "", total, "", ...each].join("\n");
}

export function changeGroup(
  services: GroupServices,
  account: SignedIn,
  what: GroupChange,
  { place, draft }: { readonly place: StepPlace; readonly draft: GroupDraft },
): Promise<Answer<GroupDraft>> {
  switch (what) {
    case "machines":
      return askMachines(services, account, place, draft);
    case "policy":
      return askLeast(place, draft);
    case "rest":
      return askRest(place, draft);
    case "minutes":
      return askMinutes(place, draft);
    case "apart":
      return askApart(place, draft);
    case "configuration":
      return askConfiguration(services, draft);
    case "disk":
      return askDiskOfAll(place, draft);
    case "name":
      return askName(place, draft);
    case "end":
      return askEndOfAll(services, place, draft);
    case "overlay":
      return askNetwork(services, account, place, draft);
  }
}

async function askLeast(place: StepPlace, draft: GroupDraft): Promise<Answer<GroupDraft>> {
  const count = draft.offers.length;
  const chosen = await pickOne<"all" | "some" | "any">({
    ...place,
    placeholder: t("How many of the {0} instances must run?", count),
    choices: [
      { label: t("All {0}", count), value: "all" },
      { label: t("At Least…"), value: "some" },
      { label: t("As Many as Start"), value: "any" },
    ],
  });
  if (chosen === undefined || chosen === BACK) return chosen;
  if (chosen !== "some") return { ...draft, least: chosen === "all" ? undefined : 1 };
  const least = await askText({
    ...place,
    prompt: t("At least how many of the {0} instances must run?", count),
    value: String(draft.least ?? Math.max(1, count - 1)),
    read: (text) => readLeast(text, count),
  });
  return typeof least === "number" ? { ...draft, least: least === count ? undefined : least } : least;
}

/** @throws AppError `rejected` that says how many there may be. */
function readLeast(typed: string, count: number): number {
  const least = /^\d{1,3}$/.test(typed.trim()) ? Number(typed) : Number.NaN;
  if (least >= 1 && least <= count) return least;
  throw new AppError("rejected", t("At least: enter a whole number from 1 to {0}.", count));
}

async function askRest(place: StepPlace, draft: GroupDraft): Promise<Answer<GroupDraft>> {
  const rest = await pickOne<GroupDraft["rest"]>({
    ...place,
    placeholder: t("What happens if too few of them run in time?"),
    choices: [
      { label: t("Ask Me"), detail: t("Rented instances cost money until you decide."), value: "ask" },
      {
        label: t("Destroy Them"),
        detail: t(
          "All rented instances and their disks; if enough are running, only those that aren't. Works only if VS Code is open and signed in.",
        ),
        value: "destroy",
      },
    ],
    active: (value) => value === draft.rest,
  });
  return rest === undefined || rest === BACK ? rest : { ...draft, rest };
}

async function askMinutes(place: StepPlace, draft: GroupDraft): Promise<Answer<GroupDraft>> {
  const minutes = await askText({
    ...place,
    prompt: t("How long can the instances take to start?"),
    value: formatMinutes(draft.minutes),
    placeholder: t("20 min, 1 h"),
    read: (text) => readMinutes(text),
  });
  return typeof minutes === "number" ? { ...draft, minutes } : minutes;
}

/** @throws AppError `rejected` that says what it may be. */
function readMinutes(typed: string): number {
  const hours = parseHours(typed.trim());
  const minutes = hours === undefined ? Number.NaN : hours * 60;
  if (minutes >= 1 && minutes <= MOST_MINUTES) return minutes;
  throw new AppError("rejected", t("Time limit: enter 1 min to 24 h, such as “20 min” or “1 h”."));
}

async function askApart(place: StepPlace, draft: GroupDraft): Promise<Answer<GroupDraft>> {
  const isApart = await pickOne<boolean>({
    ...place,
    placeholder: t("Different machines, or different hosts?"),
    choices: [
      { label: t("Different Machines"), detail: t("One host can provide several machines."), value: false },
      {
        label: t("Different Hosts"),
        detail: t("A problem at one host affects only one instance."),
        value: true,
      },
    ],
    active: (value) => value === draft.isApart,
  });
  return isApart === undefined || isApart === BACK ? isApart : { ...draft, isApart };
}

/** What all of its instances get. */
async function askConfiguration(services: GroupServices, draft: GroupDraft): Promise<Answer<GroupDraft>> {
  const { base } = draft;
  const purpose = { focus: base.template ? "env" : "image", mustRun: true, isForSeveral: true } as const;
  const changed = await services.launchPages.ask(services, base, purpose);
  if (changed === undefined || changed === BACK) return changed;
  const { image, runtype, configuration } = changed;
  return { ...draft, base: { ...base, image, runtype, configuration } };
}

/** The disk must fit on the machine with the least room. */
async function askDiskOfAll(place: StepPlace, draft: GroupDraft): Promise<Answer<GroupDraft>> {
  const room = ({ disk_space: space }: GroupDraft["offers"][number]) => space ?? Number.POSITIVE_INFINITY;
  const smallest = draft.offers.reduce((least, offer) => (room(offer) < room(least) ? offer : least));
  const base = await askDisk(place, { ...draft.base, offer: smallest });
  return base === undefined || base === BACK ? base : { ...draft, base: { ...draft.base, diskGb: base.diskGb } };
}

async function askName(place: StepPlace, draft: GroupDraft): Promise<Answer<GroupDraft>> {
  const name = await askText({
    ...place,
    prompt: t("Name of the group. Its instances are called {0}/0, {0}/1, and so on.", draft.name),
    value: draft.name,
    read: parseGroupName,
  });
  return typeof name === "string" ? { ...draft, name } : name;
}

/** A time only: a member that is idle may be waiting for the others. */
async function askEndOfAll(
  { scheduler, session }: GroupServices,
  place: StepPlace,
  draft: GroupDraft,
): Promise<Answer<GroupDraft>> {
  const { machines } = toGroupPlan(draft);
  const { base } = session.requireSignedIn().address;
  const no = findNoSelfStopInPlan(draft.base, base);
  const wish = await askEnd(place, {
    now: scheduler.clock.now(),
    price: sumPrice(machines),
    diskPrice: addPrices(machines.map(({ offer, diskGb }) => calculateDiskPrice(offer, diskGb))),
    itself: no ? { kind: "impossible", no } : { kind: "offered", base },
  });
  if (wish === undefined || wish === BACK) return wish;
  return { ...draft, base: { ...draft.base, end: wish === "none" ? undefined : wish } };
}
