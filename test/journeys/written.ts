// Launches and rentals that are there before a window looks: written down and rented by no one in the test.
import { InstanceId, OfferId } from "../../src/domain/base/id.ts";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import { createIntent } from "../../src/services/launch/intent.ts";
import type { LaunchJournal } from "../../src/services/launch/launch-journal.ts";
import { cheapest, type signedIn } from "./support.ts";

type Window = Pick<Awaited<ReturnType<typeof signedIn>>, "journal" | "me" | "offers" | "service">;

export type Facts = readonly Parameters<LaunchJournal["note"]>[1][];

export interface Written {
  /** Epoch milliseconds. */
  readonly at?: number;
  readonly price?: number;
  readonly tracked?: boolean;
  readonly owner?: string;
  /** Whose launch it is, if not the key's that is signed in. */
  readonly account?: string;
  readonly user?: number;
  readonly origin?: string;
  readonly before?: InstanceId[];
}

/** A launch as another window would have left it. @returns its token. */
export async function writeLaunch(
  { journal, me }: Pick<Window, "journal" | "me">,
  facts: Facts,
  { at = Date.now(), tracked = true, account = me().tag, origin = me().address.origin, ...rest }: Written = {},
): Promise<string> {
  const { token } = createIntent();
  const offer = OfferId.parse(7);
  await journal.prepare(token, { version: 1, origin, account, offer, machine: "m", at, tracked, ...rest });
  for (const fact of facts) await journal.note(token, fact);
  return token;
}

/** A machine that is rented without any window. Its account never runs dry, however fast time passes in the sandbox. */
export async function rentElsewhere(window: Window, label = "elsewhere"): Promise<InstanceId> {
  const { world } = window.service;
  world.account.credit = Math.max(world.account.credit, 1_000_000);
  const offer = await cheapest(window, world.listInstances().length * 4);
  return InstanceId.parse(createInstance(world, offer.id, { image: "a/b", runtype: "ssh_direct", label }).id);
}
