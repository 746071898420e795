// One open form for background jobs: what was typed in it, in the account it was opened in, and the one request.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { BackgroundJobs } from "../../domain/host/background-jobs.ts";
import { checkJobsForm, isTyped, JOBS_FIELDS, type JobsField, type JobsForm } from "../../domain/host/jobs-form.ts";
import { Emitter } from "../../lib/event.ts";
import { redactText } from "../../lib/redact.ts";
import { t } from "../../lib/text.ts";
import type { SignedIn } from "../core/session.ts";
import type { HostAnswer, HostService } from "./host.ts";
import { listOwnMachines, type OwnMachine } from "./own-machines.ts";

/** The person in front of the form. */
export interface JobsPerson {
  /** Asked once for each attempt, and names machine, price and what is replaced. */
  confirm(jobs: BackgroundJobs): Promise<boolean>;
  /** Shows progress while the service works. */
  wait(work: () => Promise<HostAnswer>): Promise<HostAnswer>;
}

/** `unconfirmed`: the request left, and no one knows what became of it. */
export type JobsOutcome =
  | { readonly kind: "created"; readonly text: string }
  | { readonly kind: "kept" }
  | { readonly kind: "unconfirmed"; readonly error: AppError };

export class JobsEdit {
  readonly #host: HostService;
  readonly account: SignedIn;
  readonly #ends = new Emitter<void>();
  /** Fires when its account was left or its jobs were created: its form closes. */
  readonly onDidEnd = this.#ends.event;
  /** Whether it began with text that was typed before. */
  readonly isRestored: boolean;
  #form: JobsForm;
  #isCreating = false;
  #isOver = false;

  constructor(host: HostService, account: SignedIn, form: JobsForm) {
    this.#host = host;
    this.account = account;
    this.#form = form;
    this.isRestored = isTyped(form);
  }

  get form(): JobsForm {
    return this.#form;
  }

  /** No one can see its form any longer. */
  get isOver(): boolean {
    return this.#isOver;
  }

  change(form: JobsForm): void {
    if (!this.#isOver) this.#form = form;
  }

  /** @throws AppError if the service couldn't be asked. */
  async listMachines(signal: AbortSignal): Promise<readonly OwnMachine[]> {
    return await listOwnMachines(this.account, this.#host, signal);
  }

  /**
   * Checks the form, asks once, and sends one request.
   * @throws AppError with the reason; nothing was created then. `findRefusedJobsField` names the field it is about, if there
   *   is one.
   */
  async create(person: JobsPerson, form: JobsForm): Promise<JobsOutcome> {
    if (this.#isCreating) throw new AppError("rejected", t("A request is already in progress."), { notSent: true });
    this.change(form);
    const jobs = checkJobsForm(form);
    refuseSecrets(form);
    this.#isCreating = true;
    try {
      if (!(await person.confirm(jobs))) return { kind: "kept" };
      const { text } = await person.wait(() => this.#host.createJobs(this.account, jobs));
      return { kind: "created", text };
    } catch (thrown) {
      const error = asAppError(thrown);
      if (error.kind === "outcome-unknown") return { kind: "unconfirmed", error };
      // The form's summary says already what failed: what is missing is the reason.
      throw error.cause instanceof AppError ? error.cause : error;
    } finally {
      this.#isCreating = false;
    }
  }

  end(): void {
    this.#isOver = true;
    this.#ends.fire();
  }
}

/** An API key that was pasted where it doesn't belong isn't sent to a machine. @throws AppError that doesn't repeat it. */
function refuseSecrets(form: JobsForm): void {
  const texts: readonly (readonly [JobsField, string])[] = JOBS_FIELDS.flatMap((field) => {
    const value = form[field];
    return typeof value === "string"
      ? [[field, value] as const]
      : value.map((row) => [field, `${row.name}=${row.value}`] as const);
  });
  const found = texts.find(([, text]) => redactText(text) !== text);
  if (!found) return;
  const message = t("Remove the API key or other secret from this text. Nothing was sent.");
  throw new AppError("rejected", message, { notSent: true, fields: { [found[0]]: message } });
}

/** The field of the form that an error is about. */
export function findRefusedJobsField({ facts }: AppError): JobsField | undefined {
  return JOBS_FIELDS.find((field) => Object.hasOwn(facts.fields ?? {}, field));
}
