// The account's integrations in the sandbox's world: webhooks (interface 2.5) and serverless workergroups (interface
// 2.6).
import { createHash } from "node:crypto";
import type { StoredTemplate } from "./templates.ts";

const DAY = 86_400;

/** Three webhooks. One has no name, which public services allow. */
export function seedWebhooks(userId: number, now: number): readonly Readonly<Record<string, unknown>>[] {
  const at = (days: number) => Math.round(now - days * DAY);
  return [
    {
      id: 5101,
      user_id: userId,
      name: "Team chat",
      webhook_url: "https://hooks.sandbox.invalid/services/T024/B61/gpu-alerts",
      event_types: ["low_disk_space", "near_end_date"],
      created_at: at(64),
      updated_at: at(12),
    },
    {
      id: 5107,
      user_id: userId,
      name: "Pager",
      webhook_url: "https://pager.sandbox.invalid/v2/enqueue",
      event_types: ["client:low_credit", "outbid", "instance_offline"],
      created_at: at(31),
      updated_at: at(31),
    },
    {
      id: 5112,
      user_id: userId,
      name: null,
      webhook_url: "https://ci.sandbox.invalid/hooks/near-end",
      event_types: ["near_end_date"],
      created_at: at(3),
      updated_at: at(1),
    },
  ];
}

interface Group {
  readonly name: string;
  readonly endpoint: readonly [number, string];
  readonly image: string;
  readonly launch: string;
  readonly query: Readonly<Record<string, unknown>>;
  /** MB. */
  readonly gpuRam: number;
  readonly cold: number;
}

const GROUPS: readonly Group[] = [
  {
    name: "chat-large",
    endpoint: [3301, "chat"],
    image: "vllm/vllm-openai",
    launch: "--disk 120 --direct",
    query: { gpu_name: { in: ["H100 SXM", "H200"] }, num_gpus: { eq: 1 }, verified: { eq: true } },
    gpuRam: 80_000,
    cold: 1,
  },
  {
    name: "chat-small",
    endpoint: [3301, "chat"],
    image: "vllm/vllm-openai",
    launch: "--disk 60",
    query: { gpu_ram: { gte: 24000 }, reliability: { gte: 0.98 }, verified: { eq: true } },
    gpuRam: 24_000,
    cold: 3,
  },
  {
    name: "transcribe",
    endpoint: [3318, "transcription"],
    image: "onerahmet/openai-whisper-asr-webservice",
    launch: "",
    query: { gpu_ram: { gte: 8000 }, dph_total: { lte: 0.2 } },
    gpuRam: 8000,
    cold: 0,
  },
];

/** The secret of an endpoint and its workergroups. */
export function formatEndpointKey(seed: number, endpointId: number): string {
  return createHash("sha256").update(`endpoint ${seed} ${endpointId}`).digest("hex");
}

/** Three workergroups on two endpoints. Each endpoint has one key, a secret of the account. */
export function seedWorkergroups(
  seed: number,
  userId: number,
  templates: readonly StoredTemplate[],
  now: number,
): Record<string, unknown>[] {
  return GROUPS.map(({ name, endpoint: [endpointId, endpointName], image, launch, query, gpuRam, cold }, place) => {
    const template = templates.find((one) => one.image === image);
    return {
      id: 7701 + place * 4,
      name,
      min_load: place === 2 ? 0 : 40.5,
      target_util: 0.9,
      cold_mult: 2.5,
      cold_workers: cold,
      template_hash: template?.hash_id ?? "",
      template_id: template?.id ?? 0,
      search_query: query,
      launch_args: launch,
      gpu_ram: gpuRam,
      endpoint_name: endpointName,
      endpoint_id: endpointId,
      api_key: formatEndpointKey(seed, endpointId),
      created_at: Math.round(now - (20 - place * 6) * DAY),
      user_id: userId,
    };
  });
}

/** The kinds of events a webhook can deliver (an extra; interface 6 names two). */
export const NOTIFICATION_TYPES: readonly Readonly<Record<string, unknown>>[] = (
  [
    ["client", "low_credit", "billing", "Low credit"],
    ["client", "outbid", "instances", "Outbid"],
    ["client", "instance_created", "instances", "Instance created"],
    ["client", "instance_started", "instances", "Instance started"],
    ["client", "instance_stopped", "instances", "Instance stopped"],
    ["client", "instance_offline", "instances", "Instance offline"],
    ["client", "low_disk_space", "instances", "Low disk space"],
    ["client", "near_end_date", "instances", "Contract ends soon"],
    ["host", "machine_offline", "machines", "Machine offline"],
    ["host", "machine_error", "machines", "Machine error"],
  ] as const
).map(([context, slug, topic, name]) => ({
  key: `${context}:${slug}`,
  slug,
  context,
  topic,
  display_name: name,
  default_preferences: { email: true, webhook: false },
  mandatory_email: slug === "low_credit",
}));
