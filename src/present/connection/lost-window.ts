// What is told in a window on an instance that is gone.
import type { SshMachine } from "../../domain/connection/ssh-machine.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { t } from "../../lib/text.ts";
import { formatInstanceTitle } from "../instance/instances.ts";

/** `known`: what it was, if it was seen; otherwise the window says what it is called. */
export function describeLostWindow({ id, name }: Pick<SshMachine, "id" | "name">, known: Instance | undefined): string {
  const title = known ? formatInstanceTitle(known) : (name ?? String(id));
  return t("Instance {0} is no longer in this account, so this window can't reconnect to it.", title);
}
