// Everything that can go wrong, as one error with a kind, one sentence and at most one remedy.
import { redactText } from "../../lib/redact.ts";
import { plain, t } from "../../lib/text.ts";

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
  /** HTTP status, where an answer came. */
  status?: number;
  /** The service's own `error` word. */
  code?: string;
  /** Seconds the service wants us to wait. */
  retryAfter?: number;
  /** True where it is proven that no byte of the request left this machine. */
  notSent?: boolean;
  /** True for an answer that came damaged: the next try may get it whole. */
  passing?: boolean;
  /** The person's own limit that forbids it, by its name in the settings. */
  limit?: string;
  /** Which input was refused and why, by field name. */
  fields?: Record<string, string>;
  cause?: unknown;
}

/** Characters of a message that are looked at: far more than are shown. */
const MOST_READ = 5000;

/** Carries no secret: message and fields are redacted as it is made. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly facts: Readonly<Omit<ErrorFacts, "cause">>;

  constructor(kind: ErrorKind, message: string, facts: ErrorFacts = {}) {
    // Before, as a secret may hold what is taken out of texts; and after, as it may have been hidden behind such characters.
    super(redactText(plain(redactText(message.slice(0, MOST_READ)), 500)));
    this.name = "AppError";
    this.kind = kind;
    const { cause, ...rest } = facts;
    this.facts = rest;
    if (cause !== undefined) this.cause = cause;
  }
}

/** Any thrown thing as an AppError; what we did not foresee is a defect and keeps its cause. */
export function asAppError(error: unknown): AppError {
  if (error instanceof AppError) return error;
  if (error instanceof Error && error.name === "AbortError")
    return new AppError("cancelled", t("Cancelled."), { cause: error });
  return new AppError("defect", t("Something went wrong in Cloud GPU: {0}", messageOf(error)), { cause: error });
}

/** Also of a thing that cannot be made into text. */
function messageOf(error: unknown): string {
  try {
    return error instanceof Error ? error.message : String(error);
  } catch {
    return "?";
  }
}
