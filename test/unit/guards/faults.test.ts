// The 64 faults the product is built against, each with the test that holds it, or why it can't arise (yet). A table that
// names a test which is no longer there fails.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { test } from "node:test";

const TEST = resolve(import.meta.dirname, "../..");

/** Where a fault is held: a test file, and words of the test's title or of its row. */
type Commitments = readonly [file: string, words: string];

const server = (words: string): Commitments => ["journeys/client/hostile-server.test.ts", words];
const limits = (words: string): Commitments => ["journeys/client/hostile-limits.test.ts", words];
const bytes = (words: string): Commitments => ["journeys/client/hostile-bytes.test.ts", words];
const launch = (words: string): Commitments => ["journeys/launch/launch.test.ts", words];
const protocol = (words: string): Commitments => ["journeys/launch/protocol.test.ts", words];
const network = (words: string): Commitments => ["journeys/client/network.test.ts", words];
const session = (words: string): Commitments => ["journeys/core/session.test.ts", words];
const model = (words: string): Commitments => ["model/fate.ts", words];
const errors = (words: string): Commitments => ["contract/client/client-errors.test.ts", words];

const FAULTS: Readonly<Record<number, readonly [what: string, ...held: (Commitments | string)[]]>> = {
  1: ["500 as JSON", server('"500", json(500'), server("leaves it unknown")],
  2: ["502 and 504 as HTML", server('"502 HTML"'), model("502-html@createInstance")],
  3: [
    "503 with Retry-After",
    ["unit/api/reply.test.ts", "seconds a busy service asks for"],
    model("503-retry@createInstance"),
  ],
  4: ["429 in plain text", server("429 in plain text slows down"), server("429 is not repeated")],
  5: ["401", server('"401", json(401'), protocol("a refused key ends the asking")],
  6: ["403", server('"403", json(403'), errors("5 no permission")],
  7: [
    "404 on an instance, a template, a key",
    server("destroying what is gone already is done"),
    errors("API Key not found"),
  ],
  8: ["other envelopes", server('"400 message"'), server('"400 plain text"'), server('"400 empty"')],
  9: ["200 with success false", server('"200 success false"'), errors("refused in a 200")],
  10: ["success without an id", server("is no id"), model("success-true-without-id")],
  11: [
    "success false with an id",
    server("success: false with new_contract is a rental"),
    model("success-false-with-id"),
  ],
  12: ["an id as text, an id beyond exactness", model("id-as-string"), model("unsafe-id")],
  13: ["somebody else's id", model("id-of-other")],
  14: ["instances: null", server("instances: null means the instance is gone")],
  15: ["an unknown status", model("status-strange"), ["unit/domain/instance/instance.test.ts", "unclear"]],
  16: ["exited, unknown, offline", launch("while we wait is dead")],
  17: [
    "offers missing, broken, doubled",
    ["unit/domain/base/wire.test.ts", "broken records are counted"],
    ["unit/domain/offer/offer.test.ts", "an incredible price is no price"],
  ],
  18: ["truncated", server('"200 truncated"'), server("a cut answer leaves it unknown")],
  19: ["a wrong content type", server("good JSON under a wrong content type"), server('"200 HTML"')],
  20: [
    "bytes that are no text",
    model("invalid-utf8@createInstance"),
    ["contract/sandbox/sandbox-faults.test.ts", "invalid-utf8"],
  ],
  21: ["50 MB, an endless body", limits("50 MB are cut off"), limits("drips a body in chunks")],
  22: ["packed answers", limits("a gzip bomb is refused"), limits("plain JSON labelled")],
  23: ["what is not HTTP", bytes("what is not HTTP"), bytes("a hundred interim answers")],
  24: ["JSON that means harm", bytes("100,000 levels"), bytes("1e400, -0")],
  25: ["unknown fields", ["unit/domain/offer/offer.test.ts", "agree on every field"]],
  26: ["redirects", limits("a redirect to another origin"), model("redirect@createInstance")],
  27: ["two answers on one connection", bytes("two answers to one request")],
  28: [
    "refused, no name, no network",
    server("nobody listening is proven not sent"),
    launch("while the service is away the rows stay"),
  ],
  29: [
    "reset before or in the middle",
    server("a reset before the answer leaves it unknown"),
    model("reset-before@createInstance"),
  ],
  30: ["reset after", model("reset-after@createInstance"), launch("is found again by its label")],
  31: ["silence", limits('"says nothing"'), model("silence@createInstance"), server("a read can be cancelled at once")],
  32: ["slow headers and bodies", limits("drips headers"), limits("drips a body of known length")],
  33: ["a stale connection", bytes("also where it comes late, while nothing is asked")],
  34: ["carried out late", model("delivered"), protocol("when it comes late, that is an alarm")],
  35: ["repeated by the network", model("repeated"), protocol("an alarm that names both, once")],
  36: ["certificates", network("that nobody vouches for is refused"), network("of another host is refused")],
  37: ["proxies", network("is used for the call"), network("wants a password"), network("is passed by for loopback")],
  38: ["a key pasted with what is round it", ["unit/domain/base/api-key.test.ts", "is taken"]],
  39: ["a key that cannot be one", ["unit/domain/base/api-key.test.ts", "is refused without repeating it"]],
  40: ["a key revoked in the middle", protocol("launches of another account are not shown")],
  41: ["the key in use deleted here", ["person/account/account.test.ts", "98-own-key"]],
  42: ["addresses", ["unit/domain/base/address.test.ts", "is refused: "]],
  43: ["another address", session("the key of one origin is never sent to another")],
  44: ["onstart at its limit", ["contract/client/client-requests.test.ts", "8 onstart of"]],
  45: [
    "onstart with what no script holds",
    ["unit/domain/template/packed-script.test.ts", "a NUL and half of a character are refused"],
  ],
  46: ["env values of every kind", ["unit/domain/template/environment/docker-flags.test.ts", "comes back exactly"]],
  47: [
    "env names that are none",
    ["unit/domain/launch/create-request.test.ts", "names, ports and options"],
    ["unit/domain/template/environment/docker-flags.test.ts", "a name like __proto__"],
  ],
  48: [
    "somebody else's flag string",
    ["unit/domain/template/environment/docker-flags.test.ts", "a variable named like an option"],
  ],
  49: ["ports", ["unit/domain/launch/create-request.test.ts", "names, ports and options"]],
  50: ["args_str", ["unit/lib/shell-words.test.ts", "cannot be read"]],
  51: ["bids", ["unit/domain/offer/bid.test.ts", 'test("bid"']],
  52: ["disks", ["unit/domain/offer/disk.test.ts", 'test("disk"']],
  53: [
    "labels",
    ["unit/domain/instance/label.test.ts", 'test("label"'],
    ["unit/services/launch/intent.test.ts", "the launch token leads the label"],
  ],
  54: [
    "filters",
    ["unit/domain/offer/filter.test.ts", "no other operator passes"],
    ["unit/domain/offer/offer.test.ts", "GB typed are sent"],
  ],
  55: ["volume_info", ["contract/sandbox/sandbox-merge.test.ts", "volume_info"]],
  56: [
    "images and tags",
    ["unit/domain/template/image.test.ts", 'test("image"'],
    ["contract/client/client-errors.test.ts", "a registry lists no tags"],
  ],
  57: ["registry logins", ["journeys/canary.test.ts", "image_login"]],
  58: ["the offer is gone meanwhile", launch("an offer that is gone is told")],
  59: ["the price changed", launch("a price above the one confirmed stops it")],
  60: ["the template changed", ["journeys/template/template-saves.test.ts", "changed elsewhere: nothing is sent"]],
  61: [
    "destroyed or stopped elsewhere",
    ["person/documented-only.test.ts", "one that ended elsewhere"],
    ["person/offer/offers.test.ts", "46-away"],
  ],
  62: ["double clicks, windows, kills", model("doubleClick"), ["person/launch/lost-answer.test.ts", "Enter held down"]],
  63: ["clocks that jump, sleep", protocol("a wall clock that jumps changes no end")],
  64: ["disks that fail", protocol("no durable claim, no launch"), protocol("damaged, from a newer version")],
};

test("there are 64, and each is held by a test that is there or has its reason", () => {
  assert.deepEqual(
    Object.keys(FAULTS).map(Number),
    Array.from({ length: 64 }, (_, index) => index + 1),
  );
  const files = new Map<string, string>();
  for (const [number, [what, ...held]] of Object.entries(FAULTS)) {
    assert.ok(held.length > 0, `${number} ${what}`);
    for (const one of held) {
      if (typeof one === "string") continue;
      const [file, words] = one;
      const text = files.get(file) ?? readFileSync(resolve(TEST, file), "utf8");
      files.set(file, text);
      assert.ok(text.includes(words), `${number} ${what}: “${words}” is not in ${file}`);
    }
  }
});
