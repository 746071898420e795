// One way to call an endpoint: check what is sent, take turns, send, repeat only what may be repeated, read the answer.
import { type Address, parseAddress } from "../domain/address.ts";
import { parseApiKey } from "../domain/api-key.ts";
import { AppError, asAppError } from "../domain/error.ts";
import { type Log, silentLog } from "../lib/log.ts";
import { rememberSecret } from "../lib/redact.ts";
import { sleep } from "../lib/task.ts";
import { t } from "../lib/text.ts";
import { type BodyOf, type EndpointRow, pathFor, type ReplyOf } from "./endpoint.ts";
import { type EndpointName, endpoints } from "./endpoints.ts";
import { Pacer } from "./pacer.ts";
import { readReply } from "./reply.ts";
import { type Network, Transport } from "./transport.ts";

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly log?: Log;
  readonly network?: Network;
  /** Multiplies every minimum gap between calls; 0 for servers known to have none. Default 1. */
  readonly pace?: number;
  /** Multiplies every wait before a repeat. Default 1. */
  readonly patience?: number;
  /** Multiplies the longest time every call may take. Default 1. */
  readonly within?: number;
}

export interface Sending<Name extends EndpointName> {
  readonly id?: number;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: BodyOf<(typeof endpoints)[Name]>;
  readonly signal?: AbortSignal | undefined;
}

interface Prepared {
  readonly url: URL;
  readonly body: string | undefined;
  readonly id: number | undefined;
}

/** Two repeats at the most, for calls that neither spend nor destroy. */
const REPEATS = 2;
const REPEATABLE = new Set(["offline", "timeout", "server", "too-fast"]);

export class Caller {
  readonly #address: Address;
  readonly #key: string;
  readonly #transport: Transport;
  readonly #pacer: Pacer;
  readonly #log: Log;
  readonly #patience: number;
  readonly #within: number;
  /** Extras this service said it does not have. */
  readonly #missing = new Set<EndpointName>();

  /** @throws AppError `rejected` for an address or key that must not be used. */
  constructor(options: ClientOptions) {
    this.#address = parseAddress(options.baseUrl);
    this.#key = parseApiKey(options.apiKey);
    rememberSecret(this.#key);
    this.#transport = new Transport(options.network);
    this.#pacer = new Pacer(options.pace);
    this.#log = options.log ?? silentLog;
    this.#patience = options.patience ?? 1;
    this.#within = options.within ?? 1;
  }

  /** Has every extra tried anew: a gateway in between may have said "no such thing" for a while only. */
  forgetLacks(): void {
    this.#missing.clear();
  }

  /** @throws AppError; for a `once` call whose fate is not known the kind is `outcome-unknown`. */
  async call<Name extends EndpointName>(
    name: Name,
    sending: Sending<Name>,
  ): Promise<ReplyOf<(typeof endpoints)[Name]>> {
    const row: EndpointRow = endpoints[name];
    if (this.#missing.has(name)) throw lacking(name);
    const request = this.#prepare(name, row, sending);
    const end = performance.now() + row.within * this.#within * 1000;
    for (let attempt = 0; ; attempt += 1) {
      await this.#pacer.turn(name, row.gap, sending.signal);
      sending.signal?.throwIfAborted();
      try {
        return (await this.#once(name, row, request, end, sending.signal)) as ReplyOf<(typeof endpoints)[Name]>;
      } catch (thrown) {
        const error = asAppError(thrown);
        // A bare 404 on an id may be about that one id; only what names none is switched off as a whole.
        if (error.kind === "unsupported" && !row.path.includes("{id}")) this.#missing.add(name);
        if (error.kind === "too-fast") this.#pacer.slowDown(name, (error.facts.retryAfter ?? 5) * this.#patience);
        const wait = this.#waitBeforeRepeat(row, error, attempt, end - performance.now());
        if (wait === undefined) throw finalError(name, row, error);
        await sleep(wait, sending.signal);
      }
    }
  }

  close(): void {
    this.#transport.close();
  }

  #prepare(name: string, row: EndpointRow, sending: Sending<EndpointName>): Prepared {
    const url = new URL(this.#address.base + pathFor(row, sending.id));
    // The key goes to the origin it was entered for and nowhere else; a path cannot change that, and this line proves it.
    if (url.origin !== this.#address.origin)
      throw new AppError("defect", t("The address of a request left the service."));
    const query = row.query ? check(name, row.query, sending.query ?? {}) : {};
    for (const [key, value] of Object.entries(query as Record<string, string>)) url.searchParams.set(key, value);
    const body = row.body ? JSON.stringify(check(name, row.body, sending.body)) : undefined;
    return { url, body, id: sending.id };
  }

  async #once(
    name: EndpointName,
    row: EndpointRow,
    request: Prepared,
    end: number,
    signal: AbortSignal | undefined,
  ): Promise<unknown> {
    const started = performance.now();
    const note = (outcome: string) =>
      this.#log.debug(
        `${row.method} ${request.url.pathname} (${name}): ${outcome}, ${Math.round(performance.now() - started)} ms`,
      );
    try {
      const answer = await this.#transport.exchange({
        method: row.method,
        url: request.url,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(request.body === undefined ? {} : { "content-type": "application/json" }),
        },
        body: request.body,
        withinMs: Math.max(1, Math.ceil(end - started)),
        alone: row.repeat === "once",
        // What spends or destroys is not called back halfway: its answer is worth more than the wait it saves.
        signal: row.repeat === "once" ? undefined : signal,
      });
      note(String(answer.status));
      const reply = readReply(name, row, answer, request.id);
      this.#pacer.relax(name);
      return reply;
    } catch (error) {
      note(asAppError(error).kind);
      throw error;
    }
  }

  /** Milliseconds until the next try, or undefined where there must be none. */
  #waitBeforeRepeat(row: EndpointRow, error: AppError, attempt: number, left: number): number | undefined {
    const mayPass = REPEATABLE.has(error.kind) || error.facts.passing === true;
    if (row.repeat === "once" || attempt >= REPEATS || !mayPass) return undefined;
    const asked = (error.facts.retryAfter ?? 0) * 1000;
    const wait = (asked + 250 * 2 ** attempt * (0.5 + Math.random())) * this.#patience;
    return wait < left - 1000 ? wait : undefined;
  }
}

function lacking(name: EndpointName): AppError {
  return new AppError("unsupported", t("This service does not offer that."), { operation: name, notSent: true });
}

function check(name: string, schema: NonNullable<EndpointRow["body"]>, value: unknown): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const fields = Object.fromEntries(
    parsed.error.issues.map((issue) => [issue.path.join(".") || "body", issue.message]),
  );
  const [field, message] = Object.entries(fields)[0] ?? ["body", ""];
  throw new AppError("rejected", t("Nothing was sent: the field “{0}” is not valid ({1}).", field, message), {
    operation: name,
    fields,
    notSent: true,
  });
}

const DOUBTFUL = new Set(["offline", "timeout", "server", "unexpected-reply", "cancelled", "defect"]);

/** For calls that spend or destroy a doubtful failure means that nobody knows, unless no byte was sent. */
function finalError(name: string, row: EndpointRow, error: AppError): AppError {
  const facts = { ...error.facts, operation: name, cause: error };
  if (row.repeat === "once" && DOUBTFUL.has(error.kind) && !error.facts.notSent) {
    return new AppError("outcome-unknown", t("It is not known whether this was done: {0}", error.message), facts);
  }
  return new AppError(error.kind, error.message, facts);
}
