// Habits that make a sentence sound translated. None of them has a use on screen or in a document for people, so each is refused wherever it
// turns up.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, test } from "node:test";
import { manifestTexts, messages } from "../../texts.ts";
import { listComments, readTypeScript } from "./comments.ts";

type Habits = readonly (readonly [habit: RegExp, instead: string, example: string])[];

/** Of whatever is written in words: on screen, in documents and in comments. */
const HABITS: Habits = [
  [/\bany ?more\b/i, "no longer", "Nobody can rent it any more."],
  [/\banew\b/i, "again", "Create Anew"],
  [/\b[Ii]ds?\b/, "ID", "Id of the key"],
  [/\bcannot\b|(?<=\S )\b(does|do|did|is|are|was|were|has|have|could) not\b/i, "a contraction", "It cannot be read."],
  [/\bmeanwhile\b/i, "in the meantime, or nothing", "It was changed meanwhile."],
  [/\bline ends?\b/i, "line ending", "Windows line ends"],
  [/\bby (itself|themselves)\b/i, "automatically", "Port 22 is opened by itself."],
  [/\bweb site\b/i, "website", "On the service's web site"],
  [/\b(some|every|any|no)body\b/i, "someone, everyone, no one", "Somebody destroyed it."],
  [/\bnot understood\b/i, "isn't recognized", "“{0}” is not understood."],
  [/\bcancelled\b|\butilisation\b|\bcolour\b/i, "American spelling", "Cancelled."],
  [/\btime span\b/i, "duration", "Enter a time span"],
];

/** Of what is written for users: in comments, these words have other meanings, such as what a machine answers or an archive as it is. */
const FOR_USERS: Habits = [
  [/\{\d+\} %/, "no space before %", "{0} % reliability"],
  [/(?<!\bthere )\b(is|are) no (?!longer\b)/i, "isn't a …, or isn't valid", "“{0}” is no id."],
  [/\bblanks?\b/i, "space", "Separated by blanks"],
  [/brought back/i, "can't be undone", "They cannot be brought back."],
  [/\bwhom\b/i, "who, or which account", "Rent as whom?"],
  [
    /\bit is (not |never )?(asked|looked|known|said|told|tried|taken|watched|billed|kept)\b/i,
    "name who does it",
    "It is looked for.",
  ],
  [/\bat once\b/i, "immediately", "It ends at once."],
  [/\bstands? there\b|\bis there twice\b/i, "is listed twice", "{0} stands there twice."],
  [/\b(least|most) (dollars|VRAM|load|instances)\b/i, "minimum, maximum", "Least VRAM of each GPU"],
  [/\bas it is\b/i, "unchanged, or as is", "It is kept as it is."],
  [/\b(off|on) the market\b|\bfor rent\b/i, "unlisted, listed", "The volume is taken off the market."],
  [/\banswer(s|ed)?\b(?! the questions)/i, "response, respond", "The service's answer is too large."],
  [/\bthe other one\b/i, "repeat the noun", "Then the other one is rented."],
  [/\bdocker\b/, "Docker", "A docker image…"],
  [/!/, "no exclamation marks", "Done!"],
  [/\balso with\b/i, "even if …", "also with this computer off"],
  [/\bas agreed\b/i, "as you chose", "They are being destroyed, as agreed."],
  [/\b(once|after) [^.]*\b(has|have) ended\b/i, "ends", "1 hour after the command has ended"],
  [/\{\d\} together\b/i, "in total", "Destroy {0} instances ({1} together)?"],
  [/\bif (a|no) window is open\b|\bno window\b/i, "if VS Code is open, or closed", "if a window is open then"],
  [/\bdisk( and data)? stays?\b/i, "is kept, and who pays for it", "Its disk stays, and is billed"],
  [/\bleft alone\b/i, "didn't change it", "is read-only, so it was left alone"],
  [/\bis over\b|\bwas finished\b|\bended well\b/i, "has finished, or succeeded", "“{0}” ended well"],
  [/\bticks?\b|\bticked\b/i, "select", "Tick at least one file."],
  [/\b(a|the) sum\b/i, "cost limit, or amount", "a time, a sum, or both"],
  [/(?<!\w)We\b/, "Cloud GPU", "We couldn't confirm"],
  [/\bisn't allowed to\b|\bmay not read\b/i, "doesn't have permission to", "This API key may not read charges."],
  [/\b(last|next) look\b/i, "check", "next look {0}"],
  [/\bYou find\b/, "You can find", "You find it on the website."],
  [/\brunning for \{1\}/, "at a price", "Instance {0} is running for {1}."],
  [/…\./, "no period after …", "Show Runs…."],
];

/** Of sentences on screen only: in a document, they are read with what stands around them. */
const ON_SCREEN: Habits = [
  [/\bcomes? back\b/i, "is downloaded", "Only files that match {0} come back"],
  [/\b(isn't|not) known\b/i, "unknown", "The price isn't known"],
  [/\b\w+, (?!direct\b|0\b)\w+ or (?!more\b)\w+\b/, "a comma before “or”", "remind, stop or destroy"],
];

const badIn = (text: string, habits: Habits): string[] =>
  habits.filter(([habit]) => habit.test(text)).map(([, instead]) => instead);

const ROOT = resolve(import.meta.dirname, "../../..");
const PAGES = readdirSync(join(ROOT, "docs")).filter((name) => name.endsWith(".md"));
const DOCUMENTS = ["README.md", "CHANGELOG.md", ...PAGES.map((name) => join("docs", name))];

/** The prose of a document, line by line: without code, and without pictures, which begin with an exclamation mark. */
const readProse = (path: string): readonly string[] =>
  readFileSync(join(ROOT, path), "utf8")
    .replace(/^```[\s\S]*?^```/gm, (code) => code.replace(/[^\n]/g, ""))
    .replace(/`[^`\n]*`/g, "code")
    .replace(/!\[|<!--/g, "[")
    .split("\n");

describe("the guard finds", () => {
  for (const [habit, instead, example] of [...HABITS, ...FOR_USERS, ...ON_SCREEN])
    test(`“${example}”: ${instead}`, () => assert.match(example, habit));

  test("nothing in plain sentences", () => {
    for (const text of ["98.2%", "Enter ID…", "No longer billed.", "This can't be undone.", "There are no instances."])
      assert.deepEqual(badIn(text, [...HABITS, ...FOR_USERS, ...ON_SCREEN]), [], text);
  });
});

test("no English text on screen has one of these habits", () => {
  const shown = [...messages(), ...Object.values(manifestTexts())];
  const found = shown.flatMap((text) =>
    badIn(text, [...HABITS, ...FOR_USERS, ...ON_SCREEN]).map((instead) => `${text}: ${instead}`),
  );
  assert.deepEqual(found, []);
});

for (const path of DOCUMENTS)
  test(`no line of ${path} has one of these habits`, () => {
    const found = readProse(path).flatMap((line, at) =>
      badIn(line, [...HABITS, ...FOR_USERS]).map((instead) => `${at + 1}: ${line}: ${instead}`),
    );
    assert.deepEqual(found, []);
  });

test("no comment has one of the habits that are never right", () => {
  const found = listComments(readTypeScript()).flatMap(({ file, text }) =>
    badIn(text.replace(/`[^`]*`|“[^”]*”|"[^"]*"/g, "code"), HABITS).map((instead) => `${file}: ${text}: ${instead}`),
  );
  assert.deepEqual(found, []);
});
