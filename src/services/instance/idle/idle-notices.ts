// Tells of an instance that does nothing: once a spell, in one window, unless the person put that off or wants to hear nothing of it.
// What one window told or was told holds in all.
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { InstanceId } from "../../../domain/base/id.ts";
import type { IdleState } from "../../../domain/instance/idle.ts";
import type { Instance } from "../../../domain/instance/instance.ts";
import type { Disposable } from "../../../lib/disposable.ts";
import { Emitter } from "../../../lib/event.ts";
import type { Log } from "../../../lib/log.ts";
import { createQueue } from "../../../lib/task.ts";
import { type Disk, realDisk } from "../../core/disk.ts";
import type { Scheduler } from "../../core/scheduler.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import { hashInstance } from "../instance-uses.ts";
import type { IdleWatch } from "./idle-watch.ts";

export interface IdleInstance {
  readonly instance: Instance;
  readonly state: IdleState;
}

/** Several at once are one message. */
export interface IdleNotice {
  readonly account: SignedIn;
  readonly idle: readonly IdleInstance[];
}

interface Parts {
  readonly session: SessionService;
  readonly watch: IdleWatch;
  /** Those that an order ends are warned of by the order. */
  readonly isOrdered: (id: InstanceId) => boolean;
  readonly scheduler: Scheduler;
  /** A folder for nothing else, which all windows share. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  readonly log: Log;
}

const NAME = /^[0-9a-f]{20}\.(told|never|snoozed-(\d{1,16}))$/;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
/** Milliseconds without a message after *Snooze 1 h*. */
const SNOOZE = HOUR;
/** Milliseconds after which a file is forgotten. */
const KEPT = { told: 30 * DAY, never: 365 * DAY };

export class IdleNotices implements Disposable {
  readonly #parts: Parts;
  readonly #disk: Disk;
  readonly #listening: readonly Disposable[];
  readonly #notices = new Emitter<IdleNotice>();
  readonly onNotice = this.#notices.event;
  /** What was told of, here or in another window, and how often it had worked by then. */
  readonly #heard = new Map<InstanceId, number>();
  /** Whether there may be something to end among the files. */
  #isFollowing = true;
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#disk = parts.disk ?? realDisk;
    this.#listening = [
      parts.session.onDidChange(() => this.#heard.clear()),
      parts.watch.onDidRead(() => {
        this.#inTurn(() => this.#look()).catch((error) => parts.log.warn("Idle instances couldn't be told.", error));
      }),
    ];
  }

