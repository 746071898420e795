// How long a list of instances rests in which nothing changes.

/** Milliseconds for each request of a list: more instances shouldn't make for more requests. */
const PAGE_EVERY = 42_000;
/** From one reading to the next at most, whatever the list takes: what is idle is told by readings that are closer. */
const LONGEST = 84_000;
/** Milliseconds that a page takes: requests are a second apart. */
const PAGE_TAKES = 1500;

/** Milliseconds between the end of a list of so many pages and the next one at least. One page is read as often as the person wants. */
export function calculateListPause(pages: number): number {
  if (pages <= 1) return 0;
  return Math.max(0, Math.min(LONGEST - pages * PAGE_TAKES, pages * PAGE_EVERY));
}
