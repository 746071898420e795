// What the commands for runs need.
import type { SignedIn } from "../../services/core/session.ts";
import type { RunContinuations } from "../../services/run/attempts/continue-run.ts";
import type { RunList } from "../../services/run/run-list.ts";
import type { RunSecrets } from "../../services/run/run-secrets.ts";
import type { RunsService } from "../../services/run/runs.ts";
import type { LaunchServices } from "../launch/launch-services.ts";
import type { ProposedRun } from "../template/template-file-run.ts";
import type { RunTargets } from "./run-targets.ts";

export interface RunServices extends LaunchServices {
  readonly runs: RunsService;
  readonly runList: RunList;
  readonly continuations: RunContinuations;
  readonly runSecrets: RunSecrets;
  readonly targets: RunTargets;
  /** What a template file says to run. @throws AppError. */
  readonly readProposedRun: (account: SignedIn, given: unknown) => Promise<ProposedRun>;
}
