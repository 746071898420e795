// Gives the account in use a name of the person's own, so that several can be told apart.
import { AppError } from "../../domain/base/error.ts";
import { t, toLabel } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { askText } from "../kit/ask/steps.ts";

/** @throws AppError `signed-out`, or `rejected` for the sandbox, which isn't an account. */
export async function renameAccount(session: SessionService, account: SignedIn): Promise<void> {
  if (account.sandbox) throw new AppError("rejected", t("The sandbox has no account to rename."));
  const { profile, address } = account;
  const known = session.profiles.list().find(({ id }) => id === profile);
  await askText<true>({
    title: t("Rename Account"),
    prompt: t("Name for the account at {0}. Only you see it. Leave it empty to use the service's name.", address.host),
    value: session.profiles.nameOf(account),
    placeholder: toLabel(known?.name ?? address.host, 60),
    read: (text) => {
      session.profiles.rename(profile, text);
      return true;
    },
  });
}
