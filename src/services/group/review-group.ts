// From a chosen group to a confirmed one: the summary, changes to it, its limits, and the one question.
import { AppError, asAppError } from "../../domain/base/error.ts";
import { listDistinctMachines } from "../../domain/group/choose-machines.ts";
import { type GroupDraft, type GroupPlan, toGroupPlan } from "../../domain/group/group-plan.ts";
import { type LaunchDraft, withTemplateNow } from "../../domain/launch/launch-draft.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { AccountKeys } from "../connection/account-keys.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { LaunchService } from "../launch/launch.ts";
import { assertKeyForVm, findKeyNotice, type KeyNotice } from "../launch/notice-keys.ts";
import { type OffersService, WHOLE_MARKET } from "../offer/offers.ts";
import type { TemplateSaves } from "../template/template-saves.ts";
import { createGroupId } from "./group-journal.ts";

/** What can be changed in the summary of a group. */
export type GroupChange =
  | "configuration"
  | "machines"
  | "policy"
  | "rest"
  | "minutes"
  | "apart"
  | "disk"
  | "name"
  | "end"
  | "overlay";
export type GroupAnswer = "rent" | "full" | "back" | "add-key" | GroupChange;

/** What is asked before a group is rented. */
interface GroupQuestion {
  readonly plan: GroupPlan;
  readonly sandbox: boolean;
  /** The name of the account that pays, where there are several. */
  readonly payer: string | undefined;
  readonly withoutTracking: boolean;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** The person who reviews. Every `undefined` means Escape and drops the group. */
export interface GroupReviewer {
  showSummary(draft: GroupDraft, keys: KeyNotice | undefined): Promise<GroupAnswer | undefined>;
  change(what: GroupChange, draft: GroupDraft): Promise<GroupDraft | "back" | undefined>;
  /** Resolves when the person comes back to the summary; to false if they went on to something else. */
  read(draft: GroupDraft): Promise<boolean>;
  /** Lets the person add an SSH key of theirs to the account. */
  addKey(account: SignedIn): Promise<void>;
  confirm(question: GroupQuestion): Promise<boolean>;
  /** Why it can't be rented, or what changed. The summary stays open. */
  tell(
    what:
      | { readonly kind: "refused"; readonly error: AppError }
      | { readonly kind: "template-changed" | "offers-changed" },
  ): void;
}

export type GroupReviewed =
  | { readonly kind: "confirmed"; readonly draft: GroupDraft; readonly id: string; readonly withoutTracking: boolean }
  | { readonly kind: "back"; readonly draft: GroupDraft };

interface Parts {
  readonly session: Pick<SessionService, "profiles" | "assertStill">;
  readonly offers: OffersService;
  readonly saves: TemplateSaves;
  readonly launches: LaunchService;
  readonly accountKeys: AccountKeys;
  readonly clock: Clock;
}

/** Milliseconds that a summary waits for its template. */
const WAIT = 2000;

export class GroupReview {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * The mark of the group is made as the summary opens, so every click on this summary uses the same one.
   * @returns undefined if the person dropped it.
   */
  async review(account: SignedIn, person: GroupReviewer, start: GroupDraft): Promise<GroupReviewed | undefined> {
    const id = createGroupId();
    const { accountKeys, clock } = this.#parts;
    let keys = accountKeys.compare(account);
    let draft = await this.#withTemplateNow(account, person, start);
    for (;;) {
      const [first] = toGroupPlan(draft).machines;
      const answer = await person.showSummary(draft, first && (await findKeyNotice(keys, first, clock)));
      if (answer === undefined) return undefined;
      if (answer === "back") return { kind: "back", draft };
      if (answer === "full") {
        if (!(await person.read(draft))) return undefined;
        continue;
      }
      if (answer === "add-key") {
        await person.addKey(account).catch((error) => person.tell({ kind: "refused", error: asAppError(error) }));
        keys = accountKeys.compare(account);
        continue;
      }
      if (answer === "rent") {
        const confirmed = await this.#confirm(account, person, draft);
        if (confirmed) return { kind: "confirmed", draft, id, ...confirmed };
        continue;
      }
      // What is changed would be asked in the other account.
      this.#parts.session.assertStill(account);
      const changed = await person.change(answer, draft);
      if (changed === undefined) return undefined;
      if (changed !== "back") draft = await this.#withFreshOffers(person, draft, changed);
    }
  }

