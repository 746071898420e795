// Operations on the log of an instance (extras): where it lies, and what it says.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { t } from "../../lib/text.ts";
import type { Caller } from "../call.ts";

/** A log as it was at one moment. */
export interface LogReading {
  readonly text: string;
  /** Whether it was too long, and only its last 8 MB are here. */
  readonly isCut: boolean;
}

export function createLogOperations(caller: Caller) {
  return {
    /** Extra. Where the log can be downloaded without the key: the address belongs to a file store. */
    async requestLogs(
      id: InstanceId,
      options: { tail?: number; filter?: string; daemon?: boolean } = {},
      signal?: AbortSignal,
    ): Promise<URL> {
      const { tail, filter, daemon } = options;
      const body = {
        ...(tail === undefined ? {} : { tail: String(tail) }),
        ...(filter === undefined ? {} : { filter }),
        ...(daemon ? { daemon_logs: "true" as const } : {}),
      };
      const { result_url } = await caller.call("requestLogs", { id, body, signal });
      if (!URL.canParse(result_url) || !/^https?:$/.test(new URL(result_url).protocol)) {
        throw new AppError("unexpected-reply", t("The service didn't provide the address of the log."), {
          operation: "requestLogs",
        });
      }
      return new URL(result_url);
    },

    /** Reads the log from such an address, which gets no key, where it may lead to. Undefined if the log isn't there yet. */
    async downloadLog(
      url: URL,
      mayConnect: (ip: string) => boolean,
      signal?: AbortSignal,
    ): Promise<LogReading | undefined> {
      const { status, text, isCut = false } = await caller.download(url, mayConnect, signal);
      if (status === 200) return { text, isCut };
      // File stores answer 403 where nothing is stored yet, and 503 when they are busy.
      if (status === 403 || status === 404 || status >= 500) return undefined;
      const message = t("The log can't be downloaded: {0} responded with status {1}.", url.host, status);
      throw new AppError("unexpected-reply", message, { operation: "requestLogs", status });
    },
  };
}
