// Multi-step questions in the editor's style: quick picks and input boxes with "step n of m" and a Back button.
import * as vscode from "vscode";
import { AppError, asAppError } from "../../../domain/base/error.ts";
import { redactText } from "../../../lib/redact.ts";
import { t } from "../../../lib/text.ts";
import { setPrompt, setValidation } from "../messages.ts";

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

/** Gives a picker or box its title, its place among the steps, and the Back button. */
export function setStepPlace(input: vscode.QuickPick<vscode.QuickPickItem> | vscode.InputBox, place: StepPlace): void {
  input.title = place.title;
  input.ignoreFocusOut = true;
  if (place.step !== undefined) input.step = place.step;
  if (place.total !== undefined) input.totalSteps = place.total;
  if (place.back) input.buttons = [vscode.QuickInputButtons.Back];
}

interface InputOptions<T> extends StepPlace {
  readonly prompt: string;
  readonly value?: string;
  readonly placeholder?: string;
  readonly password?: boolean;
  /** Something that helps to answer, as a button beside the title. The box stays open. */
  readonly help?: { readonly icon: string; readonly tooltip: string; readonly run: () => void };
  /** Another way to answer, as a button beside the title. The box closes for it. */
  readonly instead?: { readonly icon: string; readonly tooltip: string; readonly run: () => Promise<Answer<T>> };
  /**
   * Parses the text when it is entered. `signal` aborts if the box closes in the meantime.
   * @throws AppError with a message that is shown under the box; the text stays.
   */
  readonly read: (text: string, signal: AbortSignal) => T | Promise<T>;
}

/** One line of text, checked when it is entered. The check may ask a server, and the text stays if it fails. */
export async function askText<T>(options: InputOptions<T>): Promise<Answer<T>> {
  const input = vscode.window.createInputBox();
  setStepPlace(input, options);
  setPrompt(input, options.prompt);
  input.value = options.value ?? "";
  input.placeholder = options.placeholder ?? "";
  input.password = options.password ?? false;
  const { help, instead } = options;
  const [helpButton, insteadButton] = [help, instead].map(
    (one) => one && { iconPath: new vscode.ThemeIcon(one.icon), tooltip: one.tooltip },
  );
  input.buttons = [...input.buttons, ...[helpButton, insteadButton].filter((one) => one !== undefined)];
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
      input.onDidTriggerButton((button) => {
        if (button === vscode.QuickInputButtons.Back) resolve(BACK);
        else if (button === helpButton) help?.run();
        else if (button === insteadButton && instead) resolve(instead.run());
      });
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
    throw new AppError("rejected", t("Remove the API key or other secret from this text. Nothing was sent."));
}

export type Step<S> = (
  state: S,
  place: { step: number; total: number; back: boolean },
) => Promise<Answer<S> | BackWith<S>>;

/**
 * Runs the steps in order. Back returns to the previous step and keeps every answer so far, Escape drops everything. A
 * step that doesn't apply is skipped in both directions.
 */
export async function walkSteps<S>(
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
