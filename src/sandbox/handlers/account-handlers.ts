// Handlers for the account: user, spending, keys, SSH keys, webhooks, workergroups (interface 4.10, 4.11, 4.13 and
// extras).

import { round } from "../base/random.ts";
import { calculateDiskRate, calculateRate } from "../world/instance.ts";
import { findMoment } from "../world/timeline.ts";
import { calculateVolumeRate } from "../world/volumes.ts";
import { NOTIFICATION_TYPES } from "../world/webhooks.ts";
import type { World } from "../world/world.ts";
import { listCharges } from "./charges.ts";
import type { Handlers } from "./handler.ts";
import { addSshKey, toSshKeyRecord } from "./ssh-keys.ts";

function spendRate(world: World) {
  const rates = world.listInstances().map((one) => {
    const whole = calculateRate(one, findMoment(one.timeline, world.getNow()).status);
    const disk = Math.min(whole, calculateDiskRate(one));
    return { disk, gpu: whole - disk };
  });
  return {
    gpu_cost_per_hour: round(
      rates.reduce((sum, { gpu }) => sum + gpu, 0),
      6,
    ),
    container_storage_cost_per_hour: round(
      rates.reduce((sum, { disk }) => sum + disk, 0),
      6,
    ),
    volume_storage_cost_per_hour: round(
      world.volumes.list().reduce((sum, one) => sum + calculateVolumeRate(one), 0),
      6,
    ),
    has_active_resources: rates.length > 0,
  };
}

export const accountHandlers = {
  getCurrentUser: ({ world }) => {
    const { account } = world;
    return {
      id: account.id,
      email: account.email,
      username: account.username,
      credit: round(world.calculateCredit(), 6),
      balance: 0,
      balance_threshold: 0,
      can_pay: true,
      has_billing: true,
      email_verified: true,
      ssh_key: account.sshKeys[0] ?? null,
    };
  },

  getSpendRate: ({ world }) => spendRate(world),

  listCharges: ({ world, query }) => listCharges(world, query),

  listWebhooks: ({ world }) => ({ success: true, webhooks: world.webhooks.map(world.getDating()) }),

  listWorkergroups: ({ world }) => ({ success: true, results: world.workergroups.map(world.getDating()) }),

  listNotificationTypes: () => ({ success: true, notification_types: [...NOTIFICATION_TYPES] }),

  listSshKeys: ({ world }) => world.account.sshKeys.map((key) => toSshKeyRecord(world, key)),

  createSshKey: ({ world, body }) => ({ success: true, key: toSshKeyRecord(world, addSshKey(world, body)) }),

  listApiKeys: ({ world }) => ({ success: true, apikeys: world.keys.listRecords().map(world.getDating()) }),

  deleteApiKey: ({ world, id }) => {
    world.keys.delete(id);
    return "Successfully Deleted API Key";
  },
} satisfies Partial<Handlers>;
