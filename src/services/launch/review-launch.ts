// The summary: from the chosen offer to the confirmation, with every change that the person makes along the way.
import type { LaunchDraft, PricedDraft } from "../../domain/launch/launch-draft.ts";
import { toLaunchPlan, withoutLostVolume, withTemplateNow } from "../../domain/launch/launch-draft.ts";
import type { LaunchQuestion } from "../../domain/launch/launch-messages.ts";
import type { LaunchPlan } from "../../domain/launch/launch-plan.ts";
import type { Clock } from "../../lib/clock.ts";
import type { AccountKeyState, AccountKeys } from "../connection/account-keys.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { OffersService } from "../offer/offers.ts";
import type { TemplateSaves } from "../template/template-saves.ts";
import type { TemplatesService } from "../template/templates.ts";
import { createIntent, formatLaunchLabel, type Intent } from "./intent.ts";
import type { LaunchService } from "./launch.ts";
import { assertKeyForVm, findKeyNotice, type KeyNotice } from "./notice-keys.ts";

/** What can be changed in a summary without leaving it. */
export type SummaryChange = "bid" | "disk" | "label" | "offer" | "end" | "configuration" | "volume";
export type SummaryAnswer = "rent" | "back" | SummaryChange | "full" | "compare" | "add-key";

/** What happened to the launch while its summary was open. */
export type ReviewMessage =
  | { readonly kind: "template-changed"; readonly name: string }
  | { readonly kind: "offer-taken"; readonly diskGb: number }
  /** The volume isn't on the machine of the offer that was chosen. */
  | { readonly kind: "volume-lost" }
  | { readonly kind: "price-unread"; readonly diskGb: number; readonly error: unknown }
  /** A limit set by the person, or a service that can't be asked. The summary stays open. */
  | { readonly kind: "refused"; readonly error: unknown };

/** The person who reviews. Every `undefined` means Escape and drops the launch. */
export interface Reviewer {
  showSummary(plan: LaunchPlan, label: string, keys: KeyNotice | undefined): Promise<SummaryAnswer | undefined>;
  change(what: SummaryChange, draft: LaunchDraft): Promise<LaunchDraft | "back" | undefined>;
  /** Resolves when the person comes back to the summary; to false if they went on to something else. */
  read(what: "full" | "compare", plan: LaunchPlan, label: string): Promise<boolean>;
  /** Lets the person add an SSH key of theirs to the account. */
  addKey(account: SignedIn): Promise<void>;
  confirm(question: LaunchQuestion): Promise<boolean>;
  tell(message: ReviewMessage): void;
}

export type Reviewed =
  | {
      readonly kind: "confirmed";
      readonly draft: PricedDraft;
      readonly intent: Intent;
      readonly withoutTracking: boolean;
    }
  /** Back to the previous step, with the changes made here. */
  | { readonly kind: "back"; readonly draft: LaunchDraft };

/** The summary stays open and shows this draft. */
interface StillOpen {
  readonly kind: "open";
  readonly draft: LaunchDraft;
}

interface Services {
  readonly session: Pick<SessionService, "profiles" | "assertStill">;
  readonly offers: OffersService;
  readonly templates: TemplatesService;
  readonly saves: TemplateSaves;
  readonly launches: LaunchService;
  readonly accountKeys: AccountKeys;
  readonly clock: Clock;
}

/** What stays the same as long as one summary is open. */
interface Review {
  readonly account: SignedIn;
  readonly person: Reviewer;
  readonly intent: Intent;
  /** Read when the summary opens, and again after a key was added. */
  keys: Promise<AccountKeyState>;
}

/**
 * Milliseconds that a summary waits for its template, and for the account's SSH keys. A later response is applied when the
 * person chooses to rent.
 */
const WAIT = 2000;

export class LaunchReview {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * The intent is created as the summary opens, so every click on this summary uses the same one.
   * @returns undefined if the person dropped the launch.
   */
  async review(account: SignedIn, person: Reviewer, start: LaunchDraft): Promise<Reviewed | undefined> {
    const review: Review = {
      account,
      person,
      intent: createIntent(),
      keys: this.#services.accountKeys.compare(account),
    };
    let draft = await this.#withTemplateNow(account, person, start);
    for (;;) {
      draft = keepVolume(person, draft);
      const priced = await this.#reprice(account, person, draft);
      const turn = priced ? await this.#ask(review, priced) : await this.#change(review, "offer", draft, true);
      if (turn?.kind !== "open") return turn;
      // A price that was read for another disk is read again each time the summary comes back.
      if (turn.draft !== priced) draft = turn.draft;
    }
  }

