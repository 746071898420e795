// What a template file says to run on an instance of its template. It stays in the file: the service knows nothing of it.
import * as z from "zod";
import { Afterward } from "../base/afterward.ts";
import { Command, SetUp, Variables } from "../base/command.ts";
import { DataFolders } from "../base/data-folders.ts";
import { Globs } from "../base/glob.ts";
import { Dollars } from "../base/money.ts";

export const TemplateRun = z.strictObject({
  command: Command,
  /** In place of what the uploaded folder suggests. */
  setUp: SetUp.optional(),
  env: Variables.optional(),
  results: Globs.optional(),
  data: DataFolders.optional(),
  afterward: Afterward.optional(),
  perHour: Dollars.optional(),
});
export type TemplateRun = z.infer<typeof TemplateRun>;
