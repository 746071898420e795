// What a template file says to run on an instance of its template, and to change of it at launch (interface 4.3). It stays in the file: the
// service knows nothing of it.
import * as z from "zod";
import { isSecretVariable } from "../../lib/secret-value.ts";
import { t, toPlainText } from "../../lib/text.ts";
import { Command, SecretNames, Setup, Variables } from "../base/command.ts";
import { DataFolders } from "../base/data-folders.ts";
import { Globs } from "../base/glob.ts";
import { MaxAttempts } from "../base/max-attempts.ts";
import { Dollars } from "../base/money.ts";
import { ResultsEveryMinutes } from "../base/results-every.ts";
import { WhenDone } from "../base/when-done.ts";
import { LEAST_DISK } from "../offer/disk.ts";
import { Environment } from "./environment/environment.ts";
import { RUNTYPES } from "./template.ts";
import { ShellWords, TemplateDraft } from "./template-draft.ts";
import { Lines } from "./template-text.ts";

export const TemplateRun = z.strictObject({
  command: Command,
  /** In place of what the uploaded folder suggests. */
  setup: Setup.optional(),
  env: Variables.optional(),
  /** Names of secrets that the command gets. Their values are in no file. */
  secrets: SecretNames.optional(),
  results: Globs.optional(),
  resultsEveryMinutes: ResultsEveryMinutes.optional(),
  dataFolders: DataFolders.optional(),
  whenDone: WhenDone.optional(),
  maxPricePerHour: Dollars.optional(),
  maxAttempts: MaxAttempts.optional(),
});
export type TemplateRun = z.infer<typeof TemplateRun>;

/** Added to the template's, whose entries can be changed, but not removed. */
const AddedEnvironment = Environment.superRefine((env, context) => {
  const secret = Object.keys(env).find((name) => isSecretVariable(name, env[name] ?? ""));
  if (secret === undefined) return;
  const message = t("“{0}” looks like a secret. Set it in the template instead.", toPlainText(secret, 60));
  context.addIssue({ code: "custom", message, path: [secret] });
});

/** Neither a registry login nor a volume: both belong to one account, and files are shared. Units: `disk` GB. */
export const TemplateLaunch = z.strictObject({
  image: TemplateDraft.shape.image.optional(),
  runtype: z.enum(RUNTYPES).optional(),
  env: AddedEnvironment.optional(),
  /** In place of the template's. */
  onstart: Lines.optional(),
  args_str: ShellWords.optional(),
  use_jupyter_lab: z.boolean().optional(),
  jupyter_dir: z.string().optional(),
  python_utf8: z.boolean().optional(),
  lang_utf8: z.boolean().optional(),
  vm: z.boolean().optional(),
  disk: z.number().min(LEAST_DISK).optional(),
  label: z.string().max(256).optional(),
  target_state: z.enum(["running", "stopped"]).optional(),
  cancel_unavail: z.boolean().optional(),
});
export type TemplateLaunch = z.infer<typeof TemplateLaunch>;
