// Drags the edge of a column.

/** `from`: its width in pixels. `widen` is told each width, and which one is the last. */
export function dragWidth(start: PointerEvent, from: number, widen: (width: number, isOver: boolean) => void): void {
  const { target, clientX, pointerId } = start;
  if (!(target instanceof HTMLElement)) return;
  start.preventDefault();
  target.setPointerCapture(pointerId);
  const follow = (event: PointerEvent) => widen(from + event.clientX - clientX, event.type !== "pointermove");
  const ends = new AbortController();
  const { signal } = ends;
  target.addEventListener("pointermove", follow, { signal });
  for (const end of ["pointerup", "pointercancel"] as const)
    target.addEventListener(
      end,
      (event) => {
        ends.abort();
        follow(event);
      },
      { signal },
    );
}
