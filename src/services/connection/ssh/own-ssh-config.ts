// Our own SSH configuration file, put together from the machines that were logged in to.
import { mkdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import { type SshLogin, toArguments } from "../../../domain/connection/ssh-command.ts";
import { formatSshConfig, formatTerminalConfig } from "../../../domain/connection/ssh-config.ts";
import type { SshMachine } from "../../../domain/connection/ssh-machine.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import { replaceFile } from "../../core/book/replace-file.ts";
import { findProxyCommand } from "./proxy-command.ts";
import type { SshFiles } from "./ssh-files.ts";
import type { SshMachines } from "./ssh-machines.ts";

/** Far more turns than windows that could write at the same moment. */
const MOST_TURNS = 50;

export class OwnSshConfig {
  readonly #files: SshFiles;
  readonly #machines: SshMachines;
  readonly #clock: Clock;

  constructor(files: SshFiles, machines: SshMachines, clock: Clock) {
    this.#files = files;
    this.#machines = machines;
    this.#clock = clock;
  }

  /** Where it is. */
  get path(): string {
    return join(this.#files.folder, "config");
  }

  /** The login that a machine's block stands for. */
  loginOf({ alias, name, host, port, identity }: SshMachine): SshLogin {
    const { knownHosts } = this.#files;
    return { address: { host, port }, alias, name, identity, knownHosts, proxyCommand: findProxyCommand(this.#files) };
  }

  /**
   * Writes the blocks of all machines, whichever window or editor logged in to them. There is no lock that a killed program could
   * leave behind: after the file is in place, the machines are read again, and if they changed it is written again. Of two windows,
   * the one that renames last also reads last, so the file ends up with the machines of both.
   * @throws AppError `rejected` if it can't be written.
   */
  async write(): Promise<void> {
    try {
      await mkdir(this.#files.folder, { recursive: true, mode: 0o700 });
      for (let turn = 0; turn < MOST_TURNS; turn += 1) {
        const text = await this.#compose();
        if ((await this.#read()) === text) return;
        await replaceFile({ path: this.path, text }, this.#clock);
      }
    } catch (cause) {
      throw new AppError("rejected", t("{0} can't be written. Check its permissions.", this.path), { cause });
    }
  }

  /** The same, if windows use the file at all. @throws AppError as `write` does. */
  async update(): Promise<void> {
    if ((await stat(this.path).catch(() => undefined)) !== undefined) await this.write();
  }

  /**
   * What `ssh` is given to log in by the machine's name: an editor shows all of it when a login ends badly.
   * @returns undefined if the files can't be written. Every option is then to be named.
   */
  async buildTerminalArguments({
    address,
    alias,
    connectTo,
    kept = [],
  }: SshLogin): Promise<readonly string[] | undefined> {
    const machine = await this.#machines.find(alias);
    if (machine?.host !== address.host || machine.port !== address.port) return undefined;
    try {
      await this.write();
      const { folder, ownConfig, usual, knownHosts } = this.#files;
      const path = join(folder, "terminal");
      const text = formatTerminalConfig(ownConfig, usual, knownHosts);
      if ((await readFile(path, "utf8").catch(() => undefined)) !== text)
        await replaceFile({ path, text }, this.#clock);
      const place = connectTo === undefined ? [] : ["-o", `HostName=${connectTo}`];
      return ["-F", path, ...place, "-o", "ClearAllForwardings=yes", ...toArguments(kept), "--", alias];
    } catch {
      return undefined;
    }
  }

  async #compose(): Promise<string> {
    const logins = (await this.#machines.readAll()).map((machine) => this.loginOf(machine));
    const ended = (await this.#machines.readEnded()).flatMap(({ name }) => name ?? []);
    return formatSshConfig(logins, this.#files.knownHosts, ended);
  }

  async #read(): Promise<string | undefined> {
    return await readFile(this.path, "utf8").catch(() => undefined);
  }

  /** Takes the blocks away. The machines stay known, so that their host keys go when they end. @throws the disk's error. */
  async remove(): Promise<void> {
    await rm(this.path, { force: true });
  }
}
