// Lists to choose from, in the editor's quick pick: what one typed wins, and every text in them is safe to show.
import * as vscode from "vscode";
import { asAppError } from "../../../domain/base/error.ts";
import { realClock } from "../../../lib/clock.ts";
import { defuseItem, matchesTyped } from "../../../lib/markup.ts";
import { t, toLabel } from "../../../lib/text.ts";
import { type Answer, BACK, type StepPlace, setStepPlace } from "./steps.ts";

export interface Choice<T> extends vscode.QuickPickItem {
  /** A line without a value is informational and can't be chosen. */
  readonly value?: T;
}

export function createSeparator<T>(label: string): Choice<T> {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

type FetchChoices<T> = (
  signal: AbortSignal,
  partly: (choices: readonly Choice<T>[]) => void,
) => Promise<readonly Choice<T>[]>;

export interface PickOptions<T> extends StepPlace {
  readonly placeholder: string;
  /**
   * The choices, or a function that fetches them and may show first what has arrived. A failure is shown in the list along with a
   * retry option.
   */
  readonly choices: readonly Choice<T>[] | FetchChoices<T>;
  /** Other options besides retrying if the choices can't be fetched. */
  readonly insteadOfRetry?: readonly Choice<T>[];
  /** Selected at first. */
  readonly active?: (value: T) => boolean;
  /** A few words after the title about the choices that fit what is typed. */
  readonly summarize?: (fitting: readonly T[]) => string | undefined;
  /** A choice that is always at hand, as a button beside the title. */
  readonly button?: { readonly icon: string; readonly tooltip: string; readonly value: T };
  /** A choice that wins only if nothing else fits what is typed. */
  readonly isLast?: (value: T) => boolean;
  /** What is typed, kept for when the same list is shown again. */
  readonly typed?: { text: string };
  /**
   * What is typed, as a choice of its own: it comes first, whatever else fits. Undefined if it can't be read. What other rows say beside
   * their labels isn't searched: a price may hold any number.
   */
  readonly readTyped?: (typed: string) => Choice<T> | undefined;
  /** What to choose instead where nothing fits what is typed. */
  readonly whenNoneFits?: (typed: string) => Promise<readonly Choice<T>[]>;
  /** False keeps the list open: this choice can't be taken, and the person was told why. */
  readonly mayTake?: (value: T) => boolean;
}

/** Milliseconds without a key after which someone has stopped typing. */
const TYPING_PAUSE = 100;
/** Milliseconds without a key before the whole market may be read for advice. */
const ADVICE_PAUSE = 400;
/** Milliseconds after which a person has seen a row that came while they typed. */
const SEEN = 500;

export async function pickOne<T>(options: PickOptions<T>): Promise<Answer<T>> {
  const input = vscode.window.createQuickPick<Choice<T>>();
  const abort = new AbortController();
  const button = dressList(input, options);
  const advise = followWithAdvice(input, options, abort.signal);
  input.value = options.typed?.text ?? "";
  const show = (given: readonly Choice<T>[]) => {
    const before = input.activeItems[0];
    const choices = putAlwaysShownLast(given.map(defuseItem));
    const kept = before && choices[input.items.indexOf(before)];
    input.items = choices;
    // The cursor stays on its row when more rows come after it. Which row that is may be old news: a key may have moved it in the meantime.
    if (kept && isSameLine(kept, before) && matchesTyped(kept, input.value)) {
      input.activeItems = [kept];
      return summarizeFitting(input, options);
    }
    // What was typed before the list came wins as well. The editor activates the first row that fits, and knows more keys.
    if (input.value.trim() !== "") return followTyping(input, options);
    summarizeFitting(input, options);
    const active = choices.find(({ value }) => value !== undefined && options.active?.(value));
    if (active && !before) input.activeItems = [active];
  };
  const load = async () => {
    if (typeof options.choices !== "function") return show(options.choices);
    input.busy = true;
    input.items = [];
    try {
      show(await options.choices(abort.signal, (some) => !abort.signal.aborted && show(some)));
    } catch (thrown) {
      if (abort.signal.aborted) return;
      input.items = [retryChoice<T>(thrown), ...(options.insteadOfRetry ?? []).map(defuseItem)];
    }
    input.busy = false;
    void advise();
  };
  try {
    return await new Promise<Answer<T>>((resolve) => {
      const findAccepted = offerTyped(input, options);
      followKeys(input, options, abort.signal, advise);
      input.onDidAccept(() => {
        const choice = findAccepted();
        if (choice && "retry" in choice) void load();
        else if (choice?.value !== undefined && options.mayTake?.(choice.value) !== false) resolve(choice.value);
      });
      input.onDidTriggerButton((pressed) => {
        if (pressed === vscode.QuickInputButtons.Back) resolve(BACK);
        else if (pressed === button) resolve(options.button?.value);
      });
      input.onDidHide(() => resolve(undefined));
      input.show();
      void load();
    });
  } finally {
    abort.abort();
    input.dispose();
  }
}

/** @returns what Enter takes. Where a row for what is typed has only just come or gone, the key was meant for that row. */
function offerTyped<T>(input: vscode.QuickPick<Choice<T>>, { readTyped }: PickOptions<T>): () => Choice<T> | undefined {
  let shown: Choice<T> | undefined;
  let isRemoved = false;
  let since = 0;
  if (readTyped)
    input.onDidChangeValue((text) => {
      const own = input.items.filter((choice) => choice !== shown);
      const typed = readTyped(text);
      isRemoved = shown !== undefined && !typed;
      shown = typed && defuseItem({ ...typed, alwaysShow: true });
      since = realClock.elapsed();
      input.items = shown ? [shown, ...own] : own;
      if (shown) input.activeItems = [shown];
    });
  return () => {
    const isNew = realClock.elapsed() - since < SEEN;
    if (isNew && isRemoved) return undefined;
    return isNew && shown ? shown : input.selectedItems[0];
  };
}

function followKeys<T>(
  input: vscode.QuickPick<Choice<T>>,
  options: PickOptions<T>,
  signal: AbortSignal,
  advise: () => Promise<void>,
): void {
  input.onDidChangeValue((text) => {
    if (options.typed) options.typed.text = text;
    followTyping(input, options);
    void advise();
  });
  input.onDidChangeActive((active) => {
    if (active.length === 0) void activateWhenIdle(input, options, signal);
  });
}

/** @returns the button that stands for `options.button`. */
function dressList<T>(
  input: vscode.QuickPick<Choice<T>>,
  options: PickOptions<T>,
): vscode.QuickInputButton | undefined {
  setStepPlace(input, options);
  input.placeholder = options.placeholder;
  input.matchOnDescription = options.readTyped === undefined;
  input.matchOnDetail = options.readTyped === undefined;
  // Typing filters and must not reorder a list sorted by price. The property isn't in the published types yet.
  Reflect.set(input, "sortByLabel", false);
  if (!options.button) return undefined;
  const button = { iconPath: new vscode.ThemeIcon(options.button.icon), tooltip: options.button.tooltip };
  input.buttons = [...input.buttons, button];
  return button;
}

/**
 * What is typed wins: the editor makes the first row active, so rows that are always shown come last. They never move
 * while someone types, because the editor tells a chosen row by its place.
 */
function putAlwaysShownLast<T>(choices: readonly Choice<T>[]): readonly Choice<T>[] {
  const always = choices.filter(({ alwaysShow }) => alwaysShow);
  return [...choices.filter(({ alwaysShow }) => !alwaysShow), ...always];
}

const isSameLine = (one: vscode.QuickPickItem, other: vscode.QuickPickItem): boolean =>
  one.label === other.label && one.description === other.description && one.detail === other.detail;

/** The editor filters on its own. This keeps a row that can be chosen active, and the words after the title true. */
function followTyping<T>(input: vscode.QuickPick<Choice<T>>, options: PickOptions<T>): void {
  summarizeFitting(input, options);
  if (input.value.trim() === "") return;
  const [first] = rowsThatFit(input);
  if (first?.value === undefined || options.isLast?.(first.value)) activateMatch(input, options);
}

/**
 * A row that was made active here may be filtered out by keys that were still on their way. While more of them come, the editor itself
 * makes the next match active, and a row of ours would only take its place.
 */
async function activateWhenIdle<T>(
  input: vscode.QuickPick<Choice<T>>,
  options: PickOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  await realClock.sleep(TYPING_PAUSE, signal).catch(() => {});
  const isIdle = input.activeItems.length === 0 && input.value.trim() !== "";
  if (isIdle && !signal.aborted) activateMatch(input, options);
}

/** @returns what shows advice below the list once nothing has fitted for a moment, and removes it when something else is typed. */
function followWithAdvice<T>(
  input: vscode.QuickPick<Choice<T>>,
  options: PickOptions<T>,
  signal: AbortSignal,
): () => Promise<void> {
  let shown: readonly Choice<T>[] = [];
  return async () => {
    const typed = input.value;
    const isCurrent = () => !signal.aborted && !input.busy && input.value === typed;
    const findOwn = () => input.items.filter((choice) => !shown.includes(choice));
    if (findOwn().length < input.items.length) {
      input.items = findOwn();
      followTyping(input, options);
    }
    if (!options.whenNoneFits || typed.trim() === "" || input.busy || rowsThatFit(input).length > 0) return;
    await realClock.sleep(ADVICE_PAUSE, signal).catch(() => {});
    const advice = isCurrent() ? await options.whenNoneFits(typed).catch(() => []) : [];
    if (advice.length === 0 || !isCurrent()) return;
    const own = findOwn();
    shown = advice.map((choice) => defuseItem({ ...choice, alwaysShow: true }));
    input.items = [...own, ...shown];
    summarizeFitting(input, options);
    activateMatch(input, options);
  };
}

/** Makes the first row active that fits what is typed and can be chosen. */
function activateMatch<T>(input: vscode.QuickPick<Choice<T>>, { isLast }: PickOptions<T>): void {
  const fitting = rowsThatFit(input).filter(({ value }) => value !== undefined);
  const best = fitting.find(({ value }) => value !== undefined && !isLast?.(value)) ?? fitting[0];
  if (best) input.activeItems = [best];
}

function rowsThatFit<T>({ items, value, matchOnDescription }: vscode.QuickPick<Choice<T>>): readonly Choice<T>[] {
  const fits = (choice: Choice<T>) => matchesTyped(matchOnDescription ? choice : { label: choice.label }, value);
  return items.filter(
    (choice) => choice.kind !== vscode.QuickPickItemKind.Separator && (choice.alwaysShow || fits(choice)),
  );
}

function summarizeFitting<T>(input: vscode.QuickPick<Choice<T>>, { title, summarize }: PickOptions<T>): void {
  if (!summarize) return;
  const fitting = rowsThatFit(input);
  const words = summarize(fitting.flatMap(({ value }) => (value === undefined ? [] : [value])));
  input.title = words ? `${title} · ${words}` : title;
}

function retryChoice<T>(thrown: unknown): Choice<T> {
  const says = `$(error) ${toLabel(asAppError(thrown).message, 300)}`;
  return { label: says, description: t("Press Enter to try again"), alwaysShow: true, retry: true } as Choice<T>;
}

/**
 * Several choices with ticks. Enter after typing takes the match; once something was ticked or unticked by hand, it takes
 * what is ticked.
 */
export async function pickMany<T>(
  options: StepPlace & { placeholder: string; choices: readonly Choice<T>[] },
): Promise<Answer<T[]>> {
  const input = vscode.window.createQuickPick<Choice<T>>();
  setStepPlace(input, options);
  input.placeholder = options.placeholder;
  input.canSelectMany = true;
  input.matchOnDescription = true;
  input.items = options.choices.map(defuseItem);
  const ticked = input.items.filter((choice) => choice.picked);
  input.selectedItems = ticked;
  try {
    return await new Promise<Answer<T[]>>((resolve) => {
      input.onDidAccept(() => {
        const isUntouched = isSameSelection(input.selectedItems, ticked);
        const fitting = rowsThatFit(input);
        const match = fitting.find((choice) => input.activeItems.includes(choice)) ?? fitting[0];
        const taken = isUntouched && input.value.trim() !== "" && match ? [match] : input.selectedItems;
        resolve(taken.flatMap(({ value }) => (value === undefined ? [] : [value])));
      });
      input.onDidTriggerButton((button) => button === vscode.QuickInputButtons.Back && resolve(BACK));
      input.onDidHide(() => resolve(undefined));
      input.show();
    });
  } finally {
    input.dispose();
  }
}

const isSameSelection = <T>(now: readonly Choice<T>[], before: readonly Choice<T>[]): boolean =>
  now.length === before.length && now.every((choice) => before.includes(choice));
