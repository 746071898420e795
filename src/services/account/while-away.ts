// Tells someone who comes back what was spent and what ended in the meantime: once a start, and in one window.
import { type Absence, findAbsence } from "../../domain/account/absence.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { hashAccount } from "../core/account-mark.ts";
import { Book, type BookTable, listNumbers } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { tellOnce } from "../core/book/tell-once.ts";
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

/** Milliseconds. No one comes back to the same absence later. */
const KEPT = 30 * 86_400_000;
/** Milliseconds. A window that leaves the account before it could tell takes its claim back sooner. */
const SETTLED = 60_000;
/** By the digest of an account, since when its person was away: epoch milliseconds. */
const AWAY_CLAIMS: BookTable<""> = { entry: /away-[0-9a-f]{16}/, kinds: { "": [16] }, unread: "passes" };

export class WhileAway implements Disposable {
  readonly #parts: Parts;
  readonly #book: Book<"">;
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
    this.#book = new Book(AWAY_CLAIMS, parts.folder, parts.disk);
    this.#startedAt = parts.clock.now();
    this.#listening = parts.ledger.onDidChange(() => {
      this.#check().catch((error) => parts.log.warn("What happened meanwhile could not be read.", error));
    });
  }

  async #check(): Promise<void> {
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
    if (!absence) return;
    // Several windows start at once with the editor.
    const claim = { entry: `away-${hashAccount(account)}`, file: ["", absence.from] } as const;
    const telling = await tellOnce({ book: this.#book, session }, account, claim, () =>
      this.#notices.fire({ account, absence }),
    );
    if (telling === "elsewhere") {
      const now = this.#parts.clock.elapsed();
      this.#claimedSince ??= now;
      this.#isOver = now - this.#claimedSince >= SETTLED;
    } else if (telling === "left") this.#isOver = false;
  }

  async tidy(): Promise<void> {
    const now = this.#parts.clock.now();
    for (const [entry, files] of await this.#book.list())
      for (const from of listNumbers(files, "")) if (now - from > KEPT) await this.#book.remove(entry, ["", from]);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#notices.dispose();
  }
}
