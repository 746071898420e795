// Whether the tools are shared with other agents: until the person stops it, another account is in use, or the window closes.
import type { ToolsEndpoint } from "../../domain/agent/mcp-snippet.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { AnswerTool } from "./mcp/mcp-exchange.ts";
import type { McpServer } from "./mcp/mcp-server.ts";

interface Parts {
  readonly session: SessionService;
  /** Of the extension. */
  readonly version: string;
  readonly log: Log;
}

export class ToolSharing implements Disposable {
  readonly #parts: Parts;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #bag = new Bag();
  #server: McpServer | undefined;
  /** How often it was stopped, also while it begins. */
  #stops = 0;
  #isDisposed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    // What was confirmed for one account says nothing of another.
    this.#bag.add(parts.session.onDidChange(() => this.stop()));
  }

  /** Undefined while they aren't shared. */
  get endpoint(): ToolsEndpoint | undefined {
    return this.#server;
  }

  /** @throws AppError `rejected` if another account is in use by now. */
  async start(account: SignedIn, answerTool: AnswerTool): Promise<void> {
    const { session, version, log } = this.#parts;
    const stops = this.#stops;
    const { startMcpServer } = await import("./mcp/mcp-server.ts");
    const answerHere: AnswerTool = async (...call) => {
      session.assertStill(account);
      return await answerTool(...call);
    };
    const server = await startMcpServer({ answerTool: answerHere, version, log });
    try {
      session.assertStill(account);
    } catch (error) {
      server.close();
      throw error;
    }
    if (this.#server || this.#isDisposed || this.#stops !== stops) return server.close();
    this.#server = server;
    log.info("The tools are shared with other agents.");
    this.#changes.fire();
  }

  stop(): void {
    this.#stops += 1;
    if (!this.#server) return;
    this.#server.close();
    this.#server = undefined;
    this.#parts.log.info("The tools are no longer shared with other agents.");
    this.#changes.fire();
  }

  dispose(): void {
    this.#isDisposed = true;
    this.#bag.dispose();
    this.stop();
    this.#changes.dispose();
  }
}
