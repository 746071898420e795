// Asks an instance something over SSH, without a question to the person, and not for longer than a while.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import { askMachine } from "./ask-machine.ts";
import { loginQuietly, type QuietLoginServices } from "./quiet-login.ts";
import type { MachineLogin } from "./run-there.ts";

export interface QuietServices extends QuietLoginServices {
  readonly clock: Clock;
}

interface Question {
  readonly command: string;
  readonly input?: string;
  /** Milliseconds for the login and the answer. */
  readonly patience: number;
}

/** @throws AppError that says why it can't be asked, with `notSent` if nothing was. */
export async function askQuietly(
  services: QuietServices,
  account: SignedIn,
  id: InstanceId,
  { command, input, patience }: Question,
): Promise<string> {
  const { session, clock } = services;
  const abort = new AbortController();
  const settled = new AbortController();
  const late = new AppError("timeout", t("Instance {0} isn't responding.", id));
  clock.sleep(patience, settled.signal).then(
    () => abort.abort(late),
    () => undefined,
  );
  try {
    const machine = await login(services, account, id, abort.signal).catch((error) => {
      throw notSent(abort.signal.aborted ? late : asAppError(error));
    });
    session.assertStill(account);
    return await askMachine(machine, command, abort.signal, input);
  } catch (error) {
    throw abort.signal.aborted && asAppError(error).facts.notSent !== true ? late : error;
  } finally {
    settled.abort();
  }
}

/** Read again: the login took a while, and what a stopping machine is asked could start it again. */
async function login(
  services: QuietServices,
  account: SignedIn,
  id: InstanceId,
  signal: AbortSignal,
): Promise<MachineLogin> {
  const machine = await loginQuietly(services, account, id, signal);
  await services.connections.recheck(account, id, machine.login);
  return machine;
}

/** Nothing was asked of the machine. */
const notSent = (cause: AppError): AppError =>
  new AppError(cause.kind, cause.message, { ...cause.facts, notSent: true, cause });
