// The one way to call an endpoint: check the request, wait for its turn, send it, retry if allowed, read the response.
import { type Address, parseAddress } from "../domain/base/address.ts";
import { parseApiKey } from "../domain/base/api-key.ts";
import { AppError, asAppError } from "../domain/base/error.ts";
import { type Clock, realClock } from "../lib/clock.ts";
import { type Log, silentLog } from "../lib/log.ts";
import { rememberSecret } from "../lib/redact.ts";
import { t } from "../lib/text.ts";
import { MissingEndpoints } from "./missing-endpoints.ts";
import { Pacer } from "./pacer.ts";
import { createTransientError, readReply } from "./reply.ts";
import { type PreparedRequest, prepareRequest } from "./request.ts";
import type { BodyOf, EndpointRow, ReplyOf } from "./table/endpoint.ts";
import { type EndpointName, endpoints } from "./table/endpoints.ts";
import { MB } from "./table/shapes.ts";
import { createTooLate, type HttpAnswer, type Network, Transport } from "./transport.ts";

export interface ClientOptions {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly log?: Log;
  readonly network?: Network;
  /** Multiplies every minimum gap between calls; 0 for servers known to have no limits. Default 1. */
  readonly pace?: number;
  /** Multiplies every wait before a retry. Default 1. */
  readonly patience?: number;
  /** Multiplies the maximum time of every call. Default 1. */
  readonly within?: number;
  /** Time for deadlines, gaps, retries, and how long a missing extra is remembered. Default: the real clock. */
  readonly clock?: Clock;
}

/** What keeps a request that waits from leaving too late for what it is meant for. Then nothing was sent, and the error says so. */
export interface Leave {
  /** Asked once its turn has come, however long that takes. One that fails says no. */
  readonly recheck?: (() => Promise<boolean>) | undefined;
  /** Asked once there is a connection, right before the first byte: the computer may have slept while it was made. */
  readonly mayLeave?: (() => boolean) | undefined;
}

export interface Sending<Name extends EndpointName> extends Leave {
  readonly id?: number;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: BodyOf<(typeof endpoints)[Name]>;
  readonly signal?: AbortSignal | undefined;
}

/** At most two retries, for calls that neither spend nor destroy. */
const REPEATS = 2;
/** The maximum response size for rows without a limit of their own. */
const MOST_BYTES = 8 * MB;
/** Milliseconds for a text that isn't at the service itself. */
const DOWNLOAD_MS = 30_000;
const REPEATABLE = new Set(["offline", "timeout", "server", "too-fast"]);
/** The share of its time that a call must still have when its turn comes. */
const LEAST_SHARE = 0.25;

/** The state of one call across its attempts. */
interface Course extends Leave {
  readonly name: EndpointName;
  readonly row: EndpointRow;
  readonly request: PreparedRequest;
  readonly signal: AbortSignal | undefined;
  /** Monotonic milliseconds by which the call must be over, and by which it must have started. */
  readonly end: number;
  readonly latest: number;
}

export class Caller {
  readonly #address: Address;
  readonly #key: string;
  readonly #transport: Transport;
  readonly #pacer: Pacer;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #patience: number;
  readonly #within: number;
  readonly #missing: MissingEndpoints;
  readonly #retired = new AbortController();

