// The interface as data, one row per endpoint. Client types, pacing, retries and the sandbox's router are derived from
// it.
import { documented } from "./documented.ts";
import { extras } from "./extras.ts";

export const endpoints = { ...documented, ...extras } as const;

export type EndpointName = keyof typeof endpoints;
