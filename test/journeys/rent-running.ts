// An instance that is rented without any window.
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import type { Sandbox } from "../../src/sandbox/start.ts";

/** Rents the first offer that can be, on a machine that runs. @returns its ID. */
export function rentRunning({ world }: Sandbox): number {
  const offer = world.offers.find((one) => world.isRentable(one));
  if (!offer) throw new Error("The market is empty.");
  world.setFate(offer.id, "runs");
  return createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", target_state: "running" }).id;
}
