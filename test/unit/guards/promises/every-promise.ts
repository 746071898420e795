// All promises of docs/promises.md, section by section in the order of the page.
import { ACCOUNTS } from "./accounts.ts";
import { CONNECTING } from "./connecting.ts";
import { ENDING } from "./ending.ts";
import { FILES } from "./files.ts";
import { GROUPS } from "./groups.ts";
import { MONEY } from "./money.ts";
import type { Promises } from "./promises.ts";
import { RENTED } from "./rented.ts";
import { SECRETS } from "./secrets.ts";
import { STRANGERS } from "./strangers.ts";
import { TEMPLATES } from "./templates.ts";

export const SECTIONS: Readonly<Record<string, Promises>> = {
  "Your money": MONEY,
  "What you rent": RENTED,
  "Stopping and destroying": ENDING,
  "Several windows and accounts": ACCOUNTS,
  "Your key and other secrets": SECRETS,
  "What others write": STRANGERS,
  "Your templates": TEMPLATES,
  Connecting: CONNECTING,
  "Your files and runs": FILES,
  Groups: GROUPS,
};
