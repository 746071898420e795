// The composition root of the extension, loaded after activation: the services, the modules, and synchronization
// between windows.
import * as vscode from "vscode";
import { type Link, type LinkParts, readLink } from "../domain/agent/link.ts";
import type { Asker } from "../domain/launch/launch-plan.ts";
import { type CommandId, commands, contexts, settings } from "../ids.ts";
import { Bag } from "../lib/disposable.ts";
import { setListenerFailureReporter } from "../lib/event.ts";
import type { Log } from "../lib/log.ts";
import { setTranslator } from "../lib/text.ts";
import { type App, type AppPorts, createApp } from "../services/app.ts";
import { Profiles, readOrigin, type SessionChange } from "../services/core/profiles.ts";
import type { SessionService } from "../services/core/session.ts";
import { openSharedFolder } from "../services/open-shared-folder.ts";
import { createAccountModule } from "./account/module.ts";
import { ExportedAccount } from "./agent/exported-account.ts";
import { createAgentModule } from "./agent/module.ts";
import { joinHandlers, listRowCommands } from "./command-handlers.ts";
import { createConnectionModule } from "./connection/module.ts";
import { chooseSshFiles } from "./connection/ssh-files.ts";
import { createGroupModule } from "./group/module.ts";
import { createHostModule } from "./host/module.ts";
import { readIdleRule } from "./instance/idle-settings.ts";
import { joinDetails } from "./instance/instances-view.ts";
import { createInstanceModule } from "./instance/module.ts";
import { Documents } from "./kit/documents.ts";
import { showError } from "./kit/errors.ts";
import { tellWarning } from "./kit/messages.ts";
import type { Kit, Module } from "./kit/module.ts";
import { createNotes } from "./kit/notes.ts";
import { chooseAddress, createChannel, createKeyStore, readNetwork } from "./kit/ports.ts";
import { RecordPages } from "./kit/record-pages.ts";
import { setContext } from "./kit/run-command.ts";
import { setSchemaLanguage } from "./kit/schema-language.ts";
import { SecretClipboard } from "./kit/secret-clipboard.ts";
import { openSessionBroadcast, type SessionBroadcast } from "./kit/session-broadcast.ts";
import { readChosenAddress } from "./kit/settings.ts";
import { LaunchPages } from "./launch/launch-pages.ts";
import { createLaunchRows } from "./launch/launch-rows.ts";
import { readLimits, readReplacementPolicy } from "./launch/launch-settings.ts";
import { createLaunchModule } from "./launch/module.ts";
import { Selections } from "./list/selections.ts";
import { assertOwnRows, assertRowKnown } from "./list/targets.ts";
import { readWatchMinutes } from "./offer/watch-settings.ts";
import { FOUND_SIGNED_OUT, tellPalette } from "./palette.ts";
import { createPortModule } from "./port/module.ts";
import type { PortOfMachine } from "./port/port-rows.ts";
import { createRunModule, type RunModule } from "./run/module.ts";
import type { RunOnMachine } from "./run/run-rows.ts";
import { createSandboxEntry, enterNamedSandbox } from "./sandbox-entry.ts";
import { createServerlessModule } from "./serverless/module.ts";
import type { TemplateFiles } from "./template/files/template-files.ts";
import { createDraftSecrets } from "./template/form/draft-secrets.ts";
import { createTemplateModule } from "./template/module.ts";
import { createTransferModule } from "./transfer/module.ts";

export interface Extension {
  run(id: CommandId, args: readonly unknown[]): Promise<void>;
  readonly exported: ExportedAccount;
  /** Opens a link from outside the editor: at most the summary of a launch. */
  openLink(link: LinkParts): Promise<void>;
  /** Answers an agent. @throws AppError that tells it what is wrong with the call. */
  readonly invokeTool: ReturnType<typeof createAgentModule>["invokeTool"];
  readonly files: TemplateFiles;
  /** A terminal on an instance that the person chooses. */
  createTerminalProfile(): Promise<vscode.TerminalProfile>;
  readonly createTaskTerminal: RunModule["createTaskTerminal"];
  /** Restores a template panel that was open before a reload. */
  restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void>;
}

/**
 * Builds everything. `removePlaceholders` removes the placeholder views. A failure disposes of everything built so far,
 * so that it can be tried again.
 */
