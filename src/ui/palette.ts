// The Command Palette: what is found there, and what leads to signing in first.
import { type CommandId, commands, contexts } from "../ids.ts";
import type { Bag } from "../lib/disposable.ts";
import type { App } from "../services/app.ts";
import { setContext } from "./kit/run-command.ts";

/** What the README begins with. Someone who is signed out finds it, and enters an account or the sandbox first. */
export const FOUND_SIGNED_OUT: ReadonlySet<CommandId> = new Set([
  commands.launchFromTemplate,
  commands.launchFromOffer,
  commands.offersExplore,
  commands.runFile,
]);

/** Tells the palette what there is to act on. */
export function tellPalette(
  { groups, watch, session, readings }: Pick<App, "groups" | "watch" | "session" | "readings">,
  bag: Bag,
): void {
  const tellAccounts = () => {
    const isPaying = readings.others.length > 0;
    setContext(contexts.accounts, isPaying || session.profiles.list().length > 0);
    setContext(contexts.otherRentals, isPaying);
  };
  const tellGroups = () => setContext(contexts.groups, groups.all.length > 0);
  const tellLaunches = () => setContext(contexts.unresolved, watch.doubted.length + watch.doubled.length > 0);
  tellAccounts();
  tellGroups();
  tellLaunches();
  bag.add(readings.onDidChange(tellAccounts));
  bag.add(session.onDidChange(tellAccounts));
  bag.add(groups.onDidChange(tellGroups));
  bag.add(watch.onDidChange(tellLaunches));
}
