// The list of watched prices, and what can be done with each.
import { AppError } from "../../domain/base/error.ts";
import type { OfferId } from "../../domain/base/id.ts";
import { isSnoozed, MOST_WATCHES, type PriceWatch } from "../../domain/offer/price-watch.ts";
import { t } from "../../lib/text.ts";
import { buildWatchLine, describeGoal, formatWatchTitle, type WatchLine } from "../../present/offer/price-watch.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { WatchEntry } from "../../services/offer/price-watch-journal.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, BACK } from "../kit/ask/steps.ts";
import { askGoal, editWatchedSearch, type PriceWatchServices, watchPrice } from "./watch-price.ts";
import { readWatchMinutes } from "./watch-settings.ts";

/** Opens the ordinary launch with an offer of a watch. */
type ReviewWatched = (account: SignedIn, watch: PriceWatch, offer: OfferId) => Promise<void>;

/** The list comes back after each change, until it is closed or leads elsewhere. */
export async function showPriceWatches(services: PriceWatchServices, review: ReviewWatched): Promise<void> {
  const { session, priceWatches } = services;
  const account = session.requireSignedIn();
  for (;;) {
    const entries = await priceWatches.list(account);
    const chosen = await pickOne<WatchEntry | "new">({
      title: t("Price Watches"),
      placeholder: t("Choose a watch to review, change, or stop"),
      choices: listChoices(services, entries),
    });
    if (chosen === undefined || chosen === BACK) return;
    session.assertStill(account);
    if (chosen === "new") return await watchPrice(services, account);
    const action = await chooseAction(services, chosen);
    if (action === undefined) return;
    if (action === BACK) continue;
    session.assertStill(account);
    const { look, watch } = chosen;
    if (action === "review") return look?.best && (await review(account, watch, look.best.id));
    await act(services, account, chosen, action);
  }
}

function listChoices(services: PriceWatchServices, entries: readonly WatchEntry[]): Choice<WatchEntry | "new">[] {
  const rows = entries.map((value): Choice<WatchEntry> => ({ ...lineOf(services, value), value }));
  const none = { label: `$(info) ${t("No price is being watched.")}` };
  if (rows.length >= MOST_WATCHES) return rows;
  return [
    ...(rows.length === 0 ? [none] : rows),
    createSeparator(""),
    { label: `$(add) ${t("Watch Price…")}`, value: "new" },
  ];
}

function lineOf({ scheduler }: PriceWatchServices, { watch, look, snoozedUntil }: WatchEntry): WatchLine {
  return buildWatchLine({ watch, look, snoozedUntil, minutes: readWatchMinutes(), now: scheduler.clock.now() });
}

type Action = "review" | "goal" | "search" | "snooze" | "stop";

function chooseAction(services: PriceWatchServices, entry: WatchEntry): Promise<Answer<Action>> {
  const { watch, look, snoozedUntil } = entry;
  const { description } = lineOf(services, entry);
  const isQuiet = isSnoozed(snoozedUntil, services.scheduler.clock.now());
  const review: Choice<Action> = {
    label: `$(eye) ${t("Review…")}`,
    description: look?.isMet ? t("opens the summary of this offer") : t("opens the cheapest offer from the last check"),
    value: "review",
  };
  return pickOne<Action>({
    title: formatWatchTitle(watch),
    back: true,
    placeholder: description,
    choices: [
      ...(look?.best ? [review] : []),
      { label: `$(edit) ${t("Change Price…")}`, description: describeGoal(watch.goal), value: "goal" },
      { label: `$(filter) ${t("Change Filters…")}`, value: "search" },
      ...(isQuiet ? [] : [{ label: `$(bell-slash) ${t("Snooze 1 h")}`, value: "snooze" } as const]),
      { label: `$(trash) ${t("Stop Watching")}`, value: "stop" },
    ],
  });
}

async function act(
  services: PriceWatchServices,
  account: SignedIn,
  entry: WatchEntry,
  action: Exclude<Action, "review">,
): Promise<void> {
  const { priceWatches } = services;
  if (action === "snooze") return assertThere(await priceWatches.snooze(account, entry.name));
  if (action === "stop") return void (await priceWatches.stop(account, entry.name));
  const { search, goal, template } = entry.watch;
  const wish =
    action === "goal"
      ? { search, template, goal: await askGoal(services, account, search, goal) }
      : { search: await editWatchedSearch(services, account, search), template, goal };
  const [nextSearch, nextGoal] = [wish.search, wish.goal];
  if (!nextSearch || !nextGoal) return;
  const next = { search: { ...nextSearch, diskGb: search.diskGb }, goal: nextGoal, template };
  assertThere(await priceWatches.change(account, entry, next));
}

/** @throws AppError `gone`. */
export function assertThere(isThere: boolean): void {
  if (!isThere) throw new AppError("gone", t("This watch has already been changed or stopped. Nothing was changed."));
}
