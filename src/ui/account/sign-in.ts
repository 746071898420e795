// Signing in: asks for the address, then the key. The key is tried before it is stored.
import * as vscode from "vscode";
import { parseAddress } from "../../domain/base/address.ts";
import { parseApiKey } from "../../domain/base/api-key.ts";
import { t } from "../../lib/text.ts";
import type { SessionService } from "../../services/core/session.ts";
import { ask, BACK, type Choice, pick, walk } from "../kit/steps.ts";

/** A public service that implements the interface. It is offered, never assumed. */
const PUBLIC_SERVICE = "https://console.vast.ai";

interface Draft {
  readonly where: "public" | "sandbox" | "other" | undefined;
  readonly address: string;
  readonly done: boolean;
}

/** @returns `sandbox` if the person chose to try that instead, `done` after a sign-in, undefined if dropped. */
export async function signIn(
  session: SessionService,
  chosen: string,
  add = false,
): Promise<"done" | "sandbox" | undefined> {
  const title = t("Sign In");
  const draft = await walk<Draft>({ where: undefined, address: chosen, done: false }, [
    {
      ask: async (state, place) => {
        const where = await pick({
          ...place,
          title,
          placeholder: t("Where do you rent?"),
          choices: places(chosen),
          active: (value) => value === state.where,
        });
        if (where === undefined || where === BACK) return where;
        return { ...state, where, address: where === "public" ? PUBLIC_SERVICE : state.address };
      },
    },
    {
      applies: (state) => state.where === "other" || state.where === undefined,
      ask: async (state, place) => {
        const address = await ask({
          ...place,
          title,
          prompt: t("Address of the service. https, or http on this machine."),
          value: state.address === PUBLIC_SERVICE ? "" : state.address,
          placeholder: "https://gpu.example.com",
          read: (text) => parseAddress(text).base,
        });
        return typeof address === "string" ? { ...state, address } : address;
      },
    },
    {
      applies: (state) => state.where !== "sandbox",
      ask: async (state, place) => {
        const done = await ask<true>({
          ...place,
          title,
          prompt: t(
            "API key for {0}. It is tried, then kept in the editor's secret storage.",
            parseAddress(state.address).host,
          ),
          password: true,
          read: async (text, signal): Promise<true> => {
            await session.signIn(state.address, parseApiKey(text), signal, add);
            return true;
          },
        });
        return done === true ? { ...state, done } : done;
      },
    },
  ]);
  if (draft?.where === "sandbox") return "sandbox";
  return draft?.done ? "done" : undefined;
}

function places(chosen: string): Choice<"public" | "sandbox" | "other">[] {
  const icon = (name: string) => new vscode.ThemeIcon(name);
  return [
    {
      label: t("The sandbox"),
      iconPath: icon("beaker"),
      description: t("on this machine"),
      detail: t("The whole service, embedded: try everything without an account. Nothing is charged."),
      value: "sandbox",
    },
    {
      label: "Vast.ai",
      iconPath: icon("globe"),
      description: PUBLIC_SERVICE,
      detail: t("A public marketplace that speaks this interface. Renting costs money."),
      value: "public",
    },
    {
      label: t("Another address…"),
      iconPath: icon("server"),
      description: chosen === PUBLIC_SERVICE ? "" : chosen,
      detail: t("Any service that speaks this interface."),
      value: "other",
    },
  ];
}
