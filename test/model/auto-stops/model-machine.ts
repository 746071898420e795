// A machine that keeps its end itself, in the model: its file, its loop, and a way to it that may be slow, broken or lose an answer.
import {
  isLater,
  type SelfStopAction,
  type SelfStopOrder,
  type SelfStopState,
} from "../../../src/domain/instance/self-stop.ts";
import type { SelfStopAccess } from "../../../src/services/instance/auto-stops/self-stop-access.ts";
import { type Life, RATE } from "../life.ts";
import { goThere } from "../way.ts";
import type { OwnFate } from "./auto-stop-fate.ts";

interface Around {
  /** Epoch milliseconds on the model's clock. */
  readonly now: () => number;
  /** Seconds since the story began. */
  readonly since: () => number;
  readonly isRunning: () => boolean;
  readonly end: (kind: SelfStopAction) => void;
}

type Written = Pick<SelfStopState, "until" | "ending" | "count" | "at">;

export class ModelMachine {
  readonly #around: Around;
  readonly #fate: OwnFate;
  readonly #loop: NodeJS.Timeout;
  #file: Written = { until: undefined, ending: undefined, count: 0, at: 0 };
  /** Ends that came before it are left alone. */
  #startedAt = 0;
  #wasRunning = true;

  constructor(fate: OwnFate, around: Around) {
    this.#fate = fate;
    this.#around = around;
    this.#loop = setInterval(() => this.#look(), 9000 / RATE);
  }

  /** As the script of its launch writes it. */
  begin(until: number, ending: SelfStopAction): void {
    this.#file = { until, ending, count: 0, at: 0 };
  }

  /** What it will do, and when: undefined if nothing. */
  get plan(): { readonly until: number; readonly ending: SelfStopAction } | undefined {
    const { until, ending } = this.#file;
    if (!this.#fate.works || !this.#around.isRunning() || until === undefined || ending === undefined) return undefined;
    return until > this.#startedAt ? { until, ending } : undefined;
  }

  #look(): void {
    const isRunning = this.#around.isRunning();
    if (isRunning && !this.#wasRunning) this.#startedAt = this.#around.now();
    this.#wasRunning = isRunning;
    const { plan } = this;
    if (plan && plan.until <= this.#around.now()) this.#around.end(plan.ending);
  }

  /** As a window with this life reaches it. */
  reachedBy(life: Life): SelfStopAccess {
    const { since, isRunning } = this.#around;
    return {
      isReady: () => true,
      onDidChange: () => ({ dispose: () => undefined }),
      ask: async (_account, id, order) => {
        const way = { life, fate: this.#fate, id, since, isRunning };
        const answer = await goThere(way, order !== undefined, () => this.#answer(order));
        return answer();
      },
    };
  }

  #answer(order: SelfStopOrder | undefined): () => SelfStopState {
    const now = this.#around.now();
    const wasDue = order !== undefined && this.plan !== undefined && this.plan.until <= now;
    if (order && isLater(order, this.#file)) {
      const { count, at, wait, ending } = order;
      const until = wait === undefined ? undefined : now + wait;
      this.#file = { until, ending: wait === undefined ? undefined : ending, count, at };
    }
    const { until } = this.#file;
    const written = until === undefined ? undefined : Math.ceil(until / 1000);
    const lives = this.#fate.works && (until === undefined || until > this.#startedAt);
    const end = { ...this.#file, written, lives, isAccepted: lives, wasDue };
    return () => end;
  }

  stop(): void {
    clearInterval(this.#loop);
  }
}
