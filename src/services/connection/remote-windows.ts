// What an editor's window on a machine needs: a block in our SSH configuration, the line that includes it in the person's own, and a
// machine that the editor's server can run on.

import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { type LoginFailure, readLoginFailure } from "../../domain/connection/login-failure.ts";
import { buildShellCommand } from "../../domain/connection/machine-answer.ts";
import { REMOTE_PROBE, type RemoteFacts, readRemoteFacts } from "../../domain/connection/remote-machine.ts";
import type { SshLogin } from "../../domain/connection/ssh-command.ts";
import { findDifference } from "../../domain/connection/ssh-config.ts";
import type { SshMachine } from "../../domain/connection/ssh-machine.ts";
import { isKeptOutByTmux } from "../../domain/connection/tmux.ts";
import type { Clock } from "../../lib/clock.ts";
import { t, toPlainText } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { keepOutTmux } from "./keep-out-tmux.ts";
import { HostKeys } from "./ssh/host-keys.ts";
import type { OwnSshConfig } from "./ssh/own-ssh-config.ts";
import type { PersonSshConfig } from "./ssh/person-ssh-config.ts";
import type { SshFiles } from "./ssh/ssh-files.ts";
import type { SshMachines } from "./ssh/ssh-machines.ts";
import { findSsh, runSshTool, type ToolResult } from "./ssh/ssh-program.ts";

interface Services {
  readonly clock: Clock;
  readonly session: SessionService;
  readonly files: SshFiles;
  readonly machines: SshMachines;
  readonly own: OwnSshConfig;
  readonly person: PersonSshConfig;
}

/** Milliseconds for a login with a short command. */
const PATIENCE = 30_000;

/** What a machine said of itself, or why it couldn't be asked. */
type Preparation = { readonly facts: RemoteFacts } | { readonly failure: LoginFailure };

export class RemoteWindows {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  get person(): PersonSshConfig {
    return this.#services.person;
  }

  /**
   * The name that windows on a machine open by: the one that people read, if `ssh` knows it as written. Its block has to be written.
   * @throws AppError `rejected` if `ssh` can't say.
   */
  async findWindowName({ alias }: Pick<SshLogin, "alias">): Promise<string> {
    const { machines, own } = this.#services;
    const machine = await machines.find(alias);
    if (machine?.name === undefined) return alias;
    const isKnown = (await this.findDifference(own.loginOf(machine), machine.name)) === undefined;
    return isKnown ? machine.name : alias;
  }

  /** What is known of a machine that was logged in to. */
  async find(alias: string): Promise<SshMachine | undefined> {
    return await this.#services.machines.find(alias);
  }

  /** Writes the machine's block. @throws AppError `rejected` if it can't be written, or if the account was switched. */
  async writeBlock(account: SignedIn, id: InstanceId, login: SshLogin): Promise<void> {
    const { session, machines, own, files } = this.#services;
    session.assertStill(account);
    await machines.put(account, id, login).catch((cause) => {
      throw new AppError("rejected", t("The folder {0} can't be written. Check its permissions.", files.folder), {
        cause,
      });
    });
    await own.write();
  }

  /**
   * Whether our line could be added, without changing anything: `ssh` can read the person's configuration, and the file is an
   * ordinary one. @throws AppError `rejected` with the reason if the file is left alone.
   */
  async check({ alias }: Pick<SshLogin, "alias">): Promise<void> {
    const { person } = this.#services;
    // First: `ssh` would wait for a pipe.
    await orByHand(() => person.check());
    const before = (await person.isThere()) ? await this.#ask(alias) : undefined;
    if (before?.ok === false)
      throw new AppError(
        "rejected",
        t("Your SSH configuration has an error, so Cloud GPU didn't change it. {0}", reasonOf(before.err)),
      );
  }

  /**
   * Puts our line at the top of the person's configuration. If `ssh` can't read the file afterwards, the line is taken out again.
   * @throws AppError `rejected` with the reason.
   */
  async include(login: SshLogin): Promise<void> {
    const { person } = this.#services;
    if (await person.includesOurs()) return;
    await this.check(login);
    await orByHand(() => person.include());
    const after = await this.#ask(login.alias);
    if (after.ok) return;
    await person.exclude();
    throw new AppError(
      "rejected",
      t("With the added line, ssh can't read your configuration, so the line was removed. {0}", reasonOf(after.err)),
    );
  }

  /**
   * Asks `ssh` what it would do with the machine's name. @returns the option that it would use with another value than ours,
   * undefined if all is as written.
   * @throws AppError `rejected` if `ssh` can't say.
   */
  async findDifference(login: SshLogin, name = login.alias): Promise<string | undefined> {
    const { files } = this.#services;
    const { ok, out, err } = await this.#ask(name);
    if (ok) return findDifference(login, out, new HostKeys(files).path);
    throw new AppError("rejected", t("Your SSH configuration has an error. {0}", reasonOf(err)));
  }

  #ask(alias: string): Promise<ToolResult> {
    const { path, isUsual } = this.#services.files.person();
    return runSshTool("ssh", [...(isUsual ? [] : ["-F", path]), "-G", "--", alias]);
  }

  /**
   * Logs in by the machine's name, as the editor will, keeps later logins out of tmux and asks what system it is.
   * @returns what it said, or why it can't be logged in to without a question. @throws the signal's reason.
   */
  async prepare(login: SshLogin, signal: AbortSignal): Promise<Preparation> {
    const first = await this.#probe(login, signal);
    const isKeptOut = isKeptOutByTmux({ code: 1, err: first.err });
    const isCleared =
      !first.ok && isKeptOut && (await keepOutTmux({ program: await findSsh(), login }, this.#services.clock, signal));
    const { ok, out, err, isLate } = isCleared ? await this.#probe(login, signal) : first;
    if (ok) return { facts: readRemoteFacts(out) };
    return { failure: isLate ? { kind: "late", seconds: PATIENCE / 1000 } : readLoginFailure(err) };
  }

  async #probe({ alias }: SshLogin, signal: AbortSignal): Promise<ToolResult> {
    const { path, isUsual } = this.#services.files.person();
    const own = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "LogLevel=INFO", "-T"];
    const place = isUsual ? [] : ["-F", path];
    const args = [...place, ...own, "--", alias, buildShellCommand(REMOTE_PROBE)];
    const result = await runSshTool("ssh", args, { within: PATIENCE, signal });
    signal.throwIfAborted();
    return result;
  }

  /** Keeps what need not be asked again about a machine. A failure is no reason not to open a window. */
  async remember(alias: string, known: Pick<SshMachine, "folder"> | Pick<SshMachine, "isPrepared">): Promise<void> {
    await this.#services.machines.change(alias, known).catch(() => undefined);
  }

  /**
   * Takes the line out of the person's configuration, and our blocks away. Host keys stay, for terminals.
   * @returns whether the line was there. @throws AppError `rejected` if the file is left alone.
   */
  async removeFromConfig(): Promise<boolean> {
    const wasThere = await this.#services.person.exclude();
    await this.#services.own.remove();
    return wasThere;
  }
}

/** The first line that a program complained with. */
function reasonOf(err: string): string {
  return toPlainText(
    err
      .slice(0, 2000)
      .split("\n")
      .find((line) => line.trim() !== "") ?? "",
    200,
  );
}

/** Says what the person can do about a file that is left alone. */
async function orByHand(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const said = t("To open remote windows, add Cloud GPU's line at the top of the file yourself.");
    throw new AppError("rejected", `${asAppError(thrown).message} ${said}`, { cause: thrown });
  }
}
