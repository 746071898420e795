// A way to a service that keeps what is sent on it, as it is on the wire: the sandbox's own list of requests is without secrets.
import { pass, serve } from "../support.ts";

export interface Recorder {
  readonly url: string;
  /** Paths with their queries. Addresses of logs, which are secrets that the service hands out, aren't among them. */
  readonly addresses: readonly string[];
  /** Headers but the key's, and bodies. */
  readonly sent: readonly string[];
  /** Addresses of logs. */
  readonly logs: readonly string[];
}

export async function record(service: string): Promise<Recorder> {
  const [addresses, sent, logs]: [string[], string[], string[]] = [[], [], []];
  const url: string = await serve(async (request, body) => {
    const { authorization: _, ...headers } = request.headers;
    const path = request.url ?? "/";
    (path.startsWith("/logs/") ? logs : addresses).push(path);
    sent.push(JSON.stringify(headers), body);
    const { status, text } = await pass(service, request, body);
    // Whatever the service calls its own place is asked for here as well.
    return { status, text: text.replaceAll(service, url) };
  });
  return { url, addresses, sent, logs };
}
