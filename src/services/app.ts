// The one place that puts the services together. The extension and the tests use it, and so can any other host.
import type { IdleRule } from "../domain/instance/idle.ts";
import type { Limits, ReplacementPolicy } from "../domain/launch/limits.ts";
import { type Clock, realClock } from "../lib/clock.ts";
import { Bag } from "../lib/disposable.ts";
import type { Log } from "../lib/log.ts";
import { assembleAccounts } from "./account/account-services.ts";
import type { WindowAttention } from "./account/balances.ts";
import { assembleAgents } from "./agent/agent-services.ts";
import { AccountKeys } from "./connection/account-keys.ts";
import { ConnectionsService } from "./connection/connections.ts";
import { EndedMachines } from "./connection/ended-machines.ts";
import { LogsService } from "./connection/logs.ts";
import { LostWindow } from "./connection/lost-window.ts";
import { MachineLoads } from "./connection/machine-loads.ts";
import { ReadinessService } from "./connection/readiness.ts";
import { RemoteWindows } from "./connection/remote-windows.ts";
import { SharedConnections } from "./connection/shared-connections.ts";
import { HostKeys } from "./connection/ssh/host-keys.ts";
import { OwnSshConfig } from "./connection/ssh/own-ssh-config.ts";
import { PersonSshConfig } from "./connection/ssh/person-ssh-config.ts";
import type { SshFiles } from "./connection/ssh/ssh-files.ts";
import { SshMachines } from "./connection/ssh/ssh-machines.ts";
import { assembleIdleKeepers, type IdleKeeperPorts } from "./connection/ssh-idle-keepers.ts";
import { assembleSelfStops } from "./connection/ssh-self-stops.ts";
import type { Disk } from "./core/book/disk.ts";
import { Heartbeat, type Liveness } from "./core/heartbeat.ts";
import type { Notes } from "./core/notes.ts";
import { RowMemory } from "./core/row-memory.ts";
import { Scheduler } from "./core/scheduler.ts";
import { SessionService } from "./core/session.ts";
import type { SessionOptions } from "./core/session-options.ts";
import { assembleGroups } from "./group/group-services.ts";
import { HostService } from "./host/host.ts";
import { JobsEdits } from "./host/jobs-edits.ts";
import type { SelfStopAccess } from "./instance/auto-stops/self-stop-access.ts";
import type { IdleWatch } from "./instance/idle/idle-watch.ts";
import type { InstanceAlerts } from "./instance/instance-alerts.ts";
import type { InstanceOrders } from "./instance/instance-orders.ts";
import { assembleInstances } from "./instance/instance-services.ts";
import type { InstanceUses } from "./instance/instance-uses.ts";
import type { InstancesService } from "./instance/instances.ts";
import { assembleLaunches } from "./launch/launch-services.ts";
import { assembleOffers } from "./offer/offer-services.ts";
import { JupyterServers } from "./port/jupyter-servers.ts";
import { Tunnels } from "./port/tunnels.ts";
import { WebFronts } from "./port/web-fronts.ts";
import { type ContinueParts, RunContinuations } from "./run/attempts/continue-run.ts";
import type { FollowerParts } from "./run/follow-run.ts";
import { RunJournal } from "./run/run-journal.ts";
import { RunList } from "./run/run-list.ts";
import { RunSecrets } from "./run/run-secrets.ts";
import { RunsService } from "./run/runs.ts";
import { WorkergroupsService } from "./serverless/workergroups.ts";
import { followFolders, nameFolders, tidyUp } from "./shared-folders.ts";
import type { DraftSecrets } from "./template/draft-store.ts";
import { assembleTemplates } from "./template/template-services.ts";

