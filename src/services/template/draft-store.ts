// Unsaved drafts: files in a folder of the user, one per draft, separated by account.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import { listMissingValues, withoutSecretValues } from "../../domain/template/environment/env-secrets.ts";
import { TemplateForm } from "../../domain/template/template-form.ts";
import type { Log } from "../../lib/log.ts";
import { replaceFile } from "../core/book/replace-file.ts";
import type { SignedIn } from "../core/session.ts";

/** Used in file names, so it must not contain path characters. */
export const DraftKey = z.string().regex(/^[a-z0-9-]{1,64}$/);

/** A new key for every form that is opened: edits in two windows are two drafts, even of the same template. */
export const createDraftKey = (): string => `draft-${crypto.randomUUID()}`;

const StoredDraftFile = z.object({
  key: DraftKey,
  /**
   * The draft's first key. A reload gives a draft a new key, and a window that dies may leave a copy under the old one.
   */
  root: DraftKey.optional(),
  /**
   * Identifies the account independently of its key, which may be renewed while there are drafts. Absent if the service
   * doesn't say.
   */
  whose: z.string().optional(),
  /** Wall clock milliseconds of the last change. */
  at: z.number(),
  /** Never with a registry password. */
  form: TemplateForm.extend({ docker_login_pass: z.literal("") }),
  /** What was being edited, as it was then. Absent for a template that doesn't exist yet. */
  base: z
    .object({
      id: TemplateId.optional(),
      hash: TemplateHash,
      form: TemplateForm.extend({ docker_login_pass: z.literal("") }),
    })
    .optional(),
  /** Secret variables without their values, which are in secret storage or must be typed again. */
  withheld: z.array(z.string()).optional(),
});
export type StoredDraft = z.infer<typeof StoredDraftFile>;
/** A draft and its folder, which belongs to the API key it was typed under. */
export type FoundDraft = StoredDraft & { readonly folder?: string };

export function toDraftOwner({ address, user }: Pick<SignedIn, "address" | "user">): string | undefined {
  const id = user();
  return id === undefined ? undefined : `${address.base} ${id}`;
}

