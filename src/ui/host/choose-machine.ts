// Choosing one of the account's machines for background jobs.
import { t } from "../../lib/text.ts";
import { describeOwnMachine } from "../../present/host/host.ts";
import type { ChosenMachine } from "../../protocol/jobs-page.ts";
import type { JobsEdit } from "../../services/host/jobs-edit.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";

/** @returns undefined if none was chosen. If the list can't be read, it says so and offers to try again. */
export async function chooseOwnMachine(edit: JobsEdit): Promise<ChosenMachine | undefined> {
  const none: Choice<ChosenMachine> = {
    label: t("The service lists no machines for this API key."),
    detail: t("Enter the machine's ID in the form. You can find the ID on the service's website."),
  };
  const chosen = await pickOne<ChosenMachine>({
    title: t("Create Background Jobs"),
    placeholder: t("Which machine?"),
    choices: async (signal) => {
      const machines = await edit.listMachines(signal);
      if (machines.length === 0) return [none];
      return machines.map(({ id, machine }): Choice<ChosenMachine> => {
        const text = describeOwnMachine(machine);
        return { label: String(id), description: text, value: { id, text } };
      });
    },
    active: ({ id }) => String(id) === edit.form.machine.trim(),
  });
  return typeof chosen === "object" ? chosen : undefined;
}