  async #look(): Promise<void> {
    const { session, watch } = this.#parts;
    const account = session.current;
    if (account.kind !== "signed-in") return;
    const isAnyIdle = watch.watched.some(({ id }) => watch.stateOf(id));
    if (!this.#isFollowing && !isAnyIdle) return;
    if (isAnyIdle) await watch.hearOthers(account);
    const known = watch.watched.map((instance) => ({ instance, state: watch.stateOf(instance.id) }));
    const names = new Set((await this.#disk.names(this.#parts.folder)).filter((name) => NAME.test(name)));
    this.#isFollowing = [...names].some((name) => !name.endsWith(".never"));
    const snoozed = this.#snoozed(names);
    const untold: (IdleInstance & { readonly digest: string })[] = [];
    for (const { instance, state } of known) {
      const digest = hashInstance(account, instance.id);
      if ((await this.#mayTell(digest, instance.id, { names, snoozed })) && state)
        untold.push({ instance, state, digest });
    }
    const idle: typeof untold = [];
    for (const one of untold)
      if (session.current === account && (await this.#claim(one.digest, one.instance.id))) idle.push(one);
    if (session.current !== account) for (const { digest, instance } of idle) await this.#end(digest, instance.id);
    else if (idle.length > 0) this.#notices.fire({ account, idle });
  }

  /** Ends what is over on the way. */
  async #mayTell(
    digest: string,
    id: InstanceId,
    { names, snoozed }: { readonly names: ReadonlySet<string>; readonly snoozed: ReadonlySet<string> },
  ): Promise<boolean> {
    const { watch, isOrdered } = this.#parts;
    const [heard, work] = [this.#heard.get(id), watch.workOf(id)];
    if (names.has(`${digest}.told`)) {
      if (heard === undefined || (work > heard && (await this.#isLater(digest, id)))) this.#heard.set(id, work);
      else if (work > heard) await this.#end(digest, id);
      return false;
    }
    // Another window has seen it work and ended that.
    if (heard !== undefined && work > heard) this.#heard.delete(id);
    if (snoozed.has(digest)) this.#heard.delete(id);
    return !snoozed.has(digest) && heard !== work && !names.has(`${digest}.never`) && !isOrdered(id);
  }

  /** @returns whether this window is the one that tells of it. */
  async #claim(digest: string, id: InstanceId): Promise<boolean> {
    const now = this.#parts.scheduler.clock.now();
    const isOurs = await this.#disk.create(this.#path(`${digest}.told`), String(now));
    this.#isFollowing = true;
    this.#heard.set(id, this.#parts.watch.workOf(id));
    return isOurs;
  }

  /** Whether another window told of it only after this one had seen it work: then that isn't over. */
  async #isLater(digest: string, id: InstanceId): Promise<boolean> {
    const toldAt = Number(await this.#disk.read(this.#path(`${digest}.told`)).catch(() => ""));
    return toldAt > (this.#parts.watch.workedAt(id) ?? Number.POSITIVE_INFINITY);
  }

  async #end(digest: string, id: InstanceId): Promise<void> {
    await this.#disk.remove(this.#path(`${digest}.told`));
    this.#heard.delete(id);
  }

  /** One that would last longer than it can was made before the clock was set back. */
  #snoozed(names: ReadonlySet<string>): ReadonlySet<string> {
    const now = this.#parts.scheduler.clock.now();
    const isNow = (until: number) => until > now && until <= now + SNOOZE;
    return new Set(
      [...names].filter((name) => isNow(Number(NAME.exec(name)?.[2] ?? 0))).map((name) => name.slice(0, 20)),
    );
  }

  /** Tells again in an hour, in whichever window, if it is still idle then. @throws the disk's error. */
  async snooze(account: SignedIn, id: InstanceId): Promise<void> {
    const digest = hashInstance(account, id);
    const until = Math.floor(this.#parts.scheduler.clock.now() + SNOOZE);
    await this.#inTurn(async () => {
      await this.#disk.create(this.#path(`${digest}.snoozed-${until}`), "");
      await this.#end(digest, id);
      this.#isFollowing = true;
    });
  }

  /** Says nothing of this instance any more. @throws the disk's error. */
  async silence(account: SignedIn, id: InstanceId): Promise<void> {
    await this.#disk.create(this.#path(`${hashInstance(account, id)}.never`), "");
  }

  /** @throws the disk's error. */
  async isSilenced(account: SignedIn, id: InstanceId): Promise<boolean> {
    return (await this.#disk.names(this.#parts.folder)).includes(`${hashInstance(account, id)}.never`);
  }

  /** Says it again. @throws the disk's error. */
  async unsilence(account: SignedIn, id: InstanceId): Promise<void> {
    await this.#disk.remove(this.#path(`${hashInstance(account, id)}.never`));
  }

  /** Forgets what is long over. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    for (const name of await this.#disk.names(this.#parts.folder)) {
      const [, kind, until] = NAME.exec(name) ?? [];
      if (kind === undefined) continue;
      const isOver =
        until === undefined
          ? now - (await stat(this.#path(name))).mtimeMs > KEPT[kind as "told" | "never"]
          : Math.abs(now - Number(until)) > DAY;
      if (isOver) await this.#disk.remove(this.#path(name));
    }
  }

  #path(name: string): string {
    return join(this.#parts.folder, name);
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
    this.#notices.dispose();
  }
}
