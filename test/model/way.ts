// The way to a machine in the model: slow, broken at times, and one that may lose an answer.
import { AppError } from "../../src/domain/base/error.ts";
import type { InstanceId } from "../../src/domain/base/id.ts";
import { sleep } from "../../src/lib/clock.ts";
import { type Life, RATE } from "./life.ts";

/** Times are model seconds. */
export interface WayFate {
  /** Of a login with its answer. */
  readonly takes: number;
  /** When it can't be logged in to. */
  readonly lostFrom: number;
  readonly lostUntil: number;
  /** It does what it is told, and the answer doesn't come. */
  readonly losesAnswers: boolean;
}

interface Journey {
  readonly life: Life;
  readonly fate: WayFate;
  readonly id: InstanceId;
  /** Model seconds since the story began. */
  readonly since: () => number;
  readonly isRunning: () => boolean;
}

/** Does it on the machine, as a window with this life reaches it. `isTold`: the answer may be lost. */
export async function goThere<T>(
  { life, fate, id, since, isRunning }: Journey,
  isTold: boolean,
  act: () => T,
): Promise<T> {
  const wait = async (seconds: number) => {
    await sleep((seconds * 1000) / RATE);
    if (life.dead) await new Promise(() => {});
    life.spend();
    if (life.dead) await new Promise(() => {});
  };
  const at = since();
  await wait(fate.takes / 2);
  if (!isRunning()) throw new AppError("rejected", `Instance ${id} isn't running.`, { notSent: true });
  if (at >= fate.lostFrom && at < fate.lostUntil) {
    await wait(45);
    throw new AppError("timeout", `Instance ${id} isn't responding.`, { notSent: true });
  }
  const answer = act();
  await wait(fate.takes / 2);
  if (isTold && fate.losesAnswers) throw new AppError("timeout", `Instance ${id} isn't responding.`);
  return answer;
}
