// Everything that can go wrong, as one error with a kind, one sentence and at most one remedy.
import { redactText } from "../lib/redact.ts";
import { plain } from "../lib/text.ts";

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

/** Carries no secret: message and fields are redacted as it is made. */
export class AppError extends Error {
  readonly kind: ErrorKind;
  readonly facts: Readonly<Omit<ErrorFacts, "cause">>;

  constructor(kind: ErrorKind, message: string, facts: ErrorFacts = {}) {
    super(redactText(plain(message, 500)));
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
    return new AppError("cancelled", "Cancelled.", { cause: error });
  const text = error instanceof Error ? error.message : String(error);
  return new AppError("defect", `Something went wrong inside Cloud GPU: ${text}`, { cause: error });
}
