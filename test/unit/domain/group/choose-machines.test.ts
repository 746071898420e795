// Which machines make a group, and which one takes the place of another.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findClusters, findSpare, listDistinctMachines } from "../../../../src/domain/group/choose-machines.ts";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import type { Offer } from "../../../../src/domain/offer/offer.ts";
import { offerOf } from "../../support.ts";

const offer = (id: number, fields: Record<string, unknown> = {}) =>
  offerOf({ id, machine_id: id, host_id: id, gpu_name: "A", num_gpus: 1, dph_total: 1, ...fields });
const ids = (offers: readonly Offer[]) => offers.map(({ id }) => Number(id));

describe("different machines", () => {
  test("are one offer of each", () => {
    const offers = [offer(1), offer(2, { machine_id: 1 }), offer(3)];
    assert.deepEqual(ids(listDistinctMachines(offers, { isApart: false })), [1, 3]);
  });

  test("of different hosts are one of each host, and none of an unknown one", () => {
    const offers = [offer(1, { host_id: 9 }), offer(2, { host_id: 9 }), offer(3, { host_id: undefined }), offer(4)];
    assert.deepEqual(ids(listDistinctMachines(offers, { isApart: true })), [1, 4]);
  });

  test("that the service doesn't tell apart are taken for different", () => {
    const offers = [offer(1, { machine_id: undefined }), offer(2, { machine_id: undefined })];
    assert.deepEqual(ids(listDistinctMachines(offers, { isApart: false })), [1, 2]);
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

  test("is of a kind that is no worse than what was confirmed, in traffic and disk as well, wherever it is", () => {
    const terms = {
      inet_up_cost: 0,
      inet_down_cost: 0.01,
      storage_cost: 0.1,
      gpu_ram: 24_564,
      geolocation: "Sweden, SE",
    };
    const confirmed = { offer: offer(1, { ...terms, verification: "verified" }) } as LaunchPlan;
    const place = (fields: Record<string, unknown>) =>
      findSpare([offer(2, { ...terms, verification: "verified", ...fields })], confirmed, [], { isApart: false })?.id;
    assert.equal(place({}), 2);
    assert.equal(place({ geolocation: "Norway, NO", gpu_ram: 24_217 }), 2, "the same VRAM, told a little differently");
    assert.equal(place({ inet_down_cost: 0.005, storage_cost: 0 }), 2);
    for (const fields of [
      { inet_up_cost: 0.02 },
      { inet_down_cost: 0.02 },
      { inet_down_cost: undefined },
      { storage_cost: 0.2 },
      { gpu_ram: 16_376 },
      { verification: "unverified" },
    ])
      assert.equal(place(fields), undefined, JSON.stringify(fields));
  });

  test("is a machine that isn't in the group, nor of a host that is if they are to differ", () => {
    const used = [offer(9, { machine_id: 7, host_id: 70 })];
    assert.equal(find([like(7)], used), undefined);
    assert.equal(find([like(8, { host_id: 70 })], used), 8);
    assert.equal(find([like(8, { host_id: 70 })], used, true), undefined);
  });
});
