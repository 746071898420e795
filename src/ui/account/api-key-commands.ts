// Deletes an API key: asks which one, explains what that means, and offers to sign in again if the deleted key was in
// use.
import type { ApiKeyRecord } from "../../domain/account/key.ts";
import { AppError } from "../../domain/base/error.ts";
import { WireId } from "../../domain/base/id.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatDate } from "../../present/base/when.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { tellInfo, withStatusProgress } from "../kit/messages.ts";
import type { AccountServices } from "./account-services.ts";

type Target = Pick<ApiKeyRecord, "id"> & Partial<ApiKeyRecord>;

export async function deleteApiKey(around: AccountServices): Promise<void> {
  const account = around.session.requireSignedIn();
  const key = await chosenKey(around, account);
  if (!key) return;
  if (key.key_type === "primary") throw new AppError("rejected", t("The primary key of an account can't be deleted."));
  const sure = await confirm({ ...question(key), go: t("Delete"), keep: t("Keep") });
  if (!sure) return;
  const stillIn = await withStatusProgress(t("Deleting API key {0}…", key.id), () =>
    around.keys.delete(account, key.id),
  );
  if (stillIn) return void tellInfo(t("Deleted API key {0}.", key.id));
  // The refreshed lists show the error as well and stop polling. The one question comes from here.
  await around.refresh();
  throw new AppError(
    "key-refused",
    t("Deleted API key {0}, which Cloud GPU was using. Sign in with another key.", key.id),
  );
}

function question(key: Target): { message: string; detail: string } {
  const name = toPlainText(key.name ?? "", 60);
  const made = formatDate(key.created_at);
  return {
    message: name === "" ? t("Delete API key {0}?", key.id) : t("Delete the API key “{0}” ({1})?", name, key.id),
    detail: [
      ...(key.key_type === undefined ? [] : [t("Kind: {0}.", toPlainText(key.key_type, 40))]),
      ...(made === undefined ? [] : [t("Created {0}.", made)]),
      t("Anything that uses this key stops working immediately. This can't be undone."),
      t(
        "Cloud GPU may be using this key; the service doesn't say which key is in use. If so, you'll have to sign in with another key.",
      ),
    ].join("\n"),
  };
}

async function chosenKey({ keys }: AccountServices, account: SignedIn): Promise<Target | undefined> {
  const title = t("Delete API Key");
  const chosen = await pickOne<Target | "typed">({
    title,
    placeholder: t("Which key?"),
    choices: async (signal) => [
      ...((await keys.list(account, signal)) ?? []).map(choice),
      { label: `$(edit) ${t("Enter ID…")}`, value: "typed", alwaysShow: true },
    ],
  });
  if (chosen === undefined || chosen === BACK) return undefined;
  if (chosen !== "typed") return chosen;
  const id = await askText<number>({
    title,
    prompt: t("Key ID (not the key itself), as shown on the service's website"),
    placeholder: "900214",
    read: (text) => {
      const read = WireId.safeParse(text.trim());
      if (read.success) return read.data;
      throw new AppError("rejected", t("Enter a key ID. It's a whole number, such as 900214."));
    },
  });
  return typeof id === "number" ? { id } : undefined;
}

function choice(key: ApiKeyRecord): Choice<Target> {
  const primary = key.key_type === "primary" ? t("can't be deleted") : undefined;
  return {
    label: toLabel(key.name ?? "", 60) || t("Key {0}", key.id),
    description: [key.id, key.key_type && toLabel(key.key_type, 40), formatDate(key.created_at), primary]
      .filter(Boolean)
      .join(" · "),
    value: key,
  };
}
