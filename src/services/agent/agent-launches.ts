// Quotes for agents, and the launches that they become: one quote is one launch token, so it rents once at most.
import { type AgentLaunch, createAbsent, toAgentLaunch, toRecordedLaunch } from "../../domain/agent/agent-launch.ts";
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { fixEndTime } from "../../domain/instance/auto-stop.ts";
import { readLaunchToken } from "../../domain/instance/instance.ts";
import type { LaunchAction, LaunchQuestion } from "../../domain/launch/launch-messages.ts";
import { calculatePlanPrice, type LaunchPlan } from "../../domain/launch/launch-plan.ts";
import { getLaunchState } from "../../domain/launch/launch-record.ts";
import { anySearch } from "../../domain/offer/offer-search.ts";
import { type Clock, waitForAbort } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { createIntent, type Intent } from "../launch/intent.ts";
import type { LaunchPerson, NextStep, Rental } from "../launch/launch-steps.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import { isAboutOffer, recheckPlan } from "../launch/recheck-plan.ts";
import type { LaunchReview } from "../launch/review-launch.ts";
import type { LaunchRunner } from "../launch/run-launch.ts";
import type { OffersService } from "../offer/offers.ts";
import { type AgentAsking, ANSWERS_WITHIN } from "./agent-asking.ts";
import type { Grants } from "./grants.ts";

/** The person for whom an agent launches. */
export interface AgentLaunchPerson {
  /** `why` the budget that they gave to agents doesn't pay for it, if there is one. */
  confirm(question: LaunchQuestion, why: string | undefined): Promise<boolean>;
  /** How the launch goes on is shown to them, as with any other. */
  readonly launching: LaunchPerson;
  takeNextStep(account: SignedIn, next: NextStep | undefined): Promise<void>;
  /** It failed once the agent had its answer. */
  tellError(error: unknown): void;
}

interface Services {
  readonly session: SessionService;
  readonly offers: Pick<OffersService, "reread">;
  readonly review: Pick<LaunchReview, "askToRent">;
  readonly grants: Pick<Grants, "judge" | "assertGranted">;
  readonly runner: Pick<LaunchRunner, "run" | "deadMachines">;
  readonly watch: Pick<LaunchWatch, "reread">;
  readonly clock: Clock;
}

/** What was agreed to: in a question, or with a budget. */
type AgentTerms = Pick<Rental, "plan" | "withoutTracking" | "byAgent">;

interface LaunchQuote {
  readonly id: string;
  /** Epoch milliseconds. */
  readonly validUntil: number;
}

interface Kept extends LaunchQuote {
  /** Digest of the account's address and key. */
  readonly tag: string;
  readonly plan: LaunchPlan;
  readonly intent: Intent;
  readonly at: number;
  /** What became of it, once it was asked about: of the last machine, if others took the place of those that died. */
  launch?: Promise<AgentLaunch> | undefined;
  /** A call was answered with it. */
  isAnswered?: true;
  /** Machines that died, by the token of the launch that takes their place. They are destroyed before that is written down. */
  readonly successors: Map<string, InstanceId>;
  /** The machine that was rented last. */
  rented?: InstanceId | undefined;
  /** Those of them that were destroyed for it here. */
  readonly replaced: Set<InstanceId>;
}

/** How launch tokens begin, and quotes in their place. */
const TOKEN_START = "vsc-";
const QUOTE_START = "quote-";
/** Milliseconds for which a quote can be launched. */
const VALID = 300_000;
/** Of those that no one launched, or that were answered, the oldest are forgotten: nothing can be rented with them. */
const MOST_QUOTES = 100;
/** What leads to another launch is the person's own to begin. */
const OWN_LAUNCHES: readonly LaunchAction[] = ["choose-again", "reconfigure"];

export class AgentLaunches {
  readonly #services: Services;
  readonly #asking: AgentAsking;
  readonly #quotes = new Map<string, Kept>();

