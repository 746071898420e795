// Switching between the accounts signed in to, the sandbox, and a new account.
import { label, t } from "../../lib/text.ts";
import type { Profile } from "../../services/core/profiles.ts";
import { chosenAddress } from "../kit/settings.ts";
import { BACK, type Choice, pick, separator } from "../kit/steps.ts";
import type { AccountServices } from "./account-services.ts";
import { signIn } from "./sign-in.ts";

type Way = { readonly to: string } | "add" | "sandbox";

/** Accepts a profile's ID as an argument. The ID is looked up again: only a stored profile can be switched to. */
export async function switchAccount(around: AccountServices, [given]: readonly unknown[]): Promise<void> {
  const { session, enterSandbox } = around;
  if (typeof given === "string") return session.switchTo(given);
  const now = session.current;
  const way = await pick<Way>({
    title: t("Switch Account"),
    placeholder: t("Rent as whom?"),
    choices: [
      ...session.profiles.map((profile) => choice(profile, now.kind === "signed-in" && now.profile === profile.id)),
      separator<Way>(""),
      ...(now.kind === "signed-in" && now.sandbox
        ? [{ label: `$(beaker) ${t("The sandbox")}`, description: t("now") }]
        : [
            { label: `$(beaker) ${t("The sandbox")}`, description: t("nothing is charged"), value: "sandbox" as const },
          ]),
      { label: `$(add) ${t("Another Account…")}`, value: "add" },
    ],
    active: (value) => typeof value === "object" && now.kind === "signed-in" && value.to !== now.profile,
  });
  if (way === undefined || way === BACK) return;
  if (way === "sandbox") return enterSandbox();
  if (way !== "add") return session.switchTo(way.to);
  if ((await signIn(session, chosenAddress(), true)) === "sandbox") await enterSandbox();
}

function choice({ id, name, base }: Profile, current: boolean): Choice<Way> {
  return {
    label: `$(${current ? "check" : "account"}) ${label(name, 60)}`,
    description: [label(base, 80), current ? t("now") : undefined].filter(Boolean).join(" · "),
    value: { to: id },
  };
}
