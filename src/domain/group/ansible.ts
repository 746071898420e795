// A command line for Ansible, which takes braces in whatever it is given for templates of its own.
import { t } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";

/** Names of files and folders may be anyone's, and a template can run programs on this computer. @throws AppError `rejected`. */
export function assertNoTemplate(text: string): void {
  if (/[{}]/.test(text))
    throw new AppError(
      "rejected",
      t("Ansible treats braces in file and folder names as templates. Rename the file or folder."),
    );
}

/** Runs a command on each instance, in the folder that was uploaded to it. @throws AppError `rejected` for one with braces. */
export function buildAnsibleCommand(command: string): string {
  assertNoTemplate(command);
  return `ansible all -m raw -a 'cd {{ cloud_gpu_folder }} && ${command.replaceAll("'", `'\\''`)}'`;
}
