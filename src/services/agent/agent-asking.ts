// Asks the person what an agent wants. An agent never waits forever, and an answer that it no longer waits for does nothing.
import { AppError } from "../../domain/base/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { WindowAttention } from "../account/balances.ts";

interface Parts {
  readonly clock: Clock;
  /** Whether someone looks at this window. */
  readonly attention: WindowAttention;
  /** The person agreed to what no agent waits for any longer. */
  readonly tellLate: () => void;
}

/** Milliseconds that someone has to come to the window. */
const COMES_WITHIN = 60_000;
/** Milliseconds for all of it: until someone comes, what is read before the question, and the question. */
const ANSWERS_WITHIN = 180_000;

/** In capitals: codes of a service are lowercase, so none can be mistaken for it. */
const NEEDS_PERSON = "NEEDS_PERSON";

export class AgentAsking {
  readonly #parts: Parts;
  /** A modal can't be taken back, and one above another hides what was asked first. */
  #isOpen = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /**
   * `put` asks, and calls `agree` once the person said yes: false means that it mustn't be done.
   * @throws AppError that needs a person, if none decides in time; `cancelled` if the agent was stopped.
   */
  async ask<T>(put: (agree: () => boolean) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { clock, tellLate } = this.#parts;
    if (signal.aborted) throw createCancelled();
    if (this.#isOpen)
      throw createNeedsPerson(
        t(
          "VS Code still shows an earlier question of an agent. Ask the person to open the editor and settle it first.",
        ),
      );
    this.#isOpen = true;
    let state: "waiting" | "agreed" | "left" = "waiting";
    const over = new AbortController();
    const agree = () => {
      if (state === "left") tellLate();
      else state = "agreed";
      return state === "agreed";
    };
    const left = Promise.withResolvers<never>();
    const leave = (error: AppError) => {
      if (state === "agreed") return;
      state = "left";
      left.reject(error);
      over.abort();
    };
    const stop = () => leave(createCancelled());
    signal.addEventListener("abort", stop, { once: true });
    clock.sleep(ANSWERS_WITHIN, over.signal).then(
      () =>
        leave(
          createNeedsPerson(t("The person didn't decide in time. Ask them to open the editor, and call this again.")),
        ),
      () => undefined,
    );
    const asked = this.#waitForPerson(over.signal)
      .then(() => put(agree))
      .finally(() => {
        this.#isOpen = false;
      });
    try {
      return await Promise.race([asked, left.promise]);
    } finally {
      signal.removeEventListener("abort", stop);
      over.abort();
    }
  }

  /** A question in a window that is out of sight would only be in the way later. */
  async #waitForPerson(over: AbortSignal): Promise<void> {
    const { attention, clock } = this.#parts;
    if (attention.isFocused()) return;
    const comes = Promise.withResolvers<void>();
    const listening = attention.onDidChange(() => attention.isFocused() && comes.resolve());
    const away = new AbortController();
    const waiting = clock.sleep(COMES_WITHIN, AbortSignal.any([over, away.signal])).then(() => {
      throw createNeedsPerson(
        t("This window of VS Code isn't in front. Ask the person to open the editor, and call this again."),
      );
    });
    try {
      await Promise.race([comes.promise, waiting]);
    } finally {
      listening.dispose();
      away.abort();
    }
  }
}

/** Only a person can go on with it; nothing was done. */
const createNeedsPerson = (message: string): AppError => new AppError("rejected", message, { code: NEEDS_PERSON });
const createCancelled = (): AppError => new AppError("cancelled", t("Canceled."));

export const needsPerson = ({ facts }: AppError): boolean => facts.code === NEEDS_PERSON;
