// A response before it is written: status, headers and bytes, which faults may still change.
import { buildErrorBody, Refusal } from "./refusal.ts";

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export const answerJson = (status: number, value: unknown): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

export const answerPlain = (status: number, body: string): Answer => ({
  status,
  type: "text/plain; charset=utf-8",
  body,
});

export const BAD_GATEWAY: Answer = {
  status: 502,
  type: "text/html",
  body: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
};

/** The response to a request that wasn't carried out. */
export function answerFailure(error: unknown): Answer {
  // The only refusal that public services send as plain text.
  if (error instanceof Refusal && error.status === 429) return answerPlain(429, error.message);
  if (error instanceof Refusal) return answerJson(error.status, buildErrorBody(error.code, error.message));
  return answerJson(500, buildErrorBody("internal_error", error instanceof Error ? error.message : String(error)));
}
