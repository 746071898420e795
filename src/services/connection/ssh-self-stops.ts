// Asks instances which end they keep themselves, and moves it: over SSH, and without a question to the person.
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { buildSelfStopCommand, readSelfStopState } from "../../domain/connection/self-stop-command.ts";
import type { SelfStopOrder, SelfStopState } from "../../domain/instance/self-stop.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Event } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { AutoStopJournal } from "../instance/auto-stops/auto-stop-journal.ts";
import type { SelfStopAccess } from "../instance/auto-stops/self-stop-access.ts";
import { SelfStops } from "../instance/auto-stops/self-stops.ts";
import { askQuietly, type QuietServices } from "./ask-quietly.ts";
import type { ReadinessService } from "./readiness.ts";

interface Services extends QuietServices {
  readonly readiness: ReadinessService;
}

type Parts = Services &
  Omit<ConstructorParameters<typeof SelfStops>[0], "journal" | "selfStopAccess"> & {
    readonly autoStopJournal: AutoStopJournal;
  };

/** What keeps the ends of instances that end themselves. Tests give another way to them. */
export function assembleSelfStops(
  bag: Bag,
  { selfStopAccess }: { readonly selfStopAccess?: SelfStopAccess },
  parts: Parts,
): SelfStopAccess {
  const ends = selfStopAccess ?? new SshSelfStops(parts);
  bag.add(new SelfStops({ ...parts, journal: parts.autoStopJournal, selfStopAccess: ends }));
  return ends;
}

/** Milliseconds for a login and an answer, in which the machine may ask the service for up to 30 s. */
const PATIENCE = 45_000;

class SshSelfStops implements SelfStopAccess {
  readonly #services: Services;
  readonly onDidChange: Event<void>;

  constructor(services: Services) {
    this.#services = services;
    this.onDidChange = services.readiness.onDidChange;
  }

  isReady(id: InstanceId): boolean {
    return this.#services.readiness.getState(id) !== "starting";
  }

  async ask(account: SignedIn, id: InstanceId, order?: SelfStopOrder): Promise<SelfStopState | "missing"> {
    const command = buildSelfStopCommand({ instance: id, base: account.address.base }, order);
    const answer = await askQuietly(this.#services, account, id, { command, patience: PATIENCE });
    const end = readSelfStopState(answer, this.#services.clock.now());
    if (end !== undefined) return end;
    throw new AppError("unexpected-reply", t("Couldn't read the process list of instance {0}.", id));
  }
}
