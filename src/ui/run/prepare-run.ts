// What comes before a run on an instance that is up: the machine answers, and the person agrees to what goes there.
import { basename, join } from "node:path";
import type { Instance } from "../../domain/instance/instance.ts";
import { priceNow } from "../../domain/instance/instance.ts";
import { assertKeepable } from "../../domain/run/run-limits.ts";
import type { RunDraft } from "../../domain/run/run-plan.ts";
import { isOpen } from "../../domain/run/run-record.ts";
import type { RunUpload } from "../../domain/run/run-upload.ts";
import { isMuchMore } from "../../domain/transfer/upload-list.ts";
import { plain, t } from "../../lib/text.ts";
import { runQuestion } from "../../present/run/run-question.ts";
import { filesText } from "../../present/transfer/transfer-text.ts";
import type { MachineLogin } from "../../services/connection/run-there.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { listRun } from "../../services/run/list-run.ts";
import type { PreparedRun } from "../../services/run/prepared-run.ts";
import { rememberPlace } from "../../services/run/remember-place.ts";
import { suggestPlace } from "../../services/transfer/suggest-place.ts";
import { findAgreed } from "../../services/transfer/upload-memory.ts";
import { nameOf } from "../connection/connection-commands.ts";
import { reachForCommands } from "../connection/reach-machine.ts";
import { withLateNotification } from "../kit/late-notification.ts";
import { remotePlaceFor, usualFolder } from "../transfer/transfer-place.ts";
import { agreeToUpload } from "../transfer/upload-consent.ts";
import type { RunServices } from "./run-services.ts";

/** What would be uploaded for a run. @throws AppError if it can't be read. */
export function listForRun(draft: RunDraft): Promise<RunUpload> {
  return withLateNotification(t("Listing {0}", plain(basename(draft.folder), 60)), (report, cancelled) =>
    listRun(draft, cancelled, (files) => report(filesText(files))),
  );
}

/**
 * Asks what is to be asked, and writes the run down. `asksAlways`: even if the same was uploaded there before. @returns undefined if the person doesn't want it.
 * @throws AppError.
 */
export async function prepareRun(
  services: RunServices,
  account: SignedIn,
  instance: Instance,
  draft: RunDraft,
  asksAlways = false,
): Promise<PreparedRun | undefined> {
  const { session, runs, instances } = services;
  const findPrice = () => {
    const row = instances.find(instance.id);
    return row && priceNow(row);
  };
  const price = findPrice();
  assertKeepable(draft.limits ?? {}, price);
  const list = await listForRun(draft);
  session.assertStill(account);
  const machine = await reachForCommands(services, account, instance, t("Connecting to {0}", nameOf(instance)));
  if (!machine) return undefined;
  const remote = await agree(services, account, machine, { draft, list, asksAlways });
  if (remote === undefined) return undefined;
  session.assertStill(account);
  // A bid may have been raised while the question was open.
  assertKeepable(draft.limits ?? {}, findPrice());
  await rememberPlace(services, machine, { folder: draft.folder, remote, usual: usualFolder() }, list);
  const run = await runs.prepare(account, instance.id, { ...draft, remote }, { price: findPrice() ?? price });
  return { machine, run, list };
}

/** Whether each data folder is on the machine as it is here, as far as its size tells. */
async function hasData(
  { sshMachines }: RunServices,
  ...[{ login }, folder, remote, { data }]: [MachineLogin, string, string, RunUpload]
): Promise<boolean> {
  for (const { path, files, bytes } of data) {
    const agreed = await findAgreed(sshMachines, login.alias, join(folder, path));
    if (agreed?.to !== `${remote}/${path}` || agreed.files !== files || agreed.bytes !== bytes) return false;
  }
  return true;
}

interface Proposed {
  readonly draft: RunDraft;
  readonly list: RunUpload;
  readonly asksAlways: boolean;
}

/** @returns where on the machine the folder goes; undefined if the person doesn't want to. Asked once for each folder and machine. */
async function agree(
  services: RunServices,
  account: SignedIn,
  machine: MachineLogin,
  { draft, list, asksAlways }: Proposed,
): Promise<string | undefined> {
  const { folder, command, setUp, results, limits = {} } = draft;
  const { session, connections, sshMachines, runs, instances } = services;
  const { id, login } = machine;
  const before = await findAgreed(sshMachines, login.alias, folder);
  const known = before?.usual === usualFolder() ? before : undefined;
  const there = (await runs.all(account)).filter((one) => one.instance === id);
  const others = there.filter((one) => one.state.kind !== "ended" && isOpen(one));
  const isKnown = known && !isMuchMore(list.main, known) && (await hasData(services, machine, folder, known.to, list));
  if (isKnown && others.length === 0 && !asksAlways) return known.to;
  const remote = known?.to ?? suggestPlace(await remotePlaceFor(services, account, machine), folder);
  const row = instances.find(id);
  const facts = {
    id,
    list,
    remote,
    before: known && isMuchMore(list.main, known) ? known : undefined,
    command,
    setUp,
    results,
    limits,
    price: row && priceNow(row),
    others,
    stopsItself: there.some(({ guard }) => guard?.kind === "armed"),
  };
  if (!(await agreeToUpload(services, runQuestion(facts), folder, facts))) return undefined;
  // A question may have been open for hours.
  await connections.recheck(account, id, login);
  session.assertStill(account);
  return remote;
}
