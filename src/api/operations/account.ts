// Operations on an account (interface 4.10, 4.11, 4.13, and extras).
import { ApiKeyRecord, SshKey } from "../../domain/account/key.ts";
import { Webhook } from "../../domain/account/webhook.ts";
import { AppError } from "../../domain/base/error.ts";
import { type Rows, readRows } from "../../domain/base/wire.ts";
import { Workergroup } from "../../domain/serverless/workergroup.ts";
import { rememberSecretsIn } from "../../lib/redact.ts";
import { t } from "../../lib/text.ts";
import type { Caller } from "../call.ts";

export interface Account {
  readonly id: number | undefined;
  readonly name: string | undefined;
  /** Dollars left. */
  readonly credit: number | undefined;
}

const byId = (value: { id: number }) => value.id;

/** Remembers the secrets in the records of a list, including unreadable records. */
function rememberAll(list: readonly unknown[]): void {
  for (const record of list)
    if (typeof record === "object" && record !== null) rememberSecretsIn(record as Record<string, unknown>);
}

export function createAccountOperations(caller: Caller) {
  return {
    /** Interface 4.10. */
    async listWebhooks(signal?: AbortSignal): Promise<Rows<Webhook>> {
      const { webhooks } = await caller.call("listWebhooks", { signal });
      rememberAll(webhooks);
      return readRows(Webhook, webhooks, byId);
    },

    /** Interface 4.11. Remembers the keys inside as secrets before anything else sees them. */
    async listWorkergroups(signal?: AbortSignal): Promise<Rows<Workergroup>> {
      const { results } = await caller.call("listWorkergroups", { signal });
      rememberAll(results);
      return readRows(Workergroup, results, byId);
    },

    /** Interface 4.13. */
    async deleteApiKey(id: number): Promise<void> {
      await caller.call("deleteApiKey", { id });
    },

    /** Extra. The key's owner. */
    async getCurrentUser(signal?: AbortSignal): Promise<Account> {
      const { id, username, email, credit } = await caller.call("getCurrentUser", { signal });
      if (id === undefined) {
        throw new AppError("unexpected-reply", t("The service didn't say which account this key belongs to."), {
          operation: "getCurrentUser",
        });
      }
      return { id, name: username ?? email, credit };
    },

    /** Extra. */
    async listSshKeys(signal?: AbortSignal): Promise<Rows<SshKey>> {
      const reply = await caller.call("listSshKeys", { signal });
      return readRows(SshKey, Array.isArray(reply) ? reply : reply.ssh_keys, byId);
    },

    /** Extra. Takes a public key. A private key is refused before anything is sent. */
    async createSshKey(publicKey: string): Promise<void> {
      await caller.call("createSshKey", { body: { ssh_key: publicKey.trim() } });
    },

    /** Extra. The keys themselves are never listed. */
    async listApiKeys(signal?: AbortSignal): Promise<Rows<ApiKeyRecord>> {
      return readRows(ApiKeyRecord, (await caller.call("listApiKeys", { signal })).apikeys, byId);
    },

    /** Extra. Names of the events a webhook can carry. */
    async listNotificationTypes(signal?: AbortSignal): Promise<readonly string[]> {
      const reply = await caller.call("listNotificationTypes", { signal });
      return reply.notification_types.flatMap((type) => {
        const slug = typeof type === "object" && type !== null && "slug" in type ? type.slug : undefined;
        return typeof slug === "string" ? [slug] : [];
      });
    },
  };
}
