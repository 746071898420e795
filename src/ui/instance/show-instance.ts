// Shows an instance as a page that follows the list.
import { mergeEvents } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { buildInstancePage } from "../../present/instance/instance-page.ts";
import { InstancePresence } from "../../services/instance/instance-presence.ts";
import { runOnRow } from "../kit/run-command.ts";
import { toRowArguments } from "../list/targets.ts";
import { findTargets } from "./instance-commands.ts";
import type { InstanceServices } from "./instance-services.ts";
import type { LaterFacts } from "./instances-view.ts";

export async function showInstance(
  services: InstanceServices,
  { readiness, listPublished, isByAgent }: LaterFacts,
  args: readonly unknown[],
): Promise<void> {
  const { instances, orders, autoStops, idleWatch, idleOrders, session, scheduler, records } = services;
  const { clock } = scheduler;
  const account = session.requireSignedIn();
  const [row] = await findTargets(services, args, t("Show Instance"));
  if (!row) return;
  session.assertStill(account);
  const { id } = row.value;
  records.show(`instance ${id}`, () => {
    const seen = new InstancePresence({ instances, orders, clock }, account, row);
    return {
      draw: () =>
        buildInstancePage({
          ...seen.row,
          tag: account.tag,
          staleSince: seen.staleSince,
          now: clock.now(),
          order: orders.getStage(id),
          ssh: readiness.getState(id),
          end: autoStops.findAutoStop(seen.row.value),
          ports: listPublished(seen.row),
          isByAgent: isByAgent(seen.row.value.id),
          idle: idleWatch.getState(id),
          idleWish: idleOrders.getWish({ id }),
          presence: seen.presence,
        }),
      run: async (command) => {
        const [argument] = toRowArguments(session, account, [{ id }]);
        if (argument) await runOnRow(command, argument);
      },
      onDidChange: mergeEvents<unknown>(
        ...[seen.onDidChange, orders.onDidChange, autoStops.onDidChange, readiness.onDidChange],
        ...[idleWatch.onDidChange, idleOrders.onDidChange],
      ),
      dispose: () => seen.dispose(),
    };
  });
}
