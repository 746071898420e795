// Builds the parts in order and hands over one bag; loaded in the turn after activation, so that activation costs nothing.
import { join } from "node:path";
import * as vscode from "vscode";
import { type CommandId, contexts, environment, settings } from "../ids.ts";
import { realClock } from "../lib/clock.ts";
import { Bag } from "../lib/disposable.ts";
import { setListenerFailureReporter } from "../lib/event.ts";
import { lazily } from "../lib/task.ts";
import { setTranslator } from "../lib/text.ts";
import { AccountReadings } from "../services/account/account-readings.ts";
import { KeysService } from "../services/account/keys.ts";
import { WebhooksService } from "../services/account/webhooks.ts";
import { Heartbeat } from "../services/core/heartbeat.ts";
import { Profiles, type SessionNews } from "../services/core/profiles.ts";
import { SessionService } from "../services/core/session.ts";
import { HostService } from "../services/host/host.ts";
import { InstanceActions } from "../services/instance/instance-actions.ts";
import { InstanceOrders } from "../services/instance/instance-orders.ts";
import { InstancesService } from "../services/instance/instances.ts";
import { OrderJournal } from "../services/instance/order-journal.ts";
import { LaunchService } from "../services/launch/launch.ts";
import { Journal } from "../services/launch/launch-journal.ts";
import { LaunchVerdicts } from "../services/launch/launch-verdicts.ts";
import { LaunchWatch } from "../services/launch/launch-watch.ts";
import { ReplacementService } from "../services/launch/replacement.ts";
import { OffersService } from "../services/offer/offers.ts";
import { WorkergroupsService } from "../services/serverless/workergroups.ts";
import { DraftShelf } from "../services/template/draft-store.ts";
import { TemplateSaves } from "../services/template/template-saves.ts";
import { TemplatesService } from "../services/template/templates.ts";
import { createAccountItem } from "./account/account-item.ts";
import { createStatusBar } from "./account/status-bar.ts";
import { createWebhooksView } from "./account/webhooks-view.ts";
import { handlers } from "./command-table.ts";
import { createHostView } from "./host/host-view.ts";
import { createInstancesView } from "./instance/instances-view.ts";
import { tellOrderNotice } from "./instance/order-notifications.ts";
import { Documents } from "./kit/documents.ts";
import { showError } from "./kit/errors.ts";
import {
  chooseAddress,
  chosenAddress,
  createChannel,
  createNotes,
  createVault,
  readNetwork,
  watchFolder,
} from "./kit/ports.ts";
import { SecretClipboard } from "./kit/secret-clipboard.ts";
import { type News, openNews } from "./kit/session-broadcast.ts";
import { assertOwnRows } from "./kit/targets.ts";
import { createLaunchRows } from "./launch/launch-rows.ts";
import { readLimits } from "./launch/launch-settings.ts";
import { tellNotice } from "./launch/unresolved-launches.ts";
import { createWorkergroupsView } from "./serverless/workergroups-view.ts";
import type { Surroundings } from "./services.ts";
import { createScriptMeter } from "./template/files/script-meter.ts";
import { TabMemory } from "./template/files/tab-memory.ts";
import { TemplateFiles } from "./template/files/template-files.ts";
import { watchTemplateFiles } from "./template/files/workspace-files.ts";
import { createDraftSecrets } from "./template/form/draft-secrets.ts";
import { MergeView } from "./template/form/merge-view.ts";
import { TemplatePanels } from "./template/form/template-panels.ts";
import { createTemplatesView } from "./template/templates-view.ts";

/** What other extensions may know: plain data, nothing with power, no secret. */
export interface Snapshot {
  readonly signedIn: boolean;
  readonly sandbox: boolean;
  readonly host: string | undefined;
  readonly instances: readonly { readonly id: number; readonly status: string | undefined }[];
}

export interface House {
  run(id: CommandId, args: readonly unknown[]): Promise<void>;
  snapshot(): Snapshot;
  readonly files: TemplateFiles;
  /** A template that was open before a reload. */
  restorePanel(panel: vscode.WebviewPanel, state: unknown): Promise<void>;
}

