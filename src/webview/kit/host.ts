// The page's end of the line to its host: asks, waits for the answer, and hears news.
import * as z from "zod";
import { type AnswerTo, type Contract, type Question, Told } from "../../protocol/messages.ts";

interface Editor {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): Editor;

/** A request the host could not carry out, with its sentence for the person. */
export class Failure extends Error {
  readonly field: string | undefined;

  constructor(message: string, field: string | undefined) {
    super(message);
    this.field = field;
  }
}

interface Waiting {
  readonly schema: z.ZodType;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

export class Host<C extends Contract, News> {
  readonly #contract: C;
  readonly #editor = acquireVsCodeApi();
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** `hear` gets news that has the shape it names. */
  constructor(contract: C, newsSchema: z.ZodType<News>, hear: (news: News) => void) {
    this.#contract = contract;
    window.addEventListener("message", ({ data }) => {
      const told = Told.safeParse(data);
      if (!told.success) return;
      if ("news" in told.data) {
        const news = newsSchema.safeParse(told.data.news);
        if (news.success) hear(news.data);
      } else this.#settle(told.data);
    });
  }

  /** @throws Failure with the host's sentence. */
  ask<Name extends keyof C & string>(name: Name, question: Question<C, Name>): Promise<AnswerTo<C, Name>> {
    this.#last += 1;
    const id = this.#last;
    const { resolve, reject, promise } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, schema: this.#contract[name]?.answer ?? z.never() });
    this.#editor.postMessage({ id, ask: name, question });
    return promise as Promise<AnswerTo<C, Name>>;
  }

  /** What the editor keeps of this page over a reload. */
  keep(state: unknown): void {
    this.#editor.setState(state);
  }

  #settle(told: Exclude<Told, { news?: unknown }>): void {
    const waiting = this.#waiting.get(told.answer);
    this.#waiting.delete(told.answer);
    if ("failed" in told) waiting?.reject(new Failure(told.failed, told.field));
    else {
      const value = waiting?.schema.safeParse(told.value);
      if (value?.success) waiting?.resolve(value.data);
      else waiting?.reject(new Failure(String(value?.error), undefined));
    }
  }
}
