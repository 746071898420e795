// Handlers of what belongs to the account itself: user, spending, keys, SSH keys, webhooks, workergroups (interface 4.10, 4.11, 4.13 and extras).
import { readObject } from "./checks.ts";
import type { Handlers } from "./handler.ts";
import { diskRate, rateIn } from "./instance.ts";
import { fingerprint, round } from "./random.ts";
import { Refusal } from "./refusal.ts";
import { momentAt } from "./timeline.ts";
import { volumeRate } from "./volumes.ts";
import { NOTIFICATION_TYPES } from "./webhooks.ts";
import type { World } from "./world.ts";

function spendRate(world: World) {
  const rates = world.instances().map((one) => {
    const whole = rateIn(one, momentAt(one.timeline, world.now()).status);
    const disk = Math.min(whole, diskRate(one));
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
      world.volumes.all().reduce((sum, one) => sum + volumeRate(one), 0),
      6,
    ),
    has_active_resources: rates.length > 0,
  };
}

function sshKeyRecord(world: World, key: string): Record<string, unknown> {
  const id = 1 + (fingerprint(key) % 900_000);
  return { id, user_id: world.account.id, public_key: key, created_at: "2026-03-02T08:15:00Z" };
}

/** The kind and the key, without the comment: two of the same are one key. */
const core = (key: string) => key.trim().split(/\s+/).slice(0, 2).join(" ");

function addSshKey(world: World, body: unknown): string {
  const { ssh_key: given } = readObject(body);
  if (typeof given !== "string" || given.trim() === "")
    throw new Refusal(400, "no_ssh_key", "ssh_key is required and must be a string");
  if (given.includes("PRIVATE KEY"))
    throw new Refusal(400, "invalid_args", "ssh_key must be a public key; this is a private one. Keep it to yourself.");
  const key = given.trim();
  if (!/^(ssh-|ecdsa-|sk-)\S+ \S+/.test(key) || key.includes("\n"))
    throw new Refusal(400, "invalid_args", "ssh_key must be one public key such as ssh-ed25519 AAAA… name");
  if (world.account.sshKeys.some((one) => core(one) === core(key)))
    throw new Refusal(400, "invalid_args", "This SSH key already exists");
  world.account.sshKeys = [...world.account.sshKeys, key];
  return key;
}

export const accountHandlers = {
  getCurrentUser: ({ world }) => {
    const { account } = world;
    return {
      id: account.id,
      email: account.email,
      username: account.username,
      credit: round(world.credit(), 6),
      balance: 0,
      balance_threshold: 0,
      can_pay: true,
      has_billing: true,
      email_verified: true,
      ssh_key: account.sshKeys[0] ?? null,
    };
  },

  getSpendRate: ({ world }) => spendRate(world),

  listWebhooks: ({ world }) => ({ success: true, webhooks: world.webhooks.map(world.dating()) }),

  listWorkergroups: ({ world }) => ({ success: true, results: world.workergroups.map(world.dating()) }),

  listNotificationTypes: () => ({ success: true, notification_types: [...NOTIFICATION_TYPES] }),

  listSshKeys: ({ world }) => world.account.sshKeys.map((key) => sshKeyRecord(world, key)),

  createSshKey: ({ world, body }) => ({ success: true, key: sshKeyRecord(world, addSshKey(world, body)) }),

  listApiKeys: ({ world }) => ({ success: true, apikeys: world.keys.records().map(world.dating()) }),

  deleteApiKey: ({ world, id }) => {
    world.keys.delete(id);
    return "Successfully Deleted API Key";
  },
} satisfies Partial<Handlers>;
