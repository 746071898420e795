// Has an instance that ends itself keep another end. What isn't certain is written down before it is told.
import { asAppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import { doubtTold, toOrder } from "../../../domain/instance/kept-end.ts";
import type { EndProof, Lease } from "../../../domain/instance/lease.ts";
import { isLater, judgeEnd, keepsEnd } from "../../../domain/instance/self-end.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import type { SignedIn } from "../../core/session.ts";
import type { LeaseEntry } from "./lease-entry.ts";
import type { LeaseJournal } from "./lease-journal.ts";
import type { MachineEnds } from "./machine-ends.ts";

/** What became of the end that an instance keeps itself. `newer`: one that was set later is there. */
export type Moved =
  | { readonly kind: "moved"; readonly proof: EndProof; readonly isLate: boolean }
  | { readonly kind: "newer" }
  /** `isUnsure`: it may have been moved all the same. */
  | { readonly kind: "failed"; readonly why: string; readonly isUnsure: boolean };

interface Parts {
  readonly journal: LeaseJournal;
  readonly clock: Clock;
}

export class LeaseMoves {
  readonly #parts: Parts;
  machineEnds: MachineEnds | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Has the instance keep the new end. */
  async move(account: SignedIn, id: InstanceId, lease: Lease): Promise<Moved> {
    const { clock } = this.#parts;
    try {
      const end = await this.machineEnds?.ask(account, id, toOrder(lease, clock.now()));
      if (end === undefined) return { kind: "failed", why: t("The instance can't be logged in to."), isUnsure: false };
      if (end !== "missing" && isLater(end, lease)) return { kind: "newer" };
      if (end !== "missing" && end.lives && !keepsEnd(end, lease))
        return { kind: "failed", why: t("The new end couldn't be written on the instance."), isUnsure: true };
      return { kind: "moved", proof: judgeEnd(end, lease, clock.now()), isLate: end !== "missing" && end.wasDue };
    } catch (error) {
      const { message, facts } = asAppError(error);
      return { kind: "failed", why: message, isUnsure: facts.notSent !== true };
    }
  }

  /**
   * The same before the new end is written down. Until then, the one before isn't called armed: this window may be gone by then, or the
   * answer lost. Nor is one that another window set meanwhile. An earlier one that the instance was known to keep goes on being named.
   * `findLast`: the end that holds for the instance now.
   */
  async moveFirst(
    account: SignedIn,
    id: InstanceId,
    lease: Lease,
    findLast: () => Promise<LeaseEntry | undefined>,
  ): Promise<Moved> {
    const { journal } = this.#parts;
    const last = await findLast();
    const before = last?.proofs.get(id);
    // Unless this is written down, the instance isn't told. What it is just being asked for the first time comes too late then.
    const count = last && (await journal.noteProof(last.name, id, doubtTold(before, lease)));
    const moved = await this.move(account, id, lease);
    if (moved.kind !== "failed") return moved;
    if (moved.isUnsure) {
      // What another window noted meanwhile may have been read before this one arrived there.
      const now = await findLast();
      if (now) await this.noteProof(now.name, id, doubtTold(now.proofs.get(id), lease));
    } else if (last && count !== undefined)
      await journal.noteProofAfter(last.name, id, { count, proof: before }).catch(() => undefined);
    return moved;
  }

  /** Without it, the instance is asked again. */
  async noteProof(name: string, id: InstanceId, proof: EndProof): Promise<void> {
    await this.#parts.journal.noteProof(name, id, proof).catch(() => undefined);
  }
}
