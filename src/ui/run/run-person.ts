// Connects runs to the person at this window: what comes before one on an instance that is up, and one that rents a machine.
import { t } from "../../lib/text.ts";
import { buildRunQuestion } from "../../present/run/run-question.ts";
import type { LaunchAgain } from "../../services/launch/launch-steps.ts";
import type { PrepareRunPerson, UploadingPerson } from "../../services/run/prepare-run.ts";
import type { RunPerson } from "../../services/run/rent-for-run.ts";
import { formatShortName } from "../connection/connection-commands.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { showError } from "../kit/errors.ts";
import { createLaunchPerson, takeNextStep } from "../launch/launch-person.ts";
import { findRemotePlace, readUsualFolder } from "../transfer/transfer-place.ts";
import { agreeToUpload } from "../transfer/upload-consent.ts";
import { listForRun } from "./list-for-run.ts";
import type { RunServices } from "./run-services.ts";
import { tellKept } from "./tell-kept.ts";

const createUploadingPerson = (services: RunServices): UploadingPerson => ({
  usualFolder: readUsualFolder,
  findPlace: (account, machine) => findRemotePlace(services, account, machine),
  list: listForRun,
});

export function createPrepareRunPerson(services: RunServices): PrepareRunPerson {
  return {
    ...createUploadingPerson(services),
    connect: (account, instance) =>
      reachForCommands(services, account, instance, t("Connecting to {0}", formatShortName(instance))),
    confirm: (folder, facts) => agreeToUpload(services, buildRunQuestion(facts), folder, facts),
  };
}

/** `again` lets the person choose another offer for the same run, or correct what was rented for it. */
export function createRunPerson(services: RunServices, again: (how: LaunchAgain) => Promise<void>): RunPerson {
  return {
    ...createUploadingPerson(services),
    launching: createLaunchPerson(services),
    connect: (account, id) => reachForCommands(services, account, { id }, t("Connecting to {0}", id)),
    tellKept: (...kept) => tellKept(services, ...kept),
    takeNextStep: (account, next) => takeNextStep(services, account, next, again),
    tellError: (error) => void showError(error, services.log),
  };
}
