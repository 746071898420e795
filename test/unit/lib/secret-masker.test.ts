// Secrets in output that arrives in pieces: compared with a search over all of it at once.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MASK } from "../../../src/lib/redact.ts";
import { SecretMasker } from "../../../src/lib/secret-masker.ts";
import { seeded } from "../../fuzz/answers.ts";

function mask(secrets: readonly string[], pieces: readonly (string | Uint8Array)[]): string {
  const masker = new SecretMasker(secrets);
  const shown = pieces.map((piece) => masker.push(Buffer.from(piece as string)));
  return Buffer.concat([...shown, masker.end()]).toString();
}

/** Every byte that is in any occurrence of any of them, by the plainest search there is. */
function maskPlainly(secrets: readonly string[], text: string): string {
  const flags = Array.from(text, () => false);
  for (const secret of secrets)
    for (let at = text.indexOf(secret); at >= 0; at = text.indexOf(secret, at + 1))
      flags.fill(true, at, at + secret.length);
  const marked = [...text].map((sign, at) => (flags[at] ? "\0" : sign)).join("");
  return marked.replaceAll(/\0+/g, MASK);
}

function createDraw(seed: number) {
  const random = seeded(seed);
  return (below: number) => Math.floor(random() * below);
}

describe("a masker of secrets", () => {
  for (const [name, secrets, pieces, shown] of [
    ["leaves what holds none", ["hf_AbCdEfGh"], ["epoch 1\n", "hf_", "AbC\n"], "epoch 1\nhf_AbC\n"],
    ["masks one in the middle", ["hf_AbCdEfGh"], ["token=hf_AbCdEfGh\n"], `token=${MASK}\n`],
    ["masks one that is torn", ["hf_AbCdEfGh"], ["a hf_", "AbCd", "EfGh b"], `a ${MASK} b`],
    ["masks two that touch as one", ["abcdefgh"], ["abcdefghabcdefgh."], `${MASK}.`],
    ["masks all that overlap", ["abcdefgh", "efghijkl"], ["xabcdefghijklx"], `x${MASK}x`],
    ["masks the longer of two", ["abcdefgh", "abcdefgh-more"], ["abcdefgh-", "more abcdefgh-mo"], `${MASK} ${MASK}-mo`],
    ["leaves short ones", ["the", "1234567"], ["the 1234567"], "the 1234567"],
    ["masks the lines of a key", ["-----BEGIN-----\nMIIEpAIB\n-----END-----"], ["x MIIEpAIB x"], `x ${MASK} x`],
    ["masks a key that is printed as JSON", ["first line\nsecond"], ['{"k":"first line\\nsecond"}'], `{"k":"${MASK}"}`],
    ["masks one in an address", ["pass/word=1"], ["https://u:pass%2Fword%3D1@h"], `https://u:${MASK}@h`],
    ["masks without a line break at its end", ["sk-abcdefgh\n"], ["[sk-abcdefgh]"], `[${MASK}]`],
  ] as const)
    test(name, () => assert.equal(mask(secrets, pieces), shown));

  test("agrees with a plain search, however the output is cut", () => {
    const draw = createDraw(5);
    for (let round = 0; round < 3000; round += 1) {
      const letters = "abc".slice(0, 1 + draw(3));
      const text = (length: number) => Array.from({ length }, () => letters[draw(letters.length)]).join("");
      const secrets = Array.from({ length: 1 + draw(3) }, () => text(8 + draw(6)));
      const whole = text(draw(80));
      const cuts = [...new Set(Array.from({ length: draw(8) }, () => draw(whole.length + 1)))].sort((a, b) => a - b);
      const pieces = [0, ...cuts].map((cut, at) => whole.slice(cut, cuts[at]));
      assert.equal(mask(secrets, pieces), maskPlainly(secrets, whole), JSON.stringify({ secrets, pieces }));
    }
  });

  test("holds nothing back that can't become a secret", () => {
    const masker = new SecretMasker(["hf_AbCdEfGh"]);
    assert.equal(Buffer.from(masker.push(Buffer.from("50% [=====>   ]\r"))).toString(), "50% [=====>   ]\r");
  });

  test("says whether it masked anything", () => {
    const masker = new SecretMasker(["hf_AbCdEfGh"]);
    masker.push(Buffer.from("hf_AbCdEfG"));
    masker.end();
    assert.equal(masker.hasMasked, false);
    masker.push(Buffer.from("hf_AbCdEfGh\n"));
    assert.equal(masker.hasMasked, true);
  });
});
