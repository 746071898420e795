// Lists the accounts in the editor's Accounts menu, where they can be signed out of. For that the editor wants a provider of
// sessions for other extensions. This one provides none: a session would hand over a token, and a key never leaves here.
import { createHash } from "node:crypto";
import * as vscode from "vscode";
import { Bag } from "../../lib/disposable.ts";
import { defuse } from "../../lib/markup.ts";
import { t, toLabel } from "../../lib/text.ts";
import { formatAccountName, type Profile } from "../../services/core/profiles.ts";
import type { SessionService } from "../../services/core/session.ts";
import { tellInfo } from "../kit/messages.ts";

const PROVIDER = "cloudGpu";

interface Ways {
  /** Signs out of the account in use, after its question. */
  readonly signOut: () => Promise<void>;
  readonly switchTo: (profile: string) => Promise<void>;
}

export function createAccountsMenu(session: SessionService, ways: Ways): Bag {
  const bag = new Bag();
  const changes = bag.add(new vscode.EventEmitter<vscode.AuthenticationProviderAuthenticationSessionsChangeEvent>());
  let shown = listSessions(session);
  bag.add(
    session.profiles.onDidChange(() => {
      const before = shown;
      shown = listSessions(session);
      changes.fire(compareSessions(before, shown));
    }),
  );
  const provider: vscode.AuthenticationProvider = {
    onDidChangeSessions: changes.event,
    // The editor's own menu asks for no scopes. Other extensions can list the accounts the same way, but never get a session.
    getSessions: async (scopes) => (scopes === undefined ? [...shown] : []),
    createSession: async () => {
      throw new Error(t("Cloud GPU accounts can't be used by other extensions."));
    },
    removeSession: (id) => signOutOf(session, id, ways),
  };
  bag.add(
    vscode.authentication.registerAuthenticationProvider(PROVIDER, "Cloud GPU", provider, {
      supportsMultipleAccounts: true,
    }),
  );
  return bag;
}

/** What an account has rented can only be read in that account, so another one isn't signed out of from here. */
async function signOutOf(session: SessionService, id: string, { signOut, switchTo }: Ways): Promise<void> {
  const now = session.current;
  if (now.kind === "signed-in" && idOf({ id: now.profile }) === id) return await signOut();
  const profile = session.profiles.list().find((one) => idOf(one) === id);
  if (!profile) return;
  const change = t("Switch Account");
  const name = toLabel(formatAccountName(profile), 60);
  const chosen = await tellInfo(
    t(
      "You're still signed in to {0}. Switch to it first, so that Cloud GPU can check what it rents, then sign out.",
      name,
    ),
    change,
  );
  if (chosen === change) await switchTo(profile.id);
}

/** The editor takes accounts of one name for one account. */
function listSessions(session: SessionService): readonly vscode.AuthenticationSession[] {
  const names = new Set<string>();
  return session.profiles.list().map((profile) => {
    const name = toLabel(formatAccountName(profile), 60);
    const full = t("{0} at {1}", name, new URL(profile.base).host);
    const free = [name, full, `${full} ${idOf(profile)}`].find((one) => !names.has(one)) ?? name;
    names.add(free);
    return toSession(profile, free);
  });
}

/** Other extensions can read it: it doesn't tell the address. */
function idOf({ id }: Pick<Profile, "id">): string {
  return createHash("sha256").update(id).digest("hex").slice(0, 8);
}

/** Without a token: whoever gets hold of it has nothing. The editor draws the name in places of its own, icons and links included. */
function toSession(profile: Profile, name: string): vscode.AuthenticationSession {
  const id = idOf(profile);
  return { id, accessToken: "", account: { id, label: defuse(name) }, scopes: [] };
}

function compareSessions(
  before: readonly vscode.AuthenticationSession[],
  now: readonly vscode.AuthenticationSession[],
): vscode.AuthenticationProviderAuthenticationSessionsChangeEvent {
  const known = new Map(before.map((session) => [session.id, session]));
  const ids = new Set(now.map(({ id }) => id));
  // The editor takes no new label from a session that merely changed.
  const renamed = now.filter(({ id, account }) => known.has(id) && known.get(id)?.account.label !== account.label);
  return {
    added: [...now.filter(({ id }) => !known.has(id)), ...renamed],
    removed: [...before.filter(({ id }) => !ids.has(id)), ...renamed.flatMap(({ id }) => known.get(id) ?? [])],
    changed: [],
  };
}
