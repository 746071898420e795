// What another extension may ask for: what a link may, by the same names and under the same rules.
import { t, toPlainText } from "../../lib/text.ts";
import { AppError } from "../base/error.ts";
import {
  isNumberParameter,
  LAUNCH_PARAMETERS,
  type Link,
  LONGEST_LINK,
  readPlainValue,
  SEARCH_PARAMETERS,
  toExploreLink,
  toLaunchLink,
} from "./link.ts";

/** @throws AppError `rejected` that says in one sentence what is wrong, and with which field. */
export function readLaunchDraft(given: unknown): Link {
  const fields = copyFields(given, LAUNCH_PARAMETERS);
  if (!fields.has("template")) throw refuseField("template", t("It has no value."));
  return toLaunchLink(fields, refuseField);
}

/** @throws AppError `rejected` that says in one sentence what is wrong, and with which field. */
export const readOfferFilter = (given: unknown = {}): Link =>
  toExploreLink(copyFields(given, SEARCH_PARAMETERS), refuseField);

/**
 * Each field is read once, and no getter is called: what was checked is what is opened. Only fields of its own count, and a value that is left
 * undefined is left out.
 */
function copyFields(given: unknown, known: readonly string[]): ReadonlyMap<string, string> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refuseDraft(t("Cloud GPU can't open what another extension asked for: it isn't an object."));
  const copied = new Map<string, string>();
  for (const name of Reflect.ownKeys(given)) {
    if (typeof name === "symbol" || !known.includes(name))
      throw refuseDraft(
        t(
          "Cloud GPU can't open what another extension asked for: it doesn't know the field “{0}”.",
          toPlainText(String(name), 60),
        ),
      );
    const own = Reflect.getOwnPropertyDescriptor(given, name);
    const value: unknown = own && "value" in own ? own.value : null;
    if (value !== undefined) copied.set(name, readPlainValue(name, toWritten(name, value), refuseField));
  }
  return copied;
}

function toWritten(name: string, value: unknown): string {
  if (isNumberParameter(name)) {
    if (typeof value === "number" && Number.isFinite(value)) return String(value);
    throw refuseField(name, t("It must be a number."));
  }
  if (typeof value !== "string") throw refuseField(name, t("It must be a string."));
  if (value.length > LONGEST_LINK) throw refuseField(name, t("It's longer than 2 KB."));
  return value;
}

const refuseDraft = (message: string): AppError => new AppError("rejected", message);
const refuseField = (name: string, why: string): AppError =>
  refuseDraft(t("Cloud GPU can't open what another extension asked for, because of the field “{0}”: {1}", name, why));