export async function openExtension(
  context: vscode.ExtensionContext,
  removePlaceholders: () => void,
): Promise<Extension> {
  const bag = new Bag();
  try {
    const extension = await build(context, bag, removePlaceholders);
    context.subscriptions.push(bag);
    return extension;
  } catch (error) {
    bag.dispose();
    throw error;
  }
}

async function build(context: vscode.ExtensionContext, bag: Bag, removePlaceholders: () => void): Promise<Extension> {
  setTranslator(vscode.l10n.t, vscode.env.language);
  setSchemaLanguage(vscode.env.language);
  const { log, channel } = createChannel();
  bag.add(channel);
  setListenerFailureReporter((error) => log.error("A listener failed.", error));
  const broadcast = bag.add(await openSessionBroadcast(context.globalStorageUri.fsPath, log));
  const { folder: sharedFolder, problem } = await openSharedFolder(context.globalStorageUri.fsPath, log);
  if (problem !== undefined) void tellWarning(problem);
  const app = bag.add(createApp({ ...createPorts(context, broadcast, log), sharedFolder }));
  await app.followOtherWindows();
  const { session, readings } = app;
  removePlaceholders();
  const { modules, openLink, invokeTool, panels, files, createTerminalProfile, createTaskTerminal } = createModules(
    app,
    channel,
    context,
    bag,
  );
  await followSession(context, { session, readings }, broadcast, bag, log);
  await enterNamedSandbox(session).catch((error) =>
    log.warn("The sandbox named by the environment cannot be used.", error),
  );
  const handlerOf = joinHandlers(modules);
  const ofRows = listRowCommands(context);
  const openAsked = async (read: () => Link, askedBy: Asker) => {
    try {
      const link = read();
      if (await signInFirst(session, (first) => handlerOf(first)([]))) await openLink(link, askedBy);
    } catch (error) {
      // Its message may stay for long, and whoever asked doesn't wait for that.
      void showError(error, log);
    }
  };
  return {
    exported: bag.add(new ExportedAccount(app, (link, askedBy) => openAsked(() => link, askedBy))),
    files,
    createTerminalProfile,
    createTaskTerminal,
    restorePanel: (panel, state) => panels.restore(panel, state),
    run: async (id, args) => {
      try {
        if (ofRows.has(id)) assertRowKnown(args);
        assertOwnRows(session, args);
        if (FOUND_SIGNED_OUT.has(id) && !(await signInFirst(session, (first) => handlerOf(first)([])))) return;
        await handlerOf(id)(args);
      } catch (error) {
        await showError(error, log);
      }
    },
    openLink: (parts) => openAsked(() => readLink(parts), "link"),
    invokeTool,
  };
}

function createPorts(context: vscode.ExtensionContext, broadcast: SessionBroadcast, log: Log): AppPorts {
  const notes = createNotes(context.globalState, log);
  return {
    session: {
      keyStore: createKeyStore(context.secrets),
      profiles: new Profiles(notes),
      chosen: readChosenAddress,
      choose: chooseAddress,
      network: readNetwork,
      announce: broadcast.tell,
    },
    notes,
    workspaceNotes: createNotes(context.workspaceState, log),
    folder: context.globalStorageUri.fsPath,
    draftSecrets: createDraftSecrets(context.secrets),
    sshFiles: chooseSshFiles(),
    project: () => vscode.workspace.name,
    limits: readLimits,
    idleRule: readIdleRule,
    watchMinutes: readWatchMinutes,
    replacementPolicy: readReplacementPolicy,
    attention: { isFocused: () => vscode.window.state.focused, onDidChange: vscode.window.onDidChangeWindowState },
    log,
  };
}

