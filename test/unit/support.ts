// Things the unit tests share.
import assert from "node:assert/strict";
import fc from "fast-check";
import { AppError } from "../../src/domain/base/error.ts";
import type { LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import { type Offer, readOffer } from "../../src/domain/offer/offer.ts";
import { Template } from "../../src/domain/template/template.ts";

/** An offer as it is read from these fields of the wire. */
export function offerOf(fields: Readonly<Record<string, unknown>>): Offer {
  const offer = readOffer(fields);
  assert.ok(offer, "these fields make no offer");
  return offer;
}

export const OFFER = offerOf({
  id: 7,
  machine_id: 8,
  gpu_name: "RTX 4090",
  num_gpus: 2,
  gpu_ram: 24_564,
  dph_total: 0.8,
  min_bid: 0.31,
  disk_space: 100,
  storage_cost: 0.15,
  reliability: 0.991,
  geolocation: "Sweden, SE",
});
/** That offer, rented on demand with an image alone. */
export const PLAN: LaunchPlan = {
  offer: OFFER,
  type: "ondemand",
  template: undefined,
  image: "a/b",
  runtype: undefined,
  diskGb: 50,
  label: "mine",
  bid: undefined,
};
export const TEMPLATE = Template.parse({
  hash_id: "abc123",
  name: "T",
  image: "a/b",
  tag: "1",
  runtype: "ssh",
  ssh_direct: true,
  env: "-e HF_TOKEN=verysecret -e MODE=fast -p 8080:8080 --gpus all",
});

/** Hashes a service may give a template. */
export const ODD_HASHES = [
  "a/b",
  "../../x",
  "..",
  ".",
  "a b",
  "%2F",
  "%",
  "ä漢😀",
  "a:b",
  "a\\b",
  "A",
  "a",
  "x".repeat(256),
  "?q#f",
  "hash-a",
  "$(x)",
];

/** Whether it is an ID of the wire: an exact number above zero, or its digits. */
export const isExactId = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isInteger(value) && value >= 1 && value <= 9_007_199_254_740_991
    : typeof value === "string" &&
      value !== "" &&
      [...value].every((digit) => "0123456789".includes(digit)) &&
      value[0] !== "0" &&
      BigInt(value) <= 9_007_199_254_740_991n;

/** IDs, and what could be taken for one. */
export const idLike = fc.oneof(
  fc.integer(),
  fc.maxSafeNat(),
  fc.double(),
  fc.bigInt({ min: 0n, max: 2n ** 60n }).map(String),
  fc
    .maxSafeNat()
    .chain((id) => fc.constantFrom(`${id}`, `0${id}`, ` ${id}`, `${id}\n`, `+${id}`, `${id}.0`, `${id}e0`)),
  fc.constantFrom("9007199254740991", "9007199254740992", "0x10", "١٢", "1_0", "", "-1", "1/../2"),
  fc.string(),
  fc.anything(),
);

/** What is typed is refused, in words of this shape. */
export function assertRejected(work: () => unknown, shape: RegExp): void {
  assert.throws(work, (error) => error instanceof AppError && error.kind === "rejected" && shape.test(error.message));
}

/** The script that a machine's shell gets from a command of ours. */
export function readScript(command: string): string {
  const [, written] = /^exec sh -c 'eval "\$\(printf %b "([^"'$`!\n]*)"\)"'$/.exec(command) ?? [];
  assert.ok(written !== undefined, command);
  const bytes = Buffer.from(written).toString("latin1");
  const read = bytes.replaceAll(/\\(n|0\d{3})/g, (_, code: string) =>
    code === "n" ? "\n" : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(read, "latin1").toString();
}
