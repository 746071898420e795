// A list that is ticked and then acted on: several buttons for what is ticked, and rows that lead somewhere else instead.
import * as vscode from "vscode";
import type { Event } from "../../../lib/event.ts";
import { defuseItem } from "../../../lib/markup.ts";
import { setStepPlace } from "./steps.ts";

/** A row with a `value` can be ticked, one that `leadsTo` something is answered at once, and one without either does nothing. */
export interface TickChoice<T, L> extends vscode.QuickPickItem {
  readonly value?: T;
  readonly leadsTo?: L;
}

interface TickList<T, L> {
  readonly title: string;
  readonly placeholder: string;
  readonly choices: readonly TickChoice<T, L>[];
}

interface TickListOptions<T, L, A> {
  /** Both are shown until the list is there. */
  readonly title: string;
  readonly placeholder: string;
  /** What is said if a button is pressed while nothing is ticked. */
  readonly noneTicked: string;
  /** It must not throw: the list itself says what couldn't be read. */
  readonly read: (signal: AbortSignal) => Promise<TickList<T, L>>;
  /** Whether it reads the list again, instead of being an answer. */
  readonly readsAgain: (leadsTo: L) => boolean;
  readonly buttons: readonly { readonly icon: string; readonly tooltip: string; readonly action: A }[];
  /** Closes the list without an answer. */
  readonly closesOn: Event<unknown>;
}

/** `action` is missing where Enter was pressed: what is to be done is still to be asked. */
export type TickAnswer<T, L, A> =
  | { readonly leadsTo: L }
  | { readonly ticked: readonly T[]; readonly action: A | undefined }
  | undefined;

/** @returns undefined if the list was closed. */
export async function pickTicked<T, L, A>(options: TickListOptions<T, L, A>): Promise<TickAnswer<T, L, A>> {
  const input = vscode.window.createQuickPick<TickChoice<T, L>>();
  const abort = new AbortController();
  setStepPlace(input, options);
  input.placeholder = options.placeholder;
  input.matchOnDescription = true;
  input.matchOnDetail = true;
  // The order says something: what couldn't be ended comes first. The property isn't in the published types yet.
  Reflect.set(input, "sortByLabel", false);
  const load = async () => {
    input.busy = true;
    const list = await options.read(abort.signal);
    if (!abort.signal.aborted) showList(input, list, options.buttons);
  };
  const closing = options.closesOn(() => input.hide());
  try {
    return await new Promise<TickAnswer<T, L, A>>((resolve, reject) => {
      const reload = () => void load().catch(reject);
      const follow = (leadsTo: L) => (options.readsAgain(leadsTo) ? reload() : resolve({ leadsTo }));
      const finish = (action: A | undefined) => {
        const ticked = input.canSelectMany ? valuesOf(input.selectedItems) : [];
        if (ticked.length > 0) resolve({ ticked, action });
        else input.placeholder = options.noneTicked;
      };
      followTicks(input, follow);
      input.onDidAccept(() => {
        const [active] = input.activeItems;
        const hasTicks = input.canSelectMany && valuesOf(input.selectedItems).length > 0;
        if (!hasTicks && active?.leadsTo !== undefined) follow(active.leadsTo);
        else finish(undefined);
      });
      input.onDidTriggerButton((pressed) => {
        const button = options.buttons[input.buttons.indexOf(pressed)];
        if (button) finish(button.action);
      });
      input.onDidHide(() => resolve(undefined));
      input.show();
      reload();
    });
  } finally {
    abort.abort();
    closing.dispose();
    input.dispose();
  }
}

/** Where nothing can be ticked there is no box to tick, and no button for it. */
function showList<T, L, A>(
  input: vscode.QuickPick<TickChoice<T, L>>,
  { title, placeholder, choices }: TickList<T, L>,
  buttons: TickListOptions<T, L, A>["buttons"],
): void {
  const canTick = choices.some(({ value }) => value !== undefined);
  input.title = title;
  input.placeholder = placeholder;
  input.canSelectMany = canTick;
  input.items = choices.map(defuseItem);
  input.selectedItems = input.canSelectMany ? input.items.filter(({ picked }) => picked) : [];
  input.buttons = (canTick ? buttons : []).map(({ icon, tooltip }) => ({
    iconPath: new vscode.ThemeIcon(icon),
    tooltip,
  }));
  input.busy = false;
}

/** The editor has a box in front of every row. A tick on a row that can't be ticked is taken back, and leads where the row leads. */
function followTicks<T, L>(input: vscode.QuickPick<TickChoice<T, L>>, follow: (leadsTo: L) => void): void {
  let before: readonly TickChoice<T, L>[] = [];
  input.onDidChangeSelection((ticked) => {
    if (!input.canSelectMany) return;
    const added = ticked.filter((choice) => !before.includes(choice));
    const kept = ticked.filter(({ value }) => value !== undefined);
    before = kept;
    if (kept.length < ticked.length) input.selectedItems = kept;
    const [only] = added;
    // The box above the list ticks all rows at once, and means none of them alone.
    if (added.length === 1 && only?.leadsTo !== undefined) follow(only.leadsTo);
  });
}

function valuesOf<T, L>(choices: readonly TickChoice<T, L>[]): T[] {
  return choices.flatMap(({ value }) => (value === undefined ? [] : [value]));
}
