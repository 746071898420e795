// When an instance is to end: a time first, then what happens at it. What is harmless comes first.
import { perHour, total } from "../../domain/base/money.ts";
import { type LeaseEnding, type LeaseWish, leaseEnd, parseLeaseEnd } from "../../domain/instance/lease.ts";
import { t } from "../../lib/text.ts";
import { comingText } from "../../present/base/when.ts";
import { hoursText } from "../../present/instance/lease-text.ts";
import { type Choice, pick, separator } from "../kit/pick.ts";
import { type Answer, ask, BACK, type StepPlace } from "../kit/steps.ts";

type LeaseSpan = { readonly hours: number } | { readonly until: number };

/** What is known of the instance. */
interface EndFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Dollars per hour while it runs. */
  readonly price: number | undefined;
  /** Dollars per hour of its disk alone. */
  readonly diskPrice: number | undefined;
}

const HOURS = [1, 4, 8, 24] as const;

/** @returns `none` for no end, or what one of the `others` stands for, which are other ways to end. */
export async function askEnd<Other extends string = never>(
  place: StepPlace,
  facts: EndFacts,
  others: readonly Choice<Other>[] = [],
): Promise<Answer<LeaseWish | "none" | Other>> {
  for (;;) {
    const span = await askSpan(place, facts, others);
    if (span === undefined || span === BACK || typeof span === "string") return span;
    const ending = await askEnding({ ...place, back: true }, span, facts);
    if (ending !== BACK) return ending && { ...span, ending };
  }
}

async function askSpan<Other extends string>(
  place: StepPlace,
  facts: EndFacts,
  others: readonly Choice<Other>[],
): Promise<Answer<LeaseSpan | "none" | Other>> {
  const { now, price } = facts;
  for (;;) {
    const chosen = await pick<number | "other" | "none" | Other>({
      ...place,
      placeholder: t("When should it end?"),
      choices: [
        ...HOURS.map((hours) => ({
          label: t("In {0}", hoursText(hours)),
          description: describe(hours, now, price),
          value: hours,
        })),
        { label: t("Another Time…"), description: "90 min, 2 d, 18:00", value: "other" },
        ...others,
        separator(""),
        { label: t("No End"), description: t("costs money until you end it"), value: "none" },
      ],
    });
    if (typeof chosen === "number") return { hours: chosen };
    if (chosen !== "other") return chosen;
    const typed = await ask({
      ...place,
      back: true,
      prompt: t("When should it end? A time span, or a time on this computer's clock."),
      value: "",
      placeholder: "90 min, 2 d, 18:00, 2026-12-24 18:00",
      read: (text) => parseLeaseEnd(text, now),
    });
    if (typed !== BACK) return typed;
  }
}

function describe(hours: number, now: number, price: number | undefined): string {
  const when = comingText(leaseEnd({ hours, ending: "remind" }, now), now);
  return price === undefined ? when : t("{0}, about {1} from now", when, total(price, hours));
}

function askEnding(place: StepPlace, span: LeaseSpan, { now, diskPrice }: EndFacts): Promise<Answer<LeaseEnding>> {
  const stopped =
    diskPrice === undefined
      ? t("If a window is open and signed in then. Its disk is billed on.")
      : t("If a window is open and signed in then. Its disk is billed on: {0}.", perHour(diskPrice));
  const choices: Choice<LeaseEnding>[] = [
    {
      label: t("Remind Me"),
      detail: t("If a window is open then. Nothing is stopped."),
      value: "remind",
    },
    { label: t("Stop It"), detail: stopped, value: "stop" },
    {
      label: t("Destroy It"),
      detail: t("If a window is open and signed in then. Its disk is deleted."),
      value: "destroy",
    },
  ];
  const when = comingText(leaseEnd({ ...span, ending: "remind" }, now), now);
  return pick({ ...place, placeholder: t("What happens at {0}? You'll be reminded before.", when), choices });
}