  async #confirm(
    account: SignedIn,
    person: GroupReviewer,
    draft: GroupDraft,
  ): Promise<{ readonly withoutTracking: boolean } | undefined> {
    const { accountKeys, launches, clock, session } = this.#parts;
    const plan = toGroupPlan(draft);
    try {
      session.assertStill(account);
      for (const one of plan.machines.slice(0, 1)) await assertKeyForVm(accountKeys, account, one);
      const { withoutTracking } = await launches.mayRentTogether(account, plan.machines);
      const now = clock.now();
      const asked = {
        plan,
        sandbox: account.sandbox,
        payer: session.profiles.findPayer(account),
        withoutTracking,
        now,
      };
      return (await person.confirm(asked)) ? { withoutTracking } : undefined;
    } catch (error) {
      person.tell({ kind: "refused", error: asAppError(error) });
      return undefined;
    }
  }

  /** Lists may be hours old. If the template can't be read now, the service decides: it refuses a hash that it doesn't have. */
  async #withTemplateNow(account: SignedIn, person: GroupReviewer, draft: GroupDraft): Promise<GroupDraft> {
    const { saves, clock } = this.#parts;
    const { template } = draft.base;
    if (!template) return draft;
    const reading = saves.find(account, { id: template.id, hash: template.hash_id }).catch(() => undefined);
    const row = await Promise.race([reading, clock.sleep(WAIT)]);
    const base: LaunchDraft = row ? withTemplateNow(draft.base, row.value) : draft.base;
    if (base === draft.base) return draft;
    person.tell({ kind: "template-changed" });
    return base.diskGb === draft.base.diskGb
      ? { ...draft, base }
      : await this.#withFreshOffers(person, draft, { ...draft, base });
  }

  /** The disk is part of every offer's price, and hosts that must differ are other machines: both need a new search. */
  async #withFreshOffers(person: GroupReviewer, before: GroupDraft, now: GroupDraft): Promise<GroupDraft> {
    const isSame = before.base.diskGb === now.base.diskGb && before.isApart === now.isApart;
    if (isSame || now.offers !== before.offers) return now;
    try {
      const chosen = await this.#chooseAgain(now);
      if (chosen.offers.length < now.offers.length) throw tooFew(chosen.offers.length, now.offers.length);
      if (chosen.offers.some(({ id }) => !before.offers.some((offer) => offer.id === id)))
        person.tell({ kind: "offers-changed" });
      return chosen;
    } catch (error) {
      person.tell({ kind: "refused", error: asAppError(error) });
      return before;
    }
  }

  /** The machines that were chosen, as they cost now; where one isn't there any longer, the next of the same search. */
  async #chooseAgain(draft: GroupDraft): Promise<GroupDraft> {
    const { base, offers, isApart } = draft;
    // As they were found: among the cheapest of the market alone, the chosen ones may be missing.
    const search = { ...base.search, type: "ondemand", sort: "price", diskGb: base.diskGb, limit: undefined } as const;
    const found = await this.#parts.offers.search(search, undefined, WHOLE_MARKET);
    const isWanted = new Set<number>(offers.map(({ id }) => id));
    const kinds = new Set(offers.map((offer) => `${offer.num_gpus} ${offer.gpu_name} ${offer.cluster_id}`));
    const alike = found.offers.filter((offer) => kinds.has(`${offer.num_gpus} ${offer.gpu_name} ${offer.cluster_id}`));
    const sorted = [...alike.filter(({ id }) => isWanted.has(id)), ...alike.filter(({ id }) => !isWanted.has(id))];
    const machines = listDistinctMachines(sorted, { isApart });
    return { ...draft, offers: machines.slice(0, offers.length), spares: found.offers };
  }
}

function tooFew(found: number, wanted: number): AppError {
  return new AppError(
    "rejected",
    t("Only {0} of {1} such machines are available. Nothing was changed.", found, wanted),
  );
}
