// An instance that keeps its idle timeout itself, in the model: the order that it has, what looks once a minute, and what that saw.
import type { IdleKeeperOrder, IdleKeeperState } from "../../../src/domain/instance/idle-keeper.ts";
import type { IdleEnding } from "../../../src/domain/instance/idle-order.ts";
import type { IdleKeeperAccess } from "../../../src/services/instance/idle/idle-keeper-access.ts";
import { type Life, RATE } from "../life.ts";
import { goThere } from "../way.ts";
import type { KeeperFate } from "./idle-fate.ts";

/** Model seconds. */
const LOOKS_EVERY = 60;
const FIRST_LOOK = 20;
/** In which what was just begun finds nothing idle. */
const YOUNG = 600;

interface Around {
  /** Model seconds since the story began. */
  readonly now: () => number;
  /** What its GPUs do; null if it can't see them. */
  readonly getLoad: () => number | null;
  readonly isRunning: () => boolean;
  readonly end: (order: IdleKeeperOrder) => void;
}

/** One look that it took. */
export interface Look {
  readonly at: number;
  readonly order: IdleKeeperOrder;
  readonly isBlind: boolean;
}

export class KeeperMachine {
  readonly #fate: KeeperFate;
  readonly #around: Around;
  /** All that it ever saw. */
  readonly looks: Look[] = [];
  #order: IdleKeeperOrder | undefined;
  #loop: NodeJS.Timeout | undefined;
  #bornAt = 0;
  #lookedAt = 0;
  #workedAt = 0;
  #usedAt = Number.NEGATIVE_INFINITY;
  #seen: IdleKeeperState["seen"] = "starting";
  #isSure = false;
  #hasActed = false;

  constructor(fate: KeeperFate, around: Around) {
    this.#fate = fate;
    this.#around = around;
  }

  get lives(): boolean {
    return this.#loop !== undefined;
  }

  /** As an image's own init may do at any time. */
  kill(): void {
    clearTimeout(this.#loop);
    this.#loop = undefined;
  }

  #begin(order: IdleKeeperOrder): void {
    const now = this.#around.now();
    this.kill();
    this.#order = order;
    this.#hasActed = false;
    this.#isSure = false;
    this.#seen = "starting";
    [this.#bornAt, this.#workedAt, this.#lookedAt] = [now, now, now];
    if (order.wish) this.#lookIn(FIRST_LOOK);
  }

  #lookIn(seconds: number): void {
    this.#loop = setTimeout(() => this.#look(), (seconds * 1000) / RATE);
  }

  #look(): void {
    const { now: clock, getLoad, isRunning, end } = this.#around;
    const order = this.#order;
    if (!isRunning() || !order?.wish) {
      this.kill();
      return;
    }
    const now = clock();
    const load = getLoad();
    this.#lookedAt = now;
    this.#seen = this.#usedAt > now - 2 * LOOKS_EVERY ? "window" : "quiet";
    if (load === null) this.#seen = "no-gpu";
    else if (load >= order.percent) this.#seen = "gpu";
    this.looks.push({ at: now, order, isBlind: load === null });
    if (this.#seen !== "quiet") this.#workedAt = now;
    const isDue = now - this.#workedAt >= order.wish.minutes * 60 && now - this.#bornAt >= YOUNG;
    if (isDue && this.#isSure) {
      this.#hasActed = true;
      end(order);
    }
    this.#lookIn(isDue && !this.#isSure ? FIRST_LOOK : LOOKS_EVERY);
    this.#isSure = isDue;
  }

  #show(): IdleKeeperState | "missing" {
    const order = this.#order;
    if (!order?.wish) return "missing";
    const { at, name } = order;
    const age = Math.round(this.#around.now() - this.#lookedAt);
    const idle = Math.round(this.#lookedAt - this.#workedAt);
    return {
      ...{ at, name, lives: this.lives, age, idle, seen: this.#seen },
      ...{ isAccepted: this.#fate.isAccepted, hasActed: this.#hasActed },
    };
  }

  #take(order: IdleKeeperOrder): IdleKeeperState | "missing" {
    const had = this.#order;
    const isSame = had?.name === order.name;
    const isLater = !had || had.at < order.at || (had.at === order.at && had.name < order.name);
    const hadActed = this.#hasActed;
    if (isLater || (isSame && !this.lives)) this.#begin(order);
    const shown = this.#show();
    return shown === "missing" ? shown : { ...shown, hasActed: shown.hasActed || hadActed };
  }

  /** As a window with this life reaches it. */
  reachedBy(life: Life): IdleKeeperAccess {
    const { now, isRunning } = this.#around;
    const wayTo = (id: Parameters<IdleKeeperAccess["read"]>[1]) => ({
      life,
      fate: this.#fate,
      id,
      since: now,
      isRunning,
    });
    return {
      isReady: () => true,
      onDidChange: () => ({ dispose: () => undefined }),
      tell: (_account, id, order) => goThere(wayTo(id), true, () => this.#take(order)),
      read: (_account, id, isUsed) =>
        goThere(wayTo(id), false, () => {
          if (isUsed) this.#usedAt = now();
          return this.#show();
        }),
    };
  }
}

/** What an instance did to itself. */
export interface OwnEnd {
  readonly at: number;
  readonly minutes: number;
  readonly ending: IdleEnding;
}
