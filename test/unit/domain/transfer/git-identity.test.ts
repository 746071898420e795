// Who commits, as a person's configuration of git says.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readGitIdentity } from "../../../../src/domain/transfer/git-identity.ts";

const ME = { name: "Ada Lovelace", email: "ada@example.com" };

describe("the identity in a configuration", () => {
  const cases: readonly (readonly [what: string, texts: readonly string[], found?: typeof ME | undefined])[] = [
    ["as git writes it", ["[user]\n\tname = Ada Lovelace\n\temail = ada@example.com\n"], ME],
    [
      "with quotes, comments and capitals",
      ['[User]\n NAME="Ada Lovelace" # me\n eMail = ada@example.com ; mine\n'],
      ME,
    ],
    ["with a quote in it", ['[user]\nname = "A \\"B\\" C"\nemail = a@b\n'], { name: 'A "B" C', email: "a@b" }],
    [
      "the last one counts",
      ["[user]\nname = B\nemail = b@b\n", "[user]\r\nname = Ada Lovelace\r\nemail = ada@example.com\r\n"],
      ME,
    ],
    ["a part of it in another file", ["[user]\nname = Ada Lovelace\n", "[user]\nemail = ada@example.com\n"], ME],
    ["of another section", ["[author]\nname = Ada Lovelace\nemail = ada@example.com\n"], undefined],
    ["of a subsection alone", ['[user "x"]\nname = A\nemail = a@b\n'], undefined],
    ["without an address", ["[user]\nname = Ada Lovelace\n"], undefined],
    ["far too long", [`[user]\nname = ${"x".repeat(300)}\nemail = a@b\n`], undefined],
    ["with what no one sees", ["[user]\nname = a\u202eb\nemail = a@b\n"], undefined],
    ["none", [""], undefined],
  ];
  for (const [what, texts, found] of cases) test(what, () => assert.deepEqual(readGitIdentity(texts), found));
});
