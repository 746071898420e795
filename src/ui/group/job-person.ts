// Connects what comes before a job to the person at this window.
import { t } from "../../lib/text.ts";
import { buildJobQuestion } from "../../present/group/job-text.ts";
import type { JobPerson } from "../../services/group/prepare-job.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { withNotification } from "../kit/messages.ts";
import { listForRun } from "../run/list-for-run.ts";
import { findRemotePlace } from "../transfer/transfer-place.ts";
import type { GroupServices } from "./group-services.ts";

export function createJobPerson(services: GroupServices): JobPerson {
  return {
    list: listForRun,
    findPlace: (account, machine) => findRemotePlace(services, account, machine),
    accompany: ({ name, members }, work) =>
      withNotification(t("Connecting to group “{0}”", name), true, (show, cancelled) =>
        work((count) => show(t("{0} of {1}…", count, members.length)), cancelled),
      ),
    confirm: (facts) => confirm(buildJobQuestion(facts)),
  };
}
