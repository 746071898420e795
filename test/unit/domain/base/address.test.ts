// The address a person may type: what is accepted, in which form, and what each refusal says.
import assert from "node:assert/strict";
import { test } from "node:test";
import { parseAddress } from "../../../../src/domain/base/address.ts";
import { AppError } from "../../../../src/domain/base/error.ts";

const accepted: readonly [typed: string, base: string, origin: string][] = [
  ["https://h", "https://h", "https://h"],
  ["https://h/", "https://h", "https://h"],
  ["https://h/p/", "https://h/p", "https://h"],
  ["https://h//", "https://h", "https://h"],
  ["HTTPS://H", "https://h", "https://h"],
  ["https://h:443", "https://h", "https://h"],
  ["  https://h:8443/x  ", "https://h:8443/x", "https://h:8443"],
  ["https://[2001:db8::1]", "https://[2001:db8::1]", "https://[2001:db8::1]"],
  ["http://127.0.0.1:9", "http://127.0.0.1:9", "http://127.0.0.1:9"],
  ["http://localhost", "http://localhost", "http://localhost"],
  ["http://[::1]", "http://[::1]", "http://[::1]"],
  ["https://münchen.example", "https://xn--mnchen-3ya.example", "https://xn--mnchen-3ya.example"],
];

const refused: readonly [typed: string, says: RegExp][] = [
  ["", /^Enter the service's address/],
  ["h", /https:\/\//],
  ["http://h", /unencrypted/],
  ["http://127.0.0.1.evil", /unencrypted/],
  ["http://localhost.evil", /unencrypted/],
  ["http://0.0.0.0", /unencrypted/],
  ["https://u:p@h", /before the @/],
  ["https://u@h", /before the @/],
  ["https://@h", /before the @/],
  ["https://h?q", /question mark/],
  ["https://h?", /question mark/],
  ["https://h#f", /#/],
  ["ftp://h", /https:\/\//],
  ["file:///etc/passwd", /https:\/\//],
  ["javascript:alert(1)", /https:\/\//],
  ["https://a b", /space/],
  ["https://h\\@evil", /backslash/],
  ["https://h\u202e", /invisible/],
  ["https://", /https:\/\//],
  ["https://h:99999", /valid URL/],
];

for (const [typed, base, origin] of accepted) {
  test(`address ${JSON.stringify(typed)} is ${base}`, () => {
    const address = parseAddress(typed);
    assert.deepEqual([address.base, address.origin], [base, origin]);
  });
}

for (const [typed, says] of refused) {
  test(`address ${JSON.stringify(typed)} is refused: ${says.source}`, () => {
    assert.throws(
      () => parseAddress(typed),
      (error) => error instanceof AppError && error.kind === "rejected" && says.test(error.message),
    );
  });
}
