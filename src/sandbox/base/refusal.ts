// A request the service refuses. Thrown where the reason is found and written by the server (interface 7).

export class Refusal extends Error {
  /** HTTP status. */
  readonly status: number;
  /** The `error` word in the body. */
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.name = "Refusal";
    this.status = status;
    this.code = code;
  }
}

interface ErrorBody {
  readonly success: false;
  readonly error: string;
  readonly msg: string;
}

export function buildErrorBody(code: string, message: string): ErrorBody {
  return { success: false, error: code, msg: message };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
