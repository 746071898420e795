// One error type for everything that can go wrong: a kind, one sentence and at most one remedy.
import { redactText } from "../../lib/redact.ts";
import { t, toPlainText } from "../../lib/text.ts";

export type ErrorKind =
  | "signed-out"
  | "key-refused"
  | "not-allowed"
  | "not-found"
  | "gone"
  | "rejected"
  | "no-credit"
  | "too-fast"
  | "server"
  | "offline"
  | "timeout"
  | "unexpected-reply"
  | "unsupported"
  | "outcome-unknown"
  | "cancelled"
  | "defect";

export interface ErrorFacts {
  /** Name of the operation in the endpoint table. */
  operation?: string;
  /** HTTP status, if a response arrived. */
  status?: number;
  /** The service's own `error` word. */
  code?: string;
  /** Seconds the service asks to wait. */
  retryAfter?: number;
  /** True if it is proven that no byte of the request left this machine. */
  notSent?: boolean;
  /** True for a damaged response: a retry may succeed. */
  passing?: boolean;
  /** The name of the setting with the person's own limit that forbids it. */
  limit?: string;
  /** Which inputs were refused and why, by field name. */
  fields?: Record<string, string>;
  cause?: unknown;
}

/** Characters of a message that are examined, far more than are shown. */
const MOST_READ = 5000;

/** Contains no secret: message and fields are redacted in the constructor. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly facts: Readonly<Omit<ErrorFacts, "cause">>;

  constructor(kind: ErrorKind, message: string, facts: ErrorFacts = {}) {
    // Redacts before cleaning, because a secret may contain characters that `plain` removes, and again afterward,
    // because such characters may have hidden it.
    const read = message.length > MOST_READ ? `${message.slice(0, MOST_READ)}…` : message;
    super(redactText(toPlainText(redactText(read), 500)));
    this.name = "AppError";
    this.kind = kind;
    const { cause, ...rest } = facts;
    this.facts = rest;
    if (cause !== undefined) this.cause = cause;
  }
}

/** Any thrown value as an AppError. An unexpected one is a defect and keeps its cause. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.name === "AbortError")
    return new AppError("cancelled", t("Canceled."), { cause: error });
  return new AppError("defect", t("Something went wrong in Cloud GPU: {0}", messageOf(error)), { cause: error });
}

/** Also handles values that can't be converted to text. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "?";
  }
}
