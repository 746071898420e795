// What launches of the model are configured with, and volumes that are gone or taken before the request, or while it is on its way.

import { HOURS_PER_MONTH } from "../../src/domain/base/money.ts";
import { readLaunchToken } from "../../src/domain/instance/instance.ts";
import type { LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import type { Sandbox } from "../../src/sandbox/start.ts";
import { seeded } from "../fuzz/answers.ts";
import type { Stage } from "./stage.ts";

/** Stand in what is sent and must never reach the journal. */
export const CONFIGURED_SECRETS = ["canary-of-a-variable", "canary-of-a-login", "canary-of-a-script"] as const;

export interface Configured {
  readonly volume: "none" | "linked" | "created";
  /** When someone deletes the volume, or takes all that is left of its offer. */
  readonly goes: "never" | "before" | "on its way";
  readonly isStopped: boolean;
}

/** Two launches in three are configured. It has a stream of its own: fates stay what they are. */
export function drawConfigured(seed: number): Configured | undefined {
  const random = seeded(seed + 7_000_000);
  if (random() < 0.33) return undefined;
  const draw = <T>(...all: readonly T[]): T => all[Math.floor(random() * all.length)] as T;
  return {
    volume: draw("none", "linked", "created"),
    goes: draw("never", "before", "on its way"),
    isStopped: random() < 0.3,
  };
}

/** The plan as it was reviewed with everything that is configured of it. */
export function withConfigured(stage: Stage, plan: LaunchPlan): LaunchPlan {
  const { configured } = stage.fate;
  if (!configured) return plan;
  const [variable, token, script] = CONFIGURED_SECRETS;
  const volume = chooseVolume(stage.service, plan, configured);
  return {
    ...plan,
    configuration: {
      env: { MODE: "train", HF_TOKEN: variable, "-p 8000:8000": "1" },
      onstart: `login --password ${script}`,
      image_login: `-u me -p ${token} ghcr.io`,
      ...(configured.isStopped ? { target_state: "stopped" } : {}),
      ...(volume ? { volume_info: volume.info } : {}),
    },
    volumePrice: volume?.price,
    volumeMachine: volume?.machine,
  };
}

/** A machine without a volume for rent gets the one that any machine can have. */
function chooseVolume({ world }: Sandbox, { offer }: LaunchPlan, { volume }: Configured) {
  if (volume === "none") return undefined;
  const mount_path = "/data";
  const forRent = world.volumes
    .listOffers()
    .find(({ machine, active, size }) => machine.id === offer.machine_id && !active && size >= 10);
  if (volume === "created" && forRent) {
    const info = { create_new: true, volume_id: forRent.id, size: 10, mount_path };
    return { info, price: (forRent.storageCost * 10) / HOURS_PER_MONTH, machine: offer.machine_id };
  }
  const own = world.volumes.list().find(({ machineId }) => machineId === null);
  return own && { info: { create_new: false, volume_id: own.id, mount_path }, price: undefined, machine: undefined };
}

/** What happens to the volume of a launch at this moment of its story. */
export function spoilVolume(
  { fate: { configured }, service: { world } }: Stage,
  moment: Configured["goes"],
  plan: LaunchPlan,
) {
  const volume = plan.configuration?.volume_info;
  if (!volume || configured?.goes !== moment) return;
  if (!volume.create_new) {
    if (world.volumes.list().some(({ id }) => id === volume.volume_id))
      world.volumes.delete(volume.volume_id, () => false);
    return;
  }
  const left = Math.floor(world.volumes.listOffers().find(({ id }) => id === volume.volume_id)?.size ?? 0);
  if (left >= 1) world.volumes.create({ id: volume.volume_id, size: left }, world.getNow());
}

/** What is rented is what was reviewed, and what a volume's end was known of is never sent. */
export function judgeConfigured(stage: Stage, plan: LaunchPlan): void {
  const { configuration } = plan;
  if (!configuration) return;
  const volume = configuration.volume_info;
  const isGone = volume !== undefined && stage.fate.configured?.goes === "before";
  stage.check(!isGone || stage.sends.size === 0, "L1", "a launch was sent whose volume was gone before");
  for (const instance of stage.service.world.listInstances()) {
    if (readLaunchToken(instance.label ?? undefined) === undefined) continue;
    const { env, onstart } = instance.configuration;
    const has = { MODE: env.MODE, port: env["-p 8000:8000"], onstart, intended: instance.intended };
    const isOwn = {
      MODE: "train",
      port: "1",
      onstart: configuration.onstart,
      intended: configuration.target_state ?? "running",
    };
    const isSame = stage.stopped.has(instance.id) || JSON.stringify(has) === JSON.stringify(isOwn);
    stage.check(isSame, "L2", `${instance.id} has ${JSON.stringify(has)}`);
    stage.check(
      (instance.volume !== undefined) === (volume !== undefined),
      "L2",
      `${instance.id} has ${instance.volume ? "a volume" : "no volume"} unlike what was reviewed`,
    );
  }
}
