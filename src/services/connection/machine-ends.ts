// Asks instances which end they keep themselves, and moves it: over SSH, and without a question to the person.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { buildSelfEndCommand, readMachineEnd } from "../../domain/connection/self-end-command.ts";
import type { EndOrder, MachineEnd } from "../../domain/instance/self-end.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Bag } from "../../lib/disposable.ts";
import type { Event } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { LeaseJournal } from "../instance/ends/lease-journal.ts";
import type { MachineEnds } from "../instance/ends/machine-ends.ts";
import { SelfEnds } from "../instance/ends/self-ends.ts";
import { askMachine } from "./ask-machine.ts";
import { loginQuietly, type QuietLoginServices } from "./quiet-login.ts";
import type { ReadinessService } from "./readiness.ts";
import type { MachineLogin } from "./run-there.ts";

interface Services extends QuietLoginServices {
  readonly readiness: ReadinessService;
  readonly clock: Clock;
}

type Parts = Services &
  Omit<ConstructorParameters<typeof SelfEnds>[0], "journal" | "machineEnds"> & { readonly leaseJournal: LeaseJournal };

/** What keeps the ends of instances that end themselves. Tests give another way to them. */
export function assembleMachineEnds(
  bag: Bag,
  { machineEnds }: { readonly machineEnds?: MachineEnds },
  parts: Parts,
): MachineEnds {
  const ends = machineEnds ?? new SshMachineEnds(parts);
  bag.add(new SelfEnds({ ...parts, journal: parts.leaseJournal, machineEnds: ends }));
  return ends;
}

/** Milliseconds for a login and an answer, in which the machine may ask the service for up to 30 s. */
const PATIENCE = 45_000;

class SshMachineEnds implements MachineEnds {
  readonly #services: Services;
  readonly onDidChange: Event<void>;

  constructor(services: Services) {
    this.#services = services;
    this.onDidChange = services.readiness.onDidChange;
  }

  isReady(id: InstanceId): boolean {
    return this.#services.readiness.stateOf(id) !== "starting";
  }

  async ask(account: SignedIn, id: InstanceId, order?: EndOrder): Promise<MachineEnd | "missing"> {
    const { session, clock } = this.#services;
    const abort = new AbortController();
    const settled = new AbortController();
    const late = new AppError("timeout", t("Instance {0} doesn't respond.", id));
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
      const answer = await askMachine(machine, buildSelfEndCommand(call, order), abort.signal);
      const end = readMachineEnd(answer, clock.now());
      if (end !== undefined) return end;
      throw new AppError("unexpected-reply", t("Instance {0} doesn't tell which programs it runs.", id));
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
