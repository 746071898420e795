// Operations on the SSH keys of one instance (extras).
import { SshKey } from "../../domain/account/key.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { type Rows, readRows } from "../../domain/base/wire.ts";
import type { Caller } from "../call.ts";
import { createRefusal, createUnconfirmed } from "../reply.ts";
import { saysAttached } from "../worded-refusals.ts";

export function createSshKeyOperations(caller: Caller) {
  return {
    /** Extra. Adds a public key to an existing container. A key that is already attached counts as attached. */
    async attachSshKey(id: InstanceId, publicKey: string): Promise<void> {
      const reply = await caller.call("attachSshKey", { id, body: { ssh_key: publicKey.trim() } });
      if (reply.success === true || saysAttached(reply)) return;
      throw reply.success === false ? createRefusal("attachSshKey", reply) : createUnconfirmed("attachSshKey");
    },

    /** Extra. The keys that can log in to the instance. */
    async listInstanceSshKeys(id: InstanceId, signal?: AbortSignal): Promise<Rows<SshKey>> {
      const reply = await caller.call("listInstanceSshKeys", { id, signal });
      return readRows(SshKey, reply.ssh_keys, (key) => key.id);
    },
  };
}
