// Moves the focus within a page, and tells screen readers what a control is about.

/** Focuses the first focusable element of a field. */
export function focusField(field: string): void {
  const frame = document.getElementById(`field-${field}`);
  frame?.closest("details")?.setAttribute("open", "");
  frame?.scrollIntoView({ block: "center" });
  const first = frame?.querySelector<HTMLElement>(
    "vscode-textfield, vscode-textarea, vscode-checkbox, select, input, button",
  );
  first?.focus();
}

/** Scrolls to a part that is about to be drawn and focuses it. */
export function lookAt(id: string): void {
  queueMicrotask(() => {
    const shown = document.getElementById(id);
    shown?.scrollIntoView({ block: "center" });
    shown?.focus();
  });
}

/** A control of the page, which draws itself a moment after the page does. */
type Control = HTMLElement & { readonly updateComplete: Promise<unknown> };

/** Focuses what may be about to be drawn, before the next key: a frame later, keys would be lost. */
export function focusDrawn(find: () => Control | null | undefined): void {
  queueMicrotask(() => {
    const control = find();
    void control?.updateComplete.then(() => control.focus());
  });
}

/** Moves the cursor into a row of a field's table. */
export function focusRow(field: string, at: number): void {
  focusCell(field, at, 0);
}

export function focusCell(field: string, at: number, cell: number): void {
  const rows = `#field-${field} tbody tr:not(.said)`;
  focusDrawn(() => document.querySelectorAll(rows)[at]?.querySelectorAll<Control>("vscode-textfield")[cell]);
}

/** Listens on a row for the focus leaving it for good: a control that is drawn again has it back a moment later. */
export function onLeaving(left: () => void): (event: FocusEvent) => void {
  return ({ currentTarget }) => {
    requestAnimationFrame(() => {
      if (currentTarget instanceof Node && !currentTarget.contains(document.activeElement)) left();
    });
  };
}

/** Passes each control's description on to the element inside it that takes the focus. */
export function describeControls(root: ParentNode): void {
  for (const control of root.querySelectorAll<HTMLElement>("[data-about]")) {
    const inner = control.shadowRoot?.querySelector("input, textarea");
    inner?.setAttribute("aria-description", control.dataset.about ?? "");
    inner?.setAttribute("aria-invalid", String(control.hasAttribute("invalid")));
    if (control.dataset.required !== undefined) inner?.setAttribute("aria-required", "true");
  }
}
