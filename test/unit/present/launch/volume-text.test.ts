// What is said of the volume that a launch names.
import assert from "node:assert/strict";
import { test } from "node:test";
import { VolumeOffer } from "../../../../src/domain/instance/volume.ts";
import type { KnownVolume } from "../../../../src/domain/launch/launch-volume.ts";
import { describeVolumeFacts, describeVolumeOffer } from "../../../../src/present/launch/volume-text.ts";

test("where it is, whether it can be had, and what it costs", () => {
  const offer = { id: 7301, disk_space: 99.9, storage_cost: 0.12 };
  const onMachine = { kind: "on-machine", id: 5, machine: 8 } as const;
  const said: readonly [KnownVolume, string][] = [
    [{ ...onMachine, offers: 0 }, "Volume 5 is on machine 8, which no one can rent right now."],
    [{ ...onMachine, offers: 1 }, "Volume 5 is on machine 8: 1 of its offers is free."],
    [{ ...onMachine, offers: 3 }, "Volume 5 is on machine 8: 3 of its offers are free."],
    [{ kind: "anywhere", id: 5 }, "Volume 5 can be linked on any machine."],
    [{ kind: "absent", id: 5 }, "Your account has no volume 5."],
    [{ kind: "absent-offer", id: 5 }, "This machine has no volume offer 5."],
    [
      { kind: "unlisted", id: 5 },
      "Volumes can't be listed, so nothing is known about volume 5. The service decides when you rent.",
    ],
    [{ kind: "unplaced", id: 5 }, "The service doesn't say where volume 5 is. It decides when you rent."],
    [{ kind: "for-rent", offer, price: undefined }, "up to 99 GB · $0.12 per GB per month"],
    [{ kind: "for-rent", offer, price: 0.02 }, "up to 99 GB · $0.12 per GB per month. This one costs $0.02/h on top."],
  ];
  for (const [known, text] of said) assert.equal(describeVolumeFacts(known), text);
});

test("an offer that says little is still one", () => {
  assert.equal(describeVolumeOffer({ id: 1 }), "price unknown");
  assert.equal(describeVolumeOffer({ id: 1, disk_space: 10 }), "up to 10 GB · price unknown");
  assert.equal(describeVolumeOffer({ id: 1, storage_cost: 0 }), "$0.00 per GB per month");
  const odd = VolumeOffer.parse({ id: 1, disk_space: -5, storage_cost: -0.1 });
  assert.equal(describeVolumeOffer(odd), "price unknown", "less than nothing is nonsense");
});
