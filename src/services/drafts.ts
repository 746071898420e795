// The shelf of unsaved drafts: files in a folder of the user's own, one for each draft, kept apart by account.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod";
import { TemplateHash, TemplateId } from "../domain/id.ts";
import { TemplateForm } from "../domain/template-form.ts";
import type { Log } from "../lib/log.ts";
import type { SignedIn } from "./session.ts";

/** Names files, so it may hold nothing that leads elsewhere. */
export const DraftKey = z.string().regex(/^[a-z0-9-]{1,64}$/);

/** One for every form that is opened: what is typed in two windows is two drafts, even of one template. */
export const newDraftKey = (): string => `draft-${crypto.randomUUID()}`;

const Shelved = z.object({
  key: DraftKey,
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
});
export type ShelvedDraft = z.infer<typeof Shelved>;
/** A draft with the folder it lies in: that of the key it was typed under. */
export type FoundDraft = ShelvedDraft & { readonly folder?: string };

export function whoseOf({ address, user }: Pick<SignedIn, "address" | "user">): string | undefined {
  const id = user();
  return id === undefined ? undefined : `${address.origin} ${id}`;
}

/** Drafts live until they are saved or discarded; no failure of the disk may stop a person from typing. */
export class DraftShelf {
  readonly #folder: string;
  readonly #log: Log;
  /** Writes of one draft follow one another: an earlier text must not arrive after a later one. */
  readonly #turns = new Map<string, Promise<void>>();

  constructor(folder: string, log: Log) {
    this.#folder = folder;
    this.#log = log;
  }

  /** `account` is the session's tag. What is typed into the password field is left out, whoever calls. */
  put(account: string, draft: Omit<ShelvedDraft, "form"> & { readonly form: TemplateForm }): Promise<void> {
    const kept = { ...draft, form: { ...draft.form, docker_login_pass: "" } };
    return this.#inTurn(account, draft.key, async (path) => {
      await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
      const written = `${path}.${crypto.randomUUID()}`;
      await writeFile(written, JSON.stringify(kept), { mode: 0o600 });
      await rename(written, path);
    });
  }

  remove(account: string, key: string): Promise<void> {
    return this.#inTurn(account, key, (path) => rm(path, { force: true }));
  }

  async get(account: string, key: string): Promise<ShelvedDraft | undefined> {
    await this.#turns.get(this.#path(account, key));
    return this.#read(this.#path(account, key));
  }

  /** The draft under a key of its own: a window that still has it open goes on under the old one. */
  async takeOver(account: string, { folder, ...draft }: FoundDraft): Promise<ShelvedDraft> {
    const taken = { ...draft, key: newDraftKey() };
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
      names.filter((name) => name.endsWith(".json")).map((name) => this.#read(join(this.#folder, folder, name))),
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

  async #read(path: string): Promise<ShelvedDraft | undefined> {
    try {
      return Shelved.parse(JSON.parse(await readFile(path, "utf8")));
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
export function isOf({ base }: ShelvedDraft, stored: Parameters<typeof keyOf>[0]): boolean {
  return base !== undefined && keyOf({ id: base.id, hash: base.hash }) === keyOf(stored);
}
