// What groups need in addition to the services of launching.
import type { GroupJobs } from "../../services/group/group-jobs.ts";
import type { GroupJournal } from "../../services/group/group-journal.ts";
import type { GroupsService } from "../../services/group/groups.ts";
import type { OverlaysService } from "../../services/group/overlays.ts";
import type { GroupReview } from "../../services/group/review-group.ts";
import type { GroupRunner } from "../../services/group/run-group.ts";
import type { RunSecrets } from "../../services/run/run-secrets.ts";
import type { RunsService } from "../../services/run/runs.ts";
import type { LaunchServices } from "../launch/launch-services.ts";

export interface GroupServices extends LaunchServices {
  readonly groups: GroupsService;
  readonly groupJournal: GroupJournal;
  readonly groupReview: GroupReview;
  readonly groupRunner: GroupRunner;
  readonly overlays: OverlaysService;
  readonly groupJobs: GroupJobs;
  readonly runs: RunsService;
  readonly runSecrets: RunSecrets;
  /** Where inventories are written that only a program of this computer reads. */
  readonly inventories: string;
}
