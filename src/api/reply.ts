// Reads a response: a good one through its schema, any other into an AppError with one sentence (interface 7).
// The only place that knows how services word things.
import { AppError, type ErrorFacts, type ErrorKind } from "../domain/base/error.ts";
import { parseServedJson } from "../lib/served-json.ts";
import { t, toPlainText } from "../lib/text.ts";
import type { EndpointRow, ReplyOf } from "./table/endpoint.ts";
import { type EndpointName, endpoints } from "./table/endpoints.ts";
import type { HttpAnswer } from "./transport.ts";
import { findRefusedInput, saysQueued, toRefusalCode } from "./worded-refusals.ts";

type Body = { kind: "empty" } | { kind: "text"; text: string } | { kind: "html" } | { kind: "json"; value: unknown };

/** A doctype, a declaration, a comment, or any tag. */
const MARKUP = /^<(?:[!?]|[a-z][a-z0-9-]{0,40}[\s/>])/i;

function readBody(text: string): Body {
  // This also removes a byte order mark.
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "empty" };
  try {
    return { kind: "json", value: parseServedJson(trimmed) };
  } catch {
    return MARKUP.test(trimmed) ? { kind: "html" } : { kind: "text", text: trimmed };
  }
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

interface Said {
  /** The service's error word, in lower case. */
  readonly code: string;
  /** The service's own sentence, cut and without its status prefix. */
  readonly text: string;
}

/** The best text in any envelope: `msg`, `message`, `detail`, `error_msg`, `error`, a bare string, plain text. */
function readWords(body: Body): Said {
  if (body.kind === "text") return { code: "", text: toPlainText(body.text, 300) };
  if (body.kind !== "json") return { code: "", text: "" };
  if (typeof body.value === "string") return { code: "", text: toPlainText(body.value, 300) };
  const fields = fieldsOf(body.value);
  const texts = ["msg", "message", "detail", "error_msg", "error"].map((name) => fields[name]);
  const text = texts.find((item): item is string => typeof item === "string" && item.trim() !== "") ?? "";
  const code = typeof fields.error === "string" ? toPlainText(fields.error, 300).toLowerCase() : "";
  return { code, text: toPlainText(text.replace(/^error \d{3}(\/\d+)?: /i, ""), 300) };
}

/** What a service quotes is a name that someone chose. An apostrophe within a word quotes nothing. */
const QUOTED = /(?<!\w)(?:'.*?'|".*?"|`.*?`)(?!\w)/g;

const BILLING = /insufficient_credit|missing_billing|spend_rate_limit|lack credit|insufficient credit/i;

/** A response and the call it belongs to. */
interface Reply {
  readonly name: string;
  readonly row: EndpointRow;
  readonly answer: HttpAnswer;
  readonly body: Body;
  /** The `{id}` in the path. */
  readonly id: number | undefined;
}

function kindOf(reply: Reply, words: Said): ErrorKind {
  const { row, answer } = reply;
  const { status } = answer;
  // Whatever a failing server says, what it did before is unknown.
  if (status >= 500) return status === 501 && !row.shown ? "unsupported" : "server";
  const both = `${words.code} ${words.text.replace(QUOTED, "")}`;
  if (/auth_error|invalid user key|invalid api key/i.test(both)) return "key-refused";
  if (BILLING.test(both)) return "no-credit";
  if (/no_such_ask/i.test(both)) return "gone";
  if (status === 429 || /too frequent|rate_limit_exceeded/i.test(both)) return "too-fast";
  // Some services send a 401 for a valid key that lacks a permission. Such a key must not be reported as invalid.
  if (status === 401) return /two factor|permission|creator|owner/i.test(words.text) ? "not-allowed" : "key-refused";
  if (status === 403) return "not-allowed";
  if (status === 404 || status === 410) return kindOfAbsence(reply, words);
  return !row.shown && status === 405 ? "unsupported" : "rejected";
}

