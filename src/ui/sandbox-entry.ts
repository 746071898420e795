// Opens a sandbox: the embedded one, or one that runs beside the editor.
import { contexts, environment, views } from "../ids.ts";
import type { Bag } from "../lib/disposable.ts";
import { createLazy } from "../lib/task.ts";
import type { Sandbox } from "../sandbox/start.ts";
import type { SessionService } from "../services/core/session.ts";
import type { Rehearsal } from "./account/account-services.ts";
import { setContext, showView } from "./kit/run-command.ts";

interface SandboxEntry {
  /** Starts the embedded sandbox, or joins the running one, switches to it, and shows its instances. */
  enter(): Promise<void>;
  /** What can be done to the embedded sandbox; undefined unless this window is in it. */
  rehearsal(): Rehearsal | undefined;
}

/** The embedded sandbox: one per window, started on first use, stopped with the window. */
export function createSandboxEntry(session: SessionService, bag: Bag): SandboxEntry {
  let running: Sandbox | undefined;
  const start = createLazy(async () => {
    const { startSandbox } = await import("../sandbox/start.ts");
    const sandbox = await startSandbox({ seed: 1, bootSpeed: 10, ssh: true });
    bag.add({ dispose: () => void sandbox.stop() });
    running = sandbox;
    return sandbox;
  });
  const rehearsal = () => {
    const now = session.current;
    const isThere = now.kind === "signed-in" && now.sandbox && now.address.base === running?.url;
    return isThere ? running?.rehearsal : undefined;
  };
  const tellMenus = () => setContext(contexts.rehearsal, rehearsal() !== undefined);
  bag.add(session.onDidChange(tellMenus));
  const enter = async () => {
    const { url, apiKey } = namedSandbox() ?? (await start());
    await session.enterSandbox(url, apiKey);
    await showView(views.instances, false);
  };
  return { enter, rehearsal };
}

/**
 * A sandbox that runs beside the editor is named in the environment. Only loopback addresses and sandbox keys are
 * accepted: nothing else may ever be called a sandbox, because that promises "nothing is charged".
 */
function namedSandbox(): { url: string; apiKey: string } | undefined {
  const { [environment.sandboxUrl]: url, [environment.sandboxKey]: apiKey } = process.env;
  return url?.startsWith("http://") && apiKey?.startsWith("sandbox-") ? { url, apiKey } : undefined;
}

export async function enterNamedSandbox(session: SessionService): Promise<void> {
  const named = namedSandbox();
  if (!named) return;
  await session.enterSandbox(named.url, named.apiKey);
  if (process.env[environment.showViews] === "1") await showView(views.templates, true);
}
