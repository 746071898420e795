// The interface as functions. createClient() runs in plain Node and knows nothing of an editor.
import { accountOperations } from "./account.ts";
import { Caller, type ClientOptions } from "./call.ts";
import { instanceOperations } from "./instances.ts";
import { templateOperations } from "./templates.ts";

export type { Account } from "./account.ts";
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
    forgetLacks: () => caller.forgetLacks(),
    close: () => caller.close(),
  };
}
