// Launch Similar Instance…: another instance like one that is rented or was, with what it costs now beside what that one did.
import { InstanceId } from "../../domain/base/id.ts";
import { formatHourlyPrice, formatPrice } from "../../domain/base/money.ts";
import type { Row } from "../../domain/base/wire.ts";
import { getCurrentPrice, type Instance } from "../../domain/instance/instance.ts";
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import { getPastPrice, type PastRental, toPastInstance } from "../../domain/launch/past-rental.ts";
import { t } from "../../lib/text.ts";
import { formatMoment } from "../../present/base/state.ts";
import { formatInstanceName } from "../../present/instance/instances.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { type AgainDraft, proposeAgain } from "../../services/launch/rent-again.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellInfo, withStatusProgress } from "../kit/messages.ts";
import { readNodeValue } from "../list/targets.ts";
import { askOffer } from "./ask-offer.ts";
import { type LaunchStep, launchWithSteps } from "./launch-commands.ts";
import type { LaunchServices } from "./launch-services.ts";
import { readUsualEnd } from "./launch-settings.ts";

/** What is to be rented again, and what it cost per hour in dollars. */
interface Example {
  readonly row: Row<Instance>;
  readonly price: number | undefined;
}

export async function launchSameAgain(services: LaunchServices, args: readonly unknown[]): Promise<void> {
  const account = services.session.requireSignedIn();
  const example = await (args[0] === undefined ? chooseExample(services) : exampleOf(services, args));
  if (!example) return;
  services.session.assertStill(account);
  const again = await withStatusProgress(t("Looking for an offer…"), () =>
    proposeAgain(services, account, example.row),
  );
  services.session.assertStill(account);
  const draft = { ...again.draft, end: readUsualEnd(services.scheduler.clock.now()) };
  if (draft.offer)
    return await launchWithSteps(services, account, { title: titleOf(again, example), start: draft, steps: [] });
  const other = t("Choose Another Offer…");
  const text = t("There's no offer for {0} with enough disk right now.", kindOf(example.row.value));
  if ((await tellInfo(text, other)) === other) await chooseOther(services, account, draft);
}

async function chooseOther(services: LaunchServices, account: SignedIn, start: LaunchDraft): Promise<void> {
  const title = t("Launch Similar Instance");
  const steps: LaunchStep[] = [{ ask: (state, place) => askOffer(services, { ...place, title }, state) }];
  await launchWithSteps(services, account, { title, start, steps });
}

/** One that a message named may be gone by now. */
async function exampleOf(services: LaunchServices, args: readonly unknown[]): Promise<Example | undefined> {
  const { session, instances, pastRentals } = services;
  const id = InstanceId.safeParse(readNodeValue<Row<Instance>>(args[0])?.value?.id).data;
  const past = id && !instances.find(id) ? pastRentals.findInstance(session.requireSignedIn(), id) : undefined;
  if (past) return { row: { value: past, raw: { ...past } }, price: getPastPrice({ record: past, seen: 0 }) };
  const row = await findOneTarget(services, args, t("Launch Similar Instance"));
  return row && { row, price: getPastPrice({ record: row.value, seen: 0 }) ?? getCurrentPrice(row) };
}

/** Those that are gone as well, the newest first. */
async function chooseExample(services: LaunchServices): Promise<Example | undefined> {
  const { session, instances, pastRentals, clock } = services;
  const account = session.requireSignedIn();
  await instances.collection.getKnown();
  const past = pastRentals.list(account);
  if (past.length === 0) {
    void tellInfo(t("Cloud GPU hasn't recorded any rentals in this account yet."));
    return undefined;
  }
  const chosen = await pickOne<PastRental>({
    title: t("Launch Similar Instance"),
    placeholder: t("Which instance do you want to rent again?"),
    choices: past.map((one) => choiceOf(one, clock.now())),
  });
  if (chosen === undefined || chosen === BACK) return undefined;
  const value = toPastInstance(chosen);
  return { row: { value, raw: { ...chosen.record } }, price: getPastPrice(chosen) };
}

function choiceOf(past: PastRental, now: number): Choice<PastRental> {
  const instance = toPastInstance(past);
  const { gone } = past;
  const parts = [
    kindOf(instance),
    formatHourlyPrice(getPastPrice(past)),
    gone === undefined ? t("rented now") : t("gone since {0}", formatMoment(gone, now)),
  ];
  return {
    label: formatInstanceName(instance),
    description: parts.join(" · "),
    ...(instance.template_name === undefined ? {} : { detail: instance.template_name }),
    value: past,
  };
}

const kindOf = ({ num_gpus: count, gpu_name: name }: Instance): string =>
  name === undefined ? t("a machine of this kind") : `${count ?? 1}× ${name}`;

/** With the difference in price, where both are known. */
function titleOf({ price }: AgainDraft, { price: before }: Example): string {
  const title = t("Launch Similar Instance");
  if (price === undefined || before === undefined) return title;
  const difference = price - before;
  if (Math.abs(difference) < 0.0005) return t("Launch Similar Instance · same price as before");
  const amount = formatPrice(Math.abs(difference));
  return difference > 0
    ? t("Launch Similar Instance · {0}/h more than before", amount)
    : t("Launch Similar Instance · {0}/h less than before", amount);
}
