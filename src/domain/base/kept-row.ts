// What is kept of a list between two windows: what its rows said, and when. It is read back from a disk, so every part of
// it is checked, and it has room for texts only: nothing that a command could act on.
import * as z from "zod";

/** Longer texts are cut before they are kept. The editor shows a fraction of this. */
const LONGEST = 300;
/** Rows of one list, headings included. */
const MOST_ROWS = 500;
/** Characters of one file. */
export const LONGEST_FILE = 300_000;
/** Milliseconds after which no one is helped by what a list said. */
const GOOD_FOR = 7 * 24 * 3_600_000;
/** Milliseconds that the clock may have been set back since. */
const CLOCK_ERROR = 60_000;

const words = z.string().max(LONGEST + 1);
const Leaf = z.strictObject({
  id: words.min(1),
  label: words,
  description: words,
  icon: z.string().regex(/^[a-z-]{0,40}$/),
  accessible: words,
});
const KeptRow = Leaf.extend({ rows: z.array(Leaf).max(MOST_ROWS) });
export type KeptLeaf = z.infer<typeof Leaf>;
export type KeptRow = z.infer<typeof KeptRow>;

const KeptList = z.strictObject({
  version: z.literal(1),
  /** Identifies the account and its key. */
  tag: z.string(),
  /** Wall clock milliseconds when the service was asked. */
  at: z.int().positive(),
  rows: z.array(KeptRow).max(MOST_ROWS),
});
export type KeptList = z.infer<typeof KeptList>;

/** The list in a file, if that is what it is, if it is of this account, and if it isn't too old to help. */
export function readKeptList(text: string, tag: string, now: number): KeptList | undefined {
  if (text.length > LONGEST_FILE) return undefined;
  const list = KeptList.safeParse(parse(text)).data;
  if (!list || list.tag !== tag) return undefined;
  if (list.at > now + CLOCK_ERROR || list.at < now - GOOD_FOR) return undefined;
  const ids = list.rows.flatMap((row) => [row.id, ...row.rows.map(({ id }) => id)]);
  return new Set(ids).size === ids.length ? list : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Undefined if it is too long to be kept. */
export function writeKeptList(list: Omit<KeptList, "version">): string | undefined {
  const text = JSON.stringify({ version: 1, ...list });
  return text.length > LONGEST_FILE ? undefined : text;
}

/** The first rows of a list, with what is below the headings, as far as there is room. */
export function cutKeptRows(rows: Iterable<KeptRow>): KeptRow[] {
  const cut: KeptRow[] = [];
  let room = MOST_ROWS;
  for (const row of rows) {
    if (room <= 0) break;
    if (!hasShortId(row)) continue;
    const below = row.rows.filter(hasShortId).slice(0, room - 1);
    room -= 1 + below.length;
    cut.push({ ...cutTexts(row), rows: below.map(cutTexts) });
  }
  return cut;
}

/** An ID can't be cut: it would be another row's. */
const hasShortId = ({ id }: KeptLeaf): boolean => id.length <= LONGEST;

function cutTexts({ id, label, description, icon, accessible }: KeptLeaf): KeptLeaf {
  return { id, label: cutText(label), description: cutText(description), icon, accessible: cutText(accessible) };
}

/** By code points: half a character would not survive the file. */
function cutText(text: string): string {
  if (text.length <= LONGEST) return text;
  const cut = text.slice(0, LONGEST);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}
