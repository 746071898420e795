// Sends the person's browser to a port of this computer, or to a public one.
import * as vscode from "vscode";
import { AppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { chooseBrowserAddress, formatBrowserHost } from "../../domain/port/browser-address.ts";
import { EXTENSION } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildSharedAddressQuestion } from "../../present/port/port-questions.ts";
import type { SignedIn } from "../../services/core/session.ts";
import { confirmOr } from "../kit/ask/confirm.ts";
import { copyText } from "../kit/messages.ts";
import type { PortServices } from "./port-services.ts";

/** Whose port is opened. */
interface PortOwner {
  readonly account: SignedIn;
  readonly id: InstanceId;
}

/** Opens a port of this computer that leads to the instance. `path` may hold a query; it begins with a slash. */
export async function openForwarded(services: PortServices, owner: PortOwner, port: number, path = "/"): Promise<void> {
  const tunnel = services.fronts.find(port);
  await openInBrowser(services, owner, `http://127.0.0.1:${port}${path}`, () => {
    // Another instance's port may have the number by now, and the path may hold a token.
    if (tunnel?.id === owner.id && services.fronts.find(port) === tunnel) return;
    throw new AppError("rejected", t("The port is no longer forwarded. Open it again."));
  });
}

/**
 * Opens an address of an instance. In an editor that runs in a browser, a port of its computer is reached by another address; one
 * that is the editor's own is opened for no one. `assertOpen` is called before anything is opened or copied.
 */
export async function openInBrowser(
  { session }: PortServices,
  { account, id }: PortOwner,
  asked: string,
  assertOpen: () => void = () => undefined,
): Promise<void> {
  const [external, editor] = await Promise.all([resolve(asked), findEditor()]);
  const way = chooseBrowserAddress({ asked, external, editor, host: formatBrowserHost(account.tag, id) });
  session.assertStill(account);
  assertOpen();
  if (way.kind === "open") return await openOutside(way.address);
  const copy = t("Copy Address");
  const question = buildSharedAddressQuestion(id, way);
  const answer = await confirmOr(question, way.isHere ? { label: copy, isDefault: false } : undefined);
  if (answer === undefined) return;
  // The question may have stood there for hours, and something else may listen there by now.
  session.assertStill(account);
  assertOpen();
  if (way.isHere && answer === "go") await openOutside(way.plain);
  else await copyText(way.plain);
}

async function openOutside(address: string): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(address, true));
}

async function resolve(address: string): Promise<string> {
  return (await vscode.env.asExternalUri(vscode.Uri.parse(address, true))).toString(true);
}

/** Where the editor takes links to itself: an editor in a browser has a page of its own for them. Undefined if it takes none. */
async function findEditor(): Promise<string | undefined> {
  return await resolve(`${vscode.env.uriScheme}://${EXTENSION}/`).catch(() => undefined);
}
