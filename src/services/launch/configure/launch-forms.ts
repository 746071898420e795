// What was typed into the form of a launch's configuration, kept until it is rented or its account is signed out of: a closed tab or a
// reload loses nothing. Variables and logins may be secrets, so all of it is in the editor's secret storage.
import * as z from "zod";
import { LaunchForm } from "../../../domain/launch/launch-form.ts";
import type { Template } from "../../../domain/template/template.ts";
import { stored } from "../../../ids.ts";
import type { Disposable } from "../../../lib/disposable.ts";
import type { Log } from "../../../lib/log.ts";
import { createQueue } from "../../../lib/task.ts";
import { hashAccount } from "../../core/account-mark.ts";
import type { Notes } from "../../core/notes.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import { type DraftSecrets, toTemplateKey } from "../../template/draft-store.ts";

const RECORD = stored.launchForm("");

/** What differs from the template and the defaults. */
const Kept = LaunchForm.partial();
export type KeptForm = z.infer<typeof Kept>;

interface Parts {
  readonly session: SessionService;
  /** Says which forms are kept, and in whose profile: the secret storage can't be searched. */
  readonly notes: Notes;
  readonly draftSecrets: DraftSecrets;
  readonly log: Log;
}

export class LaunchForms implements Disposable {
  readonly #parts: Parts;
  readonly #listening: Disposable;
  /** An older text must not overwrite a newer one. */
  readonly #inTurn = createQueue();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listening = parts.session.onDidForget((profile) => this.#dropAll(profile));
  }

  /** Of a launch of the template, or of an image without one. Undefined if nothing is kept, or if that can't be read. */
  async read(account: SignedIn, template: Template | undefined): Promise<KeptForm | undefined> {
    return await this.#inTurn(async () => {
      const name = nameOf(account, template);
      // What was left by signing out counts for nothing, even if the storage couldn't remove it.
      if (this.#parts.notes.get(stored.launchForm(name)) === undefined) return undefined;
      try {
        const text = await this.#parts.draftSecrets.read(name);
        return text === undefined ? undefined : Kept.parse(JSON.parse(text));
      } catch (error) {
        // One of a newer version, or a storage that fails, is no reason not to launch.
        this.#parts.log.warn(
          `What was entered for a launch cannot be read: ${error instanceof z.ZodError ? "other shape" : error}`,
        );
        return undefined;
      }
    });
  }

  /** Nothing is kept of a form without a change. A storage that fails must never stop a person from typing. */
  async keep(account: SignedIn, template: Template | undefined, form: KeptForm): Promise<void> {
    const { session, notes, draftSecrets, log } = this.#parts;
    await this.#inTurn(async () => {
      // A page that is still open when its account is signed out of.
      if (!account.sandbox && !session.profiles.find(account.profile)) return;
      const name = nameOf(account, template);
      const isEmpty = Object.keys(form).length === 0;
      notes.set(stored.launchForm(name), isEmpty ? undefined : account.profile);
      await (isEmpty ? draftSecrets.remove(name) : draftSecrets.store(name, JSON.stringify(form)));
    }).catch((error) => log.warn("What was entered for a launch could not be kept.", error));
  }

  #dropAll(profile: string): void {
    const { notes, draftSecrets, log } = this.#parts;
    const kept = notes.keys().filter((key) => key.startsWith(RECORD) && notes.get(key) === profile);
    for (const key of kept) {
      notes.set(key, undefined);
      void this.#inTurn(() => draftSecrets.remove(key.slice(RECORD.length))).catch((error) =>
        log.warn("What was entered for a launch could not be removed.", error),
      );
    }
  }

  async forget(account: SignedIn, template: Template | undefined): Promise<void> {
    await this.keep(account, template, {});
  }

  dispose(): void {
    this.#listening.dispose();
  }
}

const nameOf = (account: SignedIn, template: Template | undefined): string =>
  `${hashAccount(account)}/launch ${template ? toTemplateKey({ id: template.id, hash: template.hash_id }) : "image"}`;
