// No text is read as markup: no link and no icon survives, and nothing else is changed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { defuse, defuseIcons, defuseItem, defuseLinks, keepSides, matchesWords } from "../../../src/lib/markup.ts";
import { toLabel } from "../../../src/lib/text.ts";

/** The editor's own: `parseLinkedText`. */
const LINK = /\[([^\]]+)\]\(((?:https?:\/\/|command:|file:)[^)\s]+)(?: (["'])(.+?)(\3))?\)/gi;
/** The editor's own: `renderLabelWithIcons`. */
const ICON = /(\\)?\$\((?:[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*(?:~[A-Za-z]+)?)\)/g;
/** As the editor reads a notification: cut, and on one line. */
const asNotification = (text: string) =>
  text
    .slice(0, 1000)
    .replace(/(\r\n|\n|\r)/g, " ")
    .trim();
const links = (text: string) => text.match(LINK) ?? [];
const icons = (text: string) => (text.match(ICON) ?? []).filter((icon) => !icon.startsWith("\\"));

/** Pieces that make links and icons, in any order, and anything between them. */
const markup = fc
  .array(
    fc.oneof(
      fc.constantFrom("[", "]", "(", ")", "](", "[x](command:a)", "[x](file:///etc/passwd)", "[x](https://a.b 't')"),
      fc.constantFrom("$", "$(", "$(trash)", "$(sync~spin)", "\\", " ", "\n", "\r\n", "\u200a", "\ud800", "command:a"),
      fc.string({ unit: "binary", maxLength: 4 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(""));

describe("no text is read as markup", () => {
  test("the parsers find what they must", () => {
    assert.equal(links("a [x](command:a) b [y](file:///b) [z](http://c)").length, 3);
    assert.equal(icons("$(trash) $(sync~spin) \\$(no)").length, 2);
  });

  test("no link", () =>
    fc.assert(
      fc.property(markup, (text) => {
        for (const shown of [defuseLinks(text), defuse(text)])
          assert.deepEqual([...links(shown), ...links(asNotification(shown))], []);
      }),
      { numRuns: 20_000 },
    ));

  test("no link across title and message of a progress", () =>
    fc.assert(
      fc.property(markup, markup, (title, message) => {
        const [one, other] = [defuseLinks(title), defuseLinks(message)];
        assert.deepEqual([...links(`${one}: ${other}`), ...links(asNotification(`${one}: ${other}`))], []);
      }),
      { numRuns: 20_000 },
    ));

  test("no icon", () =>
    fc.assert(
      fc.property(markup, (text) => {
        for (const shown of [defuseIcons(text), defuse(text), toLabel(text)]) assert.deepEqual(icons(shown), []);
      }),
      { numRuns: 20_000 },
    ));

  test("a list's item has the icon at its head and no other, and is short", () =>
    fc.assert(
      fc.property(markup, markup, markup, (text, description, detail) => {
        const shown = defuseItem({ label: `$(add) ${text}`, description, detail });
        assert.deepEqual(icons(`${shown.label} ${shown.description} ${shown.detail}`), ["$(add)"]);
        for (const part of Object.values(defuseItem({ label: text.repeat(99), description: description.repeat(99) })))
          assert.ok(part.length < 900 && !/[\r\n\u202e]/.test(part));
      }),
      { numRuns: 5000 },
    ));

  test("a name from right to left stays on its side of the price", () => {
    const shown = defuseItem({ label: "$(add) \u05e9\u05dc\u05d5\u05dd 1", description: "$0.124/h" });
    assert.equal(shown.label, "$(add) \u2068\u05e9\u05dc\u05d5\u05dd 1\u2069");
    assert.equal(shown.description, "\u2066$0.124/h\u2069");
    assert.deepEqual(keepSides({ label: "a", description: "\u0627" }).label, "\u2068a\u2069");
    assert.deepEqual(keepSides({ label: "\u0627" }), { label: "\u2068\u0627\u2069" });
  });

  test("nothing else is changed", () => {
    const text = "Bid $0.20/h [1] (2) for “a”.";
    assert.equal(defuse(text), text);
    assert.deepEqual(defuseItem({ label: "$(add) Add  a" }), { label: "$(add) Add  a" });
  });
});

describe("words find a list item", () => {
  const item = {
    label: "$(circle-slash) 1× RTX 4090, 24 GB",
    description: "$0.42/h  ·  99.1%  ·  Japan",
    detail: "16 CPUs  ·  128 GB RAM  ·  ↓ 800 Mbps",
  };
  const cases: readonly [string, boolean][] = [
    ["", true],
    ["4090 japan", true],
    ["JAPAN 4090", true],
    ["rtx 4090 24 gb", true],
    ["24gb 4090", true],
    ["128gb japan", true],
    ["28gb", false],
    ["8gb 4090", false],
    ["800mbps", true],
    ["4090 sweden", false],
    ["circle-slash", false],
    ["japan16", false],
    ["24gbx", false],
  ];
  for (const [typed, expected] of cases) test(`“${typed}”`, () => assert.equal(matchesWords(item, typed), expected));
});
