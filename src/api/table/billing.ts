// What public services say of the account's bill, beyond the interface.
import * as z from "zod";
import { num } from "../../domain/base/wire.ts";
import { defineEndpoint } from "./endpoint.ts";
import { any, JsonText, list } from "./shapes.ts";

const ChargesQuery = z.object({
  select_filters: JsonText,
  limit: z.string().regex(/^\d+$/).optional(),
  after_token: z.string().optional(),
}) as z.ZodType<Record<string, string>>;

export const billing = {
  getSpendRate: defineEndpoint({
    method: "GET",
    path: "/api/v0/users/spend-rate/",
    reply: z.object({
      gpu_cost_per_hour: num,
      container_storage_cost_per_hour: num,
      volume_storage_cost_per_hour: num,
    }),
    repeat: "safe",
    gap: 2,
    within: 30,
    shown: false,
    section: "extra: spend rate",
  }),
  listCharges: defineEndpoint({
    method: "GET",
    path: "/api/v0/charges/",
    query: ChargesQuery,
    reply: z.object({ success: any, results: list, next_token: z.string().nullish() }),
    repeat: "safe",
    gap: 1,
    within: 30,
    shown: false,
    section: "extra: charges, up to 500 a page",
  }),
} as const;
