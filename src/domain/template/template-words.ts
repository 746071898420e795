// Finds templates by words of their names, images and descriptions, best match first.
import { type Template, withTag } from "./template.ts";

/** More words than this narrow nothing down. */
const MOST_WORDS = 12;
/** Characters of a description that are searched: foreign texts may be megabytes long. */
const LONGEST = 2000;

type Searched = Pick<Template, "name" | "image" | "tag" | "desc" | "count_created">;

/**
 * Those that contain every word somewhere, in any case. A word at the start of the name counts most, then in the name,
 * in the image, in the description; among equals, what is used more often comes first.
 */
export function findByWords<T extends Searched>(templates: readonly T[], typed: string): T[] {
  const words = typed.slice(0, LONGEST).toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
  return templates
    .map((template) => ({ template, score: scoreOf(template, words) }))
    .filter(({ score }) => score !== undefined)
    .sort(
      (a, b) => (b.score ?? 0) - (a.score ?? 0) || (b.template.count_created ?? 0) - (a.template.count_created ?? 0),
    )
    .map(({ template }) => template);
}

/** Undefined if a word is nowhere. */
function scoreOf({ name, image, tag, desc }: Searched, words: readonly string[]): number | undefined {
  const [inName, inImage, inAbout] = [name, image && withTag(image, tag), desc].map((text) =>
    (text ?? "").slice(0, LONGEST).toLowerCase(),
  ) as [string, string, string];
  let sum = 0;
  for (const word of words) {
    const score = scoreInName(inName, word) || (inImage.includes(word) ? 2 : Number(inAbout.includes(word)));
    if (score === 0) return undefined;
    sum += score;
  }
  return sum;
}

function scoreInName(name: string, word: string): number {
  const at = name.indexOf(word);
  if (at < 0) return 0;
  if (at === 0) return 8;
  return /[\p{L}\p{N}]/u.test(name.charAt(at - 1)) ? 4 : 6;
}
