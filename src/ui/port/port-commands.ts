// Opening the ports of a machine: privately through SSH, or at the public address that the service gave them.
import { AppError } from "../../domain/base/error.ts";
import { InstanceId } from "../../domain/base/id.ts";
import { parsePort } from "../../domain/connection/machine-port.ts";
import { getPhase } from "../../domain/instance/instance.ts";
import { formatBrowserHost } from "../../domain/port/browser-address.ts";
import { t, toLabel } from "../../lib/text.ts";
import { buildPortRow, buildPublicPortQuestion, formatAddress } from "../../present/port/ports.ts";
import type { SignedIn } from "../../services/core/session.ts";
import type { InstanceRow } from "../../services/instance/instances.ts";
import type { BrokenTunnel, Tunnel } from "../../services/port/tunnels.ts";
import { ADMITTING, formatShortName } from "../connection/connection-commands.ts";
import { reachMachine } from "../connection/reach-machine.ts";
import { findOneTarget } from "../instance/instance-commands.ts";
import { confirm } from "../kit/ask/confirm.ts";
import { pickOne } from "../kit/ask/pick.ts";
import { askText, BACK } from "../kit/ask/steps.ts";
import { copyText, tellInfo, tellWarning, withNotification } from "../kit/messages.ts";
import { readNodeValue } from "../list/targets.ts";
import { openForwarded, openInBrowser } from "./open-in-browser.ts";
import { listPorts, type PortOfMachine } from "./port-rows.ts";
import type { PortServices } from "./port-services.ts";

type Aim = PortOfMachine["port"];

/** The port whose row was clicked. Anything may be passed, so each part is read again. */
function portOf(given: unknown): Aim | undefined {
  const { id, port } = readNodeValue<PortOfMachine>(given)?.port ?? {};
  const machine = InstanceId.safeParse(id);
  const number = parsePort(String(port));
  return machine.success && number !== undefined ? { id: machine.data, port: number } : undefined;
}

/** Forwards a port and opens it in the browser. Without a port's row, the person chooses. */
export async function openPort(services: PortServices, args: readonly unknown[]): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  const given = portOf(args[0]);
  const row = await findOneTarget(services, given ? [given.id] : args, t("Forward Port"), ADMITTING);
  if (!row) return;
  session.assertStill(account);
  const port = given?.port ?? (await choosePort(services, account, row));
  if (port === undefined) return;
  session.assertStill(account);
  const tunnel = await forwardPort(services, account, row, port);
  if (tunnel) await showForwarded(services, account, tunnel);
}

async function choosePort(
  { tunnels }: PortServices,
  account: SignedIn,
  { value }: InstanceRow,
): Promise<number | undefined> {
  const title = t("Forward Port of {0}", formatShortName(value));
  const rows = listPorts(account, value, tunnels).map((facts) => ({
    port: facts.port,
    view: buildPortRow({ ...facts, tag: "" }),
  }));
  const other = { label: t("Other Port…"), alwaysShow: true, value: "other" as const };
  const choices = rows.map(({ port, view }) => ({
    label: `$(${view.icon}) ${view.label}`,
    description: view.description,
    value: port,
  }));
  const chosen =
    rows.length === 0
      ? "other"
      : await pickOne<number | "other">({ title, placeholder: t("Which port?"), choices: [...choices, other] });
  if (chosen !== "other") return chosen === BACK ? undefined : chosen;
  const typed = await askText({ title, prompt: t("Port on the machine"), placeholder: "6006", read: readPort });
  return typed === BACK ? undefined : typed;
}

/** @throws AppError `rejected` for anything but a port. */
function readPort(text: string): number {
  const port = parsePort(text);
  if (port !== undefined) return port;
  throw new AppError("rejected", t("Enter a port from 1 to 65535."));
}

/** @returns undefined if the person left. @throws AppError if the machine can't be reached. */
async function forwardPort(
  services: PortServices,
  account: SignedIn,
  { value }: InstanceRow,
  remote: number,
): Promise<Tunnel | undefined> {
  const { id } = value;
  const open = services.tunnels.listFor(id).find((tunnel) => tunnel.remote === remote);
  if (open) return open;
  const reached = await reachMachine(services, account, value, t("Connecting to {0}", formatShortName(value)));
  if (!reached) return undefined;
  return await withNotification(t("Forwarding port {0} of instance {1}", remote, id), true, (_, cancelled) =>
    services.tunnels.open(account, reached, { id, remote }, cancelled),
  );
}