  constructor(services: Services, asking: AgentAsking) {
    this.#services = services;
    this.#asking = asking;
    services.runner.deadMachines.onWillReplace.push(async (dead, token, account) => {
      // An instance of another account may have the same number.
      for (const { rented, successors, tag } of this.#quotes.values())
        if (rented === dead && tag === account.tag) successors.set(token, dead);
    });
  }

  /** The plan itself is kept, so nothing but what was quoted can be sent. It must have a price and an auto-stop. */
  quote(account: SignedIn, plan: LaunchPlan): LaunchQuote {
    const at = this.#services.clock.now();
    const intent = createIntent();
    const id = intent.token.replace(TOKEN_START, QUOTE_START);
    const quote = { id, validUntil: at + VALID };
    const kept = { tag: account.tag, plan, intent, at };
    this.#quotes.set(id, { ...quote, ...kept, successors: new Map(), replaced: new Set() });
    // What was sent is in the journal, too.
    const idle = [...this.#quotes.values()].filter(({ launch, isAnswered }) => launch === undefined || isAnswered);
    for (const old of idle.slice(0, -MOST_QUOTES)) this.#quotes.delete(old.id);
    return quote;
  }

  /**
   * Asks the person and rents. Called again, it tells what became of the first time; a question that was left open is asked again.
   * @throws AppError if nothing was rented and another call may.
   */
  async launch(account: SignedIn, id: string, person: AgentLaunchPerson, signal: AbortSignal): Promise<AgentLaunch> {
    const quote = this.#quotes.get(id);
    if (quote?.tag !== account.tag) return await this.#findElsewhere(account, id);
    const [begun, isEarlier] = [quote.launch, quote.isAnswered];
    quote.launch ??= this.#launch(account, quote, person, signal).catch((error) => {
      quote.launch = undefined;
      throw error;
    });
    // A call that joins leaves by its own signal: the launch goes on for the call that began it.
    const launch = await (begun ? Promise.race([begun, waitForCancel(signal)]) : quote.launch);
    quote.isAnswered = true;
    const found = await this.#findOutcome(quote, launch);
    return found.kind === "rented" && isEarlier ? { ...found, isEarlier } : found;
  }

