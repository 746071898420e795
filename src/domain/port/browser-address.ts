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
interface ResolvedAddress {
  /** What was asked for, such as `http://127.0.0.1:8888/`. */
  readonly asked: string;
  /** What the editor made of it. */
  readonly external: string;
  /** An address of the editor's own pages; undefined if that isn't known. One that isn't a web address has no pages. */
  readonly editor: string | undefined;
  /** From `formatBrowserHost`. */
  readonly host: string;
}

type BrowserAddress =
  | { readonly kind: "open"; readonly address: string }
  | {
      /** The editor's pages or cookies are at the port's address, so a page of the machine could act as the editor. */
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

/** Names may end with a dot, which makes them no other. */
const readHost = ({ hostname }: URL): string => hostname.replace(/\.$/, "");

/** A certificate is for the name that was given, and a name that browsers lead here may say on its own which port is meant. */
const canRename = (url: URL, wanted: URL): boolean =>
  url.protocol === "http:" && (isLoopback(url) || (isOnThisComputer(url) && url.port === wanted.port));

function nameHere(url: URL, host: string): string {
  const named = new URL(url);
  named.hostname = host;
  return named.href;
}

const hasNumber = (label: string, port: string): boolean => label.split(/\D+/).includes(port);

/** As it may be in a name; addresses leave it out where it is usual. */
const readNumber = ({ port }: URL): string => port || "80";

/** Without the port in it, a host's name is the same for all ports that are served in folders of it. */
function isHostOfPort(url: URL, wanted: string): boolean {
  return url.port === wanted || hasNumber(url.hostname, wanted);
}

/**
 * Whether a host may get the editor's cookies. A server may give them to all hosts below its own, or below the one that the hosts of its
 * ports are below, as code-server does to log in to those.
 */
function mayShareCookies(found: URL, editor: URL, wanted: string): boolean {
  const [host, own] = [readHost(found), readHost(editor)];
  const isBelow = (parent: string, name: string) => name === parent || name.endsWith(`.${parent}`);
  if (isBelow(own, host)) return true;
  const [label = "", ...parent] = host.split(".");
  return hasNumber(label, wanted) && isBelow(parent.join("."), own);
}

/** Whether the editor's pages or cookies are at the address, by which a browser would come to the port. */
function isEditors({ asked, editor }: ResolvedAddress, found: URL): boolean {
  const wanted = new URL(asked);
  const own = readWebAddress(editor);
  // By a name of its own it gets no one's cookies.
  if (canRename(found, wanted))
    return isOnThisComputer(own) && found.protocol === own?.protocol && found.port === own.port;
  if (own) return mayShareCookies(found, own, readNumber(wanted));
  return editor === undefined && !isLoopback(found) && found.href !== wanted.href;
}

/** @throws TypeError if `asked` isn't an address. */
export function chooseBrowserAddress(resolved: ResolvedAddress): BrowserAddress {
  const { asked, external, editor, host } = resolved;
  const wanted = new URL(asked);
  const found = readWebAddress(external);
  const own = readWebAddress(editor);
  const isKept = found?.pathname === wanted.pathname && found.search === wanted.search;
  const isOfPort = found !== undefined && (isKept || isHostOfPort(found, readNumber(wanted)));
  if (found && isOfPort && !isEditors(resolved, found))
    return { kind: "open", address: canRename(found, wanted) ? nameHere(found, host) : found.href };
  return {
    kind: "shared",
    host: (own ?? found ?? wanted).host,
    plain: canRename(wanted, wanted) ? nameHere(wanted, host) : wanted.href,
    isHere: isOnThisComputer(own),
  };
}
