// Operations on an account and on what a host owns (interface 4.1, 4.9 to 4.11, 4.13, and extras).
import { ApiKeyRecord, SshKey } from "../../domain/account/key.ts";
import { Webhook } from "../../domain/account/webhook.ts";
import { AppError } from "../../domain/base/error.ts";
import { type Rows, readRows } from "../../domain/base/wire.ts";
import type { BackgroundJobs } from "../../domain/host/background-jobs.ts";
import { Volume, VolumeOffer } from "../../domain/host/volume.ts";
import type { SearchOffersBody } from "../../domain/offer/offer-search.ts";
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

export function accountOperations(caller: Caller) {
  return {
    /** Interface 4.1. Replaces the machine's existing default jobs. @returns the service's echo of the request. */
    async createBackgroundJobs(jobs: BackgroundJobs): Promise<Readonly<Record<string, unknown>>> {
      const { you_sent } = await caller.call("createBackgroundJobs", { body: jobs });
      return typeof you_sent === "object" && you_sent !== null ? (you_sent as Record<string, unknown>) : {};
    },

    /** Interface 4.9. @returns the service's sentence naming the volume. */
    async unlistVolume(id: number): Promise<string> {
      const { msg } = await caller.call("unlistVolume", { body: { id } });
      return typeof msg === "string" ? msg : "";
    },

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

    /** Extra. */
    async listVolumes(signal?: AbortSignal): Promise<Rows<Volume>> {
      const reply = await caller.call("listVolumes", { query: { type: "all_volume" }, signal });
      return readRows(Volume, reply.volumes, byId);
    },

    /** Extra. Filters as for offers. */
    async searchVolumes(body: SearchOffersBody, signal?: AbortSignal): Promise<Rows<VolumeOffer>> {
      return readRows(VolumeOffer, (await caller.call("searchVolumes", { body, signal })).offers, byId);
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
