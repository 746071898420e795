// The services of one window put together as the extension does it, with a keyStore and settings in memory of their own.
import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client, ClientOptions } from "../../src/api/client.ts";
import type { InstanceId } from "../../src/domain/base/id.ts";
import type { IdleRule } from "../../src/domain/instance/idle.ts";
import type { LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import type { Limits, ReplacementPolicy } from "../../src/domain/launch/limits.ts";
import type { Offer } from "../../src/domain/offer/offer.ts";
import type { WholeDraft } from "../../src/domain/template/template-form.ts";
import { type Clock, realClock, sleep } from "../../src/lib/clock.ts";
import { type Log, silentLog } from "../../src/lib/log.ts";
import type { WindowAttention } from "../../src/services/account/balances.ts";
import { createApp } from "../../src/services/app.ts";
import type { IdleKeeperPorts } from "../../src/services/connection/ssh-idle-keepers.ts";
import type { Disk } from "../../src/services/core/book/disk.ts";
import type { Liveness } from "../../src/services/core/heartbeat.ts";
import type { Notes } from "../../src/services/core/notes.ts";
import { type KeyStore, Profiles, type SessionChange } from "../../src/services/core/profiles.ts";
import type { SessionService } from "../../src/services/core/session.ts";
import type { SelfStopAccess } from "../../src/services/instance/auto-stops/self-stop-access.ts";
import type { OrderKind } from "../../src/services/instance/order-journal.ts";
import type { OrderNotice } from "../../src/services/instance/order-notices.ts";
import type { Intent } from "../../src/services/launch/intent.ts";
import type { LaunchNotice } from "../../src/services/launch/outcome/launch-notices.ts";
import type { RentOptions } from "../../src/services/launch/outcome/launch-outcome.ts";
import type { DraftSecrets } from "../../src/services/template/draft-store.ts";
import { compareFile, type Pushable, pushDraft } from "../../src/services/template/template-file-sync.ts";
import { type Stored, TemplateSaves } from "../../src/services/template/template-saves.ts";
import type { TemplatesService } from "../../src/services/template/templates.ts";

/** One person's machine: what several windows share. */
export interface UserData {
  /** All that is on its disk. */
  readonly root: string;
  /** The launch journal's folder. */
  readonly folder: string;
  readonly keys: Map<string, string>;
  baseUrl: string;
  readonly notes: Map<string, unknown>;
  /** What is noted of the tabs of its folder. */
  readonly workspaceNotes: Map<string, unknown>;
  /** What is noted of the accounts signed in to. */
  readonly profiles: Map<string, unknown>;
  readonly announced: SessionChange[];
}

/** Its folder is made here and removed by whoever asked for it. */
export function newUserData(): UserData {
  const root = mkdtempSync(join(tmpdir(), "cloud-gpu-userData-"));
  return {
    root,
    folder: join(root, "launches"),
    keys: new Map(),
    baseUrl: "",
    notes: new Map(),
    workspaceNotes: new Map(),
    profiles: new Map(),
    announced: [],
  };
}

/** A window that was just closed may still be writing: on a busy disk for many seconds. */
export const removeUserData = ({ root }: Pick<UserData, "root">): Promise<void> =>
  rm(root, { recursive: true, force: true, maxRetries: 40, retryDelay: 50 });

function notesIn(map: Map<string, unknown>): Notes {
  return {
    get: (key) => map.get(key),
    set: (key, value) => void (value === undefined ? map.delete(key) : map.set(key, value)),
    keys: () => [...map.keys()],
  };
}

/** What a test may put in the place of a window's own parts. */
export interface Parts extends IdleKeeperPorts {
  readonly clock?: Clock;
  readonly disk?: Disk;
  readonly connect?: (options: ClientOptions) => Client;
  readonly limits?: Limits;
  readonly policy?: ReplacementPolicy;
  readonly log?: Log;
  readonly draftSecrets?: DraftSecrets;
  /** What the person set as their proxy command. */
  readonly proxyCommand?: () => string | undefined;
  /** Which of the windows of the userData it is, and which others live. */
  readonly liveness?: Liveness;
  /** How far apart requests are, to how far the service wants them. */
  readonly pace?: number;
  /** Whether someone looks at it. */
  readonly attention?: WindowAttention;
  /** When an instance counts as idle. */
  readonly idleRule?: () => IdleRule;
  /** How it tells instances that end themselves. */
  readonly selfStopAccess?: SelfStopAccess;
}

/** A window that takes the others named for living ones. */
export function lifeOf(id: string, ...alive: readonly string[]): Liveness {
  return {
    id,
    isAlive: async (other) => other === id || alive.includes(other),
    begin: () => () => {},
    show: async () => {},
  };
}

const ALWAYS_ASK: ReplacementPolicy = { automatic: false, priceRise: 0, tries: 0 };

/** One window on a userData. */
export function openWindow(
  at: UserData,
  {
    clock = realClock,
    disk,
    connect,
    limits = {},
    policy = ALWAYS_ASK,
    log = silentLog,
    draftSecrets = secretsInMemory(),
    proxyCommand,
    liveness = lifeOf("alone"),
    attention,
    pace = 0.02,
    idleRule,
    selfStopAccess,
    idleKeeperAccess,
    keeperPace,
  }: Parts = {},
) {
  const keyStore: KeyStore = {
    read: async (origin) => at.keys.get(origin),
    store: async (origin, key) => void (await at.keys.set(origin, key)),
    remove: async (origin) => void (await at.keys.delete(origin)),
  };
  const app = createApp({
    session: {
      keyStore,
      profiles: new Profiles(notesIn(at.profiles)),
      chosen: () => at.baseUrl,
      choose: async (baseUrl) => {
        at.baseUrl = baseUrl;
      },
      network: () => ({}),
      announce: (change) => void at.announced.push(change),
      // The sandbox has no limits; waiting for them would only make the tests slow.
      pace,
      ...(connect ? { connect } : {}),
    },
    notes: notesIn(at.notes),
    workspaceNotes: notesIn(at.workspaceNotes),
    folder: at.root,
    draftSecrets,
    sshFiles: {
      folder: join(at.root, "ssh", "cloud-gpu"),
      knownHosts: join(at.root, "ssh", "cloud-gpu", "known_hosts"),
      ownConfig: join(at.root, "ssh", "cloud-gpu", "config"),
      config: "none",
      usual: [],
      person: () => ({ path: join(at.root, "ssh", "config"), isUsual: false }),
      ...(proxyCommand ? { proxyCommand } : {}),
    },
    limits: () => limits,
    replacementPolicy: () => policy,
    log,
    clock,
    liveness,
    ...(attention ? { attention } : {}),
    ...(idleRule ? { idleRule } : {}),
    ...(selfStopAccess ? { selfStopAccess } : {}),
    ...(idleKeeperAccess ? { idleKeeperAccess } : {}),
    ...(keeperPace ? { keeperPace } : {}),
    ...(disk ? { disk } : {}),
  });
  const { session, instances, launches, orders, watch } = app;
  const orderNotices: OrderNotice[] = [];
  orders.onNotice((notice) => void orderNotices.push(notice));
  const notices: LaunchNotice[] = [];
  watch.onNotice((notice) => void notices.push(notice));
  /** As its commands do it: in the account signed in right now. */
  const rent = (plan: LaunchPlan, intent: Intent, options?: RentOptions) =>
    launches.rent(session.requireSignedIn(), plan, intent, options);
  const order = async (kind: OrderKind, id: InstanceId) => {
    const row = instances.find(id) ?? { value: { id } };
    const [end] = await orders.carryOut(session.requireSignedIn(), kind, [row]);
    return end?.outcome === "done";
  };
  return {
    ...app,
    userData: at,
    orderNotices,
    rent,
    destroy: (id: InstanceId) => order("destroy", id),
    stop: (id: InstanceId) => order("stop", id),
    me: () => session.requireSignedIn(),
    notices,
    close: app.dispose,
  };
}

/** A launch of this offer as someone would ask for it. */
export function planFor(offer: Offer, label = "first run"): LaunchPlan {
  return {
    offer,
    type: "ondemand",
    template: undefined,
    image: "pytorch/pytorch",
    runtype: "ssh_direct",
    diskGb: 8,
    label,
    bid: undefined,
  };
}

/** A clock on which so many seconds pass in one. */
export const clockAt = (rate: number): Clock => ({
  now: () => Date.now(),
  elapsed: () => performance.now() * rate,
  sleep: (ms, signal) => sleep(ms / rate, signal),
});

/** A clock on which seconds pass in milliseconds. */
export const fastClock = clockAt(1000);

/** Saves of templates in the account signed in right now, as the forms and files of one window make them. */
export function currentSaves(session: SessionService, templates: TemplatesService) {
  const saves = new TemplateSaves(session, templates);
  return {
    find: (of: Pick<Stored, "id" | "hash">) => saves.find(session.requireSignedIn(), of),
    read: (of: Pick<Stored, "id" | "hash">) => saves.read(session.requireSignedIn(), of),
    create: (draft: WholeDraft) => saves.create(session.requireSignedIn(), draft),
    edit: (base: Stored, draft: WholeDraft) => saves.edit(session.requireSignedIn(), base, draft),
    remove: (shown: Stored) => saves.remove(session.requireSignedIn(), shown),
    compare: (file: string) => compareFile(saves, session.requireSignedIn(), file),
    push: (seen: Pushable) => pushDraft(saves, session.requireSignedIn(), seen),
    onDidSave: saves.onDidSave,
    onDidRemove: saves.onDidRemove,
    dispose: saves.dispose.bind(saves),
  };
}
export type CurrentSaves = ReturnType<typeof currentSaves>;

/** A secret storage in memory. */
export function secretsInMemory() {
  const kept = new Map<string, string>();
  return {
    kept,
    read: async (name: string) => kept.get(name),
    store: async (name: string, text: string) => void kept.set(name, text),
    remove: async (name: string) => void kept.delete(name),
  };
}
