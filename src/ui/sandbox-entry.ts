// Opens a sandbox: the embedded one, or one that runs beside the editor.
import { environment, views } from "../ids.ts";
import type { Bag } from "../lib/disposable.ts";
import { createLazy } from "../lib/task.ts";
import type { SessionService } from "../services/core/session.ts";
import { showView } from "./kit/run-command.ts";

/** The embedded sandbox: one per window, started on first use, stopped with the window. Whoever enters it sees its instances. */
export function createSandboxEntry(session: SessionService, bag: Bag): () => Promise<void> {
  const start = createLazy(async () => {
    const { startSandbox } = await import("../sandbox/start.ts");
    const sandbox = await startSandbox({ seed: 1, speed: 20, ssh: true });
    bag.add({ dispose: () => void sandbox.stop() });
    return sandbox;
  });
  return async () => {
    const { url, apiKey } = namedSandbox() ?? (await start());
    await session.enterSandbox(url, apiKey);
    await showView(views.instances, false);
  };
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
