// How a run ended, from what its machine says.
import type { EndedRun } from "../../domain/run/run-record.ts";
import type { ThereState } from "../../domain/run/run-script.ts";
import { t } from "../../lib/text.ts";
import type { Following } from "./run-watch.ts";

/** The order to start may still be on its way. */
export const isInProgress = ({ kind }: ThereState): boolean =>
  kind === "running" || kind === "starting" || kind === "missing";

/** For what comes after the command. */
export function withStageAfterCommand(following: Following): Following {
  const { watch } = following;
  const stage: Following["watch"]["stage"] = (now) =>
    watch.stage(now.kind === "disconnected" ? { ...now, isOver: true } : now);
  return { ...following, watch: { ...watch, stage } };
}

export function toRunEnd(state: ThereState): Omit<EndedRun, "kind" | "at"> {
  switch (state.kind) {
    case "ended":
      return {
        exit: state.exit,
        ...(state.seconds === undefined ? {} : { seconds: state.seconds }),
        ...(state.hasLeft ? { hasLeft: true } : {}),
        ...(state.isLimited ? { isLimited: true } : {}),
        ...(state.isSetupFailure ? { isSetupFailure: true } : {}),
      };
    case "missing": {
      const why = t(
        "The machine has no record of this run. The run may never have started, or the machine was rebuilt.",
      );
      return { why, results: { kind: "none" } };
    }
    case "starting":
      return { why: t("The machine didn't start the command.") };
    default:
      if (state.kind === "lost" && state.hasLeft)
        return {
          why: t(
            "The run's script was killed, perhaps because the machine ran out of memory. The processes it started are still running.",
          ),
          hasLeft: true,
        };
      return {
        why: t(
          "The command ended without an exit code. The machine may have been restarted, or its memory or disk may have been full.",
        ),
      };
  }
}
