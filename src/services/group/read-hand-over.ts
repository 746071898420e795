// What is handed over of a group: logs in to each member once, without a question, so that only machines that answer are written down.
import { asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { buildAnswerCommand, buildShellCommand } from "../../domain/connection/machine-answer.ts";
import type { GroupFacts, MemberFacts } from "../../domain/group/group-facts.ts";
import { type GroupHost, type HandOver, readOverlayAddress } from "../../domain/group/hand-over/group-host.ts";
import { findOverlay } from "../../domain/instance/overlay.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import { askMachine } from "../connection/ask-machine.ts";
import { loginQuietly, type QuietLoginServices } from "../connection/quiet-login.ts";
import type { OwnSshConfig } from "../connection/ssh/own-ssh-config.ts";
import type { SignedIn } from "../core/session.ts";
import type { AutoStopsService } from "../instance/auto-stops/auto-stops.ts";

interface Parts extends QuietLoginServices {
  readonly autoStops: AutoStopsService;
  readonly sshConfig: OwnSshConfig;
  readonly clock: Clock;
}

/** A member that isn't handed over, and why. */
interface LeftOut {
  readonly rank: number;
  readonly id: InstanceId | undefined;
  readonly why: string;
}

interface ReadHandOver {
  readonly given: HandOver;
  readonly left: readonly LeftOut[];
}

interface Reached {
  readonly host: GroupHost;
  readonly identity: string | undefined;
}

/** Logins at a time. */
const AT_ONCE = 8;

/**
 * `onReached` is called with the number of members that were tried.
 * @throws AppError `rejected` if the account was left, or our SSH configuration can't be written; the signal's reason.
 */
export async function readHandOver(
  parts: Parts,
  account: SignedIn,
  group: GroupFacts,
  onReached: (count: number) => void,
  signal: AbortSignal,
): Promise<ReadHandOver> {
  const { session, sshConfig, clock } = parts;
  const reached: (Reached | LeftOut)[] = [];
  const waiting = [...group.members];
  const work = async () => {
    for (let member = waiting.shift(); member; member = waiting.shift()) {
      const { rank, id } = member;
      const found = await reach(parts, account, member, signal).catch((thrown): LeftOut => {
        signal.throwIfAborted();
        return { rank, id, why: asAppError(thrown).message };
      });
      reached.push(found);
      onReached(reached.length);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  session.assertStill(account);
  await sshConfig.write();
  const hosts = reached.filter((one) => "host" in one).sort((a, b) => a.host.rank - b.host.rank);
  const left = reached.filter((one) => "why" in one).sort((a, b) => a.rank - b.rank);
  const identities = new Set(hosts.map(({ identity }) => identity));
  const [identity] = identities;
  const given: HandOver = {
    id: group.id,
    name: group.name,
    hosts: hosts.map(({ host }) => host),
    wanted: group.members.length,
    sshConfig: sshConfig.path,
    identity: identities.size === 1 ? identity : undefined,
    isVm: group.record.prepared.isVm === true,
    at: clock.now(),
  };
  return { given, left };
}

async function reach(
  parts: Parts,
  account: SignedIn,
  { rank, id, state, instance, price }: MemberFacts,
  signal: AbortSignal,
): Promise<Reached | LeftOut> {
  if (id === undefined || !instance) return { rank, id, why: t("This instance wasn't rented or no longer exists.") };
  if (state !== "ready" && state !== "coming") return { rank, id, why: t("It isn't running.") };
  const machine = await loginQuietly(parts, account, id, signal);
  const { address, alias, identity } = machine.login;
  const overlayIp =
    findOverlay(instance.extra_env) !== undefined ? readOverlayAddress(await askAddress(machine, signal)) : undefined;
  const host: GroupHost = {
    ...{ rank, id, alias, host: address.host, port: address.port, overlayIp },
    gpus: instance.num_gpus,
    gpu: instance.gpu_name,
    pricePerHour: price,
    end: parts.autoStops.findAutoStop(instance)?.until,
  };
  return { host, identity };
}

async function askAddress(machine: Awaited<ReturnType<typeof loginQuietly>>, signal: AbortSignal): Promise<string> {
  const script = `${buildAnswerCommand('"$(ip -4 -o addr show eth0 2>/dev/null | head -n 1)"')}`;
  return await askMachine(machine, buildShellCommand(script), signal);
}
