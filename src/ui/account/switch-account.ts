// Switching between the accounts signed in to, the sandbox, and a new account.
import type { AccountReading } from "../../domain/account/account-reading.ts";
import { t, toLabel } from "../../lib/text.ts";
import { buildOtherAccountWarning, describeNamedReading } from "../../present/account/status.ts";
import { formatAccountName, type Profile } from "../../services/core/profiles.ts";
import { type Choice, createSeparator, pickOne } from "../kit/ask/pick.ts";
import { BACK } from "../kit/ask/steps.ts";
import { tellWarning } from "../kit/messages.ts";
import { readChosenAddress } from "../kit/settings.ts";
import type { AccountServices } from "./account-services.ts";
import { renameAccount } from "./rename-account.ts";
import { signIn } from "./sign-in.ts";

type Way = { readonly to: string } | { readonly left: AccountReading } | "add" | "rename" | "sandbox";

/** Accepts a profile's ID as an argument. The ID is looked up again: only a stored profile can be switched to. */
export async function switchAccount(around: AccountServices, [given]: readonly unknown[]): Promise<void> {
  const { session, enterSandbox } = around;
  if (typeof given === "string") return session.switchTo(given);
  const now = session.current;
  const way = await pickOne<Way>({
    title: t("Switch Account"),
    placeholder: t("Which account?"),
    choices: [
      ...session.profiles
        .list()
        .map((profile) => choice(profile, now.kind === "signed-in" && now.profile === profile.id)),
      ...around.readings.others.filter(({ isLeft }) => isLeft).map(leftChoice),
      createSeparator<Way>(""),
      ...(now.kind === "signed-in" && now.sandbox
        ? [{ label: `$(beaker) ${t("Sandbox")}`, description: t("now") }]
        : [{ label: `$(beaker) ${t("Sandbox")}`, description: t("nothing is charged"), value: "sandbox" as const }]),
      { label: `$(add) ${t("Another Account…")}`, value: "add" },
      ...(now.kind === "signed-in" && !now.sandbox
        ? [
            {
              label: `$(edit) ${t("Rename {0}…", toLabel(session.profiles.nameOf(now), 60))}`,
              value: "rename" as const,
            },
          ]
        : []),
    ],
    active: (value) =>
      typeof value === "object" && "to" in value && now.kind === "signed-in" && value.to !== now.profile,
  });
  if (way === undefined || way === BACK) return;
  if (way === "sandbox") return enterSandbox();
  if (way === "rename") return now.kind === "signed-in" ? renameAccount(session, now) : undefined;
  if (way === "add") return void (await signInTo(around, readChosenAddress()));
  return "to" in way ? session.switchTo(way.to) : await returnTo(around, way.left);
}

async function signInTo({ session, enterSandbox }: AccountServices, address: string, account?: string) {
  const signed = await signIn(session, address, { add: true, ...(account === undefined ? {} : { account }) });
  if (signed === "sandbox") await enterSandbox();
  return signed;
}

/** Back to an account that was signed out of, or never again. */
async function returnTo(around: AccountServices, left: AccountReading): Promise<void> {
  const way = await pickOne<"sign-in" | "forget">({
    title: toLabel(left.name, 60),
    placeholder: describeNamedReading(left),
    choices: [
      {
        label: `$(sign-in) ${t("Sign In…")}`,
        description: t("to see what it rents now, or to end it"),
        value: "sign-in",
      },
      {
        label: `$(trash) ${t("Forget This Account")}`,
        description: t("The rentals of that account are no longer shown here. Nothing is destroyed."),
        value: "forget",
      },
    ],
  });
  if (way === "forget") around.readings.forget(left);
  if (way !== "sign-in" || (await signInTo(around, left.base, left.name)) !== "done") return;
  const entered = around.readings.findOther(left);
  // Without a button it would be cut off after its first line.
  if (entered !== undefined) await tellWarning(buildOtherAccountWarning(entered, left), t("OK"));
}

function leftChoice(left: AccountReading): Choice<Way> {
  return { label: `$(sign-in) ${toLabel(left.name, 60)}`, description: describeNamedReading(left), value: { left } };
}

function choice(profile: Profile, current: boolean): Choice<Way> {
  const { id, name, alias, base } = profile;
  const details = [
    alias === undefined ? undefined : toLabel(name, 60),
    toLabel(base, 80),
    current ? t("now") : undefined,
  ];
  return {
    label: `$(${current ? "check" : "account"}) ${toLabel(formatAccountName(profile), 60)}`,
    description: details.filter(Boolean).join(" · "),
    value: { to: id },
  };
}
