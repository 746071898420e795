// The page for background jobs: draws the form, reports every change to the host, and asks it to create the jobs.
import { html, nothing, render } from "lit";
import * as z from "zod";
import type { JobsField, JobsForm } from "../../domain/host/jobs-form.ts";
import { t } from "../../lib/text.ts";
import { type JobsPage, jobsPage } from "../../protocol/jobs-page.ts";
import type { Html, Words } from "../kit/controls.ts";
import { useDictionary } from "../kit/dictionary.ts";
import { DraftTimer } from "../kit/draft-timer.ts";
import { describeControls, focusField, lookAt } from "../kit/focus.ts";
import { Failure, Host } from "../kit/host.ts";
import { type ProblemLine, renderProblems } from "../kit/problem-banner.ts";
import { Redraw } from "../kit/redraw.ts";
import type { JobsFormPage, PlacedJobsProblem } from "./form-page.ts";
import { isUntouched, type JobsModel, listShownProblems, updateJobsModel } from "./model.ts";
import { listJobsSections } from "./sections.ts";
import { getJobsWords } from "./words.ts";

class JobsEditor {
  readonly #redraw = new Redraw(() => {
    if (this.#model && this.#words) this.#drawNow(this.#model, this.#words);
  });
  readonly #host = new Host<JobsPage, never>(jobsPage, z.never(), () => {});
  readonly #typing = new DraftTimer(() => this.#sendForm());
  readonly #root: HTMLElement;
  #model: JobsModel | undefined;
  #words: Readonly<Record<JobsField, Words>> | undefined;
  #sections: ReturnType<typeof listJobsSections> = [];

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  async open(): Promise<void> {
    const { form, isRestored, dictionary } = await this.#host.ask("open", null);
    useDictionary(dictionary);
    this.#words = getJobsWords();
    this.#sections = listJobsSections();
    this.#change({ form, isRestored });
    // The controls draw themselves a moment later.
    requestAnimationFrame(() => focusField("machine"));
  }

  #change(given: Parameters<typeof updateJobsModel>[1]): void {
    this.#model = updateJobsModel(this.#model, given);
    this.#redraw.plan();
  }

  #drawNow(model: JobsModel, words: NonNullable<JobsFormPage["words"]>): void {
    const page: JobsFormPage = {
      model,
      words,
      textOf: (field) => model.form[field],
      type: (field, text) => this.#set({ [field]: text }),
      set: (changes, newRow) => this.#set(changes, newRow),
      leaveRow: () => this.#leaveRow(),
      touch: (field) => this.#touch(field),
      problemsOf: (field, row) => problemsAt(model, field, row),
      chooseMachine: () => void this.#chooseMachine(),
    };
    const form = this.#sections.map(
      ({ id, title, draw }) => html`<section aria-labelledby="title-${id}">
        <h2 id="title-${id}">${title}</h2>
        ${draw(page)}
      </section>`,
    );
    const { isRestored, failure } = model;
    const restored = isRestored && failure === undefined && !model.tried;
    render(
      html`${this.#bar(model)}${summary(page)}
        ${restored ? html`<p class="banner" role="status">${t("Your earlier entries have been restored.")}</p>` : nothing}
        <main>${form}</main>`,
      this.#root,
    );
    // The controls draw themselves a moment later.
    requestAnimationFrame(() => describeControls(this.#root));
  }

  #bar({ busy }: JobsModel): Html {
    return html`<header class="bar">
      <div class="who">
        <h1>${t("Create Background Jobs")}</h1>
        <div class="state" role="status">${
          busy === "creating"
            ? t("Waiting for your confirmation or the service…")
            : t("Replaces the machine's default jobs. Nothing is sent until you confirm.")
        }</div>
      </div>
      <div class="buttons">
        <vscode-button class="create" ?disabled=${busy !== undefined} @click=${() => void this.#create()}
          >${t("Review and Create…")}</vscode-button
        >
      </div>
    </header>`;
  }

  #set(changes: Partial<JobsForm>, newRow = this.#model?.newRow): void {
    if (!this.#model) return;
    const { form, failure } = this.#model;
    // What isn't known stays in sight until the next attempt.
    const kept = failure?.of === "unconfirmed" ? failure : undefined;
    this.#change({ form: { ...form, ...changes }, failure: kept, newRow });
    this.#typing.start();
  }

  #leaveRow(): void {
    if (this.#model?.newRow) this.#change({ newRow: undefined });
  }

  #touch(field: JobsField): void {
    const model = this.#model;
    if (model && !isUntouched(model) && !model.touched.has(field))
      this.#change({ touched: new Set([...model.touched, field]) });
  }

  #sendForm(): void {
    if (this.#model) void this.#host.ask("change", this.#model.form).catch(() => {});
  }

  async #create(): Promise<void> {
    const model = this.#model;
    if (!model || model.busy !== undefined) return;
    if (model.problems.length > 0) {
      this.#change({ tried: true, failure: undefined });
      return lookAt("summary");
    }
    this.#typing.flush();
    this.#change({ busy: "creating", tried: true, failure: undefined });
    try {
      const outcome = await this.#host.ask("create", model.form);
      this.#change({ busy: undefined });
      if (outcome.kind === "unconfirmed") this.#fail({ of: "unconfirmed", message: outcome.message, field: undefined });
    } catch (error) {
      this.#fail({ of: "creating", ...describeError(error) });
    }
  }

  async #chooseMachine(): Promise<void> {
    this.#typing.flush();
    this.#change({ busy: "choosing", failure: undefined });
    try {
      const machine = await this.#host.ask("machine", null);
      this.#change({ busy: undefined });
      if (machine !== undefined) {
        this.#change({ machine });
        this.#set({ machine: String(machine.id) });
      }
      focusField("machine");
    } catch (error) {
      this.#fail({ of: "choosing", ...describeError(error) });
    }
  }

  #fail(failure: NonNullable<JobsModel["failure"]>): void {
    this.#change({ busy: undefined, failure });
    lookAt("summary");
  }
}

function describeError(error: unknown): { message: string; field: string | undefined } {
  const message = error instanceof Error ? error.message : String(error);
  return { message, field: error instanceof Failure ? error.field : undefined };
}

function problemsAt(model: JobsModel, field: JobsField, row: number | undefined): readonly PlacedJobsProblem[] {
  const own = listShownProblems(model, field, row).map((problem) => ({ severity: "error", ...problem }) as const);
  const { failure } = model;
  if (failure?.field !== field || row !== undefined) return own;
  return [...own, { severity: "error", message: failure.message }];
}

/** After a failed attempt: all problems at once, each linked to its field, or what became of the request. */
function summary({ model, words }: JobsFormPage): Html {
  const { failure, tried, problems, busy } = model;
  const line = (field: JobsField | undefined, message: string, row?: number): ProblemLine => ({
    field: field && { id: field, label: words[field].label, row },
    message,
  });
  if (failure) {
    const field = (Object.keys(words) as JobsField[]).find((one) => one === failure.field);
    const heading = { creating: t("Nothing was created."), choosing: undefined, unconfirmed: undefined };
    const severity = failure.of === "unconfirmed" ? "warning" : "error";
    return renderProblems(heading[failure.of], [line(field, failure.message)], severity);
  }
  if (!tried || problems.length === 0 || busy !== undefined) return nothing;
  return renderProblems(
    t("Nothing was sent yet:"),
    problems.map(({ field, message, row }) => line(field, message, row)),
  );
}

export function openJobsPage(root: HTMLElement): void {
  void new JobsEditor(root).open();
}
