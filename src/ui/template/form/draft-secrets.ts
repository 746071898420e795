// Stores the secrets of unsaved templates.
import type * as vscode from "vscode";
import type { DraftSecrets } from "../../../services/template/draft-store.ts";

/** Secret values of unsaved templates, stored next to the keys. */
export function createDraftSecrets(secrets: vscode.SecretStorage): DraftSecrets {
  const full = (name: string) => `cloudGpu.draft ${name}`;
  return {
    read: async (name) => await secrets.get(full(name)),
    store: async (name, text) => await secrets.store(full(name), text),
    remove: async (name) => await secrets.delete(full(name)),
  };
}
