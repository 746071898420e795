// Which section is being read: the last one whose heading has reached the bar, or the last of all at the end of the page.

/** Room below the bar, in pixels, in which a heading counts as reached: a link to it stops there. */
const REACHED = 24;

export function findCurrentSection(ids: readonly string[]): string | undefined {
  const top = (document.querySelector(".bar")?.getBoundingClientRect().bottom ?? 0) + REACHED;
  const { scrollHeight, clientHeight, scrollTop } = document.documentElement;
  if (scrollTop > 0 && scrollTop + clientHeight >= scrollHeight - 1) return ids.at(-1);
  const isReached = (id: string) => (document.getElementById(`section-${id}`)?.getBoundingClientRect().top ?? 0) <= top;
  return ids.findLast(isReached) ?? ids[0];
}
