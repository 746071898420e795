// The interface as functions. createClient() runs in plain Node and doesn't depend on an editor.

import { Caller, type ClientOptions } from "./call.ts";
import { createAccountOperations } from "./operations/account.ts";
import { createBillingOperations } from "./operations/billing.ts";
import { createBulkOperations } from "./operations/bulk.ts";
import { createHostOperations } from "./operations/host.ts";
import { createInstanceOperations, createInstanceOrderOperations } from "./operations/instances.ts";
import { createLogOperations } from "./operations/logs.ts";
import { createMachineOperations } from "./operations/machines.ts";
import { createOverlayOperations } from "./operations/overlays.ts";
import { createSshKeyOperations } from "./operations/ssh-keys.ts";
import { createTemplateOperations } from "./operations/templates.ts";
import { createVolumeOperations } from "./operations/volumes.ts";

export type { ClientOptions } from "./call.ts";
export type { Account } from "./operations/account.ts";
export type { BulkResult } from "./operations/bulk.ts";
export type { Created, InstanceList, StateChange } from "./operations/instances.ts";
export type { LogReading } from "./operations/logs.ts";
export type Client = ReturnType<typeof createClient>;

/** All operations reject with AppError; reads take an AbortSignal. @throws AppError `rejected` for a bad address or key. */
export function createClient(options: ClientOptions) {
  const caller = new Caller(options);
  return {
    ...createInstanceOperations(caller),
    ...createInstanceOrderOperations(caller),
    ...createLogOperations(caller),
    ...createTemplateOperations(caller),
    ...createAccountOperations(caller),
    ...createHostOperations(caller),
    ...createBillingOperations(caller),
    ...createBulkOperations(caller),
    ...createSshKeyOperations(caller),
    ...createVolumeOperations(caller),
    ...createMachineOperations(caller),
    ...createOverlayOperations(caller),
    forgetMissingEndpoints: () => caller.forgetMissingEndpoints(),
    close: () => caller.close(),
  };
}
