// A budget within which agents rent without a question: a person gives it, sees it in the status bar, and ends it with one click.
import * as vscode from "vscode";
import { type GrantTerms, parseGrantDollars, parseGrantHours, parseGrantLaunches } from "../../domain/agent/grant.ts";
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { commands } from "../../ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import {
  buildGrantQuestion,
  buildGrantView,
  describeGrantEnd,
  describeUnproven,
} from "../../present/agent/grant-text.ts";
import type { GrantWatch } from "../../services/agent/grant-watch.ts";
import type { Grants } from "../../services/agent/grants.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { InstancesService } from "../../services/instance/instances.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { askText, type Step, walkSteps } from "../kit/ask/steps.ts";
import { showError } from "../kit/errors.ts";
import { setStatusItem, tellInfo, tellWarning } from "../kit/messages.ts";

export interface GrantServices {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly grants: Grants;
  readonly grantWatch: GrantWatch;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly log: Log;
}

/** As it is typed, so that Back shows it again. */
interface Typed {
  readonly amount: string;
  readonly hours: string;
  readonly perHour: string;
  readonly launches: string;
}

/** In milliseconds. */
const HOUR = 3_600_000;

const PROPOSED: Typed = { amount: "5", hours: "4", perHour: "1", launches: "2" };

/** Never called by a tool, a link, or another extension without this question. */
export async function openGrant({ session, grants, clock }: GrantServices): Promise<void> {
  const account = session.requireSignedIn();
  const names = nameFields();
  const typed = await walkSteps(PROPOSED, listSteps(names));
  if (!typed) return;
  session.assertStill(account);
  const terms: GrantTerms = {
    amount: parseGrantDollars(names.amount, typed.amount),
    perHour: parseGrantDollars(names.perHour, typed.perHour),
    launches: parseGrantLaunches(names.launches, typed.launches),
  };
  const hours = parseGrantHours(names.hours, typed.hours);
  const until = clock.now() + hours * HOUR;
  const about = { sandbox: account.sandbox, payer: session.profiles.findPayer(account) };
  if (!(await confirm(buildGrantQuestion({ ...terms, until }, about, clock.now())))) return;
  // The question may have been open for hours.
  if (until <= clock.now()) throw new AppError("rejected", t("The time of this budget has passed."));
  await grants.open(account, terms, until);
}

const nameFields = (): Typed => ({
  amount: t("Budget"),
  hours: t("Hours"),
  perHour: t("Price per hour"),
  launches: t("Instances"),
});

function listSteps(names: Typed): readonly { readonly ask: Step<Typed> }[] {
  const askFor =
    (field: keyof Typed, prompt: string, check: (name: string, text: string) => number): Step<Typed> =>
    (typed, place) =>
      askText({
        ...{ ...place, title: t("Let Agents Rent"), prompt, value: typed[field] },
        read: (text) => {
          check(names[field], text);
          return { ...typed, [field]: text };
        },
      });
  return [
    {
      ask: askFor(
        "amount",
        t("How many dollars may agents spend in all, without asking you? Network traffic is extra."),
        parseGrantDollars,
      ),
    },
    { ask: askFor("hours", t("For how many hours? All that they rent ends by then."), parseGrantHours) },
    { ask: askFor("perHour", t("How many dollars per hour may an instance cost?"), parseGrantDollars) },
    { ask: askFor("launches", t("How many instances may they rent in all?"), parseGrantLaunches) },
  ];
}

/** Nothing more is rented after this, also by what is asked right now. */
export async function endGrant({ session, grants, instances }: GrantServices): Promise<void> {
  const account = session.requireSignedIn();
  const { name } = (await grants.read(account).catch(() => undefined)) ?? {};
  const isKept = (id: InstanceId) => name !== undefined && grants.findGranted(id)?.grant === name;
  const closed = await grants.close(account);
  const kept = instances.rows.filter(({ value, gone }) => !gone && isKept(value.id));
  void tellInfo(closed > 0 ? describeGrantEnd(kept.length) : t("Agents have no budget that is open."));
}

export function showGrant({ session, grants, grantWatch, scheduler, log }: GrantServices, bag: Bag): void {
  const item = bag.add(vscode.window.createStatusBarItem("cloudGpu.agents", vscode.StatusBarAlignment.Left, 8));
  item.name = t("Cloud GPU: budget of agents");
  item.command = commands.agentEndGrant;
  const draw = () => {
    const view = buildGrantView(grants.current, scheduler.clock.now());
    if (!view) return item.hide();
    setStatusItem(item, { icon: "robot", ...view });
    item.accessibilityInformation = { label: view.tooltip, role: "button" };
    item.show();
  };
  const minute = bag.add(
    scheduler.add({ id: "budget-shown", wait: () => (grants.current ? 60_000 : undefined), run: async () => draw() }),
  );
  bag.add(
    grants.onDidChange(() => {
      draw();
      minute.plan();
    }),
  );
  bag.add(session.onDidChange(draw));
  bag.add(
    grantWatch.onNotice(({ end, acknowledge }) => {
      if (end.outcome === "elsewhere") return;
      tellWarning(describeUnproven(end), t("OK"))
        .then(acknowledge)
        .catch((error) => showError(error, log));
    }),
  );
  draw();
}
