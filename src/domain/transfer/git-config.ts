// What a configuration of git says, read without git. What is included from other files isn't read.

/** Characters of a text and of a line that are read. */
const [MOST_TEXT, MOST_LINE] = [1_000_000, 2000];

/** The values of one section, as they are written: with quotes and comments. Names are in lowercase. `isSection` is asked with each heading. */
export function* listGitValues(
  text: string,
  isSection: (heading: string) => boolean,
): Generator<readonly [name: string, written: string]> {
  let isWanted = false;
  for (const line of text.slice(0, MOST_TEXT).split(/\r?\n/)) {
    const [, heading] = /^\s*\[([^\]]*)\]/.exec(line) ?? [];
    if (heading !== undefined) isWanted = isSection(heading.trim());
    const [, name, written] = /^\s*([a-z][a-z0-9-]*)\s*=(.*)$/i.exec(line.slice(0, MOST_LINE)) ?? [];
    if (isWanted && name !== undefined) yield [name.toLowerCase(), written ?? ""];
  }
}
