// The open form for background jobs of this window, and what was typed in closed ones: in memory only, because commands
// and variables may hold secrets.
import { EMPTY_JOBS_FORM, isTyped, type JobsForm } from "../../domain/host/jobs-form.ts";
import type { Disposable } from "../../lib/disposable.ts";
import type { SessionService } from "../core/session.ts";
import type { HostService } from "./host.ts";
import { JobsEdit, type JobsOutcome, type JobsPerson } from "./jobs-edit.ts";

/** The person in front of the form's tab. */
export interface JobsFormPerson extends JobsPerson {
  /** Shows the form of this edit, in front of the others. */
  show(edit: JobsEdit): void;
  /** Says that what was typed is kept, and offers to show or discard it. */
  tellClosed(): Promise<"reopen" | "discard" | undefined>;
}

interface Services {
  readonly session: SessionService;
  readonly host: HostService;
}

export class JobsEdits implements Disposable {
  readonly #services: Services;
  readonly #listening: Disposable;
  /** By the tag of the account. */
  readonly #kept = new Map<string, JobsForm>();
  #open: JobsEdit | undefined;

  constructor(services: Services) {
    this.#services = services;
    this.#listening = services.session.onDidChange(() => this.#leave());
  }

  /** Opens the form with what was typed in this account before, or shows the one that is open. */
  open(person: JobsFormPerson): void {
    const { session, host } = this.#services;
    const account = session.requireSignedIn();
    this.#open ??= new JobsEdit(host, account, this.#kept.get(account.tag) ?? EMPTY_JOBS_FORM);
    person.show(this.#open);
  }

  /** @throws AppError; what was typed is kept then. */
  async create(person: JobsFormPerson, edit: JobsEdit, form: JobsForm): Promise<JobsOutcome> {
    const outcome = await edit.create(person, form);
    if (outcome.kind !== "created") return outcome;
    this.#kept.delete(edit.account.tag);
    if (this.#open === edit) this.#open = undefined;
    edit.end();
    return outcome;
  }

  /** The form's tab was closed, which can't be prevented. */
  async close(person: JobsFormPerson, edit: JobsEdit): Promise<void> {
    // If its account was left, what was typed is kept already, and no question is asked.
    if (this.#open !== edit) return;
    this.#open = undefined;
    this.#keep(edit);
    edit.end();
    if (!isTyped(edit.form)) return;
    const action = await person.tellClosed();
    if (this.#services.session.current !== edit.account || this.#open !== undefined) return;
    if (action === "discard") this.#kept.delete(edit.account.tag);
    if (action === "reopen") this.open(person);
  }

  /** Closes the form of an account that was left. */
  #leave(): void {
    const edit = this.#open;
    if (edit === undefined) return;
    this.#open = undefined;
    this.#keep(edit);
    edit.end();
  }

  #keep({ account: { tag }, form }: JobsEdit): void {
    if (isTyped(form)) this.#kept.set(tag, form);
    else this.#kept.delete(tag);
  }

  dispose(): void {
    this.#listening.dispose();
    this.#leave();
    this.#kept.clear();
  }
}
