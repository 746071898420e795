// Leaving an account: what goes on being billed without this editor is said before, not after.
import { realClock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import { signOutQuestion } from "../../present/account/sign-out.ts";
import { readBilling } from "../../services/account/billing-check.ts";
import { confirm } from "../kit/confirm.ts";
import { withStatusProgress } from "../kit/messages.ts";
import type { AccountServices } from "./account-services.ts";

export async function signOut(around: AccountServices): Promise<void> {
  const { session, instances } = around;
  const leaving = session.current;
  if (leaving.kind === "signed-out") return;
  if (!leaving.sandbox) {
    const billing = await withStatusProgress(t("Checking what is rented…"), () => readBilling(around, realClock));
    const question = signOutQuestion(billing);
    if (question && !(await confirm({ ...question, go: t("Sign Out") }))) return;
  }
  await session.signOut(leaving);
  instances.forget(leaving);
}
