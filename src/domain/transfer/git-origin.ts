// Where a repository came from and what of it is there, as far as its own files say: enough for another computer to fetch its history.
import { listGitValues } from "./git-config.ts";

export interface GitOrigin {
  /** An address that anyone may fetch from, without a name or a password in it. */
  readonly url: string;
  readonly branch: string;
  /** The last one that is known to be there. */
  readonly commit: string;
}

const COMMIT = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** No name that git or a shell could take for something else. */
const BRANCH = /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)))[\w./@+-]{1,200}(?<![/.])$/;
/** A name of the internet: neither an alias of the person's own configuration of ssh nor a number. */
const HOST = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/i;
/** What only networks of a company or a home know. */
const INTERNAL = /\.(?:local|localdomain|localhost|internal|intranet|corp|lan|home|arpa)$/i;
const PATH = /^\/?(?!.*(?:^|\/)\.\.?(?:\/|$))[\w.~/+-]{1,500}$/;

export const isBranch = (name: string): boolean => BRANCH.test(name);

/** The branch that a repository's HEAD names; undefined for a commit that no branch has. */
export function readBranch(head: string): string | undefined {
  const [, branch] = /^ref:\s*refs\/heads\/(.+?)\s*$/.exec(head) ?? [];
  return branch !== undefined && isBranch(branch) ? branch : undefined;
}

/** A commit as a file of a reference has it. */
export function readCommit(text: string): string | undefined {
  const commit = text.trim();
  return COMMIT.test(commit) ? commit : undefined;
}

/** The commit of a reference in a list of those that have no file of their own. */
export function findPackedCommit(text: string, reference: string): string | undefined {
  for (const line of text.split("\n")) {
    const [commit = "", name] = line.trimEnd().split(" ");
    if (name === reference && COMMIT.test(commit)) return commit;
  }
  return undefined;
}

/** The address of `origin` in a repository's configuration. Of two, the first counts. */
export function readOriginUrl(config: string): string | undefined {
  for (const [name, written] of listGitValues(config, (heading) => /^remote\s+"origin"$/i.test(heading))) {
    const [, url] = /^\s*"?([^"]+?)"?\s*$/.exec(written) ?? [];
    if (name === "url" && url !== undefined) return url;
  }
  return undefined;
}

/** The address by HTTPS, as what is public can be fetched by; undefined where there is none. */
export function toPublicUrl(url: string): string | undefined {
  const [, host, path] =
    /^https:\/\/(?:[^@/\s]*@)?([^/\s]+)(\/[^\s?#]*)$/i.exec(url) ??
    /^ssh:\/\/(?:[^@/\s]*@)?([^/\s:]+)(?::\d+)?(\/[^\s?#]*)$/i.exec(url) ??
    /^(?:[\w.-]+@)([^/\s:]+):(?!\/\/)([^\s?#]+)$/.exec(url) ??
    [];
  if (host === undefined || path === undefined) return undefined;
  const [name = "", port] = host.split(":");
  if (!HOST.test(name) || INTERNAL.test(name)) return undefined;
  if ((port !== undefined && !/^\d{1,5}$/.test(port)) || !PATH.test(path)) return undefined;
  return `https://${host.toLowerCase()}/${path.replace(/^\/+/, "")}`;
}

/** `github.com/me/x`, for people. */
export const formatOrigin = ({ url }: Pick<GitOrigin, "url">): string =>
  url.replace(/^https?:\/\//, "").replace(/\.git$/, "");
