// A list that is searched while someone types, by our own rule instead of the editor's: it decides what matches and in
// which order.
import * as vscode from "vscode";
import { Bag } from "../../../lib/disposable.ts";
import type { Event } from "../../../lib/event.ts";
import { defuseItem } from "../../../lib/markup.ts";
import type { Choice } from "./pick.ts";

interface Button<T> {
  /** Codicon name. */
  readonly icon: string;
  readonly tooltip: string;
  readonly answer: T;
}

interface FindOptions<T> {
  readonly title: string;
  readonly placeholder: string;
  /** What to show for what was typed, in order. */
  readonly choices: (typed: string) => readonly Choice<T>[];
  readonly isLoading: () => boolean;
  /** Fires when the same words may find something else. */
  readonly onDidChange: Event<unknown>;
  /** Beside the title. */
  readonly button: Button<T>;
  /** A button on each line, with what it answers. */
  readonly lineButton: Omit<Button<T>, "answer"> & { readonly answer: (value: T) => T };
}

/** @returns undefined for Escape. */
export async function findAsYouType<T>(options: FindOptions<T>): Promise<T | undefined> {
  const { title, placeholder, choices, isLoading, onDidChange, button, lineButton } = options;
  const bag = new Bag();
  const input = bag.add(vscode.window.createQuickPick<Choice<T>>());
  input.title = title;
  input.placeholder = placeholder;
  input.buttons = [{ iconPath: new vscode.ThemeIcon(button.icon), tooltip: button.tooltip }];
  Reflect.set(input, "sortByLabel", false);
  const buttons = [{ iconPath: new vscode.ThemeIcon(lineButton.icon), tooltip: lineButton.tooltip }];
  const show = () => {
    input.busy = isLoading();
    input.items = choices(input.value).map((choice) => {
      const line = { ...defuseItem(choice), alwaysShow: true };
      return choice.value === undefined ? line : { ...line, buttons };
    });
  };
  try {
    return await new Promise<T | undefined>((resolve) => {
      input.onDidAccept(() => {
        const [choice] = input.selectedItems;
        if (choice?.value !== undefined) resolve(choice.value);
      });
      input.onDidTriggerItemButton(({ item }) => item.value !== undefined && resolve(lineButton.answer(item.value)));
      input.onDidTriggerButton(() => resolve(button.answer));
      input.onDidChangeValue(show);
      input.onDidHide(() => resolve(undefined));
      bag.add(onDidChange(show));
      show();
      input.show();
    });
  } finally {
    bag.dispose();
  }
}
