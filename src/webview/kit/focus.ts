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

/** Moves the cursor into a row of a field's table, which may be about to be drawn. */
export function focusRow(field: string, at: number): void {
  requestAnimationFrame(() => focusCell(field, at, 0));
}

/** Moves the cursor at once, so that the next key goes there. */
export function focusCell(field: string, at: number, cell: number): void {
  document
    .querySelectorAll(`#field-${field} tbody tr:not(.said)`)
    [at]?.querySelectorAll<HTMLElement>("vscode-textfield")
    [cell]?.focus();
}

/** Listens on a row for the focus leaving it for good: a control that is drawn anew has it back a moment later. */
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