/** `makeRoom` takes away what stood in for the views until now. A failure takes down what was built, so that it can be tried again. */
export async function open(context: vscode.ExtensionContext, makeRoom: () => void): Promise<House> {
  const bag = new Bag();
  try {
    const house = await build(context, bag, makeRoom);
    context.subscriptions.push(bag);
    return house;
  } catch (error) {
    bag.dispose();
    throw error;
  }
}

async function build(context: vscode.ExtensionContext, bag: Bag, makeRoom: () => void): Promise<House> {
  setTranslator(vscode.l10n.t, vscode.env.language);
  const { log, channel } = createChannel();
  bag.add(channel);
  setListenerFailureReporter((error) => log.error("A listener failed.", error));
  const news = bag.add(await openNews(context.globalStorageUri.fsPath, log));
  const notes = createNotes(context.globalState);
  const session = bag.add(
    new SessionService({
      vault: createVault(context.secrets),
      profiles: new Profiles(notes),
      chosen: chosenAddress,
      choose: chooseAddress,
      network: readNetwork,
      announce: news.tell,
      log,
    }),
  );
  const instances = bag.add(new InstancesService(session, notes));
  const templates = bag.add(new TemplatesService(session));
  const webhooks = bag.add(new WebhooksService(session));
  const workergroups = bag.add(new WorkergroupsService(session));
  const host = bag.add(new HostService(session));
  const offers = new OffersService(session);
  const ordersFolder = join(context.globalStorageUri.fsPath, "orders");
  const orderJournal = new OrderJournal(ordersFolder);
  const life = bag.add(new Heartbeat(join(context.globalStorageUri.fsPath, "windows"), log));
  const orders = bag.add(
    new InstanceOrders({ session, instances, journal: orderJournal, clock: realClock, log, life }),
  );
  bag.add(await watchFolder(ordersFolder, () => orders.wake(), log));
  void life.tidy().catch((error) => log.warn("What old windows left could not be tidied away.", error));
  void orderJournal.tidy(Date.now()).catch((error) => log.warn("Old orders could not be tidied away.", error));
  const actions = new InstanceActions(session, instances, orders);
  const readings = bag.add(new AccountReadings(session, instances, notes));
  const folder = join(context.globalStorageUri.fsPath, "launches");
  const journal = new Journal(folder);
  const watch = bag.add(new LaunchWatch({ session, instances, journal, clock: realClock, log, life }));
  bag.add(await watchFolder(folder, () => watch.wake(), log));
  void journal.tidy(Date.now()).catch((error) => log.warn("Old launches could not be tidied away.", error));
  const launches = new LaunchService({
    session,
    offers,
    instances,
    journal,
    watch,
    limits: readLimits,
    clock: realClock,
    log,
    life,
  });
  makeRoom();
  const lists = [
    bag.add(createInstancesView(session, instances, orders, createLaunchRows(watch))),
    bag.add(createTemplatesView(session, templates)),
    bag.add(createWebhooksView(session, webhooks)),
    bag.add(createWorkergroupsView(session, workergroups)),
    bag.add(createHostView(session, host)),
  ];
  bag.add(createStatusBar(session, instances, watch, readings));
  bag.add(createAccountItem(session));
  const documents = bag.add(new Documents());
  bag.add(session.onDidChange(() => documents.clear()));
  const saves = bag.add(new TemplateSaves(session, templates));
  const merges = bag.add(new MergeView());
  bag.add(session.onDidChange(() => void merges.forgetAll()));
  const drafts = vscode.Uri.joinPath(context.globalStorageUri, "drafts").fsPath;
  const shelf = new DraftShelf(drafts, createDraftSecrets(context.secrets), log);
  const editing = { session, saves, shelf, offers, merges, log };
  const panels = bag.add(new TemplatePanels(context.extensionUri, editing, templates));
  const files = bag.add(
    new TemplateFiles({ session, templates, saves, merges, memory: new TabMemory(context.workspaceState) }),
  );
  bag.add(createScriptMeter(files));
  bag.add(watchTemplateFiles(session, templates));
  const around: Surroundings = {
    panels,
    files,
    saves,
    documents,
    secretClipboard: bag.add(new SecretClipboard(log)),
    webhooks,
    workergroups,
    host,
    keys: new KeysService(session),
    session,
    instances,
    actions,
    orders,
    replacements: new ReplacementService({ session, offers, launches, actions, orders, saves }),
    watch,
    templates,
    offers,
    launches,
    verdicts: new LaunchVerdicts({ session, journal, instances, watch }),
    log,
    enterSandbox: sandboxDoor(session, bag),
    refresh: async () => void (await Promise.all(lists.map((list) => list.refresher.now()))),
  };
  bag.add(watch.onNotice((notice) => void tellNotice(around, notice)));
  bag.add(orders.onNotice((notice) => void tellOrderNotice(around, notice)));
  await followSession(context, session, news, bag);
  await enterNamedSandbox(session).catch((error) =>
    log.warn("The sandbox named by the environment cannot be used.", error),
  );
  return {
    files,
    restorePanel: (panel, state) => panels.restore(panel, state),
    run: async (id, args) => {
      try {
        assertOwnRows(session, args);
        await handlers[id](around, args);
      } catch (error) {
        await showError(error, log);
      }
    },
    snapshot: () => snapshot(session, instances),
  };
}

