// Decides a group once, in one window, on a complete list and on the launch journal as it is now.
import type { InstanceId } from "../../domain/base/id.ts";
import type { GroupFacts } from "../../domain/group/group-facts.ts";
import { decideGroup, isUnwanted } from "../../domain/group/group-policy.ts";
import type { GroupRecord } from "../../domain/group/group-record.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Liveness } from "../core/heartbeat.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { InstancesService } from "../instance/instances.ts";
import type { LaunchWatch } from "../launch/outcome/launch-watch.ts";
import type { GroupJournal } from "./group-journal.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly watch: LaunchWatch;
  readonly groupJournal: GroupJournal;
  readonly liveness: Liveness;
  readonly clock: Clock;
}

/** Milliseconds that the wall clock must have said, at each look, that the time is over, before a window believes it. */
const BELIEVED_MS = 5 * 60_000;
/** A decision that comes later than this after its time, in milliseconds, destroys nothing without a question. */
const OVERDUE_MS = BELIEVED_MS + 10 * 60_000;
/** The same where only the wall clock says so: the computer slept, or that clock was set forward, which is seldom by so much. */
const ASLEEP_MS = 60 * 60_000;

interface GroupTime {
  readonly isOver: boolean;
  /** Whether it has been over for so long that nothing may be destroyed without a question. */
  readonly isOverdue: boolean;
}

export class GroupDecisions {
  readonly #parts: Parts;
  /** By group, whether this window is about to replace a dead instance of it. */
  readonly #replacing = new Map<string, (dead: InstanceId) => boolean>();
  /** By undecided group, when this window first looked at it, in monotonic milliseconds. */
  readonly #since = new Map<string, number>();
  /** By undecided group, when the first of the looks was at all of which its time was over; undefined if it wasn't at the last one. */
  readonly #overSince = new Map<string, number | undefined>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Dead instances that are replaced don't decide their group. @returns a function that ends that. */
  expectReplacements(id: string, isComing: (dead: InstanceId) => boolean): () => void {
    // A second confirmation of a group rents nothing, and must not end what the first one waits for.
    if (this.#replacing.has(id)) return () => undefined;
    this.#replacing.set(id, isComing);
    return () => this.#replacing.delete(id);
  }

  /**
   * `readNow` gives the group as it stands, or undefined without a complete list.
   * @returns whether this call decided it.
   * @throws AppError if that can't be written down, the service can't say what is gone, or the account was left.
   */
  async decide(account: SignedIn, id: string, readNow: () => GroupFacts | undefined): Promise<boolean> {
    const { groupJournal, liveness, session, watch } = this.#parts;
    // A launch that isn't known yet would look like one that was never sent.
    await watch.reread();
    session.assertStill(account);
    const group = readNow();
    if (!group || group.isSending) return false;
    const { record } = group;
    const { isOver, isOverdue } = this.follow(record);
    const verdict = decideGroup(record, this.#statesOf(group), isOver);
    if (verdict === "wait" || !(await this.#areGone(account, group))) return false;
    session.assertStill(account);
    if (isOverdue && verdict !== "complete") await groupJournal.note(id, "kept");
    const unwanted = group.members.flatMap(({ state, rank }) =>
      isUnwanted(verdict, state) ? (record.launches[rank] ?? []) : [],
    );
    const tokens = unwanted.filter((one) => one !== "");
    return await groupJournal.decide(record, { decision: verdict, by: liveness.id, unwanted: tokens });
  }

  /**
   * Looks at the clocks, for a group that is undecided.
   *
   * The window that rented it counts by the monotonic clock, so that the wall clock may be wrong in any way. The monotonic one may stop while
   * the computer sleeps: then the group is decided later, but no more than its agreed minutes after the computer woke.
   *
   * Any other window knows only by the wall clock when it was rented. It believes that the time is over once that clock has said so at each
   * look for `BELIEVED_MS`, which is how much later it decides; only a clock that is ahead for longer than that makes it decide early. It
   * also believes it once it has followed the group for all of the agreed minutes: so it decides at most those after it opened, though the
   * clock is behind, or was ahead when the group was confirmed.
   */
  follow({ id, prepared: { at, deadline, owner } }: GroupRecord): GroupTime {
    const { clock, liveness } = this.#parts;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    const since = this.#since.get(id) ?? elapsed;
    this.#since.set(id, since);
    const followed = elapsed - since;
    const age = owner === liveness.id ? followed : Math.max(followed, now - at);
    const late = at + age - deadline;
    const overSince = late < 0 ? undefined : (this.#overSince.get(id) ?? elapsed);
    this.#overSince.set(id, overSince);
    const isOver = followed >= deadline - at || (overSince !== undefined && elapsed - overSince >= BELIEVED_MS);
    return { isOver, isOverdue: late > OVERDUE_MS || now - deadline > ASLEEP_MS };
  }

  /** Whether what the list lacks is gone. A list may be behind, and whoever is destroyed because of it doesn't come back. */
  async #areGone(account: SignedIn, { members }: GroupFacts): Promise<boolean> {
    const gone = members.flatMap(({ state, id }) => (state === "gone" && id !== undefined ? [id] : []));
    const found = await Promise.all(gone.map((id) => this.#parts.instances.whereabouts.ask(account, id)));
    return found.every((row) => row === undefined);
  }

  #statesOf({ id: group, members }: GroupFacts) {
    const isComing = this.#replacing.get(group);
    return members.map(({ state, id }) => (state === "dead" && id !== undefined && isComing?.(id) ? "coming" : state));
  }
}