  /** Shows the summary once and handles the answer. */
  async #ask(review: Review, draft: PricedDraft): Promise<Reviewed | StillOpen | undefined> {
    const { person, intent, account } = review;
    const plan = toLaunchPlan(draft);
    const label = formatLaunchLabel(intent, plan.label);
    const answer = await person.showSummary(plan, label, await findKeyNotice(review.keys, plan, this.#services.clock));
    switch (answer) {
      case undefined:
        return undefined;
      case "back":
        return { kind: "back", draft };
      case "full":
      case "compare":
        // The summary returns afterward: reading doesn't close it.
        return (await person.read(answer, plan, label)) ? { kind: "open", draft } : undefined;
      case "add-key":
        await person.addKey(account).catch((error) => person.tell({ kind: "refused", error }));
        review.keys = this.#services.accountKeys.compare(account);
        return { kind: "open", draft };
      case "rent":
        return await this.#rent(review, draft);
      default:
        return await this.#change(review, answer, draft, false);
    }
  }

  /**
   * `isLast`: there is no summary to return to, so Back leaves it. @throws AppError if the account was left: whatever is asked, would be asked
   * in the other one.
   */
  async #change(
    { account, person }: Review,
    what: SummaryChange,
    draft: LaunchDraft,
    isLast: boolean,
  ): Promise<Reviewed | StillOpen | undefined> {
    this.#services.session.assertStill(account);
    const changed = await person.change(what, draft);
    if (changed === undefined) return undefined;
    if (changed !== "back") return { kind: "open", draft: changed };
    return { kind: isLast ? "back" : "open", draft };
  }

  /**
   * Checks the limits and whether a lost rental could be found, then asks the one question. @returns undefined if the person doesn't want
   * it. @throws AppError `rejected` that names the limit.
   */
  async askToRent(
    account: SignedIn,
    plan: LaunchPlan,
    person: Pick<Reviewer, "confirm">,
  ): Promise<{ readonly withoutTracking: boolean } | undefined> {
    await assertKeyForVm(this.#services.accountKeys, account, plan);
    const { withoutTracking } = await this.#services.launches.mayRent(account, plan);
    const terms = {
      payer: this.#services.session.profiles.findPayer(account),
      withoutTracking,
      now: this.#services.clock.now(),
    };
    const sure = await person.confirm({ kind: "rent", plan, sandbox: account.sandbox, ...terms });
    return sure ? { withoutTracking } : undefined;
  }

  /** A refusal leaves the summary open. */
  async #rent({ account, person, intent }: Review, draft: PricedDraft): Promise<Reviewed | StillOpen> {
    const edited = this.#withLaterEdits(person, draft);
    if (edited !== draft) return { kind: "open", draft: edited };
    try {
      const terms = await this.askToRent(account, toLaunchPlan(draft), person);
      return terms ? { kind: "confirmed", draft, intent, ...terms } : { kind: "open", draft };
    } catch (error) {
      person.tell({ kind: "refused", error });
      return { kind: "open", draft };
    }
  }

  /**
   * Lists may be hours old. If the template can't be read now, the service decides: it refuses a hash it doesn't have.
   */
  async #withTemplateNow(account: SignedIn, person: Reviewer, draft: LaunchDraft): Promise<LaunchDraft> {
    const { saves, clock } = this.#services;
    const { template } = draft;
    if (!template) return draft;
    const reading = saves.find(account, { id: template.id, hash: template.hash_id }).catch(() => undefined);
    const row = await Promise.race([reading, clock.sleep(WAIT)]);
    return row ? toldOf(person, draft, withTemplateNow(draft, row.value)) : draft;
  }

  /** Applies changes to the template that were saved here or read while its summary was open. */
  #withLaterEdits<D extends LaunchDraft>(person: Reviewer, draft: D): D | LaunchDraft {
    const { templates } = this.#services;
    const { template } = draft;
    if (!template) return draft;
    const { id, hash_id } = template;
    const row = templates.find(hash_id) ?? (id === undefined ? undefined : templates.findByNumber(id));
    return row ? toldOf(person, draft, withTemplateNow(draft, row.value)) : draft;
  }

  /**
   * The disk is part of an offer's price, so another size requires reading the offer again. Undefined if the offer is
   * gone.
   */
  async #reprice(account: SignedIn, person: Reviewer, draft: LaunchDraft): Promise<PricedDraft | undefined> {
    const { offers, launches } = this.#services;
    const { offer, diskGb } = draft;
    if (!offer) return undefined;
    if (draft.pricedGb === diskGb) return { ...draft, offer };
    try {
      const fresh = await offers.reread(account, offer.id, draft.search.type, diskGb);
      if (fresh) return { ...draft, offer: fresh, pricedGb: diskGb };
      launches.tried.add(offer.id);
      person.tell({ kind: "offer-taken", diskGb });
    } catch (error) {
      person.tell({ kind: "price-unread", diskGb, error });
    }
    return undefined;
  }
}

function keepVolume(person: Reviewer, draft: LaunchDraft): LaunchDraft {
  const kept = withoutLostVolume(draft);
  if (kept !== draft) person.tell({ kind: "volume-lost" });
  return kept;
}

function toldOf(person: Reviewer, before: LaunchDraft, now: LaunchDraft): LaunchDraft {
  if (now !== before) person.tell({ kind: "template-changed", name: now.template?.name ?? "" });
  return now;
}
