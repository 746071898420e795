// Asks instances which end they keep themselves, and moves it: over SSH, and without a question to the person.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { buildSelfStopCommand, readSelfStopState } from "../../domain/connection/self-stop-command.ts";
import type { SelfStopOrder, SelfStopState } from "../../domain/instance/self-stop.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Event } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { AutoStopJournal } from "../instance/auto-stops/auto-stop-journal.ts";
import type { SelfStopAccess } from "../instance/auto-stops/self-stop-access.ts";
import { SelfStops } from "../instance/auto-stops/self-stops.ts";
import { askMachine } from "./ask-machine.ts";
import { loginQuietly, type QuietLoginServices } from "./quiet-login.ts";
import type { ReadinessService } from "./readiness.ts";
import type { MachineLogin } from "./run-there.ts";

interface Services extends QuietLoginServices {
  readonly readiness: ReadinessService;
  readonly clock: Clock;
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
    const { session, clock } = this.#services;
    const abort = new AbortController();
    const settled = new AbortController();
    const late = new AppError("timeout", t("Instance {0} isn't responding.", id));
    clock.sleep(PATIENCE, settled.signal).then(
      () => abort.abort(late),
      () => undefined,
    );
    try {
      const machine = await this.#login(account, id, abort.signal).catch((error) => {
        throw notSent(abort.signal.aborted ? late : asAppError(error));
      });
      session.assertStill(account);
      const call = { instance: id, base: account.address.base };
      const answer = await askMachine(machine, buildSelfStopCommand(call, order), abort.signal);
      const end = readSelfStopState(answer, clock.now());
      if (end !== undefined) return end;
      throw new AppError("unexpected-reply", t("Couldn't read the process list of instance {0}.", id));
    } catch (error) {
      throw abort.signal.aborted && asAppError(error).facts.notSent !== true ? late : error;
    } finally {
      settled.abort();
    }
  }

  /** Read again: the login took a while, and what a stopping machine is asked would start it again. */
  async #login(account: SignedIn, id: InstanceId, signal: AbortSignal): Promise<MachineLogin> {
    const machine = await loginQuietly(this.#services, account, id, signal);
    await this.#services.connections.recheck(account, id, machine.login);
    return machine;
  }
}

/** Nothing was asked of the machine. */
const notSent = (cause: AppError): AppError =>
  new AppError(cause.kind, cause.message, { ...cause.facts, notSent: true, cause });
