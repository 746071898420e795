// The API keys of the sandbox's world: permissions, owners, and which can be deleted (interface 2.7, 4.13).
import { createHash } from "node:crypto";
import { rememberSecret } from "../../lib/redact.ts";
import { Refusal } from "../base/refusal.ts";

const ALL_PERMISSIONS = [
  "user_read",
  "user_write",
  "instance_read",
  "instance_write",
  "machine_read",
  "machine_write",
  "misc",
  "billing_read",
] as const;
export type Permission = (typeof ALL_PERMISSIONS)[number];

/**
 * `other`: created by the service itself, for example for an instance. Neither it nor the primary key can be deleted.
 */
type KeyKind = "primary" | "user" | "other";

export interface Key {
  readonly id: number;
  readonly name: string;
  readonly kind: KeyKind;
  readonly userId: number;
  /** UTC epoch seconds. */
  readonly createdAt: number;
  readonly permissions: ReadonlySet<Permission>;
  /** Of an instance's own key: it may only be started, stopped and destroyed with it. */
  readonly instance?: number;
}

/** The IDs of a new world's keys. */
export const KEY_IDS = {
  primary: 900_100,
  full: 900_214,
  readOnly: 900_377,
  host: 900_402,
  instance: 900_555,
} as const;
/** The ID of another account's key. */
export const FOREIGN_KEY_ID = 800_001;

interface Seeded {
  readonly id: number;
  readonly name: string;
  readonly kind: KeyKind;
  readonly permissions: readonly Permission[];
}

const SEEDED: readonly Seeded[] = [
  { id: KEY_IDS.full, name: "laptop", kind: "user", permissions: ALL_PERMISSIONS },
  { id: KEY_IDS.readOnly, name: "dashboard", kind: "user", permissions: ["user_read", "instance_read"] },
  { id: KEY_IDS.host, name: "host tools", kind: "user", permissions: ["machine_read", "machine_write", "misc"] },
  { id: KEY_IDS.instance, name: "instance 30411872", kind: "other", permissions: ["instance_read"] },
];

/** A key's text is derived from the world's seed, so a restarted sandbox recognizes it, or from a secret. */
export function formatKey(seed: number | string, name = ""): string {
  const hash = createHash("sha256").update(`sandbox key ${seed}${name}`).digest("hex");
  return `sandbox-${hash.slice(0, 40)}`;
}

/** What opens the notebook server of an instance: derived like the keys, so it is a secret where they are. */
export function formatNotebookToken(seed: number | string, instanceId: number): string {
  return createHash("sha256").update(`sandbox notebook ${seed} ${instanceId}`).digest("hex");
}

/** What an instance may end itself with, derived likewise. */
export function formatInstanceKey(seed: number | string, instanceId: number): string {
  return createHash("sha256").update(`sandbox instance ${seed} ${instanceId}`).digest("hex");
}

/** As the wire names the kinds. */
const KEY_TYPES: Readonly<Record<KeyKind, string>> = { user: "api", primary: "primary", other: "instance" };

export class KeyRing {
  readonly #keys = new Map<string, Key>();
  readonly #userId: number;
  #next = 900_600;

  /** Creates the primary key and those of `SEEDED`, all for this user. `now` is UTC epoch seconds. */
  constructor(seed: number | string, userId: number, now: number) {
    this.#userId = userId;
    const put = (text: string, { permissions, ...rest }: Seeded, days: number) =>
      this.#put(text, {
        ...rest,
        userId,
        createdAt: Math.round(now) - days * 86_400,
        permissions: new Set(permissions),
      });
    put(formatKey(seed), { id: KEY_IDS.primary, name: "primary", kind: "primary", permissions: ALL_PERMISSIONS }, 400);
    SEEDED.forEach((key, place) => {
      put(formatKey(seed, ` ${key.name}`), key, 90 - place * 20);
    });
  }

  #put(text: string, key: Key): void {
    rememberSecret(text);
    this.#keys.set(text, key);
  }

  /** The key with this text; undefined if it doesn't exist or was deleted. */
  get(text: string): Key | undefined {
    return this.#keys.get(text);
  }

  add(text: string, permissions: readonly Permission[], now: number): Key {
    this.#next += 1;
    const key: Key = {
      id: this.#next,
      name: `key ${this.#next}`,
      kind: "user",
      userId: this.#userId,
      createdAt: now,
      permissions: new Set(permissions),
    };
    this.#put(text, key);
    return key;
  }

  /** A key's text, for tests and tools. The service itself never shows it. */
  getText(id: number): string | undefined {
    for (const [text, key] of this.#keys) if (key.id === id) return text;
    return undefined;
  }

  /** The keys as the list shows them: their text is null. */
  listRecords(): Record<string, unknown>[] {
    return [...this.#keys.values()].map(({ id, name, kind, userId, createdAt, permissions }) => ({
      id,
      user_id: userId,
      key: null,
      key_type: KEY_TYPES[kind],
      name,
      created_at: createdAt,
      team_id: null,
      rights: { api: Object.fromEntries([...permissions].map((permission) => [permission, {}])) },
    }));
  }

  /** @throws Refusal 400 for a key that can't be deleted, 401 for another account's, 404 for an unknown one. */
  delete(id: number): void {
    if (id === FOREIGN_KEY_ID)
      throw new Refusal(401, "not_authorized", "You do not have permission to delete this API Key.");
    const text = this.getText(id);
    const kind = text === undefined ? undefined : this.#keys.get(text)?.kind;
    if (text === undefined) throw new Refusal(404, "not_found", "API Key not found.");
    if (kind === "primary") throw new Refusal(400, "invalid_args", "You cannot delete your primary key.");
    if (kind === "other") throw new Refusal(400, "invalid_args", "Only user-created API keys can be deleted.");
    this.#keys.delete(text);
  }
}
