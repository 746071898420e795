// Answers the tools that agents call. What they do beyond reading is in `act-tools.ts`.
import * as vscode from "vscode";
import { judgeGranted } from "../../domain/agent/grant.ts";
import { buildLaunchLink } from "../../domain/agent/link.ts";
import {
  AGENT_TOOLS,
  type AgentTool,
  findAgentTool,
  isActing,
  isForAnyWorkspace,
  readToolInput,
  type ToolInput,
} from "../../domain/agent/tools.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import { type InstanceId, OfferId, RunId, TemplateHash } from "../../domain/base/id.ts";
import { calculatePlanPrice, findNoSelfStopInPlan, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { parseDisk } from "../../domain/offer/disk.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import { toVramMb } from "../../domain/offer/offer.ts";
import { anySearch, listRelaxations, type OfferSearch } from "../../domain/offer/offer-search.ts";
import { parseImage } from "../../domain/template/image.ts";
import { EXTENSION } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildNeedsPersonAnswer } from "../../present/agent/act-answers.ts";
import { buildBudgetFacts } from "../../present/agent/grant-text.ts";
import {
  buildFailureAnswer,
  buildInstancesAnswer,
  buildOffersAnswer,
  buildQuoteAnswer,
  buildRunAnswer,
  buildRunsAnswer,
} from "../../present/agent/tool-answers.ts";
import { isShownWhole } from "../../present/launch/rent-question.ts";
import type { Ledger } from "../../services/account/ledger.ts";
import { readSpentOnEach } from "../../services/account/read-spent.ts";
import { needsPerson } from "../../services/agent/agent-asking.ts";
import { readOutputEnd } from "../../services/agent/read-output-end.ts";
import { getError, getLast } from "../../services/core/loaded.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { readExceeded } from "../launch/ask-offer.ts";
import type { RunServices } from "../run/run-services.ts";
import { type ActServices, answerEnd, answerLaunch, answerRunThere } from "./act-tools.ts";

export interface ToolServices extends ActServices {
  readonly ledger: Ledger;
  readonly runs: RunServices["runs"];
}

/** An agent of the editor's chat, or a program on this computer that the tools are shared with. */
type Caller = "editor" | "shared";

/** Runs that are listed where none is named, and ways to loosen a search. */
const MOST_LISTED = 10;

type Answer<K extends AgentTool> = (
  services: ToolServices,
  account: SignedIn,
  input: ToolInput<K>,
  signal: AbortSignal,
) => Promise<object>;

const answers: { readonly [K in AgentTool]: Answer<K> } = {
  searchOffers: answerSearch,
  quoteLaunch: answerQuote,
  launch: answerLaunch,
  getInstances: answerInstances,
  run: answerRunThere,
  getRun: answerRun,
  endInstance: answerEnd,
};

/**
 * @returns what the agent is told: also what a service refused, as data.
 * @throws AppError that says what is wrong with the call itself, or that no one is signed in.
 */
export async function runTool(
  services: ToolServices,
  name: string,
  given: unknown,
  signal: AbortSignal,
  from: Caller = "editor",
): Promise<object> {
  const { log } = services;
  const tool = findAgentTool(name);
  const who = from === "editor" ? "An" : "Another";
  try {
    if (!tool) throw new AppError("rejected", t("This tool doesn't exist."));
    const answer = await answerCall(services, tool, given, signal);
    const { outcome = "" } = answer as { readonly outcome?: string };
    log.info(`${who} agent called ${AGENT_TOOLS[tool].name}. ${outcome}`.trim());
    return answer;
  } catch (error) {
    log.info(`${who} agent called ${tool ? AGENT_TOOLS[tool].name : "an unknown tool"}, which was refused.`, error);
    throw error;
  }
}

async function answerCall<K extends AgentTool>(
  services: ToolServices,
  tool: K,
  given: unknown,
  signal: AbortSignal,
): Promise<object> {
  const input = readToolInput(tool, given);
  if (!vscode.workspace.isTrusted && !isForAnyWorkspace(tool))
    throw new AppError("rejected", t("In a workspace that isn't trusted, only offers can be searched."));
  const account = services.session.requireSignedIn();
  try {
    const answer = await answers[tool](services, account, input, signal);
    // What was done was done in that account, whoever is signed in by now.
    if (!isActing(tool)) services.session.assertStill(account);
    return answer;
  } catch (error) {
    const failure = asAppError(error);
    if (needsPerson(failure)) return buildNeedsPersonAnswer(failure);
    services.log.warn(`${AGENT_TOOLS[tool].name} failed.`, failure);
    return buildFailureAnswer(failure);
  }
}

function toSearch(input: ToolInput<"searchOffers">): OfferSearch {
  const { gpu, gpus, minVramGb, maxPricePerHour, country, type, diskGb, unverified } = input;
  const filters: Filters = {
    ...(unverified ? {} : anySearch.filters),
    ...(gpu === undefined ? {} : { gpu_name: { eq: gpu.replaceAll("_", " ") } }),
    ...(gpus === undefined ? {} : { num_gpus: { eq: gpus } }),
    ...(minVramGb === undefined ? {} : { gpu_ram: { gte: toVramMb(minVramGb) } }),
    ...(maxPricePerHour === undefined ? {} : { dph_total: { lte: maxPricePerHour } }),
    ...(country === undefined ? {} : { geolocation: { eq: country } }),
  };
  return { ...anySearch, filters, type: type ?? "ondemand", diskGb: diskGb ?? anySearch.diskGb };
}

