// Habits that make a sentence sound translated. None of them has a use on screen, so each is refused wherever it turns up.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { manifestTexts, messages } from "../../texts.ts";

const HABITS: readonly [habit: RegExp, instead: string, example: string][] = [
  [/\{\d+\} %/, "no space before %", "{0} % reliability"],
  [/\bany ?more\b/i, "no longer", "Nobody can rent it any more."],
  [/(?<!\bthere )\b(is|are) no (?!longer\b)/i, "isn't a …, or isn't valid", "“{0}” is no id."],
  [/\banew\b/i, "again", "Create Anew"],
  [/\bblanks?\b/i, "space", "Separated by blanks"],
  [/\b[Ii]ds?\b/, "ID", "Id of the key"],
  [/\bcannot\b|(?<=\S )\b(does|do|did|is|are|was|were|has|have|could) not\b/i, "a contraction", "It cannot be read."],
  [/brought back/i, "can't be undone", "They cannot be brought back."],
  [/\bwhom\b/i, "who, or which account", "Rent as whom?"],
  [/\bmeanwhile\b/i, "in the meantime, or nothing", "It was changed meanwhile."],
  [/\bline ends?\b/i, "line ending", "Windows line ends"],
  [/\bby (itself|themselves)\b/i, "automatically", "Port 22 is opened by itself."],
  [
    /\bit is (not |never )?(asked|looked|known|said|told|tried|taken|watched|billed|kept)\b/i,
    "name who does it",
    "It is looked for.",
  ],
  [/\bweb site\b/i, "website", "On the service's web site"],
  [/\bat once\b/i, "immediately", "It ends at once."],
  [/\b(some|every|any|no)body\b/i, "someone, everyone, no one", "Somebody destroyed it."],
  [/\bstands? there\b|\bis there twice\b/i, "is listed twice", "{0} stands there twice."],
  [/\b(least|most) (dollars|VRAM|load|instances)\b/i, "minimum, maximum", "Least VRAM of each GPU"],
  [/\bnot understood\b/i, "isn't recognized", "“{0}” is not understood."],
  [/\bas it is\b/i, "unchanged, or as is", "It is kept as it is."],
  [/\b(off|on) the market\b|\bfor rent\b/i, "unlisted, listed", "The volume is taken off the market."],
  [/\banswer(s|ed)?\b(?! the questions)/i, "response, respond", "The service's answer is too large."],
  [/\bthe other one\b/i, "repeat the noun", "Then the other one is rented."],
  [/\bdocker\b/, "Docker", "A docker image…"],
  [/\bcancelled\b|\butilisation\b|\bcolour\b/i, "American spelling", "Cancelled."],
  [/!/, "no exclamation marks", "Done!"],
];

const badIn = (text: string): string[] => HABITS.filter(([habit]) => habit.test(text)).map(([, instead]) => instead);

describe("the guard finds", () => {
  for (const [habit, instead, example] of HABITS) test(`“${example}”: ${instead}`, () => assert.match(example, habit));

  test("nothing in plain sentences", () => {
    for (const text of ["98.2%", "Enter ID…", "No longer billed.", "This can't be undone.", "There are no instances."])
      assert.deepEqual(badIn(text), [], text);
  });
});

test("no English text on screen has one of these habits", () => {
  const shown = [...messages(), ...Object.values(manifestTexts())];
  const found = shown.flatMap((text) => badIn(text).map((instead) => `${text}: ${instead}`));
  assert.deepEqual(found, []);
});
