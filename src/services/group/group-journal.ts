// The journal of groups: write-once files in a folder that all windows share. It names members and what was decided; what was rented is in
// the launch journal and on the service.
import { randomBytes } from "node:crypto";
import { AppError } from "../../domain/base/error.ts";
import {
  Decided,
  type GroupFact,
  GroupName,
  type GroupRecord,
  mayGrow,
  PreparedGroup,
} from "../../domain/group/group-record.ts";
import { Emitter } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { Book, type BookEntry, type BookFile, type BookTable, findHighest } from "../core/book/book.ts";
import type { Disk } from "../core/book/disk.ts";
import { findTidyLimit } from "../core/book/tidy-limit.ts";

type Kind = "prepared" | GroupFact | "decided" | "name" | "rank";

const GROUPS: BookTable<Kind> = {
  entry: /grp-[a-z2-7]{16}/,
  kinds: { prepared: [], sent: [], told: [], kept: [], ended: [], decided: [2], name: [4], rank: [2, 4] },
  // A group that can't be read rents and destroys nothing: its instances are instances like any other. But what was decided of one that
  // can, and which launches it has, isn't guessed.
  unread: ["decided", "rank"],
};
const FACTS: ReadonlySet<string> = new Set<GroupFact>(["sent", "told", "kept", "ended"]);
const LAUNCH = /^vsc-[a-z2-7]{16}$/;
const ALPHABET = "abcdefghijklmnopqrstuvwxyz234567";
/** Days after which the files of a decided group are deleted. It may run for long, and only these files say that it is one. */
const KEPT_DAYS = 400;
const DAY = 86_400_000;

export function createGroupId(): string {
  return `grp-${Array.from(randomBytes(16), (byte) => ALPHABET[byte % ALPHABET.length]).join("")}`;
}

export class GroupJournal {
  readonly #book: Book<Kind>;
  /** Groups and their files of a decision that couldn't be read before. */
  readonly #left = new Set<string>();
  readonly #changes = new Emitter<void>();
  /** Fires for what this window wrote. */
  readonly onDidChange = this.#changes.event;

  constructor(folder: string, disk?: Disk) {
    this.#book = new Book(GROUPS, folder, disk);
  }

