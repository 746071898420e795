// The translations are whole: every sentence of the source and of package.json in every language, with the same places.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  bundle,
  digestManifest,
  LANGUAGES,
  manifestTexts,
  messages,
  readTranslatedDigests,
  type Texts,
} from "../../texts.ts";

const english = manifestTexts();
const sorted = (found: Iterable<RegExpMatchArray>): string[] => [...found].map(([text]) => text).sort();
/** What must stand in a translation as it stands in the original: places, icons, links, wire values. */
const fixed = (text: string): string[] => sorted(text.matchAll(/\{\d+\}|\$\([a-z-]+\)|\(command:[^)]*\)|`[^`]*`/g));

function same(original: Texts, translated: Texts): void {
  for (const [key, text] of Object.entries(original)) {
    assert.ok(translated[key]?.trim(), `“${text}” is not translated`);
    assert.deepEqual(fixed(translated[key] ?? ""), fixed(text), text);
  }
}

test("the sentences are found", () => assert.ok(messages().length > 600));

test("every text of package.json is translated from the English that it has now", () => {
  const next = "Change the translations of what changed, then run `node test/texts.ts --translated`.";
  assert.deepEqual(readTranslatedDigests(), digestManifest(), next);
});

for (const language of LANGUAGES) {
  describe(language, () => {
    test("no sentence of the source is missing, none is left over", () => {
      const all = Object.fromEntries(messages().map((message) => [message, message]));
      same(all, bundle(language));
      assert.deepEqual(
        Object.keys(bundle(language)).filter((message) => !(message in all)),
        [],
      );
    });

    test("no text of package.json is missing, none is left over", () => {
      same(english, manifestTexts(language));
      assert.deepEqual(Object.keys(manifestTexts(language)).sort(), Object.keys(english).sort());
    });

    test("most of it differs from the English", () => {
      const texts = bundle(language);
      const equal = messages().filter((message) => texts[message] === message && /[a-z]{4}/.test(message));
      assert.ok(equal.length < messages().length / 10, equal.join("\n"));
    });
  });
}
