// From a price that was reached to the ordinary launch: the offer is read again, and nothing is rented before its summary is confirmed.
import type { OfferId } from "../../domain/base/id.ts";
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import { withTemplate } from "../../domain/launch/launch-draft.ts";
import { getGoalPrice, type PriceWatch } from "../../domain/offer/price-watch.ts";
import { t } from "../../lib/text.ts";
import { describePriceNotice, formatGoalPrice, formatWatchTitle } from "../../present/offer/price-watch.ts";
import { renewAccount } from "../../services/core/renew-account.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { withKeptChoice } from "../../services/launch/configure/launch-edit.ts";
import type { PriceNotice } from "../../services/offer/price-watches.ts";
import { showError } from "../kit/errors.ts";
import { tellInfo, tellWarning, withStatusProgress } from "../kit/messages.ts";
import { assertThere } from "../offer/price-watches.ts";
import { findGivenTemplate } from "../template/template-commands.ts";
import { launchFoundOffer, withUsualEnd } from "./launch-commands.ts";
import type { LaunchServices } from "./launch-services.ts";

/** That a watched price was reached. What is chosen is done only in the account that it is about. */
export async function tellPrice(services: LaunchServices, notice: PriceNotice): Promise<void> {
  const { session, priceWatches } = services;
  const [review, snooze, stop] = [t("Review…"), t("Snooze 1 h"), t("Stop Watching")];
  const answer = await tellInfo(describePriceNotice(notice.watch, notice.offer), review, snooze, stop);
  if (answer === undefined) return;
  const account = renewAccount(session, notice.account);
  session.assertStill(account);
  if (answer === review) await reviewWatched(services, account, notice.watch, notice.offer.id);
  if (answer === snooze) assertThere(await priceWatches.snooze(account, notice.name));
  if (answer === stop) await priceWatches.stop(account, notice.name);
}

/** The summary of an offer, after the questions that are still open; other offers if it is gone. */
export async function reviewWatched(
  services: LaunchServices,
  account: SignedIn,
  watch: PriceWatch,
  id: OfferId,
): Promise<void> {
  const { offers, session } = services;
  const { search, goal } = watch;
  const { type, diskGb } = search;
  const [offer, start] = await withStatusProgress(t("Checking the offer…"), () =>
    Promise.all([offers.reread(account, id, type, diskGb), startDraft(services, account, watch)]),
  );
  session.assertStill(account);
  if (!offer) {
    const other = t("Show Offers…");
    const gone = t("That offer is no longer available: {0}.", formatWatchTitle(watch));
    if ((await tellWarning(gone, other)) !== other) return;
    session.assertStill(account);
    return await launchFoundOffer(services, account, start);
  }
  const price = getGoalPrice(goal, offer);
  if (price === undefined || price > goal.most)
    void tellInfo(
      t("That offer now costs {0}, above your {1}.", formatGoalPrice(goal, price), formatGoalPrice(goal, goal.most)),
    );
  await launchFoundOffer(services, account, { ...start, offer });
}

/** The template that the watch was set from, as it is now; without one, it is asked what to run. */
async function startDraft(
  services: LaunchServices,
  account: SignedIn,
  { search, template: hash, configured }: PriceWatch,
): Promise<LaunchDraft> {
  const { diskGb } = search;
  const draft = withUsualEnd(services);
  const template = hash && (await findGivenTemplate(services, account, hash).catch(() => undefined));
  const begun = template ? withTemplate(draft, template.value) : { ...draft, fresh: search };
  const start = { ...begun, search, diskGb, pricedGb: diskGb };
  if (!template || configured !== true) return start;
  return await withKeptChoice(services, account, start).catch((error) => {
    void showError(error, services.log);
    return start;
  });
}
