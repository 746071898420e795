// Where a browser is sent for a port of this computer: never to an address that the editor's own pages, or those of another machine,
// are at.
import { isLoopback } from "../base/address.ts";
import type { InstanceId } from "../base/id.ts";

/** Browsers lead every name that ends with it to their own computer, and keep the cookies of each apart. */
const HERE = ".localhost";

/**
 * The name that a browser reaches an instance's forwarded ports by. Cookies know no ports: by one address, those of all servers of this
 * computer would be sent to each of them. `tag` identifies the account, because the numbers of another service may be the same.
 */
export function formatBrowserHost(tag: string, id: InstanceId): string {
  return `cg-${id}-${tag.slice(0, 8)}${HERE}`;
}

/** An address as the editor resolves it for a browser, and what it is judged by. */
export interface ResolvedAddress {
  /** What was asked for, such as `http://127.0.0.1:8888/`. */
  readonly asked: string;
  /** What the editor made of it. */
  readonly external: string;
  /** An address of the editor's own pages; undefined if that isn't known. One that isn't a web address has no pages. */
  readonly editor: string | undefined;
  /** From `formatBrowserHost`. */
  readonly host: string;
}

export type BrowserAddress =
  | { readonly kind: "open"; readonly address: string }
  | {
      /** The editor serves the port from its own address, so a page of the machine could act as the editor. */
      readonly kind: "shared";
      /** Of the editor. */
      readonly host: string;
      /** Leads to the port on the computer that the extension runs on, and nowhere else. */
      readonly plain: string;
      /** Whether the browser reaches the editor on its own computer, so that it may reach the port there as well. */
      readonly isHere: boolean;
    };

function readWebAddress(text: string | undefined): URL | undefined {
  const url = text !== undefined && URL.canParse(text) ? new URL(text) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

const isOnThisComputer = (url: URL | undefined): boolean =>
  url !== undefined && (isLoopback(url) || url.hostname.endsWith(HERE));

/** A certificate is for the name that was given. */
const canRename = (url: URL | undefined): boolean => isOnThisComputer(url) && url?.protocol === "http:";

/** An address of this computer by the name; any other as it is. */
function nameHere(url: URL, host: string): string {
  const named = new URL(url);
  if (canRename(url)) named.hostname = host;
  return named.href;
}

/** Without the port in it, a host's name is the same for all ports that are served in folders of it. */
function isHostOfPort({ hostname, port }: URL, wanted: string): boolean {
  return port === wanted || hostname.split(/\D+/).includes(wanted);
}

/** @throws TypeError if `asked` isn't an address. */
export function chooseBrowserAddress({ asked, external, editor, host }: ResolvedAddress): BrowserAddress {
  const wanted = new URL(asked);
  const found = readWebAddress(external);
  const own = readWebAddress(editor);
  const isKept = found?.pathname === wanted.pathname && found.search === wanted.search;
  const isOfPort = found !== undefined && (isKept || isHostOfPort(found, wanted.port));
  // An editor's cookies are sent to every port of its host, unless the port is opened by a name of its own.
  const isEditors = canRename(found) ? found?.origin === own?.origin : found?.hostname === own?.hostname;
  if (found && isOfPort && !isEditors) return { kind: "open", address: nameHere(found, host) };
  return {
    kind: "shared",
    host: (own ?? found ?? wanted).host,
    plain: nameHere(wanted, host),
    isHere: isOnThisComputer(own),
  };
}
