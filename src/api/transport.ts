// One HTTP exchange on undici: own connections, no redirects, no decompression, bounded in size and time.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Readable } from "node:stream";
import { getCACertificates } from "node:tls";
import type { Client, Dispatcher } from "undici";
import { AppError } from "../domain/base/error.ts";
import { t } from "../lib/text.ts";
import { readBounded, readEnd, type TextEnd } from "./answer-body.ts";
import { lookUpFor } from "./judged-lookup.ts";
import { toNetworkError } from "./network-error.ts";
import type { Undici } from "./undici.ts";

interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Maximum duration, from connecting to the last byte. */
  readonly withinMs: number;
  /** Maximum response size, in bytes as received. */
  readonly maxBytes: number;
  /** Of a longer response, the last `maxBytes` are enough. Otherwise it is refused. */
  readonly endOnly?: true;
  /** Uses a connection of its own and closes it afterward. */
  readonly alone: boolean;
  /** For a name that someone else gave, on a connection of its own: whether an IP address of it may be connected to. */
  readonly mayConnect?: (ip: string) => boolean;
  readonly signal: AbortSignal | undefined;
  /** If aborted before any byte has left, it stops the request. Later it has no effect. */
  readonly recall: { readonly signal: AbortSignal; readonly error: () => AppError } | undefined;
  /** As in `Leave`. */
  readonly mayLeave?: (() => boolean) | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
  /** Whether only its end is there. */
  readonly isCut?: boolean;
}

export interface Network {
  /** Proxy for HTTPS addresses, from the editor's settings or the environment. */
  readonly proxy?: string | undefined;
  /** Hosts that bypass the proxy, comma separated. Loopback always does. */
  readonly noProxy?: string | undefined;
  /** Additional trusted certificates, PEM. */
  readonly certificates?: readonly string[] | undefined;
}

const CONNECT_MS = 10_000;
const HEADER_BYTES = 64 * 1024;

export class Transport {
  readonly #network: Network;
  #shared: Dispatcher | undefined;
  #trusted: string[] | undefined;

  constructor(network: Network = {}) {
    this.#network = network;
  }

  /** @throws AppError `offline`, `timeout`, `cancelled`, `unexpected-reply`; `facts.notSent` if no byte left. */
  async exchange(exchange: Exchange): Promise<HttpAnswer> {
    const undici = await loadUndici();
    const own = exchange.alone ? this.#dispatcher(undici, exchange.url, 1, exchange.mayConnect) : undefined;
    const dispatcher = own ?? this.#sharedDispatcher(undici, exchange.url);
    const deadline = AbortSignal.timeout(exchange.withinMs);
    const signal = exchange.signal ? AbortSignal.any([exchange.signal, deadline]) : deadline;
    const sent = watchSending(exchange.url);
    const recalled = () => {
      // A connection in progress would otherwise report only after its own timeout.
      if (!sent.started()) void own?.destroy().catch(() => {});
    };
    exchange.recall?.signal.addEventListener("abort", recalled, { once: true });
    try {
      const answer = this.#request(undici, guardLeaving(dispatcher, exchange.mayLeave), exchange, signal);
      sent.dispatched();
      return await answer;
    } catch (error) {
      throw toNetworkError(error, exchange, deadline, !sent.started());
    } finally {
      exchange.recall?.signal.removeEventListener("abort", recalled);
      sent.stop();
      void own?.destroy().catch(() => {});
    }
  }

  close(): void {
    void this.#shared?.destroy().catch(() => {});
    this.#shared = undefined;
  }

