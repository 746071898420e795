// The interface as functions. createClient() runs in plain Node and knows nothing of an editor.
import { accountOperations } from "./account.ts";
import { bulkOperations } from "./bulk.ts";
import { Caller, type ClientOptions } from "./call.ts";
import { instanceOperations } from "./instances.ts";
import { machineOperations } from "./machines.ts";
import { sshKeyOperations } from "./ssh-keys.ts";
import { templateOperations } from "./templates.ts";
import { volumeOperations } from "./volumes.ts";

export type { Account } from "./account.ts";
export type { BulkResult } from "./bulk.ts";
export type { ClientOptions } from "./call.ts";
export type { Created, InstanceList, StateChange } from "./instances.ts";
export type Client = ReturnType<typeof createClient>;

/** All operations reject with AppError; reads take an AbortSignal. @throws AppError `rejected` for a bad address or key. */
export function createClient(options: ClientOptions) {
  const caller = new Caller(options);
  return {
    ...instanceOperations(caller),
    ...templateOperations(caller),
    ...accountOperations(caller),
    ...bulkOperations(caller),
    ...sshKeyOperations(caller),
    ...volumeOperations(caller),
    ...machineOperations(caller),
    forgetLacks: () => caller.forgetLacks(),
    close: () => caller.close(),
  };
}
