// Tells somebody who comes back what was spent and what ended meanwhile: once a start, and in one window.
import { join } from "node:path";
import { type Absence, findAbsence } from "../../domain/account/absence.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { hashAccount } from "../core/account-mark.ts";
import { type Disk, realDisk } from "../core/disk.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { Ledger } from "./ledger.ts";

interface Parts {
  readonly session: SessionService;
  readonly ledger: Ledger;
  /** The folder of the ledger. */
  readonly folder: string;
  readonly disk?: Disk | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** Milliseconds. Nobody comes back to the same absence later. */
const KEPT = 30 * 86_400_000;
/** Milliseconds. A window that leaves the account before it could tell takes its claim back sooner. */
const SETTLED = 60_000;
const NAME = /^away-[0-9a-f]{16}-(\d{1,16})$/;

export class WhileAway implements Disposable {
  readonly #parts: Parts;
  readonly #disk: Disk;
  readonly #startedAt: number;
  readonly #notices = new Emitter<{ readonly account: SignedIn; readonly absence: Absence }>();
  readonly onNotice = this.#notices.event;
  readonly #listening: Disposable;
  /** Whether there is nothing left to tell in this window. */
  #isOver = false;
  /** Monotonic milliseconds when this window first saw that another one tells it. */
  #claimedSince: number | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#disk = parts.disk ?? realDisk;
    this.#startedAt = parts.clock.now();
    this.#listening = parts.ledger.onDidChange(() => {
      this.#look().catch((error) => parts.log.warn("What happened meanwhile could not be read.", error));
    });
  }

  async #look(): Promise<void> {
    const { session, ledger } = this.#parts;
    const account = session.current;
    // Fires once the first list of this window is written down.
    if (this.#isOver || account.kind !== "signed-in" || ledger.readAt === undefined) return;
    const readings = await ledger.readWhole(account, this.#startedAt);
    if (this.#isOver || session.current !== account) return;
    // A list with gaps doesn't say what is gone: the next one may.
    if (!readings.some(({ at, hasGaps }) => at >= this.#startedAt && !hasGaps)) return;
    this.#isOver = true;
    const absence = findAbsence(readings, this.#startedAt);
    // Several windows start at once with the editor.
    const claim = absence && join(this.#parts.folder, `away-${hashAccount(account)}-${absence.from}`);
    if (!claim) return;
    if (!(await this.#disk.create(claim, ""))) {
      const now = this.#parts.clock.elapsed();
      this.#claimedSince ??= now;
      this.#isOver = now - this.#claimedSince >= SETTLED;
      return;
    }
    if (session.current === account) return this.#notices.fire({ account, absence });
    // It is told once the account is back.
    this.#isOver = false;
    await this.#disk.remove(claim);
  }

  async tidy(): Promise<void> {
    const { folder, clock } = this.#parts;
    for (const name of await this.#disk.names(folder)) {
      const [, at] = NAME.exec(name) ?? [];
      if (at !== undefined && clock.now() - Number(at) > KEPT) await this.#disk.remove(join(folder, name));
    }
  }

  dispose(): void {
    this.#listening.dispose();
    this.#notices.dispose();
  }
}
