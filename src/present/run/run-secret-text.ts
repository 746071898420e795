// What is said of the secrets of runs.
import { t, toLabel } from "../../lib/text.ts";

/** In the question before a run; nothing without any. */
export function describeSecrets(names: readonly string[]): readonly string[] {
  return names.length === 0
    ? []
    : [
        names.length === 1
          ? t("The command gets the secret {0}. Whoever owns the machine could read it.", names.join(", "))
          : t("The command gets the secrets {0}. Whoever owns the machine could read them.", names.join(", ")),
      ];
}

/** On the summary. */
export const formatSecrets = (names: readonly string[]): string => (names.length === 0 ? t("none") : names.join(", "));

/** A folder of this computer whose secrets they are. */
export const formatSecretProject = (project: string): string =>
  toLabel(project.split(/[\\/]/).findLast((part) => part !== "") ?? project, 60);
