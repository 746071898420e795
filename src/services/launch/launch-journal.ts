// The launch journal: write-once files in a folder that all windows share. The existing files are the entire state.
import { join } from "node:path";
import { AppError } from "../../domain/base/error.ts";
import { InstanceId } from "../../domain/base/id.ts";
import { getLaunchState, type LaunchFact, type LaunchRecord, Prepared } from "../../domain/launch/launch-record.ts";
import { t } from "../../lib/text.ts";
import { findTidyLimit } from "../core/book/tidy-limit.ts";
import { type Disk, realDisk } from "../core/disk.ts";

const NAME =
  /^(vsc-[a-z2-7]{16})\.(prepared|claimed|not-sent|refused|absent|dismissed|looked|told|(?:rented|late)-([1-9]\d{0,15}))$/;
/** In capitals: codes of a service are lowercase, so none can be mistaken for it. */
const SENT_BEFORE = "SENT_BEFORE";
/** Days after which the files of a finished launch are deleted. */
const KEPT_DAYS = 30;
const DAY = 86_400_000;

export class Journal {
  readonly #folder: string;
  readonly #disk: Disk;
  /** A prepared record never changes, so it is read only once. */
  readonly #prepared = new Map<string, Prepared>();

  constructor(folder: string, disk: Disk = realDisk) {
    this.#folder = folder;
    this.#disk = disk;
  }

  /** Every launch, oldest first. @throws AppError if the folder can't be read. Then nothing may be launched. */
  async read(): Promise<readonly LaunchRecord[]> {
    const names = await this.#disk.names(this.#folder).catch((error) => {
      throw unusable(error);
    });
    const found = new Map<string, { facts: Set<LaunchFact>; ids: Set<InstanceId>; late: Set<InstanceId> }>();
    for (const name of names) {
      const match = NAME.exec(name);
      if (!match) continue;
      const [, token = "", fact = "", id] = match;
      const entry = found.get(token) ?? { facts: new Set(), ids: new Set(), late: new Set() };
      found.set(token, entry);
      const parsed = InstanceId.safeParse(id);
      if (parsed.success) entry.ids.add(parsed.data);
      if (parsed.success && fact.startsWith("late")) entry.late.add(parsed.data);
      if (!parsed.success && fact !== "prepared") entry.facts.add(fact as LaunchFact);
    }
    const records: LaunchRecord[] = [];
    for (const [token, { facts, ids, late }] of found)
      records.push({ token, prepared: await this.#content(token), facts, late, ids: [...ids].sort((a, b) => a - b) });
    return records.sort((a, b) => (a.prepared?.at ?? 0) - (b.prepared?.at ?? 0));
  }

  async #content(token: string): Promise<Prepared | undefined> {
    const known = this.#prepared.get(token);
    if (known) return known;
    try {
      const prepared = Prepared.parse(JSON.parse(await this.#disk.read(this.#path(token, "prepared"))));
      this.#prepared.set(token, prepared);
      return prepared;
    } catch {
      // Empty, damaged, or written by a newer version.
    }
    return undefined;
  }

  /** @throws AppError if it can't be written durably. */
  async prepare(token: string, prepared: Prepared): Promise<void> {
    await this.#disk.names(this.#folder).catch((error) => {
      throw unusable(error);
    });
    if (!(await this.#write(token, "prepared", JSON.stringify(prepared)))) throw createAlreadySentError();
  }

  /** The only lock: whoever creates this file may send the request, and no one else ever may. @throws AppError. */
  async claim(token: string): Promise<void> {
    if (!(await this.#write(token, "claimed", ""))) throw createAlreadySentError();
  }

  /** Records a fact. Another window may have recorded it already. @throws AppError if it can't be written. */
  async note(token: string, fact: LaunchFact | `${"rented" | "late"}-${number}`): Promise<void> {
    await this.#write(token, fact, "");
  }

  async #write(token: string, fact: string, text: string): Promise<boolean> {
    try {
      return await this.#disk.create(this.#path(token, fact), text);
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
      const at = record.prepared?.at;
      if (at === undefined || at > limit || now - at < KEPT_DAYS * DAY || state === "unresolved" || state === "doubled")
        continue;
      // The claim goes first: a claim on its own would look like a launch with an unknown outcome.
      const found = record.ids.flatMap((id) => [`rented-${id}`, `late-${id}`]);
      const facts = ["claimed", ...record.facts, ...found, "prepared"];
      for (const fact of facts) await this.#disk.remove(this.#path(record.token, fact));
    }
  }

  #path(token: string, fact: string): string {
    return join(this.#folder, `${token}.${fact}`);
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
      "Cloud GPU couldn't write its launch journal ({0}), so nothing was rented. Check the free space and permissions of the editor's storage folder.",
      code,
    ),
    { notSent: true, cause: error },
  );
}