async function answerSearch(
  services: ToolServices,
  account: SignedIn,
  input: ToolInput<"searchOffers">,
  signal: AbortSignal,
): Promise<object> {
  const search = toSearch(input);
  const { offers, unreadable } = await services.offers.searchIn(account, search, signal);
  // How a limit is exceeded says what is rented.
  const exceeded = vscode.workspace.isTrusted ? await readExceeded(services, account) : () => undefined;
  const market = offers.length > 0 ? [] : await services.offers.readMarket(search, signal);
  return buildOffersAnswer({
    offers,
    unreadable,
    hours: input.hours,
    most: input.most ?? 10,
    objection: (offer) => exceeded(offer, search)?.message,
    loosen: listRelaxations(search.filters, market).slice(0, MOST_LISTED),
  });
}

async function answerQuote(
  services: ToolServices,
  account: SignedIn,
  input: ToolInput<"quoteLaunch">,
  signal: AbortSignal,
): Promise<object> {
  const { hours, type = "ondemand", diskGb = anySearch.diskGb } = input;
  const image = input.image === undefined ? undefined : parseImage(input.image);
  const offer = await services.offers.reread(account, OfferId.parse(input.offer), type, diskGb, signal);
  if (!offer) throw new AppError("gone", t("This offer no longer exists."));
  parseDisk(String(diskGb), offer);
  const hash = input.template === undefined ? undefined : TemplateHash.safeParse(input.template).data;
  const row = hash && (services.templates.find(hash) ?? (await services.saves.find(account, { id: undefined, hash })));
  if (input.template !== undefined && !row) throw new AppError("gone", t("This template no longer exists."));
  const configured: LaunchPlan = {
    ...{
      offer,
      type,
      diskGb,
      template: row?.value,
      image,
      runtype: image === undefined ? undefined : "ssh",
      label: "",
    },
    bid: type === "bid" ? offer.min_bid : undefined,
  };
  const { base } = account.address;
  // Unless nothing on it can do that, it ends without a window, too.
  const byItself = findNoSelfStopInPlan(configured, base) ? {} : { byItself: base };
  const plan: LaunchPlan = { ...configured, end: { hours, ending: "destroy", ...byItself } };
  const exceeded = await readExceeded(services, account);
  services.session.assertStill(account);
  const objection = exceeded(offer, { ...anySearch, type, diskGb })?.message;
  const runs = row !== undefined || image !== undefined;
  const grant = await services.grants.read(account).catch(() => undefined);
  const judged = grant && judgeGranted(grant, plan, services.clock.now());
  services.session.assertStill(account);
  const isAllowed = runs && objection === undefined && calculatePlanPrice(plan) !== undefined;
  return buildQuoteAnswer({
    plan,
    hours,
    objection,
    link: row && buildLaunchLink(vscode.env.uriScheme, EXTENSION, row.value.hash_id),
    budget: grant && buildBudgetFacts(grant, typeof judged === "string" ? judged : undefined),
    quote: isAllowed && isShownWhole(plan) ? services.agentLaunches.quote(account, plan) : undefined,
    now: services.scheduler.clock.now(),
  });
}

async function answerInstances(
  { instances, autoStops, ledger, clock, log }: ToolServices,
  account: SignedIn,
  { instance }: ToolInput<"getInstances">,
): Promise<object> {
  const { collection } = instances;
  await collection.refresh();
  const error = getError(collection.store.current);
  if (error) throw error;
  const rows = instances.rows.filter(({ value, gone }) => !gone && (instance === undefined || value.id === instance));
  if (instance !== undefined && rows.length === 0)
    throw new AppError("not-found", t("This account has no instance {0}.", instance));
  const values = rows.map(({ value }) => value);
  const spent = await readSpentOnEach({ ledger, clock }, account, values).catch((failure) => {
    log.warn("What instances have cost can't be read.", failure);
    return new Map<InstanceId, never>();
  });
  return buildInstancesAnswer(
    rows.map((row) => ({ ...row, end: autoStops.findAutoStop(row.value), spent: spent.get(row.value.id) })),
    getLast(collection.store.current)?.value.complete === true,
  );
}

async function answerRun({ runs }: ToolServices, account: SignedIn, { run: id }: ToolInput<"getRun">): Promise<object> {
  const all = await runs.readAll(account);
  if (id === undefined) return buildRunsAnswer(all.slice(0, MOST_LISTED));
  const run = all.find((one) => one.id === RunId.safeParse(id).data);
  if (!run) throw new AppError("not-found", t("This run is no longer in the list."));
  const results = run.state.kind === "ended" ? run.state.results : undefined;
  return buildRunAnswer(run, results?.kind === "fetched" ? await readOutputEnd(results) : undefined);
}
