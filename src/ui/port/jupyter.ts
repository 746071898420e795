// Jupyter on a machine: in the browser, and for the notebooks of the editor.
import { stored } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildInstallJupyterQuestion, buildTokenInAddressQuestion } from "../../present/port/port-questions.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import type { JupyterAccess } from "../../services/port/jupyter-servers.ts";
import { ADMITTING, formatShortName } from "../connection/connection-commands.ts";
import { reachMachine } from "../connection/reach-machine.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { withNotification } from "../kit/messages.ts";
import { openForwarded } from "./open-in-browser.ts";
import type { PortServices } from "./port-services.ts";

/** Opens Jupyter in the browser, through SSH. */
export async function openJupyter(services: PortServices, args: readonly unknown[]): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  const row = await findOneTarget(services, args, t("Open Jupyter"), ADMITTING);
  if (!row) return;
  session.assertStill(account);
  // Asked before the port is open: it may be someone else's by the time that a question is answered.
  if (!(await mayShowToken(services))) return;
  session.assertStill(account);
  const access = await reachJupyter(services, account, row);
  if (!access) return;
  session.assertStill(account);
  const token = access.token === "" ? "" : `?token=${encodeURIComponent(access.token)}`;
  await openForwarded(services, { account, id: row.value.id }, access.port, `/${token}`);
}

/**
 * A way to Jupyter on the machine; installs it there if the person wants that.
 * @returns undefined if they don't, or don't want to connect. @throws AppError if it can't be reached.
 */
export async function reachJupyter(
  services: PortServices,
  account: SignedIn,
  { value }: InstanceRow,
): Promise<JupyterAccess | undefined> {
  const { session, jupyterServers } = services;
  const { id } = value;
  const way = await reachMachine(services, account, value, t("Connecting to {0}", formatShortName(value)));
  if (!way) return undefined;
  const open = () =>
    withNotification(t("Opening Jupyter on instance {0}", id), true, (_, cancelled) =>
      jupyterServers.open(account, way, value, cancelled),
    );
  const found = await open();
  if (found !== "missing") return found;
  if (!(await confirm(buildInstallJupyterQuestion(id)))) return undefined;
  session.assertStill(account);
  await services.connections.recheck(account, id, way.login);
  await withNotification(t("Installing Jupyter on instance {0}", id), true, (_, cancelled) =>
    jupyterServers.install(account, way, cancelled),
  );
  const again = await open();
  return again === "missing" ? undefined : again;
}

/** Said once on this computer. */
async function mayShowToken({ notes }: PortServices): Promise<boolean> {
  if (notes.get(stored.jupyterTokenTold) === true) return true;
  if (!(await confirm(buildTokenInAddressQuestion()))) return false;
  notes.set(stored.jupyterTokenTold, true);
  return true;
}