  /** Every group, oldest first. What is damaged is passed over: its instances are instances like any other. @throws the disk's error. */
  async read(): Promise<readonly GroupRecord[]> {
    const found = [...(await this.#book.list())];
    const read = await Promise.all(found.map(([id, files]) => this.#readRecord(id, files)));
    const records = read.filter((record) => record !== undefined);
    return withoutCopies(records.sort((a, b) => a.prepared.at - b.prepared.at));
  }

  async find(id: string): Promise<GroupRecord | undefined> {
    return (await this.read()).find((record) => record.id === id);
  }

  /** Only as long as more may be rented for it. */
  async findOpen(id: string): Promise<GroupRecord | undefined> {
    const record = await this.find(id);
    return record && mayGrow(record) ? record : undefined;
  }

  /** Whether more may be rented for it. @throws the disk's error. */
  async isOpen(id: string): Promise<boolean> {
    return (await this.findOpen(id)) !== undefined;
  }

  async #readRecord(id: string, files: BookEntry<Kind>): Promise<GroupRecord | undefined> {
    const prepared = await this.#book.read(id, "prepared", PreparedGroup);
    if (!prepared) return undefined;
    const launches = await Promise.all(
      prepared.tokens.map(async (token, rank) => [token, ...(await this.#laterLaunches(id, rank, files))]),
    );
    const name = (await this.#latestName(id, findHighest(files, "name"))) ?? prepared.name;
    const facts = new Set([...files.keys()].filter((kind): kind is GroupFact => FACTS.has(kind)));
    return { id, prepared, name, launches, facts, ...(await this.#readDecided(id, findHighest(files, "decided"))) };
  }

  /** The first that can be read holds. */
  async #readDecided(id: string, count: number): Promise<Pick<GroupRecord, "decided" | "unreadable">> {
    for (let at = 1; at <= count; at += 1) {
      const decided = await this.#book.read(id, ["decided", at], Decided);
      if (decided) return { decided, unreadable: at - 1 };
    }
    return { decided: undefined, unreadable: count };
  }

  async #laterLaunches(id: string, rank: number, files: BookEntry<Kind>): Promise<readonly string[]> {
    const counts = (files.get("rank") ?? []).flatMap(([of, count = 0]) => (of === rank ? [count] : []));
    const all = Array.from({ length: Math.max(0, ...counts) }, (_, index) => index + 1);
    const tokens = await Promise.all(all.map((count) => this.#book.readText(id, ["rank", rank, count])));
    return tokens.map((token) => (token !== undefined && LAUNCH.test(token) ? token : ""));
  }

  async #latestName(id: string, count: number): Promise<string | undefined> {
    for (let at = count; at > 0; at -= 1) {
      const name = GroupName.safeParse(await this.#book.readText(id, ["name", at]));
      if (name.success) return name.data;
    }
    return undefined;
  }

  /** @throws AppError `rejected` if it can't be written durably; RangeError if it couldn't be read again. Then nothing may be rented. */
  async prepare(id: string, prepared: PreparedGroup): Promise<void> {
    if (!PreparedGroup.safeParse(prepared).success) throw new RangeError("Nobody could read this group.");
    // A group in a folder that can't be read would be found by no one.
    await this.#book.list().catch((error) => {
      throw unusable(error);
    });
    if (!(await this.#write(id, "prepared", prepared))) throw unusable(undefined);
  }

  /** @returns whether this call was the one that noted it. @throws AppError if it can't be written. */
  async note(id: string, fact: GroupFact): Promise<boolean> {
    return await this.#write(id, fact);
  }

  /**
   * @returns false if it was decided before, here or in another window, or is being decided there right now, or if another launch has taken
   * a rank since the record was read. What can't be read the next time either was left by a window that died over it.
   * @throws AppError if it can't be written.
   */
  async decide({ id, launches }: GroupRecord, decided: Decided): Promise<boolean> {
    const now = await this.find(id);
    if (!now || now.decided) return false;
    // What was decided without that launch would neither count nor end what it rents.
    if (now.launches.some((tokens, rank) => tokens.length !== launches[rank]?.length)) return false;
    const left = `${id} ${now.unreadable}`;
    if (now.unreadable > 0 && !this.#left.has(left)) {
      this.#left.add(left);
      return false;
    }
    return await this.#write(id, ["decided", now.unreadable + 1], decided);
  }

  /** @throws AppError `rejected` if someone renamed it at the same moment, or it can't be written. */
  async rename({ id }: GroupRecord, name: string): Promise<void> {
    const count = findHighest((await this.#book.list()).get(id), "name");
    if (!(await this.#write(id, ["name", count + 1], name))) throw changedElsewhere();
  }

  /**
   * Another launch takes a rank: it is written down before it is sent.
   * @throws AppError `rejected` if another window did the same since the record was read, or it can't be written.
   */
  async addLaunch({ id, launches }: GroupRecord, rank: number, token: string): Promise<void> {
    const count = launches[rank]?.length ?? 0;
    if (count === 0) throw new RangeError(`The group has no rank ${rank}.`);
    if (!(await this.#write(id, ["rank", rank, count], token))) throw changedElsewhere();
  }

  async #write(id: string, file: BookFile<Kind>, content?: unknown): Promise<boolean> {
    try {
      const isNew = await this.#book.create(id, file, content);
      if (isNew) this.#changes.fire();
      return isNew;
    } catch (error) {
      throw unusable(error);
    }
  }

  /** Removes groups that were rented long ago. `now` in epoch milliseconds. */
  async tidy(now: number): Promise<void> {
    const all = await this.read();
    const limit = findTidyLimit(all.map(({ prepared }) => prepared.at));
    for (const record of all) {
      const isRecent = record.prepared.at > limit || now - record.prepared.at < KEPT_DAYS * DAY;
      if (!isRecent) await this.#book.removeEntry(record.id);
    }
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

/**
 * A launch belongs to one group. Of files that were copied by hand, those of the group that was decided, or else the first, hold: both would
 * show the same instances, and act on them.
 */
function withoutCopies(records: readonly GroupRecord[]): readonly GroupRecord[] {
  const taken = new Set<string>();
  const kept = new Set<GroupRecord>();
  for (const record of [...records].sort((a, b) => Number(b.decided !== undefined) - Number(a.decided !== undefined))) {
    const { tokens } = record.prepared;
    if (tokens.some((token) => taken.has(token))) continue;
    kept.add(record);
    for (const token of tokens) taken.add(token);
  }
  return records.filter((record) => kept.has(record));
}

function changedElsewhere(): AppError {
  return new AppError("rejected", t("The group was just changed in another window. Review it, then try again."), {
    notSent: true,
  });
}

function unusable(error: unknown): AppError {
  const code = String((error as { code?: unknown } | undefined)?.code ?? "EEXIST");
  return new AppError(
    "rejected",
    t(
      "Cloud GPU couldn't save the group ({0}). Check the free space and permissions of the editor's storage folder.",
      code,
    ),
    { notSent: true, cause: error },
  );
}
