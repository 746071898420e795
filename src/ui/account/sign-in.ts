// Signing in: asks for the address, then the key. The key is tried before it is stored, and a message says who is signed in.
import * as vscode from "vscode";
import { parseAddress } from "../../domain/base/address.ts";
import { parseApiKey } from "../../domain/base/api-key.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import type { SessionService } from "../../services/core/session.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace, walkSteps } from "../kit/ask/steps.ts";
import { tellInfo } from "../kit/messages.ts";

/** A public service that implements the interface. It is offered, never assumed. */
const PUBLIC_SERVICE = "https://console.vast.ai";
/** Its page for API keys. */
const PUBLIC_KEYS = "https://cloud.vast.ai/manage-keys/";

interface Draft {
  readonly where: "public" | "sandbox" | "other" | undefined;
  readonly address: string;
  readonly done: boolean;
}

interface SignInOptions {
  /** Another account beside the one in use. */
  readonly add?: boolean;
  /** The account that the person returns to at the chosen address, so only its key is asked for. */
  readonly account?: string;
}

/** @returns `sandbox` if the person chose to try that instead, `done` after a sign-in, undefined if dropped. */
export async function signIn(
  session: SessionService,
  chosen: string,
  { add = false, account }: SignInOptions = {},
): Promise<"done" | "sandbox" | undefined> {
  const title = t("Sign In");
  const isKnown = account !== undefined;
  const known = chosen === PUBLIC_SERVICE ? "public" : "other";
  const draft = await walkSteps<Draft>({ where: isKnown ? known : undefined, address: chosen, done: false }, [
    { applies: () => !isKnown, ask: (state, place) => askService(state, { ...place, title }, chosen) },
    {
      applies: (state) => !isKnown && (state.where === "other" || state.where === undefined),
      ask: (state, place) => askAddress(state, { ...place, title }),
    },
    {
      applies: (state) => state.where !== "sandbox",
      ask: (state, place) =>
        askKey(state, isKnown ? { title, account } : { ...place, title }, (key, signal) =>
          session.signIn(state.address, key, signal, add),
        ),
    },
  ]);
  if (draft?.where === "sandbox") return "sandbox";
  if (!draft?.done) return undefined;
  void tellSignedIn(session);
  return "done";
}

async function askService(state: Draft, place: StepPlace, chosen: string): Promise<Answer<Draft>> {
  const where = await pickOne({
    ...place,
    placeholder: t("Which service?"),
    choices: places(chosen),
    active: (value) => value === state.where,
  });
  if (where === undefined || where === BACK) return where;
  return { ...state, where, address: where === "public" ? PUBLIC_SERVICE : state.address };
}

async function askAddress(state: Draft, place: StepPlace): Promise<Answer<Draft>> {
  const address = await askText({
    ...place,
    prompt: t("Service address. Use https:// (or http:// on this computer)."),
    value: state.address === PUBLIC_SERVICE ? "" : state.address,
    placeholder: "https://gpu.example.com",
    read: (text) => parseAddress(text).base,
  });
  return typeof address === "string" ? { ...state, address } : address;
}

async function askKey(
  state: Draft,
  { account, ...place }: StepPlace & Pick<SignInOptions, "account">,
  enter: (key: string, signal: AbortSignal) => Promise<void>,
): Promise<Answer<Draft>> {
  const done = await askText<true>({
    ...place,
    prompt: describeKey(state, account),
    ...(state.where === "public" ? { help: keysPage() } : {}),
    password: true,
    read: async (text, signal): Promise<true> => {
      await enter(parseApiKey(text), signal);
      return true;
    },
  });
  return done === true ? { ...state, done } : done;
}

function describeKey({ where, address }: Draft, account: string | undefined): string {
  const { host } = parseAddress(address);
  if (account !== undefined && account !== host)
    return t(
      "API key of {0} at {1}. It's verified, then stored in VS Code's secret storage.",
      toPlainText(account, 60),
      host,
    );
  return where === "public"
    ? t(
        "API key for Vast.ai. Use the button above to create one. The key is verified, then stored in VS Code's secret storage.",
      )
    : t("API key for {0}, from the service's website. It's verified, then stored in VS Code's secret storage.", host);
}

async function tellSignedIn({ current, profiles }: SessionService): Promise<void> {
  if (current.kind === "signed-out") return;
  const { host } = current.address;
  const name = profiles.nameOf(current);
  await tellInfo(name === host ? t("Signed in to {0}.", host) : t("Signed in to {0} as {1}.", host, toLabel(name, 60)));
}

const keysPage = () => ({
  icon: "link-external",
  tooltip: t("Create an API Key on Vast.ai"),
  run: () => void vscode.env.openExternal(vscode.Uri.parse(PUBLIC_KEYS, true)),
});

function places(chosen: string): Choice<"public" | "sandbox" | "other">[] {
  const icon = (name: string) => new vscode.ThemeIcon(name);
  return [
    {
      label: t("Sandbox"),
      iconPath: icon("beaker"),
      description: t("on this computer"),
      detail: t("The whole service, simulated on this computer. Nothing is charged."),
      value: "sandbox",
    },
    {
      label: "Vast.ai",
      iconPath: icon("globe"),
      description: PUBLIC_SERVICE,
      detail: t("A public GPU marketplace. Renting costs money."),
      value: "public",
    },
    {
      label: t("Another Address…"),
      iconPath: icon("server"),
      description: chosen === PUBLIC_SERVICE ? "" : chosen,
      detail: t("Any service with a compatible API."),
      value: "other",
    },
  ];
}
