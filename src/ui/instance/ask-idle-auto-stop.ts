// What is to happen once an instance is idle: after how long, and what then. It may not be rented yet.
import { asAppError } from "../../domain/base/error.ts";
import type { AutoStopWish } from "../../domain/instance/auto-stop.ts";
import { type IdleWish, parseIdleTime } from "../../domain/instance/idle-order.ts";
import { t } from "../../lib/text.ts";
import { formatHours } from "../../present/instance/auto-stop-text.ts";
import { describeDestroyIfStopFails, describeIdleWish } from "../../present/instance/idle-text.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";
import { askEnd, describeMistyped, describeStillBilled, type EndFacts } from "./ask-auto-stop.ts";

/** Minutes. */
const SPANS = [15, 30, 60, 120] as const;
const EXAMPLES = "5 min, 3 h";

interface IdleFacts {
  /** Whether something is set already. */
  readonly hasWish: boolean;
  /** Dollars per hour of its disk alone. */
  readonly diskPrice: number | undefined;
}

/** The entry among end times that leads here. `now`: what is set, or known of it. */
export const buildIdleEntry = (now: string | undefined): Choice<"idle"> => ({
  label: t("When It's Idle…"),
  description: now ?? t("when its GPUs are idle"),
  value: "idle",
});

/** What is to be rented may have an end time and an idle timeout. */
interface AutoStopWishes {
  readonly end?: AutoStopWish | undefined;
  readonly idle?: IdleWish | undefined;
}

/** Asks for either of them; no end takes back both. */
export async function askAutoStops(
  place: StepPlace,
  facts: EndFacts,
  { end, idle }: AutoStopWishes,
): Promise<Answer<AutoStopWishes>> {
  const entry = buildIdleEntry(describeIdleWish(idle));
  for (;;) {
    const chosen = await askEnd(place, facts, [entry]);
    if (chosen === undefined || chosen === BACK) return chosen;
    if (chosen === "none") return { end: undefined, idle: undefined };
    if (chosen !== "idle") return { end: chosen, idle };
    const { diskPrice } = facts;
    const wish = await askIdle({ ...place, back: true }, { hasWish: idle !== undefined, diskPrice });
    if (wish !== BACK) return wish && { end, idle: wish === "none" ? undefined : wish };
  }
}

/** @returns `none` for no idle timeout, or what one of the `others` stands for. */
export async function askIdle<Other extends string = never>(
  place: StepPlace,
  { hasWish, diskPrice }: IdleFacts,
  others: readonly Choice<Other>[] = [],
): Promise<Answer<IdleWish | "none" | Other>> {
  const rest: Choice<"none" | Other>[] = [
    ...(hasWish ? [{ label: t("Remove Idle Timeout"), value: "none" as const }] : []),
    ...others,
  ];
  for (;;) {
    const minutes = await askMinutes(place, rest);
    if (typeof minutes !== "number") return minutes;
    const ending = await askEnding(place, minutes, diskPrice);
    if (ending !== BACK) return ending && { minutes, ...ending };
  }
}

async function askMinutes<Other extends string>(
  place: StepPlace,
  rest: readonly Choice<Other>[],
): Promise<Answer<number | Other>> {
  for (;;) {
    const chosen = await pickOne<number | "other" | Other>({
      ...place,
      placeholder: t("Auto-stop after how long idle?"),
      readTyped,
      whenNoneFits: async (typed) => describeMistyped(() => parseIdleTime(typed)),
      choices: [
        ...SPANS.map((minutes) => ({ label: formatHours(minutes / 60), value: minutes })),
        { label: t("Another Time…"), description: EXAMPLES, value: "other" },
        ...(rest.length > 0 ? [createSeparator<Other>(""), ...rest] : []),
      ],
    });
    if (chosen !== "other") return chosen;
    const typed = await askText({
      ...place,
      back: true,
      prompt: t("Auto-stop after how long idle?"),
      placeholder: EXAMPLES,
      read: parseIdleTime,
    });
    if (typed !== BACK) return typed;
  }
}

/** A number alone is minutes: one that is too small is none of the rows that hold it. */
function readTyped(typed: string): Choice<number> | undefined {
  const text = typed.trim();
  const isNumber = /^\d+$/.test(text);
  try {
    const minutes = parseIdleTime(isNumber ? `${text} min` : text);
    return { label: formatHours(minutes / 60), value: minutes };
  } catch (error) {
    return isNumber ? { label: `$(error) ${asAppError(error).message}` } : undefined;
  }
}

type Ending = Pick<IdleWish, "ending" | "orDestroy">;

function askEnding(place: StepPlace, minutes: number, diskPrice: number | undefined): Promise<Answer<Ending>> {
  const who = t(
    "Works only if VS Code is open and signed in on this computer. Other computers don't know about this auto-stop.",
  );
  const choices: Choice<Ending>[] = [
    { label: t("Stop It"), detail: `${describeStillBilled(diskPrice)} ${who}`, value: { ending: "stop" } },
    {
      label: t("Stop, or Destroy If That Fails"),
      detail: describeDestroyIfStopFails(),
      value: { ending: "stop", orDestroy: true },
    },
    { label: t("Destroy It"), detail: `${t("Its disk is deleted.")} ${who}`, value: { ending: "destroy" } },
  ];
  const placeholder = t(
    "What should happen after {0} idle? An open window usually warns you first.",
    formatHours(minutes / 60),
  );
  return pickOne({ ...place, back: true, placeholder, choices });
}