/** What a host provides. */
export interface AppPorts extends IdleKeeperPorts {
  readonly session: Omit<SessionOptions, "log">;
  /** Small facts about instances that survive a reload. */
  readonly notes: Notes;
  /** Small facts about the tabs of one workspace, which survive a reload as well. */
  readonly workspaceNotes: Notes;
  /** The folder that all windows of this editor share. */
  readonly folder: string;
  /** The folder that all editors of this user share; the same if left out. */
  readonly sharedFolder?: string;
  readonly draftSecrets: DraftSecrets;
  readonly sshFiles: SshFiles;
  /** The person's own limits, read again for each launch. */
  readonly limits: () => Limits;
  /** How far dead machines are replaced without asking. */
  readonly replacementPolicy: () => ReplacementPolicy;
  /** When an instance counts as idle, read again with each list; never if left out. */
  readonly idleRule?: () => IdleRule;
  /** Minutes between two looks at a watched price, read again after each look. */
  readonly watchMinutes?: () => number;
  /** Whether someone looks at this window; always if left out. */
  readonly attention?: WindowAttention;
  /** The name of the folder that is open, by which what was spent is told apart. */
  readonly project?: () => string | undefined;
  readonly log: Log;
  readonly clock?: Clock;
  /** Where journals are written. Only tests replace it. */
  readonly disk?: Disk;
  /** How instances that stop themselves are told when. Only tests replace it. */
  readonly selfStopAccess?: SelfStopAccess;
  /** This window's identity, and which other windows are alive. Only tests replace it. */
  readonly liveness?: Liveness;
}

const NOT_IDLE: IdleRule = { minutes: 0, percent: 10 };

export type App = ReturnType<typeof createApp>;

/** Puts the services together. If one of them can't be made, those made before it are disposed of. */
export function createApp(ports: AppPorts) {
  const bag = new Bag();
  try {
    return assemble(ports, bag);
  } catch (error) {
    bag.dispose();
    throw error;
  }
}

/** What all others stand on. */
function assembleBase(ports: AppPorts, bag: Bag) {
  const { folder, sharedFolder = folder, log, clock = realClock } = ports;
  const folders = nameFolders(folder, sharedFolder);
  const scheduler = bag.add(new Scheduler(clock, log));
  const session = bag.add(new SessionService({ ...ports.session, log }));
  const rowMemory = bag.add(new RowMemory({ folder: folders.rows, session, clock, log }));
  const heartbeat = bag.add(new Heartbeat(folders.windows, scheduler, log));
  const { liveness = heartbeat } = ports;
  return { clock, scheduler, session, rowMemory, heartbeat, liveness, folders };
}

function assemble(ports: AppPorts, bag: Bag) {
  const { notes, log, disk, idleRule = () => NOT_IDLE } = ports;
  const { clock, scheduler, session, rowMemory, heartbeat, liveness, folders } = assembleBase(ports, bag);

  const forOffers = assembleOffers(bag, ports, { session, scheduler, folders, liveness, log });
  const forTemplates = assembleTemplates({ ...ports, clock }, bag, session);

  const forInstances = assembleInstances(bag, { session, scheduler, folders, liveness, notes, disk, log, idleRule });
  const { instances, orders, alerts, idleWatch, instanceUses } = forInstances;

  const parts = { session, instances, orders, alerts, scheduler, clock, log, idleWatch };
  const forConnections = assembleConnections(ports, bag, parts);
  const selfStopAccess = assembleSelfStops(bag, ports, { ...parts, ...forInstances, ...forConnections });
  const idleKeepers = assembleIdleKeepers(bag, ports, { ...parts, ...forInstances, ...forConnections, idleRule });
  const forPorts = assemblePorts(bag, { ...parts, ...forConnections });
  const rented = { ...parts, ...forConnections, ...forOffers, ...forTemplates, liveness, folders };
  const forLaunches = assembleLaunches(bag, ports, { ...rented, ...forInstances });
  const forAgents = assembleAgents(bag, { ...parts, ...forInstances, ...forLaunches, folder: folders.grants, disk });
  const { watch, journal, machineMemory, offerLimits } = forLaunches;
  forOffers.priceWatches.leaveOut((offer) => offerLimits.isBlocked(offer));
  const forRuns = assembleRuns(folders.runs, bag, { ...ports, ...rented, ...forInstances, ...forLaunches });
  const forGroups = assembleGroups(bag, ports, { ...rented, ...forLaunches, ...forRuns });

  addUses(instanceUses, { ...forPorts, ...forRuns });
  const forHosts = assembleHosts(bag, session, clock);
  const forAccount = { ...parts, ...forHosts, notes, disk, attention: ports.attention, folder: folders.ledger, watch };
  const forAccounts = assembleAccounts(bag, forAccount);

  const followed = { ...forOffers, ...forInstances, ...forGroups, ...forAgents, watch, runList: forRuns.runList };
  const kept = { heartbeat, journal, machineMemory, rowMemory };
  return {
    session,
    rowMemory,
    ...forOffers,
    ...forTemplates,
    ...forInstances,
    ...forConnections,
    selfStopAccess,
    idleKeepers,
    ...forPorts,
    ...forLaunches,
    ...forGroups,
    inventories: folders.inventories,
    ...forRuns,
    ...forHosts,
    ...forAccounts,
    ...forAgents,
    notes,
    log,
    clock,
    scheduler,
    /** Watches what other windows write, and cleans up old files. */
    followOtherWindows: async () => {
      await followFolders(bag, folders, followed, log);
      tidyUp({ ...kept, ...forOffers, ...forGroups, ...forInstances, ...forAccounts, ...forAgents }, clock, log);
    },
    dispose: () => bag.dispose(),
  };
}

