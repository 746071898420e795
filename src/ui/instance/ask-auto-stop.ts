// When an instance is to end: a time first, then what happens at it. What is harmless comes first.
import { asAppError } from "../../domain/base/error.ts";
import { formatHourlyPrice, formatTotal } from "../../domain/base/money.ts";
import {
  type AutoStopAction,
  type AutoStopWish,
  calculateEndTime,
  parseEndTime,
} from "../../domain/instance/auto-stop.ts";
import { SECOND_STEP_HOURS } from "../../domain/instance/second-step.ts";
import { describeNoSelfStop, type NoSelfStop, type SelfStopAction } from "../../domain/instance/self-stop.ts";
import { t } from "../../lib/text.ts";
import { formatNearTime } from "../../present/base/when.ts";
import { formatHours } from "../../present/instance/auto-stop-text.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";

type AutoStopSpan = { readonly hours: number } | { readonly until: number };

/** What is known of the instance. */
export interface EndFacts {
  /** Epoch milliseconds. */
  readonly now: number;
  /** Dollars per hour while it runs. */
  readonly price: number | undefined;
  /** Dollars per hour of its disk alone. */
  readonly diskPrice: number | undefined;
  /** The end that it has, in words. */
  readonly present?: string | undefined;
  /** Whether only its disk is billed. */
  readonly isStopped?: boolean;
  /** Whether it keeps the end itself; undefined if that can't be chosen any longer, and wasn't. */
  readonly itself?: SelfStopChoice | undefined;
}

export type SelfStopChoice =
  /** It is about to be rented, and can be told to end itself by this address. */
  | { readonly kind: "offered"; readonly base: string }
  | { readonly kind: "impossible"; readonly no: NoSelfStop }
  /** It does already, as far as that is verified. */
  | { readonly kind: "kept"; readonly isArmed: boolean };

/** What happens at the end, and by which address the instance does it itself. */
interface Ending {
  readonly ending: AutoStopAction;
  readonly stoppedHours?: number;
  readonly byItself?: string | undefined;
}

const HOURS = [1, 4, 8, 24] as const;
/** In milliseconds. */
const HOUR = 3_600_000;

/** @returns `none` for no end, or what one of the `first` or `others` stands for: moving the present end, and other ways to end. */
export async function askEnd<Other extends string = never>(
  place: StepPlace,
  facts: EndFacts,
  others: readonly Choice<Other>[] = [],
  first: readonly Choice<Other>[] = [],
): Promise<Answer<AutoStopWish | "none" | Other>> {
  for (;;) {
    const span = await askSpan(place, facts, others, first);
    if (span === undefined || span === BACK || typeof span === "string") return span;
    const ending = await askEnding({ ...place, back: true }, span, facts);
    if (ending !== BACK) return ending && { ...span, ...ending };
  }
}

async function askSpan<Other extends string>(
  place: StepPlace,
  facts: EndFacts,
  others: readonly Choice<Other>[],
  first: readonly Choice<Other>[],
): Promise<Answer<AutoStopSpan | "none" | Other>> {
  const { now, price, present } = facts;
  for (;;) {
    const chosen = await pickOne<AutoStopSpan | "other" | "none" | Other>({
      ...place,
      placeholder: present === undefined ? t("Choose an end time") : t("Choose an end time. Now: {0}", present),
      readTyped: (typed) => readTyped(typed, facts),
      whenNoneFits: async (typed) => describeMistyped(() => readEnd(typed.trim(), now)),
      choices: [
        ...first,
        ...HOURS.map((hours) => ({
          label: t("In {0}", formatHours(hours)),
          description: describe(hours, now, price),
          value: { hours },
        })),
        { label: t("Another Time…"), description: "90 min, 2 d, 18:00", value: "other" },
        ...others,
        createSeparator(""),
        {
          label: first.length > 0 ? t("Remove End Time") : t("No End Time"),
          description: facts.isStopped
            ? t("its disk costs money until you destroy it")
            : t("runs and costs money until you stop or destroy it"),
          value: "none",
        },
      ],
    });
    if (chosen !== "other") return chosen;
    const typed = await askText({
      ...place,
      back: true,
      prompt: t("Enter a duration, or a time on this computer's clock."),
      value: "",
      placeholder: "90 min, 2 d, 18:00, 2026-12-24 18:00",
      read: (text) => parseEndTime(text, now),
    });
    if (typed !== BACK) return typed;
  }
}