  /** @throws AppError `rejected` for an address or key that must not be used. */
  constructor(options: ClientOptions) {
    this.#address = parseAddress(options.baseUrl);
    this.#key = parseApiKey(options.apiKey);
    rememberSecret(this.#key);
    this.#transport = new Transport(options.network);
    this.#clock = options.clock ?? realClock;
    this.#pacer = new Pacer(options.pace, this.#clock);
    this.#log = options.log ?? silentLog;
    this.#patience = options.patience ?? 1;
    this.#within = options.within ?? 1;
    this.#missing = new MissingEndpoints(() => this.#clock.elapsed());
  }

  /** Tries every missing extra again, because the person chose Refresh. */
  forgetMissingEndpoints(): void {
    this.#missing.forget();
  }

  /**
   * @throws AppError naming the operation. If the outcome of a `once` call is unknown, the kind is `outcome-unknown`.
   */
  async call<Name extends EndpointName>(
    name: Name,
    sending: Sending<Name>,
  ): Promise<ReplyOf<(typeof endpoints)[Name]>> {
    const row: EndpointRow = endpoints[name];
    try {
      if (this.#missing.isBelieved(name)) throw lacking();
      const request = prepareRequest(name, row, this.#address, sending);
      const withinMs = row.within * this.#within * 1000;
      const end = this.#clock.elapsed() + withinMs;
      const latest = end - withinMs * LEAST_SHARE;
      const { signal, recheck, mayLeave } = sending;
      const course: Course = { name, row, request, signal, recheck, mayLeave, end, latest };
      return (await this.#try(course)) as ReplyOf<(typeof endpoints)[Name]>;
    } catch (thrown) {
      const isOurs = thrown instanceof AppError || !sending.signal?.aborted;
      const cancelled = () => new AppError("cancelled", t("Canceled."), { cause: thrown });
      throw finalError(name, row, isOurs ? asAppError(thrown) : cancelled());
    }
  }

  async #try(given: Course): Promise<unknown> {
    const { name, row, signal } = given;
    let course = given;
    let [attempt, sightings] = [0, 0];
    for (;;) {
      // An apparently missing endpoint has its own pause. The regular gap applies to endpoints that exist.
      if (sightings === 0) await this.#turn(course);
      course = await this.#recheck(course);
      const { end, latest } = course;
      try {
        const reply = await this.#once(course);
        this.#missing.noteAnswer(name);
        return reply;
      } catch (thrown) {
        let error = asAppError(thrown);
        if (error.kind === "unsupported" && !row.path.includes("{id}")) {
          sightings += 1;
          const pause = this.#missing.pause(sightings) * this.#patience;
          const verdict = this.#missing.judge(name, sightings, row.repeat === "safe");
          if (verdict === "look-again" && this.#clock.elapsed() + pause < end) {
            await this.#clock.sleep(pause, signal);
            continue;
          }
          if (verdict !== "missing") error = createTransientError(name, error);
        }
        if (error.kind === "too-fast") this.#pacer.slowDown(name, (error.facts.retryAfter ?? 5) * this.#patience);
        const wait = this.#waitBeforeRepeat(row, error, attempt, latest - this.#clock.elapsed());
        if (wait === undefined) throw error;
        await this.#clock.sleep(wait, signal);
        [attempt, sightings] = [attempt + 1, 0];
      }
    }
  }

  /**
   * Reads a text from an address that the service named: once, and without the key, because the address may be anyone's.
   * Of a text over 8 MB, the end. @throws AppError, also for a redirect.
   */
  async download(url: URL, mayConnect: (ip: string) => boolean, signal?: AbortSignal): Promise<HttpAnswer> {
    const answer = await this.#transport.exchange({
      method: "GET",
      url,
      headers: { accept: "text/plain, */*;q=0.5" },
      body: undefined,
      withinMs: DOWNLOAD_MS * this.#within,
      maxBytes: MOST_BYTES,
      endOnly: true,
      alone: true,
      mayConnect,
      signal,
      recall: undefined,
    });
    // Whoever has the whole address can read the text.
    this.#log.debug(`GET from ${url.host}: ${answer.status}`);
    return answer;
  }

  /** From now on, nothing that spends or destroys is sent: what was confirmed in one account isn't done in another. */
  close(): void {
    this.#retired.abort();
    this.#transport.close();
  }

  /**
   * Waits for this call's turn. @throws AppError with `notSent`: the wait is too long, or the call was canceled or
   * retired.
   */
  async #turn({ name, row, signal, latest }: Course): Promise<void> {
    const wait = this.#pacer.wait(name);
    // A call that is late for another reason, such as a suspended computer, still has its time to answer.
    if (wait > 0 && this.#clock.elapsed() + wait > latest) {
      const seconds = Math.ceil(wait / 1000);
      const message = t("Too many requests. Try again in {0} s.", seconds);
      throw new AppError("too-fast", message, { retryAfter: seconds, notSent: true });
    }
    const retired = row.repeat === "once" ? this.#retired.signal : undefined;
    const signals = [signal, retired].filter((one) => one !== undefined);
    try {
      await this.#pacer.takeTurn(name, row.gap, AbortSignal.any(signals));
      for (const one of signals) one.throwIfAborted();
    } catch (cause) {
      if (retired?.aborted) throw switched();
      throw new AppError("cancelled", t("Canceled."), { notSent: true, cause });
    }
  }

  /** What it took is no time of the request. @throws AppError with `notSent` if it may not leave. */
  async #recheck(course: Course): Promise<Course> {
    if (!course.recheck) return course;
    const began = this.#clock.elapsed();
    if (!(await course.recheck().catch(() => false))) throw createTooLate();
    const took = this.#clock.elapsed() - began;
    return { ...course, end: course.end + took, latest: course.latest + took };
  }

  async #once({ name, row, request, end, signal, mayLeave }: Course): Promise<unknown> {
    const started = this.#clock.elapsed();
    const isOnce = row.repeat === "once";
    const note = (outcome: string) =>
      this.#log.debug(
        `${row.method} ${request.url.pathname} (${name}): ${outcome}, ${Math.round(this.#clock.elapsed() - started)} ms`,
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
        maxBytes: row.maxBytes ?? MOST_BYTES,
        alone: isOnce || this.#retired.signal.aborted,
        // A call that spends or destroys isn't canceled halfway: its response is worth more than the time saved.
        signal: isOnce ? undefined : signal,
        recall: isOnce ? { signal: this.#retired.signal, error: switched } : undefined,
        mayLeave,
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

  /** Milliseconds until the next attempt, or undefined if there must be none, or none could start in time. */
  #waitBeforeRepeat(row: EndpointRow, error: AppError, attempt: number, left: number): number | undefined {
    const mayPass = REPEATABLE.has(error.kind) || error.facts.passing === true;
    if (row.repeat === "once" || attempt >= REPEATS || !mayPass) return undefined;
    const asked = (error.facts.retryAfter ?? 0) * 1000;
    const wait = (asked + 250 * 2 ** attempt * (0.5 + Math.random())) * this.#patience;
    return wait <= left ? wait : undefined;
  }
}

function lacking(): AppError {
  return new AppError("unsupported", t("This service doesn't support that."), { notSent: true });
}

function switched(): AppError {
  return new AppError("rejected", t("You switched accounts, so nothing was sent."), { notSent: true });
}

const DOUBTFUL = new Set(["offline", "timeout", "server", "unexpected-reply", "cancelled", "defect"]);

/** After a doubtful failure, the outcome of a call that spends or destroys is unknown, unless no byte was sent. */
function finalError(name: string, row: EndpointRow, error: AppError): AppError {
  const facts = { ...error.facts, operation: name, cause: error };
  if (row.repeat === "once" && DOUBTFUL.has(error.kind) && !error.facts.notSent) {
    return new AppError(
      "outcome-unknown",
      t("Cloud GPU couldn't confirm whether this succeeded. {0}", error.message),
      facts,
    );
  }
  return new AppError(error.kind, error.message, facts);
}
