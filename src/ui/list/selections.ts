// Which rows are selected in which view, for commands that were given none: from the Command Palette or by a key.
export interface SelectingView {
  readonly id: string;
  /** Empty while no one can see the view: what can't be seen isn't meant. */
  readonly selection: readonly unknown[];
}

export class Selections {
  readonly #views = new Map<string, SelectingView>();

  follow(view: SelectingView): void {
    this.#views.set(view.id, view);
  }

  listFor(id: string): readonly unknown[] {
    return this.#views.get(id)?.selection ?? [];
  }
}
