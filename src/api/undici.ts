// What the transport needs of undici: the HTTP client is loaded with the first request.
import { Agent, EnvHttpProxyAgent, request } from "undici";

export const undici = { Agent, EnvHttpProxyAgent, request };
export type Undici = typeof undici;
