// Tells once, in one window, what happens to an instance on its own: that it was outbid, or that its disk is almost full.
import { createHash } from "node:crypto";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import { ALERTS, type AlertKind, hasAlert, isAlertOver } from "../../domain/instance/alert.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { type Disk, realDisk } from "../core/disk.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { Instances, InstancesService } from "./instances.ts";

export interface AlertNotice {
  readonly account: SignedIn;
  readonly kind: AlertKind;
  readonly instance: Instance;
}

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  readonly log: Log;
}

const NAME = /^[0-9a-f]{20}\.(?:outbid|disk)$/;
/** Milliseconds after which a message is forgotten. */
const KEPT = 30 * 86_400_000;

export class InstanceAlerts implements Disposable {
  readonly #parts: Parts;
  readonly #disk: Disk;
  readonly #listening: Disposable;
  readonly #notices = new Emitter<AlertNotice>();
  readonly onNotice = this.#notices.event;
  #list: Instances | undefined;
  /** Names of messages that were told and aren't over. */
  #told = new Set<string>();
  /** Names of messages that the next list must confirm, which is read soon: an instance may just be starting. */
  readonly #doubted = new Map<string, () => void>();
  /** One list after the other. */
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#disk = parts.disk ?? realDisk;
    this.#listening = parts.instances.collection.store.onDidChange(() => this.#look());
  }

  #look(): void {
    const { session, instances, log } = this.#parts;
    const account = session.current;
    const list = getLast(instances.collection.store.current)?.value;
    if (account.kind !== "signed-in" || list === undefined || list === this.#list || list.unread) return;
    this.#list = list;
    const rows = list.rows.filter(({ gone }) => !gone).map(({ value }) => value);
    this.#inTurn(() => this.#compare(account, rows)).catch((error) =>
      log.warn("What happened to an instance could not be told.", error),
    );
  }

  async #compare(account: SignedIn, rows: readonly Instance[]): Promise<void> {
    this.#forgetMissing(account, rows);
    if (rows.length === 0) return;
    // Another window may have told something since, or seen that it was over.
    const names = await this.#disk.names(this.#parts.folder);
    this.#told = new Set(names.filter((name) => NAME.test(name)));
    for (const instance of rows)
      for (const kind of ALERTS) {
        const name = nameOf(account, instance, kind);
        if (hasAlert(instance, kind)) {
          if (kind !== "outbid" || this.#isConfirmed(name)) await this.#tell(name, { account, kind, instance });
          continue;
        }
        this.#settle(name);
        if (this.#told.has(name) && isAlertOver(instance, kind)) await this.#end(name);
      }
  }

  /** One that is gone, or of an account that was left, isn't confirmed anymore. */
  #forgetMissing(account: SignedIn, rows: readonly Instance[]): void {
    if (this.#doubted.size === 0) return;
    const names = new Set(rows.map((instance) => nameOf(account, instance, "outbid")));
    for (const name of [...this.#doubted.keys()]) if (!names.has(name)) this.#settle(name);
  }

  #isConfirmed(name: string): boolean {
    if (this.#settle(name) || this.#told.has(name)) return true;
    this.#doubted.set(name, this.#parts.instances.watch());
    return false;
  }

  /** @returns whether the list before said it. */
  #settle(name: string): boolean {
    const unwatch = this.#doubted.get(name);
    unwatch?.();
    return this.#doubted.delete(name);
  }

  async #tell(name: string, notice: AlertNotice): Promise<void> {
    if (this.#told.has(name)) return;
    const isOurs = await this.#disk.create(this.#path(name), "");
    this.#told.add(name);
    if (!isOurs) return;
    if (this.#parts.session.current === notice.account) this.#notices.fire(notice);
    else await this.#end(name);
  }

  async #end(name: string): Promise<void> {
    await this.#disk.remove(this.#path(name));
    this.#told.delete(name);
  }

  /** Forgets instances that nobody has seen for long. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    for (const name of await this.#disk.names(this.#parts.folder))
      if (NAME.test(name) && now - (await stat(this.#path(name))).mtimeMs > KEPT)
        await this.#disk.remove(this.#path(name));
  }

  #path(name: string): string {
    return join(this.#parts.folder, name);
  }

  dispose(): void {
    for (const unwatch of this.#doubted.values()) unwatch();
    this.#listening.dispose();
    this.#notices.dispose();
  }
}

/** The same in all windows, and for all keys of an account. */
const nameOf = ({ address }: SignedIn, { id }: Instance, kind: AlertKind): string =>
  `${createHash("sha256").update(`${address.base} ${id}`).digest("hex").slice(0, 20)}.${kind}`;
