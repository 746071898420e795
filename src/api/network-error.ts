// Describes a network failure in one sentence, without raw library codes.
import { AppError } from "../domain/base/error.ts";
import { t } from "../lib/text.ts";

/** The failed attempt: where it went, its time limit, and who could cancel it. */
interface Attempt {
  readonly url: URL;
  readonly withinMs: number;
  readonly signal: AbortSignal | undefined;
  readonly recall: { readonly signal: AbortSignal; readonly error: () => AppError } | undefined;
}

/** `notSent` means that no byte of the request left, and that this is proven. */
export function toNetworkError(error: unknown, exchange: Attempt, deadline: AbortSignal, notSent: boolean): AppError {
  const facts = { notSent, cause: error };
  if (exchange.recall?.signal.aborted && notSent) return exchange.recall.error();
  if (error instanceof AppError) return new AppError(error.kind, error.message, { ...error.facts, ...facts });
  if (exchange.signal?.aborted) return new AppError("cancelled", t("Canceled."), facts);
  const host = exchange.url.host;
  const { code: given, name } = error as { code?: unknown; name?: unknown };
  const code = String(given ?? (name === "HTTPParserError" ? "HPE_INVALID" : ""));
  if (deadline.aborted || /TIMEOUT|ETIMEDOUT/.test(code)) {
    return new AppError(
      "timeout",
      t("{0} didn't respond within {1} s.", host, Math.round(exchange.withinMs / 1000)),
      facts,
    );
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code)) {
    return new AppError(
      "offline",
      t("The certificate of {0} can't be trusted ({1}). Nothing was sent.", host, code),
      facts,
    );
  }
  if (/HPE_|HEADERS_OVERFLOW|RES_CONTENT_LENGTH|INVALID_ARG/.test(code)) {
    return new AppError(
      "unexpected-reply",
      t("{0} didn't respond with valid HTTP. Check the service address.", host),
      facts,
    );
  }
  return new AppError("offline", t("Couldn't reach {0}: {1}.", host, reason(code)), facts);
}

/** The meaning of a network error. An unusual one is named by its code. */
function reason(code: string): string {
  if (code === "ECONNREFUSED") return t("the connection was refused");
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return t("the host name wasn't found. Check your connection");
  if (code === "ENETUNREACH" || code === "EHOSTUNREACH") return t("the network is unreachable. Check your connection");
  return code === "" || code === "UND_ERR_SOCKET" || code === "ECONNRESET" ? t("the connection was lost") : code;
}
