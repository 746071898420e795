// SSH keys: the account's, which every new instance gets, and those attached to one container later (extras).
import { readJsonObject } from "../base/checks.ts";
import { hashText } from "../base/random.ts";
import { Refusal } from "../base/refusal.ts";
import type { StoredInstance } from "../world/instance.ts";
import type { World } from "../world/world.ts";

export function toSshKeyRecord(world: World, key: string): Record<string, unknown> {
  const id = 1 + (hashText(key) % 900_000);
  return { id, user_id: world.account.id, public_key: key, created_at: "2026-03-02T08:15:00Z" };
}

/** The key type and the key without its comment, which decide whether two keys are the same. */
const core = (key: string) => key.trim().split(/\s+/).slice(0, 2).join(" ");

const holds = (keys: readonly string[], key: string) => keys.some((one) => core(one) === core(key));

/** The public key in a request. @throws Refusal 400 for anything else, above all a private key. */
function readKey(body: unknown): string {
  const { ssh_key: given } = readJsonObject(body);
  if (typeof given !== "string" || given.trim() === "")
    throw new Refusal(400, "no_ssh_key", "ssh_key is required and must be a string");
  if (given.includes("PRIVATE KEY"))
    throw new Refusal(400, "invalid_args", "ssh_key must be a public key; this is a private one. Keep it to yourself.");
  const key = given.trim();
  if (!/^(ssh-|ecdsa-|sk-)\S+ \S+/.test(key) || key.includes("\n"))
    throw new Refusal(400, "invalid_args", "ssh_key must be one public key such as ssh-ed25519 AAAA… name");
  return key;
}

/** Adds a key to the account. Instances created from now on get it. @throws Refusal 400. */
export function addSshKey(world: World, body: unknown): string {
  const key = readKey(body);
  if (holds(world.account.sshKeys, key)) throw new Refusal(400, "invalid_args", "This SSH key already exists");
  world.account.sshKeys = [...world.account.sshKeys, key];
  return key;
}

/**
 * Adds a key to an existing container (interface 1, convention 2).
 * @returns the key, or undefined if the container already has it.
 * @throws Refusal 400, also for a VM, which keeps the keys it was created with.
 */
export function attachKey(instance: StoredInstance, body: unknown): string | undefined {
  const key = readKey(body);
  if (instance.vm)
    throw new Refusal(400, "invalid_args", `Instance ${instance.id} is a VM: its SSH keys cannot be changed.`);
  if (holds(instance.sshKeys, key)) return undefined;
  instance.sshKeys = [...instance.sshKeys, key];
  return key;
}
