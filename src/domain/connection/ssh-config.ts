// Our own SSH configuration file: a block for each machine, which protects the person as the command line does.
import { isReadableName } from "./readable-name.ts";
import { parseSshAddress } from "./ssh-address.ts";
import { buildProtectiveOptions, quoteForSsh, type SshLogin, type SshOption } from "./ssh-command.ts";
import { formatInclude } from "./ssh-include.ts";

/** The first line of the file. It is never edited: whatever is in it is replaced. */
const HEAD = "# Written by Cloud GPU and replaced whenever a machine changes. Don't edit it.";

/** Lower case, because the editor lower-cases the names of the machines that its windows are on. */
const ALIAS = /^cloud-gpu-[a-z0-9.-]{1,200}$/;

/** Whether this names a machine of ours, and nothing else that `ssh` or a file system could understand. */
export function isHostAlias(text: string): boolean {
  return ALIAS.test(text) && !text.includes("..");
}

/** A path that can stand on one line. */
export function isPlainPath(path: string): boolean {
  return path !== "" && !/[\p{Cc}\u2028\u2029]/u.test(path);
}

/** The options of a machine's block after its `Host` line. */
function blockOf(login: SshLogin): readonly SshOption[] {
  const { address, identity } = login;
  return [
    ["HostName", address.host],
    ["Port", String(address.port)],
    ["User", "root"],
    ...buildProtectiveOptions(login),
    // With a full agent, a machine refuses before the key that it admits was tried.
    ...(identity === undefined || !isPlainPath(identity)
      ? []
      : ([
          ["IdentityFile", quoteForSsh(identity)],
          ["IdentitiesOnly", "yes"],
        ] as const)),
  ];
}

/** Whether nothing in a login could end its line or be read as anything but what it is. */
function isWritable({ address: { host, port }, alias, knownHosts }: SshLogin): boolean {
  return isHostAlias(alias) && isPlainPath(knownHosts) && parseSshAddress(host, port)?.host === host;
}

/**
 * The whole file, sorted by alias. A login that holds anything but a valid name and address is left out. No two machines share a name:
 * the second one goes by its alias alone. `ended` are names of machines that ended.
 */
export function formatSshConfig(
  logins: readonly SshLogin[],
  knownHosts: string,
  ended: readonly string[] = [],
): string {
  const taken = new Set<string>();
  const blocks = [...logins]
    .filter(isWritable)
    .sort((a, b) => (a.alias < b.alias ? -1 : 1))
    .map((login) => {
      const isNamed = login.name !== undefined && isReadableName(login.name) && !taken.has(login.name);
      if (isNamed && login.name !== undefined) taken.add(login.name);
      const names = isNamed ? `${login.alias} ${login.name}` : login.alias;
      return [`Host ${names}`, ...blockOf(login).map(([name, value]) => `  ${name} ${value}`)].join("\n");
    });
  const left = [...new Set(ended)].filter((name) => isReadableName(name) && !taken.has(name)).sort();
  return `${[HEAD, ...blocks, catchAll(knownHosts, left)].join("\n\n")}\n`;
}

const ANY_ALIAS = "cloud-gpu-*";

/**
 * For a name of ours whose block is gone because its machine ended: no host, and what protects the person still comes first.
 * Otherwise `ssh` would look the name up, and their `Host *` would hold.
 */
function catchAll(knownHosts: string, ended: readonly string[] = []): string {
  const options: readonly SshOption[] = [
    ["HostName", "machine-has-ended.invalid"],
    ["User", "root"],
    ...buildProtectiveOptions({ alias: "cloud-gpu", knownHosts: isPlainPath(knownHosts) ? knownHosts : "none" }).filter(
      ([name]) => name !== "HostKeyAlias",
    ),
  ];
  return [`Host ${[ANY_ALIAS, ...ended].join(" ")}`, ...options.map(([name, value]) => `  ${name} ${value}`)].join(
    "\n",
  );
}

/**
 * The configuration of terminals: our machines first, then what `ssh` would read on its own, which it doesn't if it is told what to
 * read. Paths are as `ssh` reads them; a file that isn't there is passed over.
 */
export function formatTerminalConfig(ours: string, usual: readonly string[], knownHosts: string): string {
  const ownFirst = `${HEAD}\n${formatInclude(ours)}\n${catchAll(knownHosts)}`;
  // Patterns add up, and only what stands before is taken back. Whatever this computer has in its environment is none of a machine's.
  const last = "Match all\nSendEnv -*\n";
  return `${ownFirst}\nMatch all\n${usual.map((path) => `${formatInclude(path)}\n`).join("")}${last}`;
}

/** What `ssh -G` prints of an option is spelled differently from one option to the next. */
function sameValue(expected: string, printed: string): boolean {
  const spelled = (text: string) =>
    text
      .toLowerCase()
      .replace(/^true$/, "yes")
      .replace(/^false$/, "no");
  return spelled(expected) === spelled(printed);
}

/** Options that `ssh -G` must print. Of the others, it leaves out what isn't set. */
const MUST = new Set(["hostname", "port", "user", "hostkeyalias", "userknownhostsfile", "stricthostkeychecking"]);

/** Characters of what a program printed; `ssh -G` prints a few thousand. */
const MOST_READ = 100_000;

/**
 * The first option that `ssh` would use with another value than the block says, by what `ssh -G` printed. Undefined if all is as
 * written. `knownHosts` is the file's path in full, which `ssh` prints in place of `~`.
 */
export function findDifference(login: SshLogin, printed: string, knownHosts: string): string | undefined {
  const found = new Map<string, string>();
  for (const line of printed.slice(0, MOST_READ).split("\n")) {
    const at = line.indexOf(" ");
    const name = line.slice(0, at).toLowerCase();
    // The first one of several counts, as in a file.
    if (at > 0 && !found.has(name)) found.set(name, line.slice(at + 1).trim());
  }
  const differs = ([name, value]: SshOption): boolean => {
    const key = name.toLowerCase();
    const is = found.get(key);
    if (is === undefined) return MUST.has(key);
    if (key === "userknownhostsfile")
      return ![login.knownHosts, knownHosts].some((path) => slashes(path) === slashes(is.replace(/^"(.*)"$/, "$1")));
    return key !== "identityfile" && !sameValue(value, is);
  };
  return blockOf(login).find(differs)?.[0];
}

/** Programs of Windows write separators in several ways. */
const slashes = (path: string): string => path.replace(/[\\/]+/g, "/");
