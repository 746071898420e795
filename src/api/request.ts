// Checks a request before anything is sent: an exact path, and a query and body that match their row.
import type * as z from "zod";
import type { Address } from "../domain/base/address.ts";
import { AppError } from "../domain/base/error.ts";
import { findJsonFlaw, type JsonFlaw } from "../lib/json-flaw.ts";
import { t, toPlainText } from "../lib/text.ts";
import { buildPath, type EndpointRow } from "./table/endpoint.ts";

export interface PreparedRequest {
  readonly url: URL;
  readonly body: string | undefined;
  readonly id: number | undefined;
}

interface Given {
  readonly id?: number | undefined;
  readonly query?: Readonly<Record<string, string>> | undefined;
  readonly body?: unknown;
}

/** @throws AppError `rejected` with `notSent` if anything can't be sent unchanged. */
export function prepareRequest(
  name: string,
  row: EndpointRow,
  address: Address,
  { id, query, body }: Given,
): PreparedRequest {
  const url = new URL(address.base + checkedPath(name, row, id));
  // The key goes only to the origin it was entered for. A path can't change the origin; this check makes sure.
  if (url.origin !== address.origin)
    throw new AppError("defect", t("Cloud GPU blocked a request to an address outside the service."), {
      operation: name,
      notSent: true,
    });
  const checked = row.query ? (check(name, row.query, query ?? {}) as Record<string, string>) : {};
  for (const [key, value] of Object.entries(checked)) url.searchParams.set(key, value);
  return { url, body: row.body ? JSON.stringify(check(name, row.body, body)) : undefined, id };
}

/** A value as the text of a query parameter. @throws AppError `rejected` if JSON can't represent it. */
export function toJsonText(name: string, field: string, value: unknown): string {
  refuseFlaw(name, findJsonFlaw(value), field);
  return JSON.stringify(value);
}

function checkedPath(name: string, row: EndpointRow, id: number | undefined): string {
  try {
    return buildPath(row, id);
  } catch {
    throw invalid(name, { id: t("must be a whole number above 0") });
  }
}

function check(name: string, schema: NonNullable<EndpointRow["body"]>, value: unknown): unknown {
  refuseFlaw(name, findJsonFlaw(value));
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw invalid(
    name,
    Object.fromEntries(parsed.error.issues.map((issue) => [issue.path.join(".") || "body", reasonOf(issue)])),
  );
}

/** What is wrong with the name of a variable stands one level deeper. */
function reasonOf(issue: z.core.$ZodIssue): string {
  return (issue.code === "invalid_key" && issue.issues[0]?.message) || issue.message;
}

function refuseFlaw(name: string, flaw: JsonFlaw | undefined, field = "body"): void {
  if (!flaw) return;
  const reasons = {
    deep: t("nested too deeply"),
    name: t("a name that can't be used"),
    value: t("a value that can't be sent"),
  };
  const path = flaw.path.slice(0, 5).join(".");
  throw invalid(name, { [toPlainText(path, 100) || field]: reasons[flaw.kind] });
}

function invalid(name: string, fields: Record<string, string>): AppError {
  const [field, message] = Object.entries(fields)[0] ?? ["body", ""];
  const facts = { operation: name, fields, notSent: true };
  return new AppError("rejected", t("Nothing was sent. The field “{0}” is invalid ({1}).", field, message), facts);
}
