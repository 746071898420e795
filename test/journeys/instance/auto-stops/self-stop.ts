// An instance that keeps its end itself, in front of one or several windows, and what it answers.
import { AppError } from "../../../../src/domain/base/error.ts";
import type { Phase } from "../../../../src/domain/instance/instance.ts";
import { getPhase } from "../../../../src/domain/instance/instance.ts";
import { type SelfStopOrder, type SelfStopState, toSeconds } from "../../../../src/domain/instance/self-stop.ts";
import { requireInstance, setState } from "../../../../src/sandbox/handlers/instance-state.ts";
import type { SelfStopAccess } from "../../../../src/services/instance/auto-stops/self-stop-access.ts";
import type { Parts } from "../../editor-window.ts";
import { eventually } from "../../support.ts";
import { HOUR, MINUTE, withWindows } from "./auto-stop-windows.ts";

export type Asked = (
  order: SelfStopOrder | undefined,
) => Promise<SelfStopState | "missing"> | SelfStopState | "missing";
export type Through = Parameters<typeof withWindows>[2];

interface Options {
  /** How many windows. */
  readonly count?: number;
  readonly ending?: "destroy" | "stop";
  readonly parts?: Parts;
  /** What stands between the windows and the service. */
  readonly through?: Through;
}

/** An instance that was rented to end itself in 5 h, in front of a window, and answers as it is told to. */
export async function addSelfStop(answer: Asked, { count = 1, ending = "destroy", parts = {}, through }: Options = {}) {
  const selfStopAccess: SelfStopAccess = {
    isReady: () => true,
    onDidChange: () => ({ dispose: () => undefined }),
    ask: async (_account, _id, order) => answer(order),
  };
  const windows = await withWindows(count, { selfStopAccess, ...parts }, through);
  const { first, row, set, clock } = windows;
  /** Until its list shows it so. */
  const untilSeen = (wanted: Phase, by = first) =>
    eventually(async () => {
      await by.instances.collection.refresh();
      const value = by.instances.find(row.value.id)?.value;
      return value !== undefined && getPhase(value) === wanted;
    }, `it is seen ${wanted}`);
  const untilOver = () =>
    eventually(() => {
      first.autoStops.wake();
      return first.autoStops.findAutoStop(row.value) === undefined;
    }, "nothing is left to do");
  await untilSeen("running");
  const now = clock.now();
  await set({ until: now + 5 * HOUR, ending, byItself: first.me().address.base });
  return { ...windows, now, guard: () => first.autoStops.findAutoStop(row.value)?.guard, untilSeen, untilOver };
}

/** A machine that keeps ends soundly, and obeys what is later. */
function soundMachine(clock: () => number) {
  const state = { count: 0, at: 0, until: undefined as number | undefined, ending: "destroy" as "destroy" | "stop" };
  const take = (order: SelfStopOrder | undefined) => {
    if (!order) return;
    const later = order.count > state.count || (order.count === state.count && order.at > state.at);
    if (!later) return;
    Object.assign(state, { count: order.count, at: order.at, ending: order.ending });
    state.until = order.wait === undefined ? undefined : clock() + order.wait;
  };
  const answer = (): SelfStopState => ({
    ...{ count: state.count, at: state.at, until: state.until },
    written: state.until === undefined ? undefined : toSeconds(state.until),
    ...{ ending: state.until === undefined ? undefined : state.ending, lives: true, isAccepted: true, wasDue: false },
  });
  const obey = (order: SelfStopOrder | undefined): SelfStopState => {
    take(order);
    return answer();
  };
  return { state, answer, obey };
}

/** One on a sound machine, once it is armed. `asked`: what it answers, if not what it keeps. */
export async function withArmedEnd(
  asked: (machine: ReturnType<typeof soundMachine>) => Asked = ({ obey }) => obey,
  options: Options = {},
) {
  let now = Date.now;
  const machine = soundMachine(() => now());
  const windows = await addSelfStop(asked(machine), options);
  now = windows.clock.now;
  Object.assign(machine.state, { until: windows.now + 5 * HOUR, ending: options.ending ?? "destroy" });
  await eventually(() => windows.guard()?.kind === "armed", "it is armed");
  return { ...windows, machine };
}

export const notReached = () =>
  new AppError("rejected", "Cloud GPU couldn't log in to the instance.", { notSent: true });
export const lostAnswer = () => new AppError("timeout", "The answer was lost.");

/** How an instance answers: `lost` takes an order, and is away from then on. With a function, orders wait for it and don't get there. */
type Reach = "near" | "lost" | "away" | (() => Promise<void>);

/** One that keeps an end in 5 h, and can be out of reach. */
export async function withReach(options: Options = {}) {
  let reach: Reach = "near";
  const windows = await withArmedEnd(
    ({ obey }) =>
      async (order) => {
        if (reach === "near") return obey(order);
        if (typeof reach === "function" && order) await reach();
        if (reach !== "lost" || !order) throw notReached();
        obey(order);
        reach = "away";
        throw lostAnswer();
      },
    options,
  );
  const { first, row, world, forward } = windows;
  const { id } = row.value;
  const setReach = (next: Reach) => {
    reach = next;
  };
  const stop = () => setState(world, requireInstance(world, id), "stopped");
  const start = async (by = first) => {
    await by.actions.start(by.me(), id);
    await windows.untilSeen("running", by);
  };
  /** A window stopped it at an end that it was never told of, and the person starts it again. */
  const startAgain = async (by = first) => {
    await windows.untilSeen("stopped", by);
    await eventually(() => {
      by.autoStops.wake();
      return by.autoStops.findAutoStop(row.value) === undefined;
    }, "nothing is left to do");
    forward(MINUTE);
    await start(by);
  };
  return { ...windows, setReach, stop, start, startAgain };
}
