// A window in which an agent launches, by a clock that moves only when it is told to, and the person in front of it.
import type { LaunchAction, LaunchMessage, LaunchQuestion } from "../../../src/domain/launch/launch-messages.ts";
import type { LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import { Emitter } from "../../../src/lib/event.ts";
import { AgentAsking } from "../../../src/services/agent/agent-asking.ts";
import { AgentLaunches, type AgentLaunchPerson } from "../../../src/services/agent/agent-launches.ts";
import { lifeOf, type Parts, planFor, type UserData } from "../editor-window.ts";
import { steppedClock } from "../stepped-clock.ts";
import { cheapest, EMPTY_LIST, editorWindow, middleman, sandbox } from "../support.ts";

export const NEVER = new AbortController().signal;

/** `answers`: to what is asked, one after the other; yes after that. `action`: what they choose of what a message offers. */
export function agentPerson(
  answers: (boolean | Promise<boolean> | (() => Promise<boolean>))[] = [],
  action?: LaunchAction,
) {
  const asked: LaunchQuestion[] = [];
  const told: LaunchMessage[] = [];
  const failed: unknown[] = [];
  const person: AgentLaunchPerson = {
    confirm: async (question) => {
      asked.push(question);
      const answer = answers.shift() ?? true;
      return typeof answer === "function" ? await answer() : await answer;
    },
    launching: {
      confirm: async (question) => {
        asked.push(question);
        return question.kind === action;
      },
      tell: async (message, actions) => {
        told.push(message);
        return actions.find((one) => one === action);
      },
      accompany: (_, work) => work(() => {}, NEVER),
      wait: (work) => work(),
    },
    takeNextStep: async () => {},
    tellError: (error) => void failed.push(error),
  };
  return { person, asked, told, failed };
}

export async function agentWindow(parts: Parts = {}) {
  const stepped = steppedClock();
  const creates: string[] = [];
  const service = await sandbox({
    clock: { now: stepped.worldNow, ahead: () => 0 },
    requests: ({ method, path }) => {
      if (method === "PUT" && path.startsWith("/api/v0/asks/")) creates.push(path);
    },
  });
  for (const { id, fate } of service.world.offers) if (fate !== "gone") service.world.setFate(id, "runs");
  const attention = { focused: true, changes: new Emitter<void>() };
  const late: string[] = [];
  const open = (userData: UserData | undefined, id: string, ...alive: readonly string[]) => {
    const window = editorWindow(userData, { clock: stepped.clock, liveness: lifeOf(id, ...alive), ...parts });
    const asking = new AgentAsking({
      clock: stepped.clock,
      attention: { isFocused: () => attention.focused, onDidChange: attention.changes.event },
      tellLate: () => void late.push(id),
    });
    return { ...window, asking, agentLaunches: new AgentLaunches(window, asking) };
  };
  const window = open(undefined, "one");
  /** What gets lost on the way back, though it is carried out. `refused`: as after a copy that the network repeated; nor is it listed then. */
  const lost = { create: false, list: false, refused: false };
  /** Milliseconds for which the computer sleeps while the next offer is read. */
  const nap = { ms: 0 };
  const url = await middleman(service.url, (path, status, text) => {
    if (path.includes("/bundles/")) stepped.shift(nap.ms);
    if (lost.create && path.startsWith("/api/v0/asks/")) return { status: 504, text: "" };
    if (lost.refused && path.startsWith("/api/v0/asks/")) {
      lost.list = true;
      return { status: 400, text: JSON.stringify({ success: false, error: "invalid_args", msg: "no" }) };
    }
    return lost.list && path.startsWith("/api/v1/instances/") ? { status: 200, text: EMPTY_LIST } : { status, text };
  });
  await window.session.signIn(url, service.apiKey);
  const offer = await cheapest(window);
  const plan: LaunchPlan = { ...planFor(offer, ""), end: { hours: 2, ending: "destroy" } };
  /** Lets time pass until it is over. */
  const settle = async <T>(work: Promise<T>): Promise<T> => {
    let isOver = false;
    const end = () => {
      isOver = true;
    };
    work.then(end, end);
    while (!isOver) await stepped.pass(500);
    return await work;
  };
  const quote = () => window.agentLaunches.quote(window.me(), plan);
  const launch = (id: string, { person }: Pick<ReturnType<typeof agentPerson>, "person">, signal = NEVER) =>
    window.agentLaunches.launch(window.me(), id, person, signal);
  return { ...window, ...stepped, service, lost, nap, creates, attention, late, open, plan, settle, quote, launch };
}
