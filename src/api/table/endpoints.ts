// The interface as data: one row an endpoint. Client types, pacing, repeat permission and the sandbox's router follow from it.
import { documented } from "./documented.ts";
import { extras } from "./extras.ts";

export const endpoints = { ...documented, ...extras } as const;

export type EndpointName = keyof typeof endpoints;
