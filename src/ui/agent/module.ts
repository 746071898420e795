// What others ask for from outside: links that anyone may write.
import type { Link } from "../../domain/agent/link.ts";
import { commands } from "../../ids.ts";
import type { Module } from "../kit/module.ts";
import { copyLaunchLink, type LinkServices, openLink } from "./open-link.ts";

interface AgentModule extends Module {
  /** Does what a link asks for, short of sending anything. */
  readonly openLink: (link: Link) => Promise<void>;
}

export function createAgentModule(services: LinkServices): AgentModule {
  return {
    openLink: (link) => openLink(services, link),
    commands: { [commands.templateCopyLink]: (args) => copyLaunchLink(services, args) },
    views: [],
  };
}
