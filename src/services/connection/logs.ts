// The log of a machine: read once, or followed. A service hands out a log as it is at the moment, as a file at an address
// of its own, so following is asking again and showing what is new.
import type { LogReading } from "../../api/client.ts";
import { AppError, asAppError, type ErrorKind } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { isLogAddress } from "../../domain/connection/log-address.ts";
import type { LogEvent } from "../../domain/connection/log-event.ts";
import { cleanInTurns, cleanLog, continueLog, type LogSource } from "../../domain/connection/log-text.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import { Turns } from "../../lib/turns.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { findServiceReach, isAllowed, listOwnAddresses } from "./reachable.ts";

export interface LogRequest {
  readonly source: LogSource;
  /** How many lines, counted from the end. */
  readonly lines: number;
}

interface Services {
  readonly session: SessionService;
  readonly clock: Clock;
}

/** Milliseconds until a log that was asked for must be there, and the pauses in which it is looked for. */
const PATIENCE = 15_000;
const PAUSE = { first: 300, longest: 1000, growth: 1.5 };
/** Milliseconds between two readings, and after a while in which nothing was new. */
const INTERVAL = 5000;
const QUIET_INTERVAL = 10_000;
const QUIET_AFTER = 60_000;

/** Asking again changes nothing about them. */
const FINAL: ReadonlySet<ErrorKind> = new Set(["key-refused", "not-allowed"]);

/** One log that is being followed. */
interface Course {
  readonly account: SignedIn;
  readonly id: InstanceId;
  readonly request: LogRequest;
  /** Aborted when no one follows it any longer, and when the account is left. */
  readonly signal: AbortSignal;
  /** The last reading with something new; undefined before the first reading. */
  shown: string | undefined;
  /** What the last reading failed with. */
  failure: string | undefined;
  /** Monotonic milliseconds. */
  newAt: number;
}

export class LogsService {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * The end of a log, safe for a terminal.
   * @throws AppError: what the service refuses, `timeout` if the log isn't there within 15 s, `rejected` if the account was
   *   switched, `cancelled`.
   */
  async read(
    account: SignedIn,
    id: InstanceId,
    { source, lines }: LogRequest,
    signal: AbortSignal,
  ): Promise<LogReading> {
    const { session, clock } = this.#services;
    session.assertStill(account);
    const url = await account.client.requestLogs(id, { tail: lines, daemon: source === "daemon" }, signal);
    session.assertStill(account);
    const service = await findServiceReach(account);
    session.assertStill(account);
    if (!isLogAddress(url, { ...service, address: account.address, own: listOwnAddresses() }))
      throw new AppError(
        "unexpected-reply",
        t("The service put the log at an address that Cloud GPU doesn't open: {0}", url.origin),
      );
    const end = clock.elapsed() + PATIENCE;
    for (let pause = PAUSE.first; ; pause = Math.min(pause * PAUSE.growth, PAUSE.longest)) {
      const found = await account.client.downloadLog(url, (ip) => isAllowed(service, ip), signal);
      session.assertStill(account);
      if (found) return { ...found, text: await cleanInTurns(found.text, cleanLog, new Turns(signal)) };
      if (clock.elapsed() + pause > end)
        throw new AppError("timeout", t("The service didn't provide the log within {0} s.", PATIENCE / 1000));
      await clock.sleep(pause, signal);
    }
  }

  /**
   * What there is to show of a log, from its end on, until the signal aborts, the account is left, the machine is gone, or the
   * service refuses for good. Never rejects: a failed reading is an event, and the next one may succeed.
   */
  async *follow(
    account: SignedIn,
    id: InstanceId,
    request: LogRequest,
    stopped: AbortSignal,
  ): AsyncGenerator<LogEvent, void> {
    const { session, clock } = this.#services;
    const left = new AbortController();
    const leave = () => session.current !== account && left.abort();
    const listening = session.onDidChange(leave);
    leave();
    const signal = AbortSignal.any([stopped, left.signal]);
    const course: Course = {
      ...{ account, id, request, signal },
      ...{ shown: undefined, failure: undefined, newAt: clock.elapsed() },
    };
    try {
      while (!signal.aborted) {
        const reading = await this.read(account, id, request, signal).catch(asAppError);
        if (signal.aborted) break;
        const end = reading instanceof AppError ? await this.#end(course, reading) : undefined;
        if (signal.aborted) break;
        if (end) return yield end;
        if (reading instanceof AppError) yield* reportFailure(course, reading);
        else yield* this.#newLines(course, reading);
        const isQuiet = clock.elapsed() - course.newAt >= QUIET_AFTER;
        // Who aborts the wait ends the loop.
        await clock.sleep(isQuiet ? QUIET_INTERVAL : INTERVAL, signal).catch(() => {});
      }
      if (!stopped.aborted) yield { kind: "left-account" };
    } finally {
      listening.dispose();
    }
  }

  async *#newLines(course: Course, { text: now, isCut }: LogReading): AsyncGenerator<LogEvent, void> {
    if (course.failure !== undefined) yield { kind: "recovered" };
    course.failure = undefined;
    const isFirst = course.shown === undefined;
    if (isFirst && isCut) yield { kind: "cut" };
    if (isFirst && now === "") yield { kind: "empty" };
    const { text, isGap } = await continueLog(course.shown ?? "", now, new Turns());
    course.shown ??= "";
    if (text === "") return;
    course.shown = now;
    course.newAt = this.#services.clock.elapsed();
    if (isGap) yield { kind: "gap" };
    yield { kind: "text", text };
  }

  /** Why nothing more comes after this error; undefined if something may. */
  async #end({ account, id, shown, signal }: Course, error: AppError): Promise<LogEvent | undefined> {
    // Where a log was read before, a missing endpoint is a fault on the way to it.
    if (FINAL.has(error.kind) || (error.kind === "unsupported" && shown === undefined))
      return { kind: "refused", error };
    if (error.kind !== "not-found" && error.kind !== "gone") return undefined;
    // A machine without a log may still be there.
    const row = await account.client.getInstance(id, signal).catch(() => "unknown" as const);
    return row === undefined ? { kind: "gone" } : undefined;
  }
}

/** Says it once, however often the same happens. */
function* reportFailure(course: Course, error: AppError): Generator<LogEvent, void> {
  if (error.message !== course.failure) yield { kind: "failed", error };
  course.failure = error.message;
}
