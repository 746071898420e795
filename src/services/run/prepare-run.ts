// What comes before a run on an instance that is up: the machine answers, and the person agrees to what goes there.
import { join } from "node:path";
import { getCurrentPrice, type Instance } from "../../domain/instance/instance.ts";
import type { RunFacts } from "../../domain/run/run-facts.ts";
import { assertKeepable } from "../../domain/run/run-limits.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import { isOpen } from "../../domain/run/run-record.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import { isMuchMore } from "../../domain/transfer/upload-list.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Log } from "../../lib/log.ts";
import type { ConnectionsService } from "../connection/connections.ts";
import type { MachineLogin } from "../connection/run-there.ts";
import type { SshMachines } from "../connection/ssh/ssh-machines.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { AutoStopsService } from "../instance/auto-stops/auto-stops.ts";
import type { InstancesService } from "../instance/instances.ts";
import { suggestPlace } from "../transfer/suggest-place.ts";
import { findAgreed } from "../transfer/upload-memory.ts";
import type { PreparedRun } from "./prepared-run.ts";
import { hashCommand, rememberPlace } from "./remember-place.ts";
import type { RunsService } from "./runs.ts";

/** The person from whose computer a run uploads. */
export interface UploadingPerson {
  /** The folder on machines into which they upload. */
  usualFolder(): string;
  /** The same folder on this machine. @throws AppError if files can't be sent there. */
  findPlace(account: SignedIn, machine: MachineLogin): Promise<string>;
  /** What would be uploaded now. @throws AppError if it can't be read. */
  list(draft: RunDraft): Promise<RunUpload>;
}

/** The person who runs something on an instance that is up. The extension asks with modals; a test answers on its own. */
export interface PrepareRunPerson extends UploadingPerson {
  /** @returns undefined if the person doesn't want to connect. @throws AppError if the machine can't be logged in to. */
  connect(account: SignedIn, instance: Instance): Promise<MachineLogin | undefined>;
  /** Asks whether it may be run, with the list of what would be uploaded to read. */
  confirm(folder: string, facts: RunFacts): Promise<boolean>;
}

/** What is to be run, and where. */
export interface RunWish {
  readonly instance: Instance;
  readonly draft: RunDraft;
  /** Even if the same was uploaded there before. */
  readonly asksAlways?: boolean;
}

interface Services {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly connections: ConnectionsService;
  readonly sshMachines: SshMachines;
  readonly autoStops: Pick<AutoStopsService, "findAutoStop">;
  readonly runs: RunsService;
  readonly clock: Clock;
  readonly log: Log;
}

/** Asks what is to be asked, and writes the run down. @returns undefined if the person doesn't want it. @throws AppError. */
export async function prepareRun(
  services: Services,
  person: PrepareRunPerson,
  account: SignedIn,
  given: RunWish,
): Promise<PreparedRun | undefined> {
  const { session, runs } = services;
  const { instance } = given;
  const draft = withoutAttempts(given.draft);
  const wish = { ...given, draft };
  const price = findPrice(services, instance);
  assertKeepable(draft.limits ?? {}, price);
  const list = await person.list(draft);
  session.assertStill(account);
  const machine = await person.connect(account, instance);
  if (!machine) return undefined;
  const remote = await agreeOnPlace(services, person, account, { ...wish, machine, list });
  if (remote === undefined) return undefined;
  session.assertStill(account);
  // A bid may have been raised while the question was open.
  const now = findPrice(services, instance);
  assertKeepable(draft.limits ?? {}, now);
  await rememberPlace(services, machine, { draft, remote, usual: person.usualFolder() }, list);
  const run = await runs.prepare(account, instance.id, { ...draft, remote }, { price: now ?? price });
  return { machine, run, list };
}

/** $/h; undefined if it isn't known. */
function findPrice({ instances }: Services, { id }: Pick<Instance, "id">): number | undefined {
  const row = instances.find(id);
  return row && getCurrentPrice(row);
}

interface Proposed extends RunWish {
  readonly machine: MachineLogin;
  readonly list: RunUpload;
}

/** @returns where on the machine the folder goes; undefined if the person doesn't want to. Asked once for each folder, command and machine. */
async function agreeOnPlace(
  services: Services,
  person: PrepareRunPerson,
  account: SignedIn,
  { draft, machine, list, asksAlways = false }: Proposed,
): Promise<string | undefined> {
  const { folder, command, setup, results, resultsEveryMinutes, limits = {}, secrets } = draft;
  const { session, connections, sshMachines, runs } = services;
  const { id, login } = machine;
  const before = await findAgreed(sshMachines, login.alias, folder);
  const known = before?.usual === person.usualFolder() ? before : undefined;
  const there = (await runs.readAll(account)).filter((one) => one.instance === id);
  const others = there.filter((one) => one.state.kind !== "ended" && isOpen(one));
  const isSame = known?.commands?.includes(hashCommand(draft)) === true;
  const isKnown =
    known && isSame && !isMuchMore(list.main, known) && (await hasData(services, machine, folder, known.to, list));
  if (isKnown && others.length === 0 && !asksAlways) return known.to;
  const remote = known?.to ?? suggestPlace(await person.findPlace(account, machine), folder);
  const end = services.autoStops.findAutoStop({ id });
  const facts: RunFacts = {
    ...{
      id,
      list,
      remote,
      command,
      setup,
      results,
      resultsEveryMinutes,
      limits,
      others,
      secrets: secrets?.names ?? [],
    },
    before: known && isMuchMore(list.main, known) ? known : undefined,
    price: findPrice(services, { id }),
    stopsItself: there.some(({ guard }) => guard?.kind === "armed"),
    ...(end ? { autoStop: { end, now: services.clock.now() } } : {}),
  };
  if (!(await person.confirm(folder, facts))) return undefined;
  // A question may have been open for hours.
  await connections.recheck(account, id, login);
  session.assertStill(account);
  return remote;
}

/** Whether each data folder is on the machine as it is here, as far as its size tells. */
async function hasData(
  { sshMachines }: Services,
  ...[{ login }, folder, remote, { data }]: [MachineLogin, string, string, RunUpload]
): Promise<boolean> {
  for (const { path, files, bytes } of data) {
    const agreed = await findAgreed(sshMachines, login.alias, join(folder, path));
    if (agreed?.to !== `${remote}/${path}` || agreed.files !== files || agreed.bytes !== bytes) return false;
  }
  return true;
}

/** Only a run that rents goes on with other instances. */
function withoutAttempts(draft: RunDraft): RunDraft {
  if (!draft.limits) return draft;
  const { maxAttempts: _, ...limits } = draft.limits;
  return { ...draft, limits };
}
