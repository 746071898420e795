// The launch journal: write-once files in a folder that all windows share. The existing files are the entire state.
import { AppError } from "../../domain/base/error.ts";
import { getLaunchState, type LaunchFact, type LaunchRecord, Prepared } from "../../domain/launch/launch-record.ts";
import { t } from "../../lib/text.ts";
import { Book, type BookEntry, type BookTable, listInstanceIds } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { findTidyLimit } from "../core/book/tidy-limit.ts";

type Kind = "prepared" | "rented" | "late" | LaunchFact;

const FACTS: Readonly<Record<LaunchFact, readonly []>> = {
  claimed: [],
  "not-sent": [],
  refused: [],
  absent: [],
  dismissed: [],
  looked: [],
  told: [],
};

const LAUNCHES: BookTable<Kind> = {
  entry: /vsc-[a-z2-7]{16}/,
  // A claim on its own would look like a launch with an unknown outcome.
  kinds: { ...FACTS, rented: [16], late: [16], prepared: [] },
  // What can't be read is a launch of which only its claim is known, which is looked for like any other.
  unread: "passes",
};
/** In capitals: codes of a service are lowercase, so none can be mistaken for it. */
const SENT_BEFORE = "SENT_BEFORE";
/** Days after which the files of a finished launch are deleted. */
const KEPT_DAYS = 30;
/** Of one with a registry login, which is still to be known when its instance is replaced. */
const KEPT_DAYS_WITH_LOGIN = 400;
const DAY = 86_400_000;

export class LaunchJournal {
  readonly #book: Book<Kind>;

  constructor(folder: string, disk?: Disk) {
    this.#book = new Book(LAUNCHES, folder, disk);
  }

  /** Every launch, oldest first. @throws AppError if the folder can't be read. Then nothing may be launched. */
  async read(): Promise<readonly LaunchRecord[]> {
    const launches = await this.#list();
    const records: LaunchRecord[] = [];
    for (const [token, files] of launches) {
      const facts = new Set([...files.keys()].filter((kind): kind is LaunchFact => Object.hasOwn(FACTS, kind)));
      const [late, rented] = [listInstanceIds(files, "late"), listInstanceIds(files, "rented")];
      const ids = [...new Set([...rented, ...late])].sort((a, b) => a - b);
      const prepared = await this.#book.read(token, "prepared", Prepared);
      records.push({ token, prepared, facts, late: new Set(late), ids });
    }
    return records.sort((a, b) => (a.prepared?.at ?? 0) - (b.prepared?.at ?? 0));
  }

  async #list(): Promise<ReadonlyMap<string, BookEntry<Kind>>> {
    return await this.#book.list().catch((error) => {
      throw unusable(error);
    });
  }

  /** @throws AppError if it can't be written durably. */
  async prepare(token: string, prepared: Prepared): Promise<void> {
    // A launch in a folder that can't be read would be found by no one.
    await this.#list();
    if (!(await this.#write(token, "prepared", prepared))) throw createAlreadySentError();
  }

  /** The only lock: whoever creates this file may send the request, and no one else ever may. @throws AppError. */
  async claim(token: string): Promise<void> {
    if (!(await this.#write(token, "claimed"))) throw createAlreadySentError();
  }

  /** Records a fact. Another window may have recorded it already. @throws AppError if it can't be written. */
  async note(token: string, fact: LaunchFact | readonly [kind: "rented" | "late", id: number]): Promise<void> {
    await this.#write(token, fact);
  }

  async #write(
    token: string,
    file: Parameters<LaunchJournal["note"]>[1] | "prepared",
    content?: Prepared,
  ): Promise<boolean> {
    try {
      return await this.#book.create(token, file, content);
    } catch (error) {
      throw unusable(error);
    }
  }

  /** Removes old, finished launches. A launch with an unknown outcome stays, however old it is. */
  async tidy(now: number): Promise<void> {
    const all = await this.read();
    const limit = findTidyLimit(all.map(({ prepared }) => prepared?.at ?? 0));
    for (const record of all) {
      const state = getLaunchState(record);
      const { at, login } = record.prepared ?? {};
      const days = login === undefined ? KEPT_DAYS : KEPT_DAYS_WITH_LOGIN;
      if (at === undefined || at > limit || now - at < days * DAY || state === "unresolved" || state === "doubled")
        continue;
      await this.#book.removeEntry(record.token);
    }
  }
}

/** This launch was sent before, here or in another window. Whatever requests it again must do nothing. */
export function createAlreadySentError(): AppError {
  return new AppError("rejected", t("This launch was already sent. Look for it under Instances."), {
    code: SENT_BEFORE,
  });
}

export function wasSentBefore(error: unknown): boolean {
  return error instanceof AppError && error.facts.code === SENT_BEFORE;
}

function unusable(error: unknown): AppError {
  const code = String((error as { code?: unknown })?.code ?? "");
  return new AppError(
    "rejected",
    t(
      "Cloud GPU couldn't save the launch ({0}), so nothing was rented. Check the free space and permissions of the editor's storage folder.",
      code,
    ),
    { notSent: true, cause: error },
  );
}