  /** What a quote of another window became, or one of this window before it was reloaded: all of them share the journal. */
  async #findElsewhere(account: SignedIn, id: string): Promise<AgentLaunch> {
    const token = toToken(id);
    if (token === undefined) return { kind: "unknown-quote" };
    const { session, watch } = this.#services;
    // Where the disk can't be read, nothing says that it wasn't sent.
    const records = await watch.reread().catch(() => undefined);
    session.assertStill(account);
    if (!records) return { kind: "unknown", token };
    const record = records.find((one) => one.token === token);
    return record ? toRecordedLaunch(record) : { kind: "unknown-quote" };
  }

  /** What wasn't known, or not proven, may have been found out since, by any window: also that one request rented twice. */
  async #findOutcome({ intent, successors, replaced }: Kept, launch: AgentLaunch): Promise<AgentLaunch> {
    if (launch.kind === "declined") return launch;
    // What was sent was sent, whether or not the disk can be read now.
    const all = await this.#services.watch.reread().catch(() => []);
    const records = all.filter(({ token }) => token === intent.token || successors.has(token));
    const known = launch.kind === "rented" ? launch.ids : [];
    const gone = new Set([...replaced, ...records.map(({ token }) => successors.get(token))]);
    const ids = [...new Set([...known, ...records.flatMap((record) => record.ids)])].filter((id) => !gone.has(id));
    if (ids.length > 0) return { kind: "rented", ids };
    if (launch.kind !== "unknown") return launch;
    const record = records.find(({ token }) => token === launch.token);
    if (!record || getLaunchState(record) !== "absent") return launch;
    return createAbsent();
  }

  async #launch(account: SignedIn, quote: Kept, person: AgentLaunchPerson, signal: AbortSignal): Promise<AgentLaunch> {
    this.#assertValid(quote, quote.validUntil);
    const terms = (await this.#findPaid(account, quote, signal)) ?? (await this.#ask(account, quote, person, signal));
    if (!terms) return { kind: "declined" };
    try {
      this.#services.session.assertStill(account);
      // The computer may have slept before the question as well.
      this.#assertValid(quote, quote.validUntil + ANSWERS_WITHIN);
    } catch (error) {
      // Whoever agreed expects it to be rented.
      person.tellError(error);
      throw error;
    }
    const { plan } = terms;
    const search = { ...anySearch, type: plan.type, diskGb: plan.diskGb };
    // A machine that died is replaced only if the person says so: each machine is a launch of its own.
    const chain = { price: calculatePlanPrice(plan), tries: Number.POSITIVE_INFINITY };
    return await this.#rent(quote, person, { account, search, intent: quote.intent, chain, ...terms });
  }

  /** What the budget of agents pays for needs no question. Undefined if it doesn't, or can't be read. @throws AppError as `#recheck`. */
  async #findPaid(account: SignedIn, quote: Kept, signal: AbortSignal): Promise<AgentTerms | undefined> {
    const { grants, clock } = this.#services;
    // It is counted until a moment that doesn't move.
    const { end } = quote.plan;
    const quoted = { ...quote.plan, end: end && fixEndTime(end, clock.now()) };
    const granted = await grants.judge(account, quoted).catch(() => undefined);
    if (typeof granted !== "object") return undefined;
    const plan = await this.#recheck(account, quoted, signal);
    let isStillPaid = () => false;
    const isWanted = async () => {
      isStillPaid = await grants.assertGranted(account, plan, granted, quote.intent.token);
      return !signal.aborted;
    };
    const mayLeave = () => !signal.aborted && isStillPaid();
    return { plan, withoutTracking: false, byAgent: { note: { byAgent: true, granted }, isWanted, mayLeave } };
  }

  /** @returns undefined if the person doesn't want it. @throws AppError. */
  async #ask(
    account: SignedIn,
    { plan: quoted }: Kept,
    person: AgentLaunchPerson,
    signal: AbortSignal,
  ): Promise<AgentTerms | undefined> {
    this.#asking.assertMayAsk();
    const plan = await this.#recheck(account, quoted, signal);
    const why = await this.#services.grants.judge(account, plan).catch(() => undefined);
    const terms = await this.#services.review.askToRent(account, plan, {
      confirm: (question) =>
        this.#asking.ask(() => person.confirm(question, typeof why === "string" ? why : undefined), signal),
    });
    return terms && { plan, ...terms, byAgent: { note: { byAgent: true } } };
  }

  /** @throws AppError if it is no longer what was quoted, or can't be read. */
  async #recheck(account: SignedIn, plan: LaunchPlan, signal: AbortSignal): Promise<LaunchPlan> {
    return await recheckPlan(this.#services.offers, account, plan, signal).catch((error) => {
      throw asStale(asAppError(error));
    });
  }

  /** By the wall clock. @throws AppError `rejected`. */
  #assertValid({ at }: Kept, until: number): void {
    const now = this.#services.clock.now();
    if (now < at || now > until)
      throw new AppError("rejected", t("This quote is older than 5 minutes. Nothing was rented. Ask for a new quote."));
  }

  /** Answers as soon as it is known what was rented. The launch goes on in front of the person, who may have a dead machine replaced. */
  #rent(quote: Kept, person: AgentLaunchPerson, rental: Rental): Promise<AgentLaunch> {
    const first = Promise.withResolvers<AgentLaunch>();
    const { launching } = person;
    let current = first;
    const watching: LaunchPerson = {
      ...launching,
      accompany: (plan, work) => {
        if (quote.rented !== undefined) {
          quote.replaced.add(quote.rented);
          current = Promise.withResolvers<AgentLaunch>();
          quote.launch = current.promise;
        }
        return launching.accompany(plan, (onStage, cancelled) =>
          work((stage) => {
            if (stage !== "sending") {
              quote.rented = stage.id;
              current.resolve({ kind: "rented", ids: [stage.id] });
            }
            onStage(stage);
          }, cancelled),
        );
      },
      tell: async (message, actions) => {
        const launch = toAgentLaunch(message);
        if (launch) current.resolve(launch);
        const offered = actions.filter((action) => !OWN_LAUNCHES.includes(action));
        return await launching.tell(message, offered);
      },
    };
    this.#services.runner
      .run(watching, rental)
      .then((next) => person.takeNextStep(rental.account, next))
      .catch((error) => {
        // Whatever failed, it may have been sent: another try could rent twice.
        current.resolve({ kind: "unknown", token: [...quote.successors.keys()].at(-1) ?? rental.intent.token });
        person.tellError(error);
      });
    return first.promise;
  }
}

async function waitForCancel(signal: AbortSignal): Promise<never> {
  return await waitForAbort(signal).catch(() => {
    throw new AppError("cancelled", t("Canceled."));
  });
}

/** The launch token that a quote becomes; undefined if it can't be a quote. */
function toToken(id: string): string | undefined {
  const token = id.startsWith(QUOTE_START) ? id.replace(QUOTE_START, TOKEN_START) : undefined;
  return token !== undefined && readLaunchToken(token) === token ? token : undefined;
}

/** Nothing was asked, so there is nothing to review again. */
function asStale(error: AppError): AppError {
  if (!isAboutOffer(error)) return error;
  return new AppError(error.kind, `${error.message} ${t("Ask for a new quote.")}`, error.facts);
}
