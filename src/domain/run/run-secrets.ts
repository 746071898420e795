// Secrets of a run: which it gets, and how its machine's shells hand them over. They go over standard input of the login and from there
// through pipes into the environment of the command alone: no argument list, file, or log holds one.
import * as z from "zod";
import { quoteWord } from "../../lib/shell-words.ts";
import { t } from "../../lib/text.ts";
import { SecretNames } from "../base/command.ts";
import { AppError } from "../base/error.ts";
import { buildAnswerCommand } from "../connection/machine-answer.ts";

/** Bytes of one value, as UTF-8: systems give a program no longer variable than twice as much. */
export const MOST_SECRET_BYTES = 65_536;

/** The names alone: what they stand for is nowhere but in the editor's secret storage. */
export const RunSecretNames = z.object({
  /** The folder of this computer whose secrets they are: another project's are never taken for them. */
  project: z.string().min(1).max(4096),
  names: SecretNames.min(1),
});
export type RunSecretNames = z.infer<typeof RunSecretNames>;

/** Values by name. */
export type SecretValues = ReadonlyMap<string, string>;

/** What was typed or read for a secret, unless no variable can hold it. @throws AppError `rejected`. */
export function parseSecretValue(text: string): string {
  if (text === "") throw new AppError("rejected", t("Enter the value."));
  if (text.includes("\0")) throw new AppError("rejected", t("The value contains an invalid character."));
  if (new TextEncoder().encode(text).length > MOST_SECRET_BYTES)
    throw new AppError("rejected", t("The value is larger than {0} KB.", MOST_SECRET_BYTES / 1024));
  return text;
}

/** What stands for itself in the text that `printf %b` prints. */
const NOT_PLAIN = /[^A-Za-z0-9_.+=@:,-]/gu;
const escapeSign = (sign: string): string =>
  [...new TextEncoder().encode(sign)].map((byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");

/** One line for a shell that sets and exports all of them; the full stop keeps line breaks at the end. */
export const buildSecretLine = (values: SecretValues): string =>
  [...values]
    .map(([name, value]) => {
      const escaped = value.replaceAll(NOT_PLAIN, escapeSign);
      return `export ${name}="$(printf %b. '${escaped}')"; ${name}=\${${name}%.}`;
    })
    .join("; ");

/** The shell's variable that holds the line. No secret may have its name. */
const LINE = "cloud_gpu_line";

/** The machine's shell would start a program to print them, with all of them in its argument list. */
export const NO_SECRETS = "no-secrets";

/**
 * For the order to start a run: takes the line from standard input as a variable, before the script. A variable of that name may have come
 * with the login, and would be passed on to every program.
 */
export const TAKE_SECRETS = [
  `[ "$(command -v printf)" = printf ] || { ${buildAnswerCommand(NO_SECRETS)}; exit; }`,
  `unset ${LINE}; IFS= read -r ${LINE} || exit`,
].join("\n");

/** Passes the line on to a program by a pipe. */
export const PASS_SECRETS = `printf '%s\\n' "$${LINE}" 2>/dev/null |`;

/** For the script of a run: takes the line. Without it nothing is run, and the log says so. */
export const buildReceiving = (): string =>
  [
    `unset ${LINE}; IFS= read -r ${LINE} || { echo ${quoteWord(t("The secrets didn't arrive, so the command didn't start."))} >> "$d/log"`,
    'echo 1 0 > "$d/exit"; exit 1; }; exec < /dev/null',
  ].join("; ");

/**
 * For the shell of the command, which has the line on descriptor 3: only now, after the login profile, which may write its environment
 * down or start what stays. A profile that has commands traced would have them in the log.
 */
export const buildSetting = (): string =>
  [
    `{ set +x; } 2>/dev/null; unset ${LINE}`,
    `IFS= read -r ${LINE} <&3 || { echo ${quoteWord(t("The machine's login profile kept the secrets from the command, so it didn't start."))}; exit 1; }`,
    `exec 3<&-; eval "$${LINE}"; unset ${LINE}`,
  ].join("; ");