/** A number alone is hours, as those that are offered. */
const readEnd = (text: string, now: number): AutoStopSpan =>
  parseEndTime(/^\d+(?:[.,]\d+)?$/.test(text) ? `${text} h` : text, now);

/** What is typed into the list itself is an end time, if it can be one. */
function readTyped(typed: string, { now, price }: EndFacts): Choice<AutoStopSpan> | undefined {
  const text = typed.trim();
  try {
    const span = readEnd(text, now);
    if ("until" in span)
      return { label: text, description: describe((span.until - now) / HOUR, now, price), value: span };
    return { label: t("In {0}", formatHours(span.hours)), description: describe(span.hours, now, price), value: span };
  } catch {
    return undefined;
  }
}

/** Why what was typed can't be read, as a row that can't be chosen. */
export function describeMistyped<T>(read: () => unknown): readonly Choice<T>[] {
  try {
    read();
    return [];
  } catch (error) {
    return [{ label: `$(error) ${asAppError(error).message}` }];
  }
}

function describe(hours: number, now: number, price: number | undefined): string {
  const when = formatNearTime(calculateEndTime({ hours, ending: "remind" }, now), now);
  return price === undefined ? when : t("{0}, about {1} until then", when, formatTotal(price, hours));
}

function askEnding(place: StepPlace, span: AutoStopSpan, facts: EndFacts): Promise<Answer<Ending>> {
  const { now, itself } = facts;
  const when = formatNearTime(calculateEndTime({ ...span, ending: "remind" }, now), now);
  return pickOne({
    ...place,
    placeholder: t("What should happen at {0}? You'll get a reminder first.", when),
    choices: [...endings(facts), ...(itself ? ownEndings(itself, facts) : [])],
  });
}

function endings({ diskPrice, itself }: EndFacts): readonly Choice<Ending>[] {
  const billed = describeStillBilled(diskPrice);
  const remind: Choice<Ending> = {
    label: t("Remind Me"),
    detail: t("A reminder only, if VS Code is open."),
    value: { ending: "remind" },
  };
  const who = whoEnds(itself);
  // What is cut off where there is little room isn't what happens.
  return [
    remind,
    { label: t("Stop It"), detail: `${billed} ${who}`, value: { ending: "stop" } },
    {
      label: t("Stop, Then Destroy After {0}", formatHours(SECOND_STEP_HOURS)),
      detail: whoDestroys(itself),
      value: { ending: "stop", stoppedHours: SECOND_STEP_HOURS },
    },
    { label: t("Destroy It"), detail: `${t("Its disk is deleted.")} ${who}`, value: { ending: "destroy" } },
  ];
}

export const describeStillBilled = (diskPrice: number | undefined): string =>
  diskPrice === undefined
    ? t("Its disk is still billed.")
    : t("Its disk is still billed: {0}.", formatHourlyPrice(diskPrice));

function whoEnds(itself: SelfStopChoice | undefined): string {
  if (itself?.kind !== "kept")
    return t(
      "Works only if VS Code is open and signed in on this computer. Other computers don't know about this auto-stop.",
    );
  return itself.isArmed
    ? t("The instance does this itself, even if this computer is off.")
    : t("Works only if VS Code is open and signed in on this computer. Self-stop is also set, but not verified.");
}

/** An instance can't do the second step. */
const whoDestroys = (itself: SelfStopChoice | undefined): string => {
  const who = t("Its disk is deleted if it stays stopped. Keep VS Code open, or you're asked.");
  return itself?.kind === "kept" && itself.isArmed ? `${who} ${t("The instance stops itself.")}` : who;
};

/** For an instance that is about to be rented. */
function ownEndings(itself: SelfStopChoice, { diskPrice }: EndFacts): readonly Choice<Ending>[] {
  if (itself.kind === "kept") return [];
  const title = createSeparator<Ending>(t("Works even if this computer is off"));
  if (itself.kind === "impossible") return [title, { label: `$(circle-slash) ${describeNoSelfStop(itself.no)}` }];
  const { base } = itself;
  const how = t("Uses a short start script and the instance's own API key.");
  const billed = describeStillBilled(diskPrice);
  const choice = (label: string, ending: SelfStopAction, then: string): Choice<Ending> => ({
    label,
    detail: `${then} ${how}`,
    value: { ending, byItself: base },
  });
  return [
    title,
    choice(t("Stop (from the Instance)"), "stop", billed),
    choice(t("Destroy (from the Instance)"), "destroy", t("Its disk is deleted.")),
  ];
}
