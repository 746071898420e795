// Brings instances what stops them once they are idle, and asks what that shows: over SSH, and without a question to the person.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import {
  buildPlaceKeeperCommand,
  buildReadKeeperCommand,
  readKeeperState,
} from "../../domain/connection/idle-keeper/keeper-command.ts";
import type { KeeperPace } from "../../domain/connection/idle-keeper/keeper-script.ts";
import type { IdleKeeperOrder, IdleKeeperState } from "../../domain/instance/idle-keeper.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Event } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { IdleKeeperAccess } from "../instance/idle/idle-keeper-access.ts";
import { IdleKeepers } from "../instance/idle/idle-keepers.ts";
import { askQuietly, type QuietServices } from "./ask-quietly.ts";
import type { ReadinessService } from "./readiness.ts";

interface Services extends QuietServices {
  readonly readiness: ReadinessService;
}

/** Only tests set these. */
export interface IdleKeeperPorts {
  /** How instances are told their idle timeouts. */
  readonly idleKeeperAccess?: IdleKeeperAccess;
  readonly keeperPace?: KeeperPace;
}

type Parts = Services & Omit<ConstructorParameters<typeof IdleKeepers>[0], "access">;

/** What keeps idle timeouts on the instances. */
export function assembleIdleKeepers(
  bag: Bag,
  { idleKeeperAccess, keeperPace }: IdleKeeperPorts,
  parts: Parts,
): IdleKeepers {
  return bag.add(new IdleKeepers({ ...parts, access: idleKeeperAccess ?? new SshIdleKeepers(parts, keeperPace) }));
}

/** Milliseconds for a login and an answer. What was just begun asks the service for up to 30 s before it shows anything. */
const PATIENCE = { read: 30_000, tell: 75_000 };

class SshIdleKeepers implements IdleKeeperAccess {
  readonly #services: Services;
  readonly #pace: KeeperPace | undefined;
  readonly onDidChange: Event<void>;

  constructor(services: Services, pace: KeeperPace | undefined) {
    this.#services = services;
    this.#pace = pace;
    this.onDidChange = services.readiness.onDidChange;
  }

  isReady(id: InstanceId): boolean {
    return this.#services.readiness.getState(id) !== "starting";
  }

  async tell(account: SignedIn, id: InstanceId, order: IdleKeeperOrder): Promise<IdleKeeperState | "missing"> {
    const call = { instance: id, base: account.address.base };
    const question = buildPlaceKeeperCommand(call, order, this.#services.clock.now(), this.#pace);
    return toState(id, await askQuietly(this.#services, account, id, { ...question, patience: PATIENCE.tell }));
  }

  async read(account: SignedIn, id: InstanceId, isUsed: boolean): Promise<IdleKeeperState | "missing"> {
    const command = buildReadKeeperCommand(isUsed);
    return toState(id, await askQuietly(this.#services, account, id, { command, patience: PATIENCE.read }));
  }
}

function toState(id: InstanceId, answer: string): IdleKeeperState | "missing" {
  const state = readKeeperState(answer);
  if (state !== undefined) return state;
  throw new AppError("unexpected-reply", t("Couldn't read the process list of instance {0}.", id));
}