/** A 404 or 410 about the object, about the path, or from a gateway that knows neither. */
function kindOfAbsence({ name, row, answer, id }: Reply, words: Said): ErrorKind {
  if (row.namesInstance) {
    if (namesInstance(words, id)) return "not-found";
    return !row.shown && namesPath(words) ? "unsupported" : "unexpected-reply";
  }
  const isAboutId = row.path.includes("{id}") && /no_such_(?!path)|invalid_id/.test(words.code);
  if (!row.shown && !(answer.status === 404 && isAboutId)) return "unsupported";
  return name === "createInstance" && answer.status === 410 ? "gone" : "not-found";
}

/**
 * Whether the service says that exactly this instance doesn't exist. A gateway's "not found" says nothing about a
 * machine that is billed, and neither does a sentence about another instance.
 */
function namesInstance({ code, text }: Said, id: number | undefined): boolean {
  if (!/^(?:no_such_\w+|invalid_id|invalid_instance\w*|not_found)$/.test(code) || namesPath({ code, text }))
    return false;
  const numbers: readonly string[] = text.match(/\d+/g) ?? [];
  return numbers.length === 0 ? code === "no_such_instance" : numbers.includes(String(id));
}

/** How routers report a path they don't have. */
function namesPath({ code, text }: Said): boolean {
  return /no_such_(?:path|route)|deprecated_endpoint/.test(code) || /no such (?:path|route|endpoint)/i.test(text);
}

/** Seconds to wait: the header if it is a valid number, or else the threshold in the text, or else 5; at most 60. */
export function readRetryAfter(header: string | undefined, text: string): number {
  const named = Number(header);
  if (header !== undefined && header.trim() !== "" && Number.isFinite(named) && named >= 0) return Math.min(60, named);
  const threshold = Number(/threshold=([\d.]+)/.exec(text.slice(0, 2000))?.[1]);
  return Number.isFinite(threshold) && threshold > 0 ? Math.min(60, threshold) : 5;
}

function sentence(kind: ErrorKind, status: number, { text }: Said): string {
  // An error's message has no space at its end.
  const tail = ` ${text}`;
  switch (kind) {
    case "key-refused":
      return t("The service doesn't accept the API key. Sign in with another key.");
    case "not-allowed":
      return t("The API key doesn't have permission to do this.") + tail;
    case "gone":
      return t("That offer was just taken.");
    case "no-credit":
      return t("The account doesn't have enough credit or a payment method.") + tail;
    case "too-fast":
      return t("Too many requests. Wait a moment, then try again.");
    case "server":
      return t("The service reported an internal error ({0}).", status) + tail;
    case "unsupported":
      return t("This service doesn't support that ({0}).", status);
    case "unexpected-reply":
      return unexplained(status);
    case "not-found":
      return text === "" ? t("This no longer exists on the service.") : text;
    default:
      return text === "" ? t("The service refused the request ({0}) and gave no reason.", status) : text;
  }
}

const unexplained = (status: number) =>
  t("Unexpected response (status {0}). The service may be temporarily unavailable.", status);

function failure(reply: Reply): AppError {
  const { name, answer, body } = reply;
  const words = readWords(body);
  const kind = kindOf(reply, words);
  const facts: ErrorFacts = { operation: name, status: answer.status };
  // A failing server's words are about its failure, whatever they sound like.
  const isRefusal = kind === "rejected" || kind === "not-allowed";
  const code = isRefusal ? toRefusalCode(name, words) : words.code;
  if (code !== "") facts.code = code;
  const input = kind === "rejected" ? findRefusedInput(words.text) : undefined;
  if (input !== undefined) facts.fields = { [input]: "" };
  if (kind === "too-fast" || answer.status === 503) facts.retryAfter = readRetryAfter(answer.retryAfter, answer.text);
  if (kind === "unexpected-reply") facts.passing = true;
  return new AppError(kind, sentence(kind, answer.status, words), facts);
}

/** For an endpoint that succeeded before: it isn't missing, something on the way to it fails. */
export function createTransientError(name: string, { facts }: AppError): AppError {
  return new AppError("unexpected-reply", unexplained(facts.status ?? 0), { ...facts, operation: name, passing: true });
}

function unexpected({ name, answer: { status }, body }: Reply): AppError {
  return new AppError("unexpected-reply", unexpectedSentence(body), {
    operation: name,
    status,
    passing: body.kind === "text" || body.kind === "empty",
  });
}