/** Opens it in the browser if a web server answers there; else says where it is. */
async function showForwarded(services: PortServices, account: SignedIn, tunnel: Tunnel): Promise<void> {
  const { id, remote, local } = tunnel;
  const owner = { account, id };
  const name = formatBrowserHost(account.tag, id);
  const port = await services.fronts.openPort(tunnel, name, new AbortController().signal).catch(() => undefined);
  services.session.assertStill(account);
  if (port !== undefined) return await openForwarded(services, owner, port);
  const [copy, open] = [t("Copy Address"), t("Open in Browser")];
  const said = t(
    "Port {0} of instance {1} is forwarded to localhost:{2}. No web server is responding there yet.",
    remote,
    id,
    local,
  );
  const chosen = await tellInfo(said, copy, open);
  if (chosen === undefined) return;
  // The message may have stood there for hours, and something else may listen there by now.
  if (!services.tunnels.list().includes(tunnel))
    throw new AppError("rejected", t("Port {0} of instance {1} isn't forwarded. Open the port first.", remote, id));
  if (chosen === copy) await copyText(`localhost:${local}`);
  if (chosen === open) await openForwarded(services, owner, local);
}

/** From its row only. */
export async function openPublicPort(services: PortServices, args: readonly unknown[]): Promise<void> {
  const { session } = services;
  const account = session.requireSignedIn();
  const listed = findListed(services, account, args);
  const { publicAt, id, port } = listed;
  if (publicAt === undefined)
    throw new AppError("rejected", t("Port {0} of instance {1} has no public address.", port, id));
  if (!(await confirm(buildPublicPortQuestion(listed, publicAt)))) return;
  // The address may belong to another machine by now, and the list may be old.
  const now = await services.connections.readPublicAddress(account, id, port);
  session.assertStill(account);
  if (now?.host !== publicAt.host || now.port !== publicAt.port)
    throw new AppError("rejected", t("Port {0} of instance {1} has another address now. Try again.", port, id));
  await openInBrowser(services, { account, id }, `http://${formatAddress(publicAt)}/`);
}

/** @throws AppError `not-found`. */
function findListed({ instances, tunnels }: PortServices, account: SignedIn, [given]: readonly unknown[]) {
  const aim = portOf(given);
  const row = aim && instances.find(aim.id);
  const facts =
    row &&
    !row.gone &&
    getPhase(row.value) === "running" &&
    listPorts(account, row.value, tunnels).find(({ port }) => port === aim.port);
  if (facts) return facts;
  throw new AppError("not-found", t("That port is no longer in the list. Nothing was changed."));
}

/** Where it is forwarded to, else its public address. */
export async function copyPortAddress(services: PortServices, args: readonly unknown[]): Promise<void> {
  const { local, publicAt, port, id } = findListed(services, services.session.requireSignedIn(), args);
  const address = local === undefined ? publicAt && formatAddress(publicAt) : `localhost:${local}`;
  if (address === undefined)
    throw new AppError("rejected", t("Port {0} of instance {1} isn't forwarded. Open the port first.", port, id));
  await copyText(address);
}

/** From its row, or chosen among all that are forwarded. */
export async function stopForwarding(services: PortServices, [given]: readonly unknown[]): Promise<void> {
  const { session, tunnels, instances } = services;
  const account = session.requireSignedIn();
  const aim = portOf(given);
  if (aim) return tunnels.stop({ id: aim.id, remote: aim.port });
  const open = tunnels.list();
  if (open.length === 0) return void tellInfo(t("No ports are forwarded."));
  const chosen = await pickOne<Tunnel>({
    title: t("Stop Forwarding Port"),
    placeholder: t("Which port?"),
    choices: open.map((tunnel) => ({
      label: String(tunnel.remote),
      description: t("forwarded to localhost:{0}", tunnel.local),
      detail: nameOfMachine(instances.find(tunnel.id)),
      value: tunnel,
    })),
  });
  session.assertStill(account);
  if (chosen !== undefined && chosen !== BACK) tunnels.stop(chosen);
}

const nameOfMachine = (row: InstanceRow | undefined) => (row ? formatShortName(row.value) : "");

/** A forwarding that ended although no one stopped it. */
export async function tellBroken(services: PortServices, broken: BrokenTunnel): Promise<void> {
  const { account, tunnel, reason } = broken;
  const { id, remote } = tunnel;
  const again = t("Forward Again");
  const said = t("Port {0} of instance {1} is no longer forwarded: the connection ended.", remote, id);
  const chosen = await tellWarning(reason === "" ? said : `${said} ${toLabel(reason, 200)}`, again);
  if (chosen !== again) return;
  services.session.assertStill(account);
  await openPort(services, [{ of: { port: { id, port: remote } }, account }]);
}
