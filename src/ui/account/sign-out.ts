// The question before signing out.
import { t } from "../../lib/text.ts";
import { buildSignOutQuestion } from "../../present/account/sign-out.ts";
import type { SignOutPerson } from "../../services/account/sign-out.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { withStatusProgress } from "../kit/messages.ts";

export const signOutPerson: SignOutPerson = {
  wait: (reading) => withStatusProgress(t("Checking what is rented…"), reading),
  confirm: (billing, account) => confirm({ ...buildSignOutQuestion(billing, account), go: t("Sign Out") }),
};
