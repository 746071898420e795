// One HTTP exchange on undici: own connections, no redirects, no decompression, bounded in bytes and in time.
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { getCACertificates } from "node:tls";
import type { Client, Dispatcher } from "undici";
import { AppError } from "../domain/base/error.ts";
import { t } from "../lib/text.ts";
import { readBounded } from "./answer-body.ts";
import { explain } from "./network-error.ts";

export interface Exchange {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  /** Longest the exchange may take, from connecting to the last byte. */
  readonly withinMs: number;
  /** The longest answer that is read, in bytes as received. */
  readonly maxBytes: number;
  /** A connection of its own, used for this request alone and then closed. */
  readonly alone: boolean;
  readonly signal: AbortSignal | undefined;
  /** Aborted as long as no byte has left, it keeps the request from leaving; afterwards it changes nothing. */
  readonly recall: { readonly signal: AbortSignal; readonly error: () => AppError } | undefined;
}

export interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export interface Network {
  /** Proxy for https addresses, as the editor's settings or the environment name it. */
  readonly proxy?: string | undefined;
  /** Hosts that bypass the proxy, comma separated; loopback always does. */
  readonly noProxy?: string | undefined;
  /** Further trusted certificates, PEM. */
  readonly certificates?: readonly string[] | undefined;
}

const CONNECT_MS = 10_000;
const HEADER_BYTES = 64 * 1024;

type Undici = typeof import("undici");

export class Transport {
  readonly #network: Network;
  #shared: Dispatcher | undefined;
  #trusted: string[] | undefined;

  constructor(network: Network = {}) {
    this.#network = network;
  }

  /** @throws AppError `offline`, `timeout`, `cancelled`, `unexpected-reply`; `facts.notSent` where no byte left. */
  async exchange(exchange: Exchange): Promise<Answer> {
    const undici = await loadUndici();
    const own = exchange.alone ? this.#dispatcher(undici, exchange.url, 1) : undefined;
    const dispatcher = own ?? this.#sharedDispatcher(undici, exchange.url);
    const deadline = AbortSignal.timeout(exchange.withinMs);
    const signal = exchange.signal ? AbortSignal.any([exchange.signal, deadline]) : deadline;
    const sent = watchSending(exchange.url);
    const recalled = () => {
      // A connection that is still being made would only report after its own time-out.
      if (!sent.started()) void own?.destroy().catch(() => {});
    };
    exchange.recall?.signal.addEventListener("abort", recalled, { once: true });
    try {
      const answer = this.#request(undici, dispatcher, exchange, signal);
      sent.dispatched();
      return await answer;
    } catch (error) {
      throw explain(error, exchange, deadline, !sent.started());
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

  #dispatcher(undici: Undici, url: URL, connections: number): Dispatcher {
    const secure = url.protocol === "https:";
    // Said here, as a variable of the environment would otherwise decide whether certificates are checked.
    const connect = { timeout: CONNECT_MS, rejectUnauthorized: true, ...(secure ? { ca: this.#certificates() } : {}) };
    const options: Client.Options & { connections: number } = {
      connections,
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: HEADER_BYTES,
      connect,
    };
    if (!secure || !this.#network.proxy) return new undici.Agent(options);
    const noProxy = ["localhost", "127.0.0.1", "::1", this.#network.noProxy].filter(Boolean).join(",");
    // Behind a proxy the connection is made inside its tunnel, with options of its own.
    return new undici.EnvHttpProxyAgent({
      ...options,
      requestTls: connect,
      proxyTls: connect,
      httpsProxy: this.#network.proxy,
      noProxy,
    });
  }

  /** Certificates the machine trusts beside those Node brings: companies put their own there. */
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

  async #request(undici: Undici, dispatcher: Dispatcher, exchange: Exchange, signal: AbortSignal): Promise<Answer> {
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
    // Reading may stop early below; an error event that then comes late must not become an uncaught one.
    body.on("error", () => {});
    const encoding = String(headers["content-encoding"] ?? "identity")
      .trim()
      .toLowerCase();
    if (encoding !== "identity" && encoding !== "") {
      body.destroy();
      throw new AppError("unexpected-reply", t("The service sent a compressed answer although none was asked for."), {
        status: statusCode,
      });
    }
    if (statusCode >= 300 && statusCode < 400) {
      body.destroy();
      throw new AppError("unexpected-reply", redirection(headers.location, exchange.url), { status: statusCode });
    }
    const retryAfter = headers["retry-after"];
    return {
      status: statusCode,
      retryAfter: typeof retryAfter === "string" ? retryAfter : undefined,
      text: await readBounded(body, statusCode, Number(headers["content-length"]), exchange.maxBytes),
    };
  }
}

/** Another origin is named as a fact and not recommended: whoever redirects may be a stranger. */
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
  /** The request was handed over: what undici makes from now on belongs to others. */
  dispatched(): void;
  stop(): void;
}

/** Whether undici began to write this request: its own report, so that "not sent" is known and never guessed. */
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
    // One that had to wait for a free connection was not seen being made; then any that is alike counts.
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
 * Loads undici on the first request. Loading it also installs its dispatcher for the whole process, on which other
 * extensions' `fetch` would then run, so both slots are put back. They cannot be deleted: undici makes them permanent.
 */
function loadUndici(): Promise<Undici> {
  loading ??= (async () => {
    const before = GLOBALS.map((slot) => Reflect.get(globalThis, slot));
    const undici = await import("undici");
    GLOBALS.forEach((slot, index) => {
      if (Reflect.get(globalThis, slot) !== before[index]) Reflect.set(globalThis, slot, before[index]);
    });
    return undici;
  })();
  return loading;
}
