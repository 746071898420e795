// Reads an answer: a good one through its schema, every other one into an AppError with one sentence (interface 7).
import { AppError, type ErrorFacts, type ErrorKind } from "../domain/error.ts";
import { plain, t } from "../lib/text.ts";
import type { EndpointRow, ReplyOf } from "./endpoint.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import type { Answer } from "./transport.ts";

type Body = { kind: "empty" } | { kind: "text"; text: string } | { kind: "html" } | { kind: "json"; value: unknown };

function readBody(text: string): Body {
  const trimmed = text.replace(/^\uFEFF/, "").trim();
  if (trimmed === "") return { kind: "empty" };
  try {
    return { kind: "json", value: JSON.parse(trimmed) };
  } catch {
    return /^<(!doctype|html|head|body|\?xml)/i.test(trimmed) ? { kind: "html" } : { kind: "text", text: trimmed };
  }
}

interface Said {
  /** The service's word for what went wrong, lower case. */
  readonly code: string;
  /** The service's own sentence, cut and stripped of its status prefix. */
  readonly text: string;
}

/** The best text in any envelope: `msg`, `message`, `detail`, `error_msg`, `error`, a bare string, plain text. */
function said(body: Body): Said {
  if (body.kind === "text") return { code: "", text: plain(body.text, 300) };
  if (body.kind !== "json") return { code: "", text: "" };
  if (typeof body.value === "string") return { code: "", text: plain(body.value, 300) };
  if (typeof body.value !== "object" || body.value === null) return { code: "", text: "" };
  const record = body.value as Record<string, unknown>;
  const texts = ["msg", "message", "detail", "error_msg", "error"].map((name) => record[name]);
  const text = texts.find((item): item is string => typeof item === "string" && item.trim() !== "") ?? "";
  const code = typeof record.error === "string" ? record.error.toLowerCase() : "";
  return { code, text: plain(text.replace(/^error \d{3}(\/\d+)?: /i, ""), 300) };
}

const BILLING = /insufficient_credit|missing_billing|spend_rate_limit|lack credit|insufficient credit/i;

function kindOf(row: EndpointRow, status: number, { code, text }: Said): ErrorKind {
  const both = `${code} ${text}`;
  if (/auth_error|invalid user key|invalid api key/i.test(both)) return "key-refused";
  if (BILLING.test(both)) return "no-credit";
  if (/no_such_ask/i.test(both)) return "gone";
  if (status === 429 || /too frequent|rate_limit_exceeded/i.test(both)) return "too-fast";
  // Some services answer 401 where the key is good and the person may not: then the key must not be called bad.
  if (status === 401) return /two factor|permission|creator|owner/i.test(text) ? "not-allowed" : "key-refused";
  if (status === 403) return "not-allowed";
  if (!row.shown && isMissing(row, status, code)) return "unsupported";
  if (status === 404) return "not-found";
  if (status === 410) return "gone";
  return status >= 500 ? "server" : "rejected";
}

/**
 * A server without this extra: no such method or route. A 404 is about a thing only where it names the thing; a bare
 * "not found" also comes from a router that has no such path, and "gone" said of a rental must never be a guess.
 */
function isMissing(row: EndpointRow, status: number, code: string): boolean {
  if (status === 405 || status === 501 || status === 410) return true;
  return status === 404 && !(row.path.includes("{id}") && /no_such_(?!path)|invalid_id/.test(code));
}

/** Seconds to wait: the header where it is a sensible number, else the threshold the text names, else 5; 60 at most. */
export function secondsToWait(header: string | undefined, text: string): number {
  const named = Number(header);
  if (header !== undefined && header.trim() !== "" && Number.isFinite(named) && named >= 0) return Math.min(60, named);
  const threshold = Number(/threshold=([\d.]+)/.exec(text)?.[1]);
  return Number.isFinite(threshold) && threshold > 0 ? Math.min(60, threshold) : 5;
}

function sentence(kind: ErrorKind, status: number, { text }: Said): string {
  const tail = text === "" ? "" : ` ${text}`;
  switch (kind) {
    case "key-refused":
      return t("The service does not accept the API key. Sign in with another one.");
    case "not-allowed":
      return t("The API key is not allowed to do this.") + tail;
    case "gone":
      return t("That offer was just taken.");
    case "no-credit":
      return t("The account has not enough credit or no way to pay.") + tail;
    case "too-fast":
      return t("The service asks to slow down.");
    case "server":
      return t("The service has a fault of its own (status {0}).", status) + tail;
    case "unsupported":
      return t("This service does not offer that (status {0}).", status);
    case "not-found":
      return text === "" ? t("The service does not know it (any more).") : text;
    default:
      return text === "" ? t("The service refused the request (status {0}) without saying why.", status) : text;
  }
}

function failure(name: string, row: EndpointRow, answer: Answer, body: Body): AppError {
  const words = said(body);
  const kind = kindOf(row, answer.status, words);
  const facts: ErrorFacts = { operation: name, status: answer.status };
  if (words.code !== "") facts.code = words.code;
  if (kind === "too-fast" || answer.status === 503) facts.retryAfter = secondsToWait(answer.retryAfter, answer.text);
  return new AppError(kind, sentence(kind, answer.status, words), facts);
}

function unexpected(name: string, status: number, body: Body): AppError {
  const what =
    body.kind === "html"
      ? t("a web page")
      : body.kind === "empty"
        ? t("nothing")
        : body.kind === "text"
          ? t("text that is not JSON")
          : t("something else");
  return new AppError(
    "unexpected-reply",
    t("The service answered with {0} where data was expected. Is the address right?", what),
    {
      operation: name,
      status,
      passing: body.kind === "text" || body.kind === "empty",
    },
  );
}

/** The error for a 200 that says no in its body, where the endpoint lets such an answer through. */
export function refused(name: EndpointName, reply: object): AppError {
  return failure(
    name,
    endpoints[name],
    { status: 200, retryAfter: undefined, text: "" },
    { kind: "json", value: reply },
  );
}

/** @throws AppError for every answer that is not a good one of this endpoint. */
export function readReply<R extends EndpointRow>(name: string, row: R, answer: Answer): ReplyOf<R> {
  const body = readBody(answer.text);
  if (answer.status < 200 || answer.status >= 300) throw failure(name, row, answer, body);
  if (body.kind !== "json") throw unexpected(name, answer.status, body);
  const saysNo =
    typeof body.value === "object" && body.value !== null && "success" in body.value && body.value.success === false;
  if (saysNo && !row.falseIsAnswer) throw failure(name, row, answer, body);
  const parsed = row.reply.safeParse(body.value);
  if (!parsed.success) throw unexpected(name, answer.status, body);
  return parsed.data as ReplyOf<R>;
}
