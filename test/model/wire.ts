// What truly leaves this process: every create request, counted where undici writes it, by server and label.
import { subscribe } from "node:diagnostics_channel";

export interface Sent {
  readonly token: string;
}

type Listener = (sent: Sent) => void;
const listeners = new Map<string, Listener>();
let watching = false;

interface Message {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly origin: string | URL;
    readonly body: unknown;
  };
}

/** Calls back for each create request to this origin at the moment its first byte is written. */
export function onCreate(origin: string, listener: Listener): () => void {
  if (!watching) {
    watching = true;
    subscribe("undici:client:sendHeaders", (message) => {
      const { request } = message as Message;
      if (request.method !== "PUT" || !request.path.startsWith("/api/v0/asks/")) return;
      const [token = "?"] = /vsc-[a-z2-7]{16}/.exec(String(request.body)) ?? [];
      listeners.get(new URL(String(request.origin)).origin)?.({ token });
    });
  }
  listeners.set(origin, listener);
  return () => listeners.delete(origin);
}
