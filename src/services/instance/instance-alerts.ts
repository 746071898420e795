// Tells once, in one window, what happens to an instance: that it was outbid, that its disk is almost full, or that it is gone.

import type { InstanceId } from "../../domain/base/id.ts";
import { ALERTS, type AlertKind, hasAlert, isAlertOver } from "../../domain/instance/alert.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import { hashInstance, hashOwnInstance } from "../core/account-mark.ts";
import { Book, type BookTable, findHighest } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { type Telling, tellOnce } from "../core/book/tell-once.ts";
import { Duties, isElsewhere } from "../core/duty.ts";
import type { Liveness } from "../core/heartbeat.ts";
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
  readonly liveness: Liveness;
  readonly log: Log;
}

/** What can be told of an instance; `gone`: in a window that is on it, whose ID is in the file, and `seen` once the person has seen that. */
type Told = AlertKind | "gone" | "seen";

/** What was told and isn't over, by the digest of its instance. */
const ALERT_CLAIMS: BookTable<Told> = {
  entry: /[0-9a-f]{20}/,
  kinds: { outbid: [], disk: [], gone: [6], seen: [] },
  unnumbered: ["gone"],
  unread: "passes",
};
/** Milliseconds after which a message is forgotten. */
const KEPT = 30 * 86_400_000;
/** The same of an instance that is gone: a window on it may be opened again for as long. */
const GONE_KEPT = 365 * 86_400_000;

export class InstanceAlerts implements Disposable {
  readonly #parts: Parts;
  readonly #book: Book<Told>;
  readonly #listening: Disposable;
  /** That instances are gone, as long as the person hasn't seen it. */
  readonly #duties: Duties<string>;
  readonly #notices = new Emitter<AlertNotice>();
  readonly onNotice = this.#notices.event;
  #list: Instances | undefined;
  /** Digests of instances that the next list must confirm to be outbid, which is read soon: they may just be starting. */
  readonly #doubted = new Map<string, () => void>();
  /** One list after the other. */
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#book = new Book(ALERT_CLAIMS, parts.folder, parts.disk);
    this.#duties = new Duties(parts.liveness);
    this.#listening = parts.instances.collection.store.onDidChange(() => this.#check());
  }

  #check(): void {
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
    const claims = await this.#book.list();
    for (const instance of rows)
      for (const kind of ALERTS) {
        const digest = hashInstance(account, instance.id);
        const wasTold = claims.get(digest)?.has(kind) === true;
        if (!hasAlert(instance, kind)) {
          if (kind === "outbid") this.#settle(digest);
          if (wasTold && isAlertOver(instance, kind)) await this.#book.remove(digest, kind);
          continue;
        }
        const isNews = kind !== "outbid" || this.#isConfirmed(digest, wasTold);
        if (isNews && !wasTold) await this.#tell(digest, { account, kind, instance });
      }
  }

  /** One that is gone, or of an account that was left, isn't confirmed any longer. */
  #forgetMissing(account: SignedIn, rows: readonly Instance[]): void {
    if (this.#doubted.size === 0) return;
    const digests = new Set(rows.map(({ id }) => hashInstance(account, id)));
    for (const digest of [...this.#doubted.keys()]) if (!digests.has(digest)) this.#settle(digest);
  }

  #isConfirmed(digest: string, wasTold: boolean): boolean {
    if (this.#settle(digest) || wasTold) return true;
    this.#doubted.set(digest, this.#parts.instances.watch());
    return false;
  }

  /** @returns whether the list before said it. */
  #settle(digest: string): boolean {
    const unwatch = this.#doubted.get(digest);
    unwatch?.();
    return this.#doubted.delete(digest);
  }

  async #tell(digest: string, notice: AlertNotice): Promise<void> {
    const parts = { book: this.#book, session: this.#parts.session };
    await tellOnce(parts, notice.account, { entry: digest, file: notice.kind }, () => this.#notices.fire(notice));
  }

  /**
   * Tells that an instance is gone, whose number no other one gets. `tell` resolves once the person has seen it: a window that is closed before
   * leaves it to another one. @returns `seen` if nothing of it is left to do. @throws the disk's error: nothing was told then.
   */
  async tellGone(account: SignedIn, id: InstanceId, tell: () => Promise<void>): Promise<Telling | "seen"> {
    const { session, liveness, log } = this.#parts;
    const entry = hashOwnInstance(account, id);
    const files = (await this.#book.list()).get(entry);
    if (files?.has("seen")) return "seen";
    if (this.#duties.has(entry)) return "told";
    const last = findHighest(files, "gone");
    if (last > 0 && (await isElsewhere(liveness, await this.#book.readText(entry, ["gone", last])))) return "elsewhere";
    await this.#duties.take(entry);
    const noteSeen = async () => {
      await tell();
      await this.#book.create(entry, "seen");
      this.#duties.end(entry);
    };
    const claim = { entry, file: ["gone", last + 1], content: liveness.id } as const;
    let telling: Telling | undefined;
    try {
      telling = await tellOnce({ book: this.#book, session }, account, claim, () => {
        noteSeen().catch((error) => log.warn("What was told of an instance could not be written down.", error));
      });
    } finally {
      if (telling !== "told") this.#duties.end(entry);
    }
    return telling;
  }

  /** Forgets instances that no one has seen for long. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    await this.#book.removeOlder(now, { outbid: KEPT, disk: KEPT, gone: GONE_KEPT, seen: GONE_KEPT });
  }

  dispose(): void {
    for (const unwatch of this.#doubted.values()) unwatch();
    this.#listening.dispose();
    this.#duties.endAll();
    this.#notices.dispose();
  }
}
