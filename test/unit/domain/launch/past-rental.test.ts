// What is kept of rentals: no more than is needed to rent again, and no more than thirty.
import assert from "node:assert/strict";
import { test } from "node:test";
import { toSeenInstance } from "../../../../src/domain/account/ledger.ts";
import { Instance } from "../../../../src/domain/instance/instance.ts";
import {
  keepPastRentals,
  PastRental,
  toPastInstance,
  toPastRental,
} from "../../../../src/domain/launch/past-rental.ts";
import { rememberServedSecret } from "../../../../src/lib/redact.ts";

const instance = (id: number, more: object = {}) =>
  Instance.parse({ id, gpu_name: "RTX 4090", num_gpus: 1, image_uuid: "a/b", ...more });

test("variables, tokens and addresses aren't kept", () => {
  const kept = toPastRental(
    instance(1, { extra_env: [["HF_TOKEN", "s3cret"]], jupyter_token: "t0ken", ssh_host: "ssh.example" }),
    7,
  );
  assert.doesNotMatch(JSON.stringify(kept), /s3cret|t0ken|ssh\.example/);
  assert.deepEqual(PastRental.parse(kept), kept);
  assert.equal(toPastInstance(kept).gpu_name, "RTX 4090");
});

test("nor is a part of a token, where a long text is cut", () => {
  const token = "canary_QkXwLmNoPqRsTuVwXyZ0123456789";
  rememberServedSecret(token);
  const label = (length: number) => instance(1, { label: `${"x".repeat(length)} ${token}` });
  assert.ok(!JSON.stringify(toPastRental(label(980), 7)).includes(token.slice(0, 16)), "past rentals");
  const seen = toSeenInstance({ value: label(280), launchPrice: 1 });
  assert.ok(!JSON.stringify(seen).includes(token.slice(0, 16)), "the ledger");
});

test("what is no longer listed is gone from then on, and comes after what is", () => {
  const first = keepPastRentals([], [instance(1), instance(2)], 10);
  const later = keepPastRentals(first, [instance(2, { label: "new" })], 20);
  assert.deepEqual(
    later.map(({ record, seen, gone }) => [Number(record.id), record.label, seen, gone]),
    [
      [2, "new", 10, undefined],
      [1, undefined, 10, 20],
    ],
  );
  assert.deepEqual(
    keepPastRentals(later, [instance(2, { label: "new" })], 30),
    later,
    "nothing changes by looking again",
  );
  assert.equal(keepPastRentals(later, [instance(1)], 40)[0]?.gone, undefined, "one that is listed again isn't gone");
});

test("thirty are kept, and texts without end are cut", () => {
  const many = Array.from({ length: 60 }, (_, at) => instance(at + 1, { label: "x".repeat(5000) }));
  const kept = keepPastRentals([], many, 1);
  assert.equal(kept.length, 30);
  assert.ok(JSON.stringify(kept).length < 50_000);
});

test("of more than thirty that are rented now, the last ones are kept, and looking again changes nothing", () => {
  const many = Array.from({ length: 45 }, (_, at) => instance(at + 1, { start_date: 1000 + at }));
  const first = keepPastRentals([], many, 2_000_000);
  assert.deepEqual(
    first.map(({ record }) => Number(record.id)),
    Array.from({ length: 30 }, (_, at) => 45 - at),
  );
  assert.deepEqual(keepPastRentals(first, many, 3_000_000), first);
  const undated = many.map(({ id }) => instance(id));
  const early = keepPastRentals([], undated, 1);
  assert.deepEqual(keepPastRentals(early, undated, 2), early);
});
