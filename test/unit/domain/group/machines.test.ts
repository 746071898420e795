// Names, counts, and which machines make a group.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { distinctMachines, findClusters, findSpare } from "../../../../src/domain/group/choose-machines.ts";
import { parseGroupName, parseMachineCount, suggestGroupName } from "../../../../src/domain/group/machine-group.ts";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import { type Offer, readOffer } from "../../../../src/domain/offer/offer.ts";

function offer(id: number, fields: Record<string, unknown> = {}): Offer {
  const read = readOffer({ id, machine_id: id, host_id: id, gpu_name: "A", num_gpus: 1, dph_total: 1, ...fields });
  assert.ok(read);
  return read;
}
const ids = (offers: readonly Offer[]) => offers.map(({ id }) => Number(id));

describe("the name of a group", () => {
  for (const name of ["a", "sweep-7", ` sweep-7 `, `a${"b".repeat(40)}`])
    test(`may be “${name}”`, () => assert.equal(parseGroupName(name), name.trim()));
  for (const name of ["", "7a", "A", "a b", "a/b", "a_b", "\u202ea", "-a", `a${"b".repeat(41)}`, "a\nb"])
    test(`isn't ${JSON.stringify(name)}`, () => assert.throws(() => parseGroupName(name), /^AppError: Name: /));

  test("is suggested by what it will run, and is free", () => {
    assert.equal(suggestGroupName("PyTorch (CUDA 12.4, SSH)", []), "pytorch-cuda-12-4-ssh-1");
    assert.equal(suggestGroupName("PyTorch", ["pytorch-1", "pytorch-2"]), "pytorch-3");
    assert.equal(suggestGroupName("日本語 \u202e 7", []), "group-1");
    assert.equal(parseGroupName(suggestGroupName("x".repeat(25_000), [])), `${"x".repeat(24)}-1`);
  });
});

describe("the number of machines", () => {
  for (const [typed, count] of [
    ["2", 2],
    [" 64 ", 64],
  ] as const)
    test(`may be ${typed}`, () => assert.equal(parseMachineCount(typed), count));
  for (const typed of ["", "0", "1", "65", "2.5", "-3", "4x", "1e1", "99999999999999999999"])
    test(`isn't “${typed}”`, () => assert.throws(() => parseMachineCount(typed), /a whole number from 2 to 64/));
});

describe("different machines", () => {
  test("are one offer of each", () => {
    const offers = [offer(1), offer(2, { machine_id: 1 }), offer(3)];
    assert.deepEqual(ids(distinctMachines(offers, { isApart: false })), [1, 3]);
  });

  test("of different hosts are one of each host, and none of an unknown one", () => {
    const offers = [offer(1, { host_id: 9 }), offer(2, { host_id: 9 }), offer(3, { host_id: undefined }), offer(4)];
    assert.deepEqual(ids(distinctMachines(offers, { isApart: true })), [1, 4]);
  });

  test("that the service doesn't tell apart are taken for different", () => {
    const offers = [offer(1, { machine_id: undefined }), offer(2, { machine_id: undefined })];
    assert.deepEqual(ids(distinctMachines(offers, { isApart: false })), [1, 2]);
  });

  test("of one cluster are found, the largest first, and no lonely ones", () => {
    const offers = [
      offer(1, { cluster_id: 7 }),
      offer(2, { cluster_id: 8 }),
      offer(3, { cluster_id: 8 }),
      offer(4, { cluster_id: null }),
      offer(5, { cluster_id: 8, machine_id: 3 }),
    ];
    assert.deepEqual(
      findClusters(offers, { isApart: false }).map(({ id, offers: members }) => [id, ids(members)]),
      [[8, [2, 3]]],
    );
  });
});

describe("a spare", () => {
  const lost = { offer: offer(1, { cluster_id: 8 }) } as LaunchPlan;
  const find = (spares: readonly Offer[], used: readonly Offer[] = [], isApart = false) =>
    findSpare(spares, lost, used, { isApart })?.id;
  const like = (id: number, fields: Record<string, unknown> = {}) => offer(id, { cluster_id: 8, ...fields });

  test("has the same GPUs in the same cluster, and costs no more", () => {
    const spares = [
      like(2, { gpu_name: "B" }),
      like(3, { num_gpus: 2 }),
      like(4, { cluster_id: 9 }),
      like(5, { dph_total: 1.01 }),
      like(6, { dph_total: undefined }),
      like(7),
    ];
    assert.equal(find(spares), 7);
  });

  test("is a machine that isn't in the group, nor of a host that is if they are to differ", () => {
    const used = [offer(9, { machine_id: 7, host_id: 70 })];
    assert.equal(find([like(7)], used), undefined);
    assert.equal(find([like(8, { host_id: 70 })], used), 8);
    assert.equal(find([like(8, { host_id: 70 })], used, true), undefined);
  });
});
