// The interface as functions. createClient() runs in plain Node and doesn't depend on an editor.

import { Caller, type ClientOptions } from "./call.ts";
import { accountOperations } from "./operations/account.ts";
import { billingOperations } from "./operations/billing.ts";
import { bulkOperations } from "./operations/bulk.ts";
import { hostOperations } from "./operations/host.ts";
import { instanceOperations, instanceOrderOperations } from "./operations/instances.ts";
import { logOperations } from "./operations/logs.ts";
import { machineOperations } from "./operations/machines.ts";
import { overlayOperations } from "./operations/overlays.ts";
import { sshKeyOperations } from "./operations/ssh-keys.ts";
import { templateOperations } from "./operations/templates.ts";
import { volumeOperations } from "./operations/volumes.ts";

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
    ...instanceOperations(caller),
    ...instanceOrderOperations(caller),
    ...logOperations(caller),
    ...templateOperations(caller),
    ...accountOperations(caller),
    ...hostOperations(caller),
    ...billingOperations(caller),
    ...bulkOperations(caller),
    ...sshKeyOperations(caller),
    ...volumeOperations(caller),
    ...machineOperations(caller),
    ...overlayOperations(caller),
    forgetMissingEndpoints: () => caller.forgetMissingEndpoints(),
    close: () => caller.close(),
  };
}