/** Every feature of the extension. */
function createModules(app: App, channel: vscode.LogOutputChannel, context: vscode.ExtensionContext, bag: Bag) {
  const { session, scheduler, rowMemory, readiness, log } = app;
  const secretClipboard = bag.add(new SecretClipboard(scheduler, log));
  const selections = new Selections();
  const documents = bag.add(new Documents());
  const records = bag.add(new RecordPages(context.extensionUri, log));
  const kit: Kit = { documents, records, secretClipboard, scheduler, rowMemory, selections, log };
  bag.add(session.onDidChange(() => documents.clear()));
  bag.add(session.onDidChange(() => records.clear()));
  const parts = { ...app, ...kit };
  const refresh = async () =>
    void (await Promise.all(modules.flatMap(({ views }) => views.map(({ refresher }) => refresher.refreshNow()))));
  const { enter: enterSandbox, rehearsal } = createSandboxEntry(session, bag);
  const templates = createTemplateModule(parts, context, bag);
  const { panels, files, readProposedRun } = templates;
  const launchPages = new LaunchPages(context.extensionUri, (draft) => app.edits.openFilled(panels.person, draft));
  const workspaceNotes = createNotes(context.workspaceState, log);
  const all = { ...parts, launchPages, workspaceNotes };
  const connections = createConnectionModule(all, bag);
  const ports = createPortModule(all, bag);
  const groups = createGroupModule(all, bag);
  const runs = createRunModule({ ...all, readProposedRun, targets: groups.targets }, bag);
  const instances = createInstanceModule(
    all,
    {
      first: createLaunchRows(app.watch),
      ...{ readiness, listPublished: ports.rows.listPublished },
      groups: groups.rows,
      details: joinDetails<PortOfMachine | RunOnMachine>(runs.rows, ports.rows),
    },
    bag,
  );
  const launches = createLaunchModule(all, context.extensionUri, bag);
  const { runAsked, createTaskTerminal } = runs;
  const { exploreOffers } = launches;
  const agents = createAgentModule({ ...all, revealInstance: instances.reveal, exploreOffers, runAsked }, bag);
  const modules: readonly Module[] = [
    templates,
    instances,
    connections,
    ports,
    createTransferModule(all),
    launches,
    runs,
    groups,
    createHostModule(all, context, bag),
    createServerlessModule({ ...all, panels }, bag),
    createAccountModule(
      { ...all, enterSandbox, rehearsal, refresh, showLog: () => channel.show() },
      context.extensionUri,
      bag,
    ),
    agents,
  ];
  tellPalette(app, bag);
  for (const view of modules.flatMap(({ views }) => views)) selections.follow(view);
  const { createTerminalProfile } = connections;
  const { openLink, invokeTool } = agents;
  return { modules, openLink, invokeTool, panels, files, createTerminalProfile, createTaskTerminal };
}

/**
 * Leads someone who is signed out to an account or the sandbox.
 * @returns whether they are in one now: whoever leaves that has decided against both.
 */
async function signInFirst(session: SessionService, run: (id: CommandId) => unknown): Promise<boolean> {
  const before = session.current;
  if (before.kind === "signed-in") return true;
  await run(session.profiles.list().length > 0 ? commands.switchAccount : commands.signIn);
  return session.current.kind === "signed-in";
}

/** Keeps this window synchronized with the others, and the context keys with this window. */
async function followSession(
  context: vscode.ExtensionContext,
  { session, readings }: Pick<App, "session" | "readings">,
  broadcast: SessionBroadcast,
  bag: Bag,
  log: Log,
): Promise<void> {
  const warn = (error: unknown) => log.warn("What another window changed could not be followed.", error);
  const catchUp = () => void session.restore().catch(warn);
  const receive = async (change: SessionChange) => {
    if (change.forgotten !== undefined) return readings.learnForgotten(change.forgotten);
    if (change.renamed) return change.profile && session.profiles.learn(change.profile);
    await session.follow(change);
    // This window's copy of the secrets may lack a key that another window stored. A reload fetches it.
    setContext(contexts.elsewhere, change.signedIn && session.current.kind === "signed-out");
  };
  bag.add(context.secrets.onDidChange(catchUp));
  bag.add(
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(settings.baseUrl) && catchUp()),
  );
  bag.add(broadcast.onDidReceive((change) => void receive(change).catch(warn)));
  bag.add(
    session.profiles.onDidRename((profile) => {
      broadcast.tell({ origin: readOrigin(profile.id) ?? profile.id, signedIn: true, profile, renamed: true });
    }),
  );
  bag.add(
    readings.onDidForget(({ key, base }) => {
      broadcast.tell({ origin: new URL(base).origin, signedIn: true, forgotten: key });
    }),
  );
  await session.restore();
  const tellMenus = () => {
    const now = session.current.kind === "signed-in" ? "signedIn" : "signedOut";
    setContext(contexts.session, now);
    if (now === "signedIn") setContext(contexts.elsewhere, false);
  };
  tellMenus();
  bag.add(session.onDidChange(tellMenus));
}
