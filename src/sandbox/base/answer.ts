// A response before it is written: status, headers and bytes, which faults may still change.
import { errorBody, Refusal } from "./refusal.ts";

export interface Answer {
  readonly status: number;
  readonly type: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

export const json = (status: number, value: unknown): Answer => ({
  status,
  type: "application/json",
  body: JSON.stringify(value),
});

export const plain = (status: number, body: string): Answer => ({ status, type: "text/plain; charset=utf-8", body });

export const BAD_GATEWAY: Answer = {
  status: 502,
  type: "text/html",
  body: "<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>",
};

/** The response to a request that wasn't carried out. */
export function failed(error: unknown): Answer {
  // The only refusal that public services send as plain text.
  if (error instanceof Refusal && error.status === 429) return plain(429, error.message);
  if (error instanceof Refusal) return json(error.status, errorBody(error.code, error.message));
  return json(500, errorBody("internal_error", error instanceof Error ? error.message : String(error)));
}
