// Unsaved drafts: files in a folder of the user, one for each draft, kept apart by account.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import { withoutSecretValues } from "../../domain/template/env-secrets.ts";
import { TemplateForm } from "../../domain/template/template-form.ts";
import type { Log } from "../../lib/log.ts";
import type { SignedIn } from "../core/session.ts";

/** Names files, so it may hold nothing that leads elsewhere. */
export const DraftKey = z.string().regex(/^[a-z0-9-]{1,64}$/);

/** One for every form that is opened: what is typed in two windows is two drafts, even of one template. */
export const newDraftKey = (): string => `draft-${crypto.randomUUID()}`;

const StoredDraftFile = z.object({
  key: DraftKey,
  /** The key it began with: a reload gives a draft another key, and a window that dies may leave a copy under the old one. */
  root: DraftKey.optional(),
  /** The account beyond its key: a key may be renewed while there are drafts. Absent where the service does not say. */
  whose: z.string().optional(),
  /** Wall clock milliseconds of the last change. */
  at: z.number(),
  /** Never with a registry password. */
  form: TemplateForm.extend({ docker_login_pass: z.literal("") }),
  /** What was being edited, as it stood then; absent for a template that does not exist yet. */
  base: z
    .object({
      id: TemplateId.optional(),
      hash: TemplateHash,
      form: TemplateForm.extend({ docker_login_pass: z.literal("") }),
    })
    .optional(),
  /** Secret variables whose values are not in the file: they lie in the secret storage, or have to be typed again. */
  withheld: z.array(z.string()).optional(),
});
export type StoredDraft = z.infer<typeof StoredDraftFile>;
/** A draft with the folder it lies in: that of the key it was typed under. */
export type FoundDraft = StoredDraft & { readonly folder?: string };

export function whoseOf({ address, user }: Pick<SignedIn, "address" | "user">): string | undefined {
  const id = user();
  return id === undefined ? undefined : `${address.origin} ${id}`;
}

/** Where the values of secret variables lie while their draft is unsaved: the editor's secret storage. */
export interface DraftSecrets {
  read(name: string): Promise<string | undefined>;
  store(name: string, text: string): Promise<void>;
  remove(name: string): Promise<void>;
}

const Withheld = z.strictObject({ env: z.string(), baseEnv: z.string().optional() });

/** Drafts live until they are saved or discarded; no failure of the disk may stop a person from typing. */
export class DraftStore {
  readonly #folder: string;
  readonly #secrets: DraftSecrets;
  readonly #log: Log;
  /** Writes of one draft follow one another: an earlier text must not arrive after a later one. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(folder: string, secrets: DraftSecrets, log: Log) {
    this.#folder = folder;
    this.#secrets = secrets;
    this.#log = log;
  }

  /**
   * `account` is the session's tag. What is typed into the password field is left out, whoever calls; the values of
   * secret variables go to the secret storage.
   */
  put(account: string, draft: Omit<StoredDraft, "form"> & { readonly form: TemplateForm }): Promise<void> {
    const { form, base } = draft;
    const [env, baseEnv] = [withoutSecretValues(form.env), withoutSecretValues(base?.form.env ?? "")];
    const withheld = [...new Set([...env.names, ...baseEnv.names])];
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
        withheld.length > 0 ? { env: form.env, baseEnv: base?.form.env } : undefined,
      );
      await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
      const written = `${path}.${crypto.randomUUID()}`;
      await writeFile(written, JSON.stringify(kept), { mode: 0o600 });
      await rename(written, path);
    });
  }

  /** Gives a draft up with every copy of it that is not newer: what was discarded must not come back. */
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

  /** A secret storage that fails costs the values and nothing else: the draft says which to type again. */
  async #withhold(account: string, key: string, values: z.infer<typeof Withheld> | undefined): Promise<void> {
    const name = `${account}/${key}`;
    try {
      if (values) await this.#secrets.store(name, JSON.stringify(values));
      else await this.#secrets.remove(name);
    } catch (error) {
      this.#log.warn("The secrets of a draft could not be kept.", error);
    }
  }

  /** The draft with the values of its secret variables, as far as they are still there. */
  async #filled(account: string, draft: StoredDraft): Promise<StoredDraft> {
    if (draft.withheld === undefined) return draft;
    try {
      const { env, baseEnv } = Withheld.parse(JSON.parse((await this.#secrets.read(`${account}/${draft.key}`)) ?? ""));
      const { withheld: _, base, ...rest } = draft;
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

  /** The draft under a key of its own: a window that still has it open goes on under the old one. */
  async takeOver(account: string, { folder, ...draft }: FoundDraft): Promise<StoredDraft> {
    const taken = { ...draft, key: newDraftKey(), root: draft.root ?? draft.key };
    await this.put(account, taken);
    // Where the disk failed, the old one is all there is.
    if (await this.get(account, taken.key)) await this.remove(folder ?? account, draft.key);
    return taken;
  }

  /** All of an account, under whichever of its keys, the latest first. What cannot be read is left out and stays on disk. */
  async list(account: string, whose?: string): Promise<FoundDraft[]> {
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

/** Names a stored template in keys and file names: by its number, which outlives the hash. */
export function keyOf({ id, hash }: { readonly id: TemplateId | undefined; readonly hash: TemplateHash }): string {
  // A hash may hold anything a service likes, and two must never share a name.
  return id === undefined ? `hash-${createHash("sha256").update(hash).digest("hex").slice(0, 40)}` : `id-${id}`;
}

/** Whether a draft is an edit of this template, whatever hash it has by now. */
export function isOf({ base }: StoredDraft, stored: Parameters<typeof keyOf>[0]): boolean {
  return base !== undefined && keyOf({ id: base.id, hash: base.hash }) === keyOf(stored);
}
