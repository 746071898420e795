// The page's connection to its host: asks questions, waits for answers and receives updates.
import * as z from "zod";
import { type AnswerTo, type Contract, type PageQuestion, Told } from "../../protocol/messages.ts";

interface Editor {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}
declare function acquireVsCodeApi(): Editor;

/** A request the host couldn't carry out, with its message for the person. */
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

export class Host<C extends Contract, Update> {
  readonly #contract: C;
  readonly #editor = acquireVsCodeApi();
  readonly #waiting = new Map<number, Waiting>();
  #last = 0;

  /** `hear` receives updates that match `updateSchema`. */
  constructor(contract: C, updateSchema: z.ZodType<Update>, hear: (update: Update) => void) {
    this.#contract = contract;
    window.addEventListener("message", ({ data }) => {
      const told = Told.safeParse(data);
      if (!told.success) return;
      if ("update" in told.data) {
        const update = updateSchema.safeParse(told.data.update);
        if (update.success) hear(update.data);
      } else this.#settle(told.data);
    });
  }

  /** @throws Failure with the host's message. */
  ask<Name extends keyof C & string>(name: Name, question: PageQuestion<C, Name>): Promise<AnswerTo<C, Name>> {
    this.#last += 1;
    const id = this.#last;
    const { resolve, reject, promise } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject, schema: this.#contract[name]?.answer ?? z.never() });
    this.#editor.postMessage({ id, ask: name, question });
    return promise as Promise<AnswerTo<C, Name>>;
  }

  /** Stores what the editor keeps of this page across a reload. */
  keep(state: unknown): void {
    this.#editor.setState(state);
  }

  #settle(told: Exclude<Told, { update?: unknown }>): void {
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
