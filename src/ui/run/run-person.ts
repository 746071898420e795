// Connects a run that rents a machine to the person at this window.
import { t } from "../../lib/text.ts";
import type { RunPerson } from "../../services/run/rent-for-run.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { showError } from "../kit/errors.ts";
import { createLaunchPerson, takeNextStep } from "../launch/launch-person.ts";
import { remotePlaceFor, usualFolder } from "../transfer/transfer-place.ts";
import { listForRun } from "./prepare-run.ts";
import type { RunServices } from "./run-services.ts";
import { tellKept } from "./tell-kept.ts";

/** `again` lets the person choose another offer for the same run. */
export function createRunPerson(services: RunServices, again: () => Promise<void>): RunPerson {
  return {
    launching: createLaunchPerson(services),
    usualFolder,
    connect: (account, id) => reachForCommands(services, account, { id }, t("Connecting to {0}", id)),
    findPlace: (account, machine) => remotePlaceFor(services, account, machine),
    list: listForRun,
    tellKept: (...kept) => tellKept(services, ...kept),
    takeNextStep: (account, next) => takeNextStep(services, account, next, again),
    tellError: (error) => void showError(error, services.log),
  };
}
