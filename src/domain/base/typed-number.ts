// Reads typed numbers, and creates the error that names the field.
import { t } from "../../lib/text.ts";
import { AppError } from "./error.ts";

/** A typed number with a decimal point. A comma is ambiguous and refused. @throws AppError `rejected`. */
export function readNumber(name: string, input: string): number {
  const text = input.trim();
  if (text.includes(",")) throw createRejection(name, t("{0}: use a decimal point, such as 0.35.", name));
  if (!/^\+?(?:\d+(?:\.\d*)?|\.\d+)$/.test(text))
    throw createRejection(name, t("{0}: “{1}” isn't a number. Enter digits only.", name, text));
  return Number(text);
}

/** An error for input that can't be used. Its message is shown under the field. */
export function createRejection(field: string, message: string): AppError {
  return new AppError("rejected", message, { fields: { [field]: message } });
}
