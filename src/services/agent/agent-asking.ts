// Asks the person what an agent wants. An agent never waits forever, and an answer that it no longer waits for does nothing.
import { AppError } from "../../domain/base/error.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { WindowAttention } from "../account/balances.ts";
import { needsConnecting } from "../connection/quiet-login.ts";
import { calculateAskingPause } from "../instance/asking.ts";

interface Parts {
  readonly clock: Clock;
  /** Whether someone looks at this window. */
  readonly attention: WindowAttention;
  /** The person agreed to what no agent waits for any longer. */
  readonly tellLate: () => void;
}

/** Milliseconds that someone has to come to the window. */
const COMES_WITHIN = 60_000;
/** Milliseconds for all of it: until someone comes, and the question. */
export const ANSWERS_WITHIN = 180_000;

/** Answers of no in a row, before agents have to wait. */
const MOST_DECLINED = 2;

/** In capitals: codes of a service are lowercase, so none can be mistaken for it. */
const NEEDS_PERSON = "NEEDS_PERSON";

/** For what asks more than once. */
interface AgentAsked {
  /** The agent has stopped waiting: nothing more is asked. */
  readonly over: AbortSignal;
  /** The person went on after that, with what stays open for as long as they like. */
  readonly tellLate: () => void;
}

export class AgentAsking {
  readonly #parts: Parts;
  /** A modal can't be taken back, and one above another hides what was asked first. It comes once someone is at the window. */
  #open: "coming" | "asked" | undefined;
  /** How often in a row the person said no, and until when nothing is asked because of that, in monotonic milliseconds. */
  #declined = 0;
  #restsUntil = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Before anything is done for a question that can't be asked now. @throws AppError that says why. */
  assertMayAsk(): void {
    if (this.#open === "coming") throw createAway();
    if (this.#open === "asked")
      throw createNeedsPerson(
        t(
          "VS Code still shows an earlier question of an agent. Ask the person to open the editor and settle it first.",
        ),
      );
    const rests = this.#restsUntil - this.#parts.clock.elapsed();
    if (rests <= 0) return;
    throw new AppError(
      "rejected",
      t(
        "The person said no {0} times in a row, so they aren't asked anything for {1} min. Tell them, and call this again only if they want it.",
        this.#declined,
        Math.ceil(rests / 60_000),
      ),
    );
  }

  /** An agent that asks again and again would leave the person no way to do anything else. */
  #noteAnswer(isAgreed: boolean): void {
    this.#declined = isAgreed ? 0 : this.#declined + 1;
    const pause = this.#declined < MOST_DECLINED ? 0 : calculateAskingPause(this.#declined - 1);
    this.#restsUntil = this.#parts.clock.elapsed() + pause;
  }

  /**
   * `put` asks, and nothing else: whatever is read for a question is read before, as that isn't the person's time.
   * @returns whether the person agreed while the agent waited. What they agree to later mustn't be done.
   * @throws AppError that needs a person, if none decides in time; `cancelled` if the agent was stopped.
   */
  async ask(put: (asked: AgentAsked) => Promise<boolean>, signal: AbortSignal): Promise<boolean> {
    const { attention, clock, tellLate } = this.#parts;
    if (signal.aborted) throw createCancelled();
    this.assertMayAsk();
    this.#open = attention.isFocused() ? "asked" : "coming";
    const over = new AbortController();
    const left = Promise.withResolvers<never>();
    let isLeft = false;
    const leave = (error: AppError) => {
      isLeft = true;
      left.reject(error);
      over.abort(error);
    };
    const stop = () => leave(createCancelled());
    const giveUp = () =>
      leave(
        createNeedsPerson(t("The person didn't decide in time. Ask them to open the editor, and call this again.")),
      );
    const began = clock.now();
    // Timers stand still while the computer sleeps.
    const isSleptThrough = () => clock.now() < began || clock.now() > began + ANSWERS_WITHIN;
    signal.addEventListener("abort", stop, { once: true });
    clock.sleep(ANSWERS_WITHIN, over.signal).then(giveUp, () => undefined);
    const putOnce = async () => {
      await this.#waitForPerson(over.signal);
      over.signal.throwIfAborted();
      this.#open = "asked";
      const isAgreed = await put({ over: over.signal, tellLate });
      this.#noteAnswer(isAgreed);
      if (isAgreed && isSleptThrough()) giveUp();
      if (isAgreed && isLeft) tellLate();
      return isAgreed && !isLeft;
    };
    const asked = putOnce().finally(() => {
      this.#open = undefined;
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
      throw createAway();
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
const createAway = (): AppError =>
  createNeedsPerson(
    t("This window of VS Code isn't in front. Ask the person to open the editor, and call this again."),
  );
const createCancelled = (): AppError => new AppError("cancelled", t("Canceled."));

export const needsPerson = (error: AppError): boolean => error.facts.code === NEEDS_PERSON || needsConnecting(error);