function unexpectedSentence(body: Body): string {
  if (body.kind === "json") return t("The service's response isn't in the expected format.");
  if (body.kind === "html") return t("The service responded with a web page. Check the service address.");
  if (body.kind === "empty") return t("The service's response was empty. Check the service address.");
  return t("The service's response isn't JSON. Check the service address.");
}

/** A response with a success status that lacks what the endpoint promises, or also reports a failure. */
export function createUnexpectedReply(name: EndpointName, reply: object = {}): AppError {
  const { text } = readWords({ kind: "json", value: reply });
  const message = hasError(reply) ? t("The service reported an error: {0}", text || "?") : undefined;
  return new AppError("unexpected-reply", message ?? unexpectedSentence({ kind: "json", value: reply }), {
    operation: name,
    status: 200,
  });
}

/** The error for a 200 with a refusal in its body, at endpoints that allow such responses. */
export function createRefusal(name: EndpointName, value: object): AppError {
  const answer: HttpAnswer = { status: 200, retryAfter: undefined, text: "" };
  return failure({ name, row: endpoints[name], answer, body: { kind: "json", value }, id: undefined });
}

/** A call that spends or destroys was answered with neither yes nor no. */
export function createUnconfirmed(name: EndpointName): AppError {
  const reason = t("The service didn't confirm the request.");
  return new AppError("outcome-unknown", t("Cloud GPU couldn't confirm whether this succeeded. {0}", reason), {
    operation: name,
  });
}

/** Whether a response carries the error of interface 7, whatever its status. */
export function hasError(value: unknown): boolean {
  const { error } = fieldsOf(value);
  return error !== undefined && error !== null && error !== false && error !== "";
}

/** Whether a start waits until its GPU is free again. */
export function isQueued(reply: { readonly error?: unknown; readonly msg?: unknown }): boolean {
  const { code, text } = readWords({ kind: "json", value: reply });
  return saysQueued(`${code} ${text}`);
}

/** How public services report a search without results: with `success: false` and without the list. */
const NONE = { searchTemplates: /^no templates found\b/i, fetchImageTags: /^no tags found\b/i } as const;

/** The list a search promises. @throws AppError for a refusal, and for a response without the list. */
export function listOrNone(
  name: keyof typeof NONE,
  reply: { readonly success?: unknown; readonly error?: unknown; readonly msg?: unknown },
  list: unknown,
): readonly unknown[] {
  if (reply.success === false) {
    const isEmpty = list === undefined || list === null || (Array.isArray(list) && list.length === 0);
    if (isEmpty && NONE[name].test(readWords({ kind: "json", value: reply }).text)) return [];
    throw createRefusal(name, reply);
  }
  if (hasError(reply) || !Array.isArray(list)) throw createUnexpectedReply(name, reply);
  return list;
}

/**
 * `id` is the one in the path: statements about another ID are ignored.
 * @throws AppError for every response that isn't a success of this endpoint.
 */
export function readReply<R extends EndpointRow>(
  name: EndpointName,
  row: R,
  answer: HttpAnswer,
  id?: number,
): ReplyOf<R> {
  const body = readBody(answer.text);
  const reply: Reply = { name, row, answer, body, id };
  if (answer.status < 200 || answer.status >= 300) throw failure(reply);
  // An HTML page comes from a gateway or a captive portal, even where the interface promises no body.
  if (row.anyBody && (body.kind === "empty" || body.kind === "text")) return undefined as ReplyOf<R>;
  if (body.kind !== "json") throw unexpected(reply);
  const { success } = fieldsOf(body.value);
  if (success === false && !row.falseIsAnswer) throw failure(reply);
  if (!row.falseIsAnswer && hasError(body.value)) throw createUnexpectedReply(name, fieldsOf(body.value));
  if (row.confirms && success !== true)
    throw new AppError("unexpected-reply", t("The service didn't confirm the request."), { operation: name });
  const parsed = row.reply.safeParse(body.value);
  if (!parsed.success) throw unexpected(reply);
  return parsed.data as ReplyOf<R>;
}
