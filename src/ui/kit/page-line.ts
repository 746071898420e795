// The host's end of the connection to a page: checks each question, gets it answered, and sends a value or a failure
// for each.
import type * as vscode from "vscode";
import { asAppError } from "../../domain/base/error.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { type AnswerTo, Asked, type Contract, type PageQuestion, type Told } from "../../protocol/messages.ts";

export type Answers<C extends Contract> = {
  readonly [Name in keyof C]: (question: PageQuestion<C, Name>) => Promise<AnswerTo<C, Name>>;
};

interface Line<C extends Contract> {
  readonly webview: Pick<vscode.Webview, "postMessage" | "onDidReceiveMessage">;
  readonly contract: C;
  readonly answers: Answers<C>;
  /** The field of the page that an error is about. */
  readonly fieldOf: (error: ReturnType<typeof asAppError>) => string | undefined;
  readonly log: Log;
}

/**
 * Listens until disposed. A message that isn't a question in the contract gets no answer, and only its shape is logged.
 */
export function answerPage<C extends Contract>({ webview, contract, answers, fieldOf, log }: Line<C>): Disposable {
  const tell = (told: Told) => void webview.postMessage(told);
  const answer = async (id: number, name: keyof C & string, given: unknown): Promise<Told> => {
    try {
      const question = contract[name]?.question.safeParse(given);
      if (!question?.success) throw new TypeError(t("The page sent an invalid “{0}” request.", name));
      return { answer: id, value: await answers[name](question.data as PageQuestion<C, typeof name>) };
    } catch (thrown) {
      const error = asAppError(thrown);
      const field = fieldOf(error);
      if (error.kind !== "cancelled") log.warn(`${name}: ${error.kind}: ${error.message}`);
      return { answer: id, failed: error.message, ...(field === undefined ? {} : { field }) };
    }
  };
  return webview.onDidReceiveMessage(async (message: unknown) => {
    const asked = Asked.safeParse(message);
    if (!asked.success) return log.warn("A page sent something that is no question.");
    const { id, ask, question } = asked.data;
    if (!Object.hasOwn(contract, ask))
      return tell({ answer: id, failed: t("The page sent an unknown request: {0}.", ask) });
    tell(await answer(id, ask, question));
  });
}
