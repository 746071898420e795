// What the tools that act tell an agent, as plain data: what was done, or why it wasn't. It is told what to do next where it might do harm.
import type { AgentLaunch } from "../../domain/agent/agent-launch.ts";
import type { AppError } from "../../domain/base/error.ts";
import type { InstanceId, RunId } from "../../domain/base/id.ts";
import type { OrderResult } from "../../domain/instance/order-result.ts";
import { buildFailureAnswer } from "./tool-answers.ts";

const DECLINED = { outcome: "declined", advice: "The person said no. Don't ask again unless they tell you to." };

export function buildLaunchAnswer(launch: AgentLaunch): object {
  switch (launch.kind) {
    case "rented": {
      const [instance, ...more] = launch.ids;
      if (more.length > 0)
        return {
          outcome: "rented",
          instances: launch.ids,
          advice: launch.isEarlier
            ? "One request rented several instances. Call cloudGpu_getInstances for which still run, tell the person, and ask which to end."
            : "One request rented several instances, and each of them costs money. Tell the person, and ask which to end.",
        };
      return {
        outcome: "rented",
        instance,
        advice: launch.isEarlier
          ? "It was rented. Call cloudGpu_getInstances for whether it still runs."
          : "It costs money from now on and takes minutes to start. Call cloudGpu_getInstances once, later.",
      };
    }
    case "unknown":
      return {
        outcome: "unknown",
        launch_id: launch.token,
        advice:
          "Not known. It may have been rented and cost money. Don't retry and don't ask for another quote: call this again with the same quote in a few minutes, and tell the person.",
      };
    case "not-rented":
      return {
        outcome: "not-rented",
        proven: launch.proven,
        ...buildFailureAnswer(launch.error),
        advice: launch.proven
          ? "Nothing was rented. For another try, ask for a new quote."
          : "Most likely nothing was rented. Call this again with the same quote before you ask for another one.",
      };
    case "declined":
      return DECLINED;
    case "unknown-quote":
      return {
        outcome: "unknown-quote",
        advice:
          "This window has no such quote for this account. If it was launched before, it may have rented a machine: look for its instance with cloudGpu_getInstances first. Ask for a new quote only if there is none.",
      };
  }
}

/** Undefined if the person didn't want it. */
export function buildRunBegunAnswer(run: { readonly id: RunId; readonly instance: InstanceId } | undefined): object {
  if (run === undefined) return DECLINED;
  return {
    outcome: "begun",
    run: run.id,
    instance: run.instance,
    advice:
      "It uploads the folder, then runs. Call cloudGpu_getRun once, later. Calling this again would run it again.",
  };
}

/** The person agreed, and nothing was uploaded or run. */
export const buildRunFailedAnswer = (error: AppError): object => ({
  outcome: "failed",
  ...buildFailureAnswer(error),
  advice: "The person agreed, but nothing was run. They were told why.",
});

/**
 * - `left`: not sent, as the account was left
 * - `late`: set, while its auto-stop before was carried out
 * - `partly`: set, but the instance didn't confirm it
 */
export type AgentEnd = "done" | "under-way" | "left" | "set" | "late" | "partly" | "not-set" | "failed" | "declined";

/** What became of an order, or of an auto-stop that was to be set. */
type Became = OrderResult["outcome"] | "set" | "late" | "partly" | "held" | "changed";

/** Another window may have taken an order over: it goes on. */
export function toAgentEnd(became: Became | undefined): AgentEnd {
  if (became === undefined || became === "elsewhere") return "under-way";
  return became === "held" || became === "changed" ? "not-set" : became;
}

/** `at`: when its auto-stop comes if it is set, in epoch milliseconds. */
export function buildEndAnswer(end: AgentEnd, instance: InstanceId, at?: number): object {
  if (end === "declined") return DECLINED;
  const advice: Readonly<Record<Exclude<AgentEnd, "declined">, string>> = {
    done: "The service shows it.",
    "under-way":
      "It was confirmed and goes on in VS Code, but its outcome isn't known yet. Call cloudGpu_getInstances once, later.",
    left: "Not sent, as the person left the account. It still costs money. VS Code goes on once they are back there.",
    set: "Its auto-stop comes sooner now. Call cloudGpu_getInstances for whether it holds without VS Code.",
    late: "The auto-stop before was just taking effect. Call cloudGpu_getInstances for whether it still runs.",
    partly:
      "The auto-stop was set, but the instance didn't confirm it, so VS Code must be open then. The person was told. Call cloudGpu_getInstances.",
    "not-set": "The auto-stop couldn't be set as asked, and the person was told why. Call cloudGpu_getInstances.",
    failed: "It may still run and cost money. The person was told why. Call cloudGpu_getInstances.",
  };
  return {
    outcome: end,
    instance,
    ...(at === undefined || end !== "set" ? {} : { auto_stop_at: new Date(at).toISOString() }),
    advice: advice[end],
  };
}

/** What is left to do is the person's: nothing was done. */
export const buildNeedsPersonAnswer = ({ message }: AppError): object => ({
  outcome: "needs-person",
  needs_person: message,
});