interface ConnectionParts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly orders: InstanceOrders;
  readonly alerts: InstanceAlerts;
  readonly scheduler: Scheduler;
  readonly clock: Clock;
  readonly log: Log;
  readonly idleWatch: IdleWatch;
}

/** Whatever is open to an instance, and goes on without anyone. */
function addUses(uses: InstanceUses, { tunnels, runList }: { readonly tunnels: Tunnels; readonly runList: RunList }) {
  uses.add({ inUse: () => tunnels.list().map(({ id }) => id), onDidChange: tunnels.onDidChange });
  uses.add({ inUse: () => runList.busy, onDidChange: runList.onDidChange });
}

function assembleConnections({ sshFiles: files }: AppPorts, bag: Bag, parts: ConnectionParts) {
  const { clock, log } = parts;
  const connections = new ConnectionsService({ ...parts, files });
  const readiness = bag.add(new ReadinessService({ ...parts, files }));
  const sshMachines = new SshMachines(files.folder, clock, log);
  const hostKeys = new HostKeys(files);
  const own = new OwnSshConfig(files, sshMachines, clock);
  const person = new PersonSshConfig(files, clock);
  const remoteWindows = new RemoteWindows({ ...parts, files, machines: sshMachines, own, person });
  const sharedConnections = bag.add(new SharedConnections(parts));
  return {
    connections,
    accountKeys: new AccountKeys({ ...parts, connections }),
    readiness,
    logs: new LogsService(parts),
    sshConfig: own,
    sshMachines,
    hostKeys,
    remoteWindows,
    sharedConnections,
    machineLoads: bag.add(new MachineLoads({ ...parts, sharedConnections })),
    endedMachines: bag.add(new EndedMachines({ ...parts, machines: sshMachines, own, keys: hostKeys })),
    lostWindow: bag.add(new LostWindow(parts)),
  };
}

function assemblePorts(bag: Bag, parts: ConnectionParts & { readonly sharedConnections: SharedConnections }) {
  const tunnels = bag.add(new Tunnels(parts));
  const fronts = bag.add(new WebFronts(tunnels, parts.clock));
  const jupyterServers = new JupyterServers({ ...parts, tunnels, fronts });
  return { tunnels, fronts, jupyterServers };
}

type RunParts = Omit<FollowerParts, "journal" | "runSecrets"> &
  Omit<ContinueParts, "runJournal" | "runs"> & { readonly draftSecrets: DraftSecrets };

function assembleRuns(folder: string, bag: Bag, parts: RunParts) {
  const runJournal = new RunJournal(folder, parts.clock);
  const runSecrets = new RunSecrets({ ...parts, folder });
  const forRuns = { ...parts, journal: runJournal, runSecrets };
  const runs = new RunsService(forRuns);
  const continuations = new RunContinuations({ ...parts, runJournal, runs });
  return { runs, runSecrets, continuations, runList: bag.add(new RunList(forRuns)) };
}

function assembleHosts(bag: Bag, session: SessionService, clock: Clock) {
  const host = bag.add(new HostService(session, clock));
  const jobs = bag.add(new JobsEdits({ session, host }));
  const workergroups = bag.add(new WorkergroupsService(session, clock));
  return { host, jobs, workergroups };
}
