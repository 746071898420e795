// The machines that were logged in to from this computer: a file each, which all windows and editors of the person share.
import { mkdir, readdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { InstanceId } from "../../../domain/base/id.ts";
import { findFreeName } from "../../../domain/connection/readable-name.ts";
import type { SshLogin } from "../../../domain/connection/ssh-command.ts";
import { readSshMachine, type SshMachine } from "../../../domain/connection/ssh-machine.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Log } from "../../../lib/log.ts";
import { createQueue } from "../../../lib/task.ts";
import { replaceFile } from "../../core/book/replace-file.ts";
import type { SignedIn } from "../../core/session.ts";

const SUFFIX = ".json";
/** Bytes; a record is far shorter. */
const LARGEST = 20_000;
const MOST_FILES = 2000;
/** Machines that ended and are remembered. */
const MOST_ENDED = 100;

/**
 * One file for each machine, so that two windows never write over each other's: a file is replaced as a whole, and the
 * configuration is put together from all of them.
 */
export class SshMachines {
  readonly #folder: string;
  /** Records of machines that ended: a window that is still on one, and `ssh`, are told so. */
  readonly #endedFolder: string;
  readonly #clock: Clock;
  readonly #log: Log;
  /** A record is read, changed and written as a whole, so a change begins when the one before is on the disk. */
  readonly #inTurn = createQueue();

  /** `folder` is the one of our SSH files. */
  constructor(folder: string, clock: Clock, log: Log) {
    this.#folder = join(folder, "machines");
    this.#endedFolder = join(folder, "ended");
    this.#clock = clock;
    this.#log = log;
  }

  /** Sorted by alias. Files that can't be read are passed over: they name no machine. */
  async readAll(): Promise<readonly SshMachine[]> {
    return await this.#readFolder(this.#folder);
  }

  /** Those that ended, the latest first. */
  async readEnded(): Promise<readonly SshMachine[]> {
    return [...(await this.#readFolder(this.#endedFolder))].sort((a, b) => b.at - a.at);
  }

  async #readFolder(folder: string): Promise<readonly SshMachine[]> {
    const names = await readdir(folder).catch(() => []);
    const own = names.filter((name) => name.endsWith(SUFFIX)).sort();
    const found = await Promise.all(own.slice(0, MOST_FILES).map((name) => this.#read(name, folder)));
    return found.filter((machine) => machine !== undefined);
  }

  async find(alias: string): Promise<SshMachine | undefined> {
    return await this.#read(alias + SUFFIX);
  }

  /** By either of its names; `hasEnded` if it is remembered for nothing else. */
  async findByName(host: string): Promise<{ readonly machine: SshMachine; readonly hasEnded: boolean } | undefined> {
    const isIt = ({ alias, name }: SshMachine) => alias === host || name === host;
    const machine = (await this.readAll()).find(isIt);
    if (machine) return { machine, hasEnded: false };
    const ended = (await this.readEnded()).find(isIt);
    return ended && { machine: ended, hasEnded: true };
  }

  async #read(name: string, folder = this.#folder): Promise<SshMachine | undefined> {
    const path = join(folder, name);
    try {
      const { size } = await stat(path);
      const machine = size > LARGEST ? undefined : readSshMachine(await readFile(path, "utf8"));
      return machine?.alias === name.slice(0, -SUFFIX.length) ? machine : undefined;
    } catch {
      return undefined;
    }
  }

  /**
   * Writes down whose machine it is, how it is reached, and by which key: none if `ssh` is to find one. What was known of it
   * otherwise stays. @throws the disk's error.
   */
  async put(account: SignedIn, id: InstanceId, { address, alias, name, identity }: SshLogin): Promise<void> {
    const user = account.user();
    const now = {
      ...{ version: 1 as const, alias, id, ...address },
      ...(identity === undefined ? {} : { identity }),
      ...{ base: account.address.base, account: account.tag, sandbox: account.sandbox, at: this.#clock.now() },
      ...(user === undefined ? {} : { user }),
    };
    await this.#inTurn(async () => {
      const known = await this.find(alias);
      const { identity: _, ...before } = known ?? {};
      const kept = known?.name ?? (name === undefined ? undefined : await this.#findFreeName(name, alias));
      await this.#write({ ...before, ...now, ...(kept === undefined ? {} : { name: kept }) });
      // A list may have missed it for a moment.
      await rm(join(this.#endedFolder, alias + SUFFIX), { force: true }).catch(() => undefined);
    });
  }

  /** The name it had, or one that no other machine has or had. */
  async #findFreeName(name: string, alias: string): Promise<string | undefined> {
    const [all, ended] = [await this.readAll(), await this.readEnded()];
    const own = ended.find((one) => one.alias === alias)?.name;
    const others = [...all, ...ended].filter((one) => one.alias !== alias);
    return own ?? findFreeName(name, new Set(others.flatMap((one) => one.name ?? [])));
  }

  /** The same for a login that works without it, too: a failure is logged. */
  async note(account: SignedIn, id: InstanceId, login: SshLogin): Promise<void> {
    await this.put(account, id, login).catch((error) =>
      this.#log.warn(`Machine ${id} could not be written down, so its host key stays when it ends.`, error),
    );
  }

  /** Changes what is known of a machine; nothing if it is gone. @throws the disk's error. */
  async change(
    alias: string,
    change: Partial<Pick<SshMachine, "host" | "port" | "folder" | "isPrepared" | "uploads">>,
  ): Promise<void> {
    await this.#inTurn(async () => {
      const before = await this.find(alias);
      if (before) await this.#write({ ...before, ...change });
    });
  }

  async #write(machine: SshMachine): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    const path = join(this.#folder, machine.alias + SUFFIX);
    await replaceFile({ path, text: `${JSON.stringify(machine)}\n` }, this.#clock);
  }

  /** It is remembered: a window may still be on it, and `ssh` would look its name up. @throws the disk's error. */
  async remove(alias: string): Promise<void> {
    await this.#inTurn(async () => {
      const path = join(this.#folder, alias + SUFFIX);
      // What can't be read names no machine.
      if (!(await this.find(alias))) return await rm(path, { force: true });
      await mkdir(this.#endedFolder, { recursive: true, mode: 0o700 });
      await rename(path, join(this.#endedFolder, alias + SUFFIX));
      for (const { alias: old } of (await this.readEnded()).slice(MOST_ENDED))
        await rm(join(this.#endedFolder, old + SUFFIX), { force: true });
    });
  }
}
