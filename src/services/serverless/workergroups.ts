// The account's serverless workergroups with the current version of their templates. Keys are passed on and never
// stored.

import { AppError, asAppError } from "../../domain/base/error.ts";
import type { Row } from "../../domain/base/wire.ts";
import type { Workergroup } from "../../domain/serverless/workergroup.ts";
import type { Template } from "../../domain/template/template.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import { Collection, type ReadableCollection } from "../core/collection.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

/** A group without its key, so that nothing stored, displayed or passed on can leak it. */
export interface WorkergroupRow extends Row<Omit<Workergroup, "api_key">> {
  readonly hasKey: boolean;
  /** The current version; `unknown` if it couldn't be read, `gone` if the service no longer has it. */
  readonly template: Template | "gone" | "unknown";
}

export interface Workergroups {
  readonly rows: readonly WorkergroupRow[];
  readonly unreadable: number;
}

export class WorkergroupsService {
  readonly #collection: Collection<Workergroups>;
  readonly #session: SessionService;

  constructor(session: SessionService, clock: Clock) {
    this.#session = session;
    this.#collection = new Collection({ session, clock, read });
  }

  get collection(): ReadableCollection<Workergroups> {
    return this.#collection;
  }

  get rows(): readonly WorkergroupRow[] {
    return getLast(this.#collection.store.current)?.value.rows ?? [];
  }

  /**
   * Requests the key of a group's endpoint. It is requested every time, because it is never stored.
   * @throws AppError `not-found` if the group doesn't exist or has no key.
   */
  async getKey(account: SignedIn, id: number): Promise<string> {
    this.#session.assertStill(account);
    const { rows } = await account.client.listWorkergroups();
    this.#session.assertStill(account);
    const key = rows.find(({ value }) => value.id === id)?.value.api_key;
    if (key === undefined || key === "")
      throw new AppError("not-found", t("The service didn't provide an API key for workergroup {0}.", id));
    return key;
  }

  dispose(): void {
    this.#collection.dispose();
  }
}

async function read(
  { client }: SignedIn,
  signal: AbortSignal,
  partly: (groups: Workergroups) => void,
): Promise<Workergroups> {
  const { rows, unreadable } = await client.listWorkergroups(signal);
  const ids = [...new Set(rows.flatMap(({ value: { template_id: id } }) => (id !== undefined && id > 0 ? [id] : [])))];
  const groups = (templates: readonly Template[] | undefined): Workergroups => ({
    rows: rows.map(({ value: { api_key, ...value }, raw: { api_key: _, ...raw } }) => ({
      value,
      raw,
      hasKey: api_key !== undefined && api_key !== "",
      template: templateOf(value.template_id, templates),
    })),
    unreadable,
  });
  if (ids.length === 0) return groups([]);
  partly(groups(undefined));
  return groups(await templatesById(client, ids, signal));
}

function templateOf(id: number | undefined, templates: readonly Template[] | undefined): WorkergroupRow["template"] {
  if (id === undefined || templates === undefined) return "unknown";
  return templates.find((one) => one.id === id) ?? "gone";
}

/** Undefined if the key isn't allowed to search templates. The groups are useful without them. */
async function templatesById(
  client: SignedIn["client"],
  ids: readonly number[],
  signal: AbortSignal,
): Promise<readonly Template[] | undefined> {
  try {
    const found = await client.searchTemplates({ id: { in: [...ids] } }, signal);
    return found.rows.map(({ value }) => value);
  } catch (thrown) {
    if (asAppError(thrown).kind === "cancelled") throw thrown;
    return undefined;
  }
}
