// The page of an instance, a webhook or a workergroup: draws what the host says of it, and asks for what a button names.
import { html, nothing, render } from "lit";
import { repeat } from "lit/directives/repeat.js";
import { t } from "../../lib/text.ts";
import { type RecordContract, type RecordState, RecordUpdate, recordPage } from "../../protocol/record-page.ts";
import { useDictionary } from "../kit/dictionary.ts";
import { Host } from "../kit/host.ts";

type Fact = RecordState["sections"][number]["facts"][number];
type Command = RecordState["commands"][number];

/** What has the focus, or is just being clicked, keeps its place in the page when others come and go. */
const nameOf = ({ command }: Command) => command;

/** Milliseconds for which a button says that it copied. */
const COPIED_FOR = 2000;

class RecordReader {
  readonly #host = new Host<RecordContract, RecordUpdate>(recordPage, RecordUpdate, ({ state }) => this.#show(state));
  readonly #root: HTMLElement;
  #state: RecordState | undefined;
  /** What was copied last, by section and name. */
  #copied: string | undefined;
  #copying: number | undefined;
  #failure: string | undefined;
  /** Whether someone reads the whole record. */
  #isReading = false;
  #record: string | undefined;

  constructor(root: HTMLElement) {
    this.#root = root;
  }

  async open(): Promise<void> {
    const { state, dictionary } = await this.#host.ask("open", null);
    useDictionary(dictionary);
    this.#show(state);
  }

  #show(state: RecordState): void {
    this.#state = state;
    this.#draw();
    if (this.#isReading) void this.#read();
  }

  #toggle({ target }: Event): void {
    this.#isReading = target instanceof HTMLDetailsElement && target.open;
    if (this.#isReading) void this.#read();
  }

  async #read(): Promise<void> {
    await this.#try(async () => {
      this.#record = await this.#host.ask("record", null);
    });
  }

  #draw(): void {
    if (!this.#state) return;
    const { title, status, remarks, commands, sections } = this.#state;
    render(
      html`<header class="bar">
          <div class="who">
            <h1>${title}</h1>
            <div class="state">${status}</div>
          </div>
          <div class="buttons">${repeat(commands, nameOf, (command, at) => this.#button(command, at > 0))}</div>
        </header>
        ${this.#failure === undefined ? nothing : html`<div class="banner error" role="alert">${this.#failure}</div>`}
        ${remarks.map((remark) => html`<div class="banner">${remark}</div>`)}
        <main class="record">
          ${repeat(
            sections,
            ({ title: name }) => name,
            (section, at) => this.#section(section, at),
          )}
          <details @toggle=${(event: Event) => this.#toggle(event)}>
            <summary>${t("The service's full record, with secrets masked")}</summary>
            <pre tabindex="0" aria-label=${t("The service's full record, with secrets masked")}>${this.#record ?? t("Loading…")}</pre>
          </details>
        </main>
        <div class="hidden" role="status">${this.#copied === undefined ? "" : t("Copied")}</div>`,
      this.#root,
    );
  }

  #section({ title, facts, commands }: RecordState["sections"][number], at: number) {
    return html`<section aria-labelledby="title-${at}">
      <h2 id="title-${at}">${title}</h2>
      <dl class="facts">${facts.map((fact) => this.#fact(title, fact))}</dl>
      ${commands.length === 0 ? nothing : html`<div class="line actions">${repeat(commands, nameOf, (one) => this.#link(one))}</div>`}
    </section>`;
  }

  #fact(section: string, { name, value, canCopy }: Fact) {
    const key = `${section} ${name}`;
    const isCopied = this.#copied === key;
    const copy = html`<button
      type="button"
      class="link"
      aria-label=${isCopied ? t("Copied {0}", name) : t("Copy {0}", name)}
      @click=${() => this.#copy(section, name, key)}
      >${isCopied ? t("Copied") : t("Copy")}</button
    >`;
    return html`<div>
      <dt>${name}</dt>
      <dd><span>${value}</span>${canCopy ? copy : nothing}</dd>
    </div>`;
  }

  #button({ command, label }: Command, secondary: boolean) {
    return html`<vscode-button ?secondary=${secondary} @click=${() => this.#run(command)}>${label}</vscode-button>`;
  }

  #link({ command, label }: Command) {
    return html`<button type="button" class="link" @click=${() => this.#run(command)}>${label}</button>`;
  }

  async #run(command: string): Promise<void> {
    await this.#try(() => this.#host.ask("run", command));
  }

  async #copy(section: string, name: string, key: string): Promise<void> {
    if (!(await this.#try(() => this.#host.ask("copy", { section, name })))) return;
    this.#copied = key;
    this.#draw();
    clearTimeout(this.#copying);
    this.#copying = window.setTimeout(() => {
      this.#copied = undefined;
      this.#draw();
    }, COPIED_FOR);
  }

  /** @returns whether the host did it; otherwise the page says why not. */
  async #try(ask: () => Promise<unknown>): Promise<boolean> {
    try {
      await ask();
      this.#failure = undefined;
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error);
    }
    this.#draw();
    return this.#failure === undefined;
  }
}

export function openRecordPage(root: HTMLElement): void {
  void new RecordReader(root).open();
}
