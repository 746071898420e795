// What was typed into the form of a launch's configuration, kept until it is rented: a closed tab or a reload loses nothing. Variables and
// logins may be secrets, so all of it is in the editor's secret storage.
import * as z from "zod";
import { LaunchForm } from "../../../domain/launch/launch-form.ts";
import type { Template } from "../../../domain/template/template.ts";
import type { Log } from "../../../lib/log.ts";
import { createQueue } from "../../../lib/task.ts";
import { hashAccount } from "../../core/account-mark.ts";
import type { SignedIn } from "../../core/session.ts";
import { type DraftSecrets, toTemplateKey } from "../../template/draft-store.ts";

/** What differs from the template and the defaults. */
const Kept = LaunchForm.partial();
export type KeptForm = z.infer<typeof Kept>;

export class LaunchForms {
  readonly #secrets: DraftSecrets;
  readonly #log: Log;
  /** An older text must not overwrite a newer one. */
  readonly #inTurn = createQueue();

  constructor(secrets: DraftSecrets, log: Log) {
    this.#secrets = secrets;
    this.#log = log;
  }

  /** Of a launch of the template, or of an image without one. Undefined if nothing is kept, or if that can't be read. */
  async read(account: SignedIn, template: Template | undefined): Promise<KeptForm | undefined> {
    return await this.#inTurn(async () => {
      try {
        const text = await this.#secrets.read(nameOf(account, template));
        return text === undefined ? undefined : Kept.parse(JSON.parse(text));
      } catch (error) {
        // One of a newer version, or a storage that fails, is no reason not to launch.
        this.#log.warn(
          `What was entered for a launch cannot be read: ${error instanceof z.ZodError ? "other shape" : error}`,
        );
        return undefined;
      }
    });
  }

  /** Nothing is kept of a form without a change. A storage that fails must never stop a person from typing. */
  async keep(account: SignedIn, template: Template | undefined, form: KeptForm): Promise<void> {
    await this.#inTurn(async () => {
      const name = nameOf(account, template);
      const isEmpty = Object.keys(form).length === 0;
      await (isEmpty ? this.#secrets.remove(name) : this.#secrets.store(name, JSON.stringify(form)));
    }).catch((error) => this.#log.warn("What was entered for a launch could not be kept.", error));
  }

  async forget(account: SignedIn, template: Template | undefined): Promise<void> {
    await this.keep(account, template, {});
  }
}

const nameOf = (account: SignedIn, template: Template | undefined): string =>
  `${hashAccount(account)}/launch ${template ? toTemplateKey({ id: template.id, hash: template.hash_id }) : "image"}`;