function snapshot(session: SessionService, instances: InstancesService): Snapshot {
  const now = session.current;
  const signedIn = now.kind === "signed-in";
  return {
    signedIn,
    sandbox: signedIn && now.sandbox,
    host: signedIn ? now.address.host : undefined,
    instances: instances.rows.map(({ value }) => ({ id: value.id, status: value.actual_status })),
  };
}

/** The embedded sandbox: one a window, started on first use, ended with the window. */
function sandboxDoor(session: SessionService, bag: Bag): () => Promise<void> {
  const start = lazily(async () => {
    const { startSandbox } = await import("../sandbox/start.ts");
    const sandbox = await startSandbox({ seed: 1, speed: 20 });
    bag.add({ dispose: () => void sandbox.stop() });
    return sandbox;
  });
  return async () => {
    const { url, apiKey } = namedSandbox() ?? (await start());
    await session.enterSandbox(url, apiKey);
  };
}

/**
 * A sandbox run beside the editor names itself in the environment. Only loopback and only a sandbox's own kind of key:
 * nothing else may ever be called a sandbox, where "nothing is charged".
 */
function namedSandbox(): { url: string; apiKey: string } | undefined {
  const { [environment.sandboxUrl]: url, [environment.sandboxKey]: apiKey } = process.env;
  return url?.startsWith("http://") && apiKey?.startsWith("sandbox-") ? { url, apiKey } : undefined;
}

async function enterNamedSandbox(session: SessionService): Promise<void> {
  const named = namedSandbox();
  if (named) await session.enterSandbox(named.url, named.apiKey);
}

/** Keeps this window in step with the others, and the context keys in step with this window. */
async function followSession(
  context: vscode.ExtensionContext,
  session: SessionService,
  news: News,
  bag: Bag,
): Promise<void> {
  const catchUp = () => void session.restore();
  const hear = async (heard: SessionNews) => {
    await session.follow(heard);
    // This window's copy of the secrets may lack a key that another window stored; a reload fetches it.
    const behind = heard.signedIn && session.current.kind === "signed-out";
    void vscode.commands.executeCommand("setContext", contexts.elsewhere, behind);
  };
  bag.add(context.secrets.onDidChange(catchUp));
  bag.add(
    vscode.workspace.onDidChangeConfiguration((event) => event.affectsConfiguration(settings.baseUrl) && catchUp()),
  );
  bag.add(news.onDidHear((heard) => void hear(heard)));
  await session.restore();
  const tellMenus = () => {
    const now = session.current.kind === "signed-in" ? "signedIn" : "signedOut";
    void vscode.commands.executeCommand("setContext", contexts.session, now);
    if (now === "signedIn") void vscode.commands.executeCommand("setContext", contexts.elsewhere, false);
  };
  tellMenus();
  bag.add(session.onDidChange(tellMenus));
}
