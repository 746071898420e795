// The host keys of machines, stored by alias in a file of ours: whether a machine shows the one it had, and how it is forgotten.
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { AppError } from "../../../domain/base/error.ts";
import { compareHostKeys, type HostKey, type HostKeyState, readHostKeys } from "../../../domain/connection/host-key.ts";
import type { SshLogin } from "../../../domain/connection/ssh-command.ts";
import { t } from "../../../lib/text.ts";
import type { SshFiles } from "./ssh-files.ts";
import { runSshTool } from "./ssh-program.ts";

/** Seconds that a machine has to show its keys. */
const PATIENCE = 5;

export class HostKeys {
  readonly #files: SshFiles;

  constructor(files: SshFiles) {
    this.#files = files;
  }

  /** In full: these programs don't know `~`. */
  get path(): string {
    return join(this.#files.folder, "known_hosts");
  }

  /** The keys that are stored under this name; none if the program for it is missing. Never rejects. */
  async findStored(alias: string): Promise<readonly HostKey[]> {
    if ((await stat(this.path).catch(() => undefined)) === undefined) return [];
    const { out } = await runSshTool("ssh-keygen", ["-F", alias, "-f", this.path]).catch(() => ({ out: "" }));
    return readHostKeys(out);
  }

  /**
   * Whether the machine at this address shows a key that is stored for it. Asks nothing secret and logs in to nothing. `unclear`
   * also where the program for it is missing: `ssh` itself refuses a changed key in any case.
   * @throws the signal's reason.
   */
  async compare(
    { address: { host, port }, proxyCommand }: SshLogin,
    stored: readonly HostKey[],
    signal?: AbortSignal,
  ): Promise<HostKeyState> {
    // `ssh-keyscan` knows no way but the direct one.
    if (proxyCommand !== undefined) return "unclear";
    if (stored.length === 0) return "new";
    const asked = ["-T", String(PATIENCE), "-p", String(port), "--", host];
    const within = 3 * PATIENCE * 1000;
    // Where it can't be said, `ssh` alone decides.
    const shown = await runSshTool("ssh-keyscan", asked, { within, ...(signal === undefined ? {} : { signal }) }).catch(
      () => ({ out: "" }),
    );
    signal?.throwIfAborted();
    return compareHostKeys(stored, readHostKeys(shown.out));
  }

  /**
   * Removes what is stored under this name, hashed or not. `ssh-keygen` leaves a copy of the file as it was, which goes as well.
   * @throws AppError `rejected` if the program is missing or can't change the file.
   */
  async forget(alias: string): Promise<void> {
    if ((await stat(this.path).catch(() => undefined)) === undefined) return;
    const { ok } = await runSshTool("ssh-keygen", ["-R", alias, "-f", this.path]);
    if (!ok) throw new AppError("rejected", t("The stored host key can't be removed. Check the file {0}.", this.path));
    await rm(`${this.path}.old`, { force: true });
  }
}
