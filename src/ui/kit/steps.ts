// Multi-step questions in the editor's style: quick picks and input boxes with "step n of m" and a Back button.
import * as vscode from "vscode";
import { AppError, asAppError } from "../../domain/base/error.ts";
import { harmless } from "../../lib/markup.ts";
import { redactText } from "../../lib/redact.ts";
import { label, t } from "../../lib/text.ts";
import { setPrompt, setValidation } from "./messages.ts";

export const BACK = Symbol("back");
/** `undefined` is Escape: the whole question is dropped. */
export type Answer<T> = T | typeof BACK | undefined;

/** Back from a step that made changes: the changes are kept. */
export class BackWith<S> {
  readonly state: S;

  constructor(state: S) {
    this.state = state;
  }
}

export interface StepPlace {
  readonly title: string;
  readonly step?: number | undefined;
  readonly total?: number | undefined;
  readonly back?: boolean | undefined;
}

export interface Choice<T> extends vscode.QuickPickItem {
  /** A line without a value is informational and can't be chosen. */
  readonly value?: T;
}

export function separator<T>(label: string): Choice<T> {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

function dress(input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox, place: StepPlace): void {
  input.title = place.title;
  input.ignoreFocusOut = true;
  if (place.step !== undefined) input.step = place.step;
  if (place.total !== undefined) input.totalSteps = place.total;
  if (place.back) input.buttons = [vscode.QuickInputButtons.Back];
}

export interface PickOptions<T> extends StepPlace {
  readonly placeholder: string;
  /** The choices, or a function that fetches them. A failure is shown in the list along with a retry option. */
  readonly choices: readonly Choice<T>[] | ((signal: AbortSignal) => Promise<readonly Choice<T>[]>);
  /** Other options besides retrying if the choices can't be fetched. */
  readonly insteadOfRetry?: readonly Choice<T>[];
  /** Selected at first. */
  readonly active?: (value: T) => boolean;
}

export async function pick<T>(options: PickOptions<T>): Promise<Answer<T>> {
  const input = vscode.window.createQuickPick<Choice<T>>();
  const abort = new AbortController();
  dress(input, options);
  input.placeholder = options.placeholder;
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  // Typing filters and must not reorder a list sorted by price. The property isn't in the published types yet.
  Reflect.set(input, "sortByLabel", false);
  const show = (given: readonly Choice<T>[]) => {
    const choices = given.map(harmless);
    const before = input.activeItems[0];
    input.items = choices;
    const active = choices.find((choice) => choice.value !== undefined && options.active?.(choice.value));
    if (active && !before) input.activeItems = [active];
  };
  const load = async () => {
    if (typeof options.choices !== "function") return show(options.choices);
    input.busy = true;
    input.items = [];
    try {
      show(await options.choices(abort.signal));
    } catch (thrown) {
      if (abort.signal.aborted) return;
      input.items = [retryChoice<T>(thrown), ...(options.insteadOfRetry ?? []).map(harmless)];
    }
    input.busy = false;
  };
  try {
    return await new Promise<Answer<T>>((resolve) => {
      input.onDidAccept(() => {
        const [choice] = input.selectedItems;
        if (choice && "retry" in choice) void load();
        else if (choice?.value !== undefined) resolve(choice.value);
      });
      input.onDidTriggerButton((button) => button === vscode.QuickInputButtons.Back && resolve(BACK));
      input.onDidHide(() => resolve(undefined));
      input.show();
      void load();
    });
  } finally {
    abort.abort();
    input.dispose();
  }
}

function retryChoice<T>(thrown: unknown): Choice<T> {
  const says = `$(error) ${label(asAppError(thrown).message, 300)}`;
  return { label: says, description: t("Press Enter to try again"), alwaysShow: true, retry: true } as Choice<T>;
}

export async function pickMany<T>(
  options: StepPlace & { placeholder: string; choices: readonly Choice<T>[] },
): Promise<Answer<T[]>> {
  const input = vscode.window.createQuickPick<Choice<T>>();
  dress(input, options);
  input.placeholder = options.placeholder;
  input.canSelectMany = true;
  input.matchOnDescription = true;
  input.items = options.choices.map(harmless);
  input.selectedItems = input.items.filter((choice) => choice.picked);
  try {
    return await new Promise<Answer<T[]>>((resolve) => {
      input.onDidAccept(() =>
        resolve(input.selectedItems.flatMap(({ value }) => (value === undefined ? [] : [value]))),
      );
      input.onDidTriggerButton((button) => button === vscode.QuickInputButtons.Back && resolve(BACK));
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
  } finally {
    input.dispose();
  }
}

export interface InputOptions<T> extends StepPlace {
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /**
   * Parses the text when it is entered. `signal` aborts if the box closes in the meantime.
   * @throws AppError with a message that is shown under the box; the text stays.
   */
  readonly read: (text: string, signal: AbortSignal) => T | Promise<T>;
}

/** One line of text, checked when it is entered. The check may ask a server, and the text stays if it fails. */
export async function ask<T>(options: InputOptions<T>): Promise<Answer<T>> {
  const input = vscode.window.createInputBox();
  dress(input, options);
  setPrompt(input, options.prompt);
  input.value = options.value ?? "";
  input.placeholder = options.placeholder ?? "";
  input.password = options.password ?? false;
  const abort = new AbortController();
  const accept = async (): Promise<{ value: T } | undefined> => {
    input.busy = true;
    input.enabled = false;
    try {
      if (!options.password) refuseSecrets(input.value);
      return { value: await options.read(input.value, abort.signal) };
    } catch (thrown) {
      setValidation(input, asAppError(thrown).message);
      return undefined;
    } finally {
      input.busy = false;
      input.enabled = true;
    }
  };
  try {
    return await new Promise<Answer<T>>((resolve) => {
      input.onDidChangeValue(() => {
        setValidation(input, "");
      });
      input.onDidAccept(async () => {
        const read = await accept();
        if (read) resolve(read.value);
      });
      input.onDidTriggerButton((button) => button === vscode.QuickInputButtons.Back && resolve(BACK));
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
  } finally {
    abort.abort();
    input.dispose();
  }
}

/** Rejects an API key pasted into the wrong box. @throws AppError that doesn't repeat the key. */
function refuseSecrets(text: string): void {
  if (redactText(text) !== text)
    throw new AppError(
      "rejected",
      t("This holds your API key or another secret, which does not belong here. Nothing was sent."),
    );
}

export type Step<S> = (
  state: S,
  place: { step: number; total: number; back: boolean },
) => Promise<Answer<S> | BackWith<S>>;

/**
 * Runs the steps in order. Back returns to the previous step and keeps every answer so far, Escape drops everything. A
 * step that doesn't apply is skipped in both directions.
 */
export async function walk<S>(
  start: S,
  steps: readonly { readonly applies?: (state: S) => boolean; readonly ask: Step<S> }[],
): Promise<S | undefined> {
  let state = start;
  let index = 0;
  const path: number[] = [];
  for (;;) {
    const applying = steps
      .map((step, at) => ({ step, at }))
      .filter(({ step, at }) => at >= index && step.applies?.(state) !== false);
    const next = applying[0];
    if (!next) return state;
    const place = { step: path.length + 1, total: path.length + applying.length, back: path.length > 0 };
    const answer = await next.step.ask(state, place);
    if (answer === undefined) return undefined;
    if (answer === BACK || answer instanceof BackWith) {
      if (answer instanceof BackWith) state = answer.state;
      index = path.pop() ?? 0;
    } else {
      state = answer;
      path.push(next.at);
      index = next.at + 1;
    }
  }
}
