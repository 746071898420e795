// What the host commands need.
import type { SessionService } from "../../services/core/session.ts";
import type { HostService } from "../../services/host/host.ts";
import type { JobsEdits } from "../../services/host/jobs-edits.ts";
import type { Kit } from "../kit/module.ts";

export interface HostServices extends Kit {
  readonly session: SessionService;
  readonly host: HostService;
  readonly jobs: JobsEdits;
}