  #sharedDispatcher(undici: Undici, url: URL): Dispatcher {
    this.#shared ??= this.#dispatcher(undici, url, 4);
    return this.#shared;
  }

  #dispatcher(undici: Undici, url: URL, connections: number, mayConnect?: Exchange["mayConnect"]): Dispatcher {
    const secure = url.protocol === "https:";
    // Explicit, because otherwise an environment variable would decide whether certificates are verified.
    const connect = { timeout: CONNECT_MS, rejectUnauthorized: true, ...(secure ? { ca: this.#certificates() } : {}) };
    const options: Client.Options & { connections: number } = {
      connections,
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: HEADER_BYTES,
      // Also for hosts that no proxy is used for.
      connect: { ...connect, ...(mayConnect && lookUpFor(mayConnect)) },
    };
    if (!secure || !this.#network.proxy) return new undici.Agent(options);
    // A proxy looks names up on its own, and its own was given by no one else.
    const noProxy = ["localhost", "127.0.0.1", "::1", this.#network.noProxy].filter(Boolean).join(",");
    // With a proxy, the connection is made inside its tunnel and has its own options.
    return new undici.EnvHttpProxyAgent({
      ...options,
      requestTls: connect,
      proxyTls: connect,
      httpsProxy: this.#network.proxy,
      noProxy,
    });
  }

  /** The machine's trusted certificates in addition to Node's own: companies add theirs there. */
  #certificates(): string[] {
    this.#trusted ??= [
      ...new Set([
        ...getCACertificates("default"),
        ...getCACertificates("system"),
        ...(this.#network.certificates ?? []),
      ]),
    ];
    return this.#trusted;
  }

  async #request(undici: Undici, dispatcher: Dispatcher, exchange: Exchange, signal: AbortSignal): Promise<HttpAnswer> {
    if (exchange.recall?.signal.aborted) throw exchange.recall.error();
    const { statusCode, headers, body } = await undici.request(exchange.url, {
      dispatcher,
      method: exchange.method,
      headers: { accept: "application/json", "accept-encoding": "identity", ...exchange.headers },
      body: exchange.body ?? null,
      signal,
      headersTimeout: exchange.withinMs,
      bodyTimeout: exchange.withinMs,
    });
    // Reading may stop early below. A late error event must not become an uncaught exception.
    body.on("error", () => {});
    const encoding = String(headers["content-encoding"] ?? "identity")
      .trim()
      .toLowerCase();
    if (encoding !== "identity" && encoding !== "") {
      body.destroy();
      throw new AppError("unexpected-reply", t("The service sent an unexpected compressed response."), {
        status: statusCode,
      });
    }
    if (statusCode >= 300 && statusCode < 400) {
      body.destroy();
      throw new AppError("unexpected-reply", redirection(headers.location, exchange.url), { status: statusCode });
    }
    const retryAfter = headers["retry-after"];
    const content = { body, status: statusCode, announced: Number(headers["content-length"]) };
    return {
      status: statusCode,
      retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
      ...(await readContent(content, exchange)),
    };
  }
}

/** What may not leave any longer is taken back before undici writes it. */
function guardLeaving(dispatcher: Dispatcher, mayLeave: (() => boolean) | undefined): Dispatcher {
  if (!mayLeave) return dispatcher;
  return dispatcher.compose((dispatch) => (options, handler) => {
    const { onRequestStart } = handler;
    handler.onRequestStart = (controller, context) => {
      onRequestStart?.call(handler, controller, context);
      if (!mayLeave()) controller.abort(createTooLate());
    };
    return dispatch(options, handler);
  });
}

export const createTooLate = (): AppError => new AppError("cancelled", t("Canceled."), { notSent: true });

interface Content {
  readonly body: Readable;
  readonly status: number;
  /** Bytes. */
  readonly announced: number;
}

async function readContent({ body, status, announced }: Content, exchange: Exchange): Promise<TextEnd> {
  if (exchange.endOnly) return await readEnd(body, status, announced, exchange.maxBytes);
  return { text: await readBounded(body, status, announced, exchange.maxBytes), isCut: false };
}

/** The message states the other origin without recommending it, because the redirect may be malicious. */
function redirection(location: string | string[] | undefined, from: URL): string {
  const target =
    typeof location === "string" && URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  const isElsewhere = target && /^https?:$/.test(target.protocol) && target.origin !== from.origin;
  return isElsewhere
    ? t("The service tried to redirect to {0}. Cloud GPU doesn't follow redirects.", target.origin)
    : t("The service tried to redirect the request. Cloud GPU doesn't follow redirects.");
}

interface Sent {
  /** Whether a byte of the request may have left. */
  started(): boolean;
  /** The request was handed to undici. Requests created from now on belong to other calls. */
  dispatched(): void;
  stop(): void;
}

/** Watches whether undici starts writing this request. undici reports it, so "not sent" is known, never guessed. */
function watchSending(url: URL): Sent {
  type Made = { readonly origin?: string | URL; readonly path?: string };
  const isAlike = ({ path, origin }: Made) => path === url.pathname + url.search && String(origin) === url.origin;
  let made: Made | undefined;
  let started = false;
  const onCreate = (message: unknown) => {
    const { request } = message as { request: Made };
    if (isAlike(request)) made = request;
  };
  const onHeaders = (message: unknown) => {
    const { request } = message as { request: Made };
    // If the request had to wait for a connection, its creation wasn't observed. Then any matching request counts.
    if (made === undefined ? isAlike(request) : made === request) started = true;
  };
  subscribe("undici:request:create", onCreate);
  subscribe("undici:client:sendHeaders", onHeaders);
  const dispatched = () => void unsubscribe("undici:request:create", onCreate);
  return {
    started: () => started,
    dispatched,
    stop: () => {
      dispatched();
      unsubscribe("undici:client:sendHeaders", onHeaders);
    },
  };
}

const GLOBALS = [Symbol.for("undici.globalDispatcher.1"), Symbol.for("undici.globalDispatcher.2")];
let loading: Promise<Undici> | undefined;

/**
 * Loads undici on the first request. Loading it also installs its global dispatcher, which other extensions' `fetch`
 * would then use, so both slots are restored. They can't be deleted: undici makes them permanent.
 */
function loadUndici(): Promise<Undici> {
  loading ??= (async () => {
    const before = GLOBALS.map((slot) => Reflect.get(globalThis, slot));
    const { undici } = await import("./undici.ts");
    GLOBALS.forEach((slot, index) => {
      if (Reflect.get(globalThis, slot) !== before[index]) Reflect.set(globalThis, slot, before[index]);
    });
    return undici;
  })();
  return loading;
}
