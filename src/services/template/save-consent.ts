// Asks once before the tabs of a window save templates: an editor may autosave, and launches use what is saved.
import { AppError } from "../../domain/base/error.ts";
import type { TemplateQuestion } from "../../domain/template/template-messages.ts";
import { joinCalls } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { TemplatePerson } from "./template-person.ts";

export class SaveConsent {
  readonly #session: SessionService;
  /** The account that consent was given for. */
  #given: SignedIn | undefined;
  /** Tabs of one account that are saved together share one question. */
  readonly #answers = new WeakMap<SignedIn, (person: TemplatePerson, question: TemplateQuestion) => Promise<boolean>>();

  constructor(session: SessionService) {
    this.#session = session;
  }

  /** @throws AppError if the person says no, or the account changed before they answered. */
  async ask(person: TemplatePerson, account: SignedIn, question: TemplateQuestion): Promise<void> {
    if (this.#given === account) return;
    const agreed = await this.#answerOf(account)(person, question);
    this.#session.assertStill(account);
    if (!agreed) throw new AppError("cancelled", t("You chose not to save. Your text stays in the tab."));
    this.#given = account;
  }

  #answerOf(account: SignedIn) {
    const known = this.#answers.get(account);
    if (known) return known;
    const made = joinCalls((person: TemplatePerson, question: TemplateQuestion) => person.confirm(question));
    this.#answers.set(account, made);
    return made;
  }
}
