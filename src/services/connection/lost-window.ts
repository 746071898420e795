// The instance that the editor's window is on may be gone: the editor would go on connecting to it. That is told once, by one of the
// windows on it, and only if the service has said it often enough.
import { isMachineOf, type SshMachine } from "../../domain/connection/ssh-machine.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import { toMarkedAccount } from "../core/account-mark.ts";
import { getLast } from "../core/loaded.ts";
import type { ScheduledJob, Scheduler } from "../core/scheduler.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { type Asking, calculateAskingPause } from "../instance/asking.ts";
import type { InstanceAlerts } from "../instance/instance-alerts.ts";
import type { InstancesService } from "../instance/instances.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly alerts: Pick<InstanceAlerts, "tellGone">;
  readonly scheduler: Scheduler;
}

interface LostNotice {
  readonly account: SignedIn;
  readonly machine: SshMachine;
}

interface LostTelling extends LostNotice {
  /** The person has seen it. */
  readonly noteSeen: () => void;
}

export class LostWindow implements Disposable {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #notices = new Emitter<LostTelling>();
  /** Its window can no longer connect. */
  readonly onNotice = this.#notices.event;
  readonly #job: ScheduledJob;
  #machine: SshMachine | undefined;
  /** Since a list last had it. Named for the account that was asked, and the machine. */
  #asking: Asking | undefined;
  /** Those that were told of here, or that the person has seen elsewhere. Named as `#asking` is. */
  readonly #settled = new Set<string>();

  constructor(parts: Parts) {
    const { session, instances, scheduler } = parts;
    this.#parts = parts;
    this.#job = this.#bag.add(scheduler.add({ id: "lost-window", wait: () => this.#wait(), run: () => this.#look() }));
    this.#bag.add(instances.collection.store.onDidChange(() => this.#job.plan()));
    this.#bag.add(session.onDidChange(() => this.#job.plan()));
    this.#bag.add(this.#notices);
  }

  /** `machine`: the one that the window is on, once that is known. */
  follow(machine: SshMachine | undefined): void {
    this.#machine = machine;
    this.#job.plan();
  }

  /**
   * The machine of the window, if a whole list of its account lacks it. Another account says nothing of it, nor does a list with gaps; of a
   * service without a list, one that it no longer knows is marked.
   */
  #findMissing(): LostNotice | undefined {
    const { session, instances } = this.#parts;
    const account = session.current;
    const machine = this.#machine;
    if (!machine || account.kind !== "signed-in" || !isMachineOf(machine, toMarkedAccount(account))) return undefined;
    const list = getLast(instances.collection.store.current)?.value;
    if (!list?.complete || list.unread || list.unreadable > 0) return undefined;
    if (this.#settled.has(nameAsking({ account, machine }))) return undefined;
    const row = list.rows.find(({ value }) => value.id === machine.id);
    return row && !row.gone ? undefined : { account, machine };
  }

  #wait(): number | undefined {
    const missing = this.#findMissing();
    if (!missing) {
      this.#asking = undefined;
      return undefined;
    }
    return Math.max(0, this.#askingOf(missing).nextAt - this.#parts.scheduler.clock.elapsed());
  }

  #askingOf({ account, machine }: LostNotice): Asking {
    const name = nameAsking({ account, machine });
    if (this.#asking?.name !== name) this.#asking = { name, tries: 0, nextAt: 0 };
    return this.#asking;
  }

  /** Two answers that are far enough apart, and a whole list after them. */
  async #look(): Promise<void> {
    const { instances, alerts, scheduler } = this.#parts;
    const missing = this.#findMissing();
    if (!missing) return;
    const { account, machine } = missing;
    const asking = this.#askingOf(missing);
    asking.tries += 1;
    asking.nextAt = scheduler.clock.elapsed() + calculateAskingPause(asking.tries);
    await instances.whereabouts.find(account, machine.id);
    if (!(await instances.whereabouts.isGone(account, machine.id))) return;
    const tell = () => new Promise<void>((noteSeen) => this.#notices.fire({ account, machine, noteSeen }));
    const telling = await alerts.tellGone(account, machine.id, tell);
    if (telling === "told" || telling === "seen") this.#settled.add(asking.name);
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

const nameAsking = ({ account, machine }: LostNotice): string => `${account.tag} ${machine.alias}`;
