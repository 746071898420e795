// Overlay networks of public services: all of them are extras.
import * as z from "zod";
import { OverlayName } from "../../domain/instance/overlay.ts";
import { defineEndpoint } from "./endpoint.ts";
import { done, list } from "./shapes.ts";

export const overlays = {
  listOverlays: defineEndpoint({
    method: "GET",
    path: "/api/v0/overlay/",
    reply: list,
    repeat: "safe",
    gap: 2,
    within: 30,
    shown: false,
    section: "extra: overlay networks",
  }),
  createOverlay: defineEndpoint({
    method: "POST",
    path: "/api/v0/overlay/",
    body: z.strictObject({ cluster_id: z.int().positive(), name: OverlayName }),
    reply: done,
    repeat: "once",
    gap: 2,
    within: 60,
    shown: false,
    section: "extra: create overlay network",
  }),
  deleteOverlay: defineEndpoint({
    method: "DELETE",
    path: "/api/v0/overlay/",
    body: z.strictObject({ overlay_id: z.int().positive() }),
    reply: done,
    repeat: "once",
    gap: 3,
    within: 60,
    shown: false,
    section: "extra: delete overlay network, with its instances",
  }),
} as const;
