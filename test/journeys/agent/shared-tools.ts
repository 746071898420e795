// A window that shares its tools, with an account in a sandbox.
import { findAgentTool, isActing, readToolInput } from "../../../src/domain/agent/tools.ts";
import { AppError, asAppError } from "../../../src/domain/base/error.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { realClock } from "../../../src/lib/clock.ts";
import type { Log } from "../../../src/lib/log.ts";
import { buildLaunchAnswer, buildNeedsPersonAnswer } from "../../../src/present/agent/act-answers.ts";
import { buildInstancesAnswer, buildOffersAnswer } from "../../../src/present/agent/tool-answers.ts";
import { AgentAsking, needsPerson } from "../../../src/services/agent/agent-asking.ts";
import { AgentLaunches, type AgentLaunchPerson } from "../../../src/services/agent/agent-launches.ts";
import type { AnswerTool } from "../../../src/services/agent/mcp/mcp-exchange.ts";
import { ToolSharing } from "../../../src/services/agent/tool-sharing.ts";
import { connectAgent, type Endpoint } from "../../outside-agent.ts";
import { planFor } from "../editor-window.ts";
import { cheapest, cleanUp, editorWindow, makeUserData, sandbox } from "../support.ts";
import { agentPerson } from "./agent-window.ts";

/** `person`: whom a launch asks. */
export async function sharedTools({ person: whom, log }: { person?: AgentLaunchPerson; log?: Log } = {}) {
  const creates: string[] = [];
  const service = await sandbox({
    requests: ({ method, path }) => {
      if (method === "PUT" && path.startsWith("/api/v0/asks/")) creates.push(path);
    },
  });
  for (const { id, fate } of service.world.offers) if (fate !== "gone") service.world.setFate(id, "runs");
  const window = editorWindow(makeUserData(), log ? { log } : {});
  await window.session.signIn(service.url, service.apiKey);
  const late: string[] = [];
  const signals: AbortSignal[] = [];
  const asking = new AgentAsking({
    clock: realClock,
    attention: { isFocused: () => true, onDidChange: () => ({ dispose: () => {} }) },
    tellLate: () => void late.push("late"),
  });
  const launches = new AgentLaunches(window, asking);
  const { person } = whom ? { person: whom } : agentPerson();
  const account = window.me();
  const plan = { ...planFor(await cheapest(window), ""), end: { hours: 2, ending: "destroy" as const } };
  /** As the tools of the editor do it, without an editor. */
  const answerTool: AnswerTool = async (name, given, signal) => {
    signals.push(signal);
    const tool = findAgentTool(name);
    if (!tool) throw new AppError("rejected", "This tool doesn't exist.");
    const input = readToolInput(tool, given);
    try {
      switch (tool) {
        case "searchOffers": {
          const found = await window.offers.searchIn(account, anySearch, signal);
          return buildOffersAnswer({ ...found, hours: undefined, most: 3, objection: () => undefined, loosen: [] });
        }
        case "quoteLaunch":
          return { quote: launches.quote(account, plan).id };
        case "launch": {
          const { quote } = input as { quote: string };
          return buildLaunchAnswer(await launches.launch(account, quote, person, signal));
        }
        case "getInstances": {
          await window.instances.collection.refresh();
          const rows = window.instances.rows.map((row) => ({ ...row, end: undefined }));
          return buildInstancesAnswer(rows, true);
        }
        default:
          throw new AppError("unsupported", `${tool} acts: ${isActing(tool)}`);
      }
    } catch (error) {
      const failure = asAppError(error);
      if (needsPerson(failure)) return buildNeedsPersonAnswer(failure);
      throw failure;
    }
  };
  const sharing = new ToolSharing({ session: window.session, version: "1.2.3", log: window.log });
  cleanUp(() => sharing.dispose());
  const share = async () => {
    await sharing.start(window.me(), answerTool);
    const { endpoint } = sharing;
    if (!endpoint) throw new Error("The tools aren't shared.");
    return endpoint;
  };
  /** Whether the call that came last is known to be waited for no longer. */
  const isLeft = () => signals.at(-1)?.aborted === true;
  return { ...window, service, creates, late, isLeft, sharing, answerTool, share };
}

/** An agent that leaves with the test. */
export async function connectForTest(endpoint: Endpoint) {
  const agent = await connectAgent(endpoint);
  cleanUp(() => agent.client.close());
  return agent;
}
