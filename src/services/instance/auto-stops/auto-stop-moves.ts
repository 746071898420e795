// Has an instance that ends itself keep another end. What isn't certain is written down before it is told.
import { asAppError } from "../../../domain/base/error.ts";
import type { InstanceId } from "../../../domain/base/id.ts";
import type { AutoStop, SelfStopProof } from "../../../domain/instance/auto-stop.ts";
import { buildAskedProof, toOrder } from "../../../domain/instance/kept-self-stop.ts";
import { isLater, judgeEnd, keepsEnd } from "../../../domain/instance/self-stop.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import type { SignedIn } from "../../core/session.ts";
import type { AutoStopEntry } from "./auto-stop-entry.ts";
import type { AutoStopJournal } from "./auto-stop-journal.ts";
import type { SelfStopAccess } from "./self-stop-access.ts";

/** What became of the end that an instance keeps itself. `newer`: one that was set later is there. */
export type Moved =
  | { readonly kind: "moved"; readonly proof: SelfStopProof; readonly isLate: boolean }
  | { readonly kind: "newer" }
  /** `isUnsure`: it may have been moved all the same. */
  | { readonly kind: "failed"; readonly why: string; readonly isUnsure: boolean };

interface Parts {
  readonly journal: AutoStopJournal;
  readonly clock: Clock;
}

export class AutoStopMoves {
  readonly #parts: Parts;
  selfStopAccess: SelfStopAccess | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Has the instance keep the new end. */
  async move(account: SignedIn, id: InstanceId, autoStop: AutoStop): Promise<Moved> {
    const { clock } = this.#parts;
    try {
      const end = await this.selfStopAccess?.ask(account, id, toOrder(autoStop, clock.now()));
      if (end === undefined)
        return { kind: "failed", why: t("Cloud GPU couldn't log in to the instance."), isUnsure: false };
      if (end !== "missing" && isLater(end, autoStop)) return { kind: "newer" };
      if (end !== "missing" && end.lives && !keepsEnd(end, autoStop))
        return { kind: "failed", why: t("Cloud GPU couldn't save the new end time on the instance."), isUnsure: true };
      return { kind: "moved", proof: judgeEnd(end, autoStop, clock.now()), isLate: end !== "missing" && end.wasDue };
    } catch (error) {
      const { message, facts } = asAppError(error);
      return { kind: "failed", why: message, isUnsure: facts.notSent !== true };
    }
  }

  /**
   * The same before the new end is written down. Until then, the one before isn't called armed: this window may be gone by then, or the
   * answer lost. Nor is one that another window set in the meantime. An earlier one that the instance was known to keep goes on being named.
   * `findLast`: the end that holds for the instance now.
   */
  async moveFirst(
    account: SignedIn,
    id: InstanceId,
    autoStop: AutoStop,
    findLast: () => Promise<AutoStopEntry | undefined>,
  ): Promise<Moved> {
    const { journal } = this.#parts;
    const last = await findLast();
    const before = last?.proofs.get(id);
    // Unless this is written down, the instance isn't told. What it is just being asked for the first time comes too late then.
    const count = last && (await journal.noteProof(last.name, id, buildAskedProof(before, autoStop)));
    const moved = await this.move(account, id, autoStop);
    if (moved.kind !== "failed") return moved;
    if (moved.isUnsure) {
      // What another window noted in the meantime may have been read before this one arrived there.
      const now = await findLast();
      if (now) await this.noteProof(now.name, id, buildAskedProof(now.proofs.get(id), autoStop));
    } else if (last && count !== undefined)
      await journal.noteProofAfter(last.name, id, { count, proof: before }).catch(() => undefined);
    return moved;
  }

  /** Without it, the instance is asked again. */
  async noteProof(name: string, id: InstanceId, proof: SelfStopProof): Promise<void> {
    await this.#parts.journal.noteProof(name, id, proof).catch(() => undefined);
  }
}