/** Stores the values of secret variables while their draft is unsaved: the editor's secret storage. */
export interface DraftSecrets {
  read(name: string): Promise<string | undefined>;
  store(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

const Withheld = z.strictObject({
  env: z.string(),
  baseEnv: z.string().optional(),
  /** Secret variables whose values were lost before, and that weren't typed again since. */
  missing: z.array(z.string()).optional(),
});

/** Drafts are kept until they are saved or discarded. A disk failure must never stop a person from typing. */
export class DraftStore {
  readonly #folder: string;
  readonly #secrets: DraftSecrets;
  readonly #log: Log;
  /** Writes of one draft are sequential: an older text must not overwrite a newer one. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(folder: string, secrets: DraftSecrets, log: Log) {
    this.#folder = folder;
    this.#secrets = secrets;
    this.#log = log;
  }

  /**
   * `account` is the session's tag. The password field is always left out. The values of secret variables go to secret
   * storage; those in `withheld` are still to be typed again unless the form has them by now.
   */
  put(account: string, draft: Omit<StoredDraft, "form"> & { readonly form: TemplateForm }): Promise<void> {
    const { form, base } = draft;
    const [env, baseEnv] = [withoutSecretValues(form.env), withoutSecretValues(base?.form.env ?? "")];
    const missing = listMissingValues(form.env, draft.withheld ?? []);
    const hasValues = env.names.length + baseEnv.names.length > 0;
    const withheld = [...new Set([...env.names, ...baseEnv.names, ...missing])];
    const kept = {
      ...draft,
      form: { ...form, docker_login_pass: "", env: env.text },
      ...(base ? { base: { ...base, form: { ...base.form, env: baseEnv.text } } } : {}),
      withheld: withheld.length === 0 ? undefined : withheld,
    };
    return this.#inTurn(account, draft.key, async (path) => {
      await this.#withhold(
        account,
        draft.key,
        hasValues
          ? { env: form.env, baseEnv: base?.form.env, ...(missing.length > 0 ? { missing: [...missing] } : {}) }
          : undefined,
      );
      await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
      await replaceFile({ path, text: JSON.stringify(kept) });
    });
  }

  /** Discards a draft and every copy of it that isn't newer: a discarded draft must not come back. */
  async discard(account: string, draft: Pick<StoredDraft, "key" | "root" | "whose" | "at">): Promise<void> {
    const root = draft.root ?? draft.key;
    const all = await this.list(account, draft.whose);
    const copies = all.filter((other) => (other.root ?? other.key) === root && other.at <= draft.at);
    await this.remove(account, draft.key);
    for (const copy of copies) await this.remove(copy.folder ?? account, copy.key);
  }

  remove(account: string, key: string): Promise<void> {
    return this.#inTurn(account, key, async (path) => {
      await this.#withhold(account, key, undefined);
      await rm(path, { force: true });
    });
  }

  /** If secret storage fails, only the values are lost: the draft says which ones to type again. */
  async #withhold(account: string, key: string, values: z.infer<typeof Withheld> | undefined): Promise<void> {
    const name = `${account}/${key}`;
    try {
      if (values) await this.#secrets.store(name, JSON.stringify(values));
      else await this.#secrets.remove(name);
    } catch (error) {
      this.#log.warn("The secrets of a draft could not be kept.", error);
    }
  }

  /** The draft with those values of its secret variables that are still stored. */
  async #filled(account: string, draft: StoredDraft): Promise<StoredDraft> {
    if (draft.withheld === undefined) return draft;
    try {
      const kept = (await this.#secrets.read(`${account}/${draft.key}`)) ?? "";
      const { env, baseEnv, missing } = Withheld.parse(JSON.parse(kept));
      const { withheld: _, base, ...others } = draft;
      const rest = missing ? { ...others, withheld: missing } : others;
      const form = { ...draft.form, env };
      if (!base) return { ...rest, form };
      return { ...rest, form, base: { ...base, form: { ...base.form, env: baseEnv ?? base.form.env } } };
    } catch {
      return draft;
    }
  }

  async get(account: string, key: string): Promise<StoredDraft | undefined> {
    await this.#turns.get(this.#path(account, key));
    return await this.#read(account, this.#path(account, key));
  }

  /** The draft under a new key. A window that still has it open continues under the old one. */
  async takeOver(account: string, { folder, ...draft }: FoundDraft): Promise<StoredDraft> {
    const taken = { ...draft, key: createDraftKey(), root: draft.root ?? draft.key };
    await this.put(account, taken);
    // If the disk failed, the old file is the only copy.
    if (await this.get(account, taken.key)) await this.remove(folder ?? account, draft.key);
    return taken;
  }

  /** All drafts of an account, under any of its keys, latest first. Unreadable ones are skipped and stay on disk. */
  async list(account: string, whose?: string): Promise<FoundDraft[]> {
    // Secret storage may take seconds, and a draft that is being written counts.
    await Promise.all(this.#turns.values());
    const folders = whose === undefined ? [account] : await readdir(this.#folder).catch((): string[] => []);
    const all = await Promise.all(folders.map((folder) => this.#inFolder(folder)));
    const own = all.flat().filter((draft) => draft.folder === account || draft.whose === whose);
    return own.sort((a, b) => b.at - a.at);
  }

  async #inFolder(folder: string): Promise<FoundDraft[]> {
    const names = await readdir(join(this.#folder, folder)).catch((): string[] => []);
    const found = await Promise.all(
      names
        .filter((name) => name.endsWith(".json"))
        .map((name) => this.#read(folder, join(this.#folder, folder, name))),
    );
    return found.flatMap((draft) => (draft ? [{ ...draft, folder }] : []));
  }

  #path(account: string, key: string): string {
    return join(
      this.#folder,
      z
        .string()
        .regex(/^[a-z0-9]+$/)
        .parse(account),
      `${DraftKey.parse(key)}.json`,
    );
  }

  async #read(account: string, path: string): Promise<StoredDraft | undefined> {
    try {
      return await this.#filled(account, StoredDraftFile.parse(JSON.parse(await readFile(path, "utf8"))));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#log.warn("A draft cannot be read.", error);
      return undefined;
    }
  }

  #inTurn(account: string, key: string, work: (path: string) => Promise<unknown>): Promise<void> {
    const path = this.#path(account, key);
    const mine = (this.#turns.get(path) ?? Promise.resolve())
      .then(() => work(path))
      .then(
        () => {},
        (error) => this.#log.warn("A draft could not be kept on disk.", error),
      );
    this.#turns.set(path, mine);
    return mine;
  }
}

/** Identifies a stored template in keys and file names by its ID, which stays the same when the hash changes. */
export function toTemplateKey({
  id,
  hash,
}: {
  readonly id: TemplateId | undefined;
  readonly hash: TemplateHash;
}): string {
  // A hash may contain any characters, and two hashes must never get the same name.
  return id === undefined ? `hash-${createHash("sha256").update(hash).digest("hex").slice(0, 40)}` : `id-${id}`;
}

/** Whether a draft is an edit of this template, whatever its current hash. */
export function isOf({ base }: StoredDraft, stored: Parameters<typeof toTemplateKey>[0]): boolean {
  return base !== undefined && toTemplateKey({ id: base.id, hash: base.hash }) === toTemplateKey(stored);
}
