// The command line that logs in to an instance: every option that protects the person is explicit.
import type { SshAddress } from "./ssh-address.ts";

/** Who is connected to, and with which files. */
export interface SshLogin {
  readonly address: SshAddress;
  /**
   * The IP address that the host's name was found to have, and that was judged: looked up again, it could be another one. Undefined where
   * the person's configuration says how the host is reached.
   */
  readonly connectTo?: string | undefined;
  /** What the person's configuration says of the host's name, and wouldn't say of that IP address. */
  readonly kept?: readonly SshOption[] | undefined;
  /** The name that the machine's host key is stored under: lower case letters, digits, dots and hyphens. */
  readonly alias: string;
  /** What a person calls it: another name for the machine in our configuration, if it has one. */
  readonly name?: string | undefined;
  /** The file with the host keys, as OpenSSH reads it: `~` is the home folder. */
  readonly knownHosts: string;
  /** The file of the key that the machine admits; undefined leaves the choice to `ssh` and the person's configuration. */
  readonly identity?: string | undefined;
  /** The command that connects in place of `ssh`, which runs it in the person's shell. One line, and only ever theirs. */
  readonly proxyCommand?: string | undefined;
  /** The configuration file to read in place of the person's own; only tests name one. */
  readonly config?: string | undefined;
  /** The ciphers that commands may use, the preferred first; undefined leaves them to `ssh` and the person's configuration. */
  readonly ciphers?: string | undefined;
  /** The socket of a connection that commands share; without one, each connects for itself. */
  readonly shared?: string | undefined;
}

/**
 * A name for the machine's host key. Marketplaces give an address and a port to one machine after another, so a key
 * belongs to the instance, not to its address.
 */
export function formatHostKeyAlias(service: string, id: number): string {
  const name = service.toLowerCase().replaceAll(/[^a-z0-9.]+/g, "-");
  return `cloud-gpu-${name}-${id}`.replaceAll(/-+/g, "-");
}

/**
 * What the person's own configuration must not change for such a machine, as names and values: the command line and the
 * configuration file are both made of it.
 */
export function buildProtectiveOptions({
  alias,
  knownHosts,
  proxyCommand,
}: Pick<SshLogin, "alias" | "knownHosts" | "proxyCommand">): readonly SshOption[] {
  return [
    ["HostKeyAlias", alias],
    ["UserKnownHostsFile", quoteForSsh(knownHosts)],
    // A new machine's key is stored; a stored key that changes is refused.
    ["StrictHostKeyChecking", "accept-new"],
    ["ServerAliveInterval", "15"],
    ["ServerAliveCountMax", "4"],
    ["VerifyHostKeyDNS", "no"],
    // The machine before this one may have had the same address.
    ["CheckHostIP", "no"],
    // A connection that the person's configuration shares goes by address and port, and would skip the host key.
    ["ControlMaster", "no"],
    ["ControlPath", "none"],
    // The machine belongs to someone else: it may ask for a key, which it can't keep, and for nothing that a person could type. Kerberos,
    // which may hand over a ticket, isn't among these either; not every `ssh` knows its own options.
    ["PreferredAuthentications", "publickey"],
    ["PubkeyAuthentication", "yes"],
    ["PasswordAuthentication", "no"],
    ["KbdInteractiveAuthentication", "no"],
    ["HostbasedAuthentication", "no"],
    ["ForwardAgent", "no"],
    ["ForwardX11", "no"],
    ["Tunnel", "no"],
    ["PermitLocalCommand", "no"],
    ["RemoteCommand", "none"],
    ...(proxyCommand === undefined ? [] : ([["ProxyCommand", proxyCommand]] as const)),
  ];
}

/** Characters. */
const LONGEST_COMMAND = 2000;

/** The person's own proxy command: one line. Undefined for none. @throws RangeError for more than one line, or far too much. */
export function readProxyCommand(text: string | undefined): string | undefined {
  const command = (text ?? "").trim();
  if (/[\p{Cc}\u2028\u2029]/u.test(command) || command.length > LONGEST_COMMAND) throw new RangeError("proxyCommand");
  return command === "" ? undefined : command;
}

export type SshOption = readonly [name: string, value: string];

/** In its options, `ssh` replaces what follows a percent sign, and reads blanks and quotes as a shell would. */
export function quoteForSsh(path: string): string {
  const text = path.replaceAll("%", "%%");
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `"${text.replaceAll('"', '\\"')}"`;
}

/** The arguments for the `ssh` program, for a list: no shell reads them. */
export function buildSshArguments(login: SshLogin): readonly string[] {
  // Not for the file: the editor's own forwardings, which its windows need, would be cleared as well.
  return [...optionsOf(login), "-o", "ClearAllForwardings=yes", ...targetOf(login)];
}

/** Those that today's processors have instructions for: a transfer over a fast line takes about half the time. */
const FAST_CIPHERS = new Set(["aes128-gcm@openssh.com", "aes256-gcm@openssh.com"]);

/**
 * The ciphers in the configuration that `ssh -G` printed, the fast ones first. None is added: a person, a company or the system may
 * have ruled some out, and `ssh` refuses a name that it doesn't know. Undefined if there is nothing to prefer.
 */
export function readFastCiphers(printed: string): string | undefined {
  const names = /^ciphers ([\w@.,-]+)\r?$/m.exec(printed)?.[1]?.split(",") ?? [];
  const fast = names.filter((name) => FAST_CIPHERS.has(name));
  if (fast.length === 0) return undefined;
  return [...fast, ...names.filter((name) => !FAST_CIPHERS.has(name))].join(",");
}

/**
 * No one is there to answer a question, and nothing else waits as long for a machine that doesn't answer. A person who wants `ssh` quiet
 * would never hear why it failed.
 */
const UNATTENDED: readonly string[] = ["-o", "BatchMode=yes", "-o", "ConnectTimeout=15", "-o", "LogLevel=INFO"];
const NO_TERMINAL: readonly string[] = ["-T", ...UNATTENDED];

/**
 * The arguments that run a command on the machine without a terminal. Its shell reads the command; `ssh` asks nothing. Where the
 * connection that it is to share is gone, it makes one of its own.
 */
export function buildCommandArguments(login: SshLogin, command: string): readonly string[] {
  // Of an option that is named twice, the first counts.
  const path = login.shared === undefined ? [] : ["-o", `ControlPath=${quoteForSsh(login.shared)}`];
  const ciphers = login.ciphers === undefined ? [] : ["-o", `Ciphers=${login.ciphers}`];
  const options = [...NO_TERMINAL, "-o", "ClearAllForwardings=yes", ...ciphers];
  return [...path, ...optionsOf(login), ...options, ...targetOf(login), command];
}

/** The arguments that open a connection which commands share by this socket, for as long as the program runs. */
export function buildShareArguments(login: SshLogin, socket: string): readonly string[] {
  const options = ["ControlMaster=yes", `ControlPath=${quoteForSsh(socket)}`, "ControlPersist=no"];
  return [...options.flatMap((option) => ["-o", option]), ...buildCommandArguments(login, UNTIL_LEFT)];
}

/** The arguments that log in with a terminal, which this program reads and types into. */
export function buildTerminalArguments(login: SshLogin): readonly string[] {
  return ["-tt", ...optionsOf(login), ...UNATTENDED, "-o", "ClearAllForwardings=yes", ...targetOf(login)];
}

/** From a port of this computer to one of the machine; each 1 to 65535. */
export interface Forward {
  readonly local: number;
  readonly remote: number;
}

/**
 * The arguments that forward one port for as long as the program runs, and nothing else. The person's configuration isn't read: it
 * may forward ports of this computer to the machine, and the option against that would clear this one, too. `kept` is what the login
 * needs of it.
 */
export function buildForwardArguments(
  login: SshLogin,
  { local, remote }: Forward,
  kept: readonly SshOption[] = [],
): readonly string[] {
  const options = [...optionsOf({ ...login, config: "none" }), ...toArguments(kept)];
  const path = `127.0.0.1:${local}:127.0.0.1:${remote}`;
  return [...options, ...NO_TERMINAL, "-o", "ExitOnForwardFailure=yes", "-L", path, ...targetOf(login), UNTIL_LEFT];
}

/** What a connection that is kept open prints once it is there, and with it the port that it forwards. */
export const OPENED = "cloud-gpu-open";
/**
 * Ends with its input, so a connection ends with the program that started it, however that ends. If that was killed, `ssh` waits for
 * those who are connected.
 */
const UNTIL_LEFT = `echo ${OPENED}; exec cat >/dev/null`;

/** Options of the person's own that say how to log in, and do nothing else. */
const LOGIN_OPTIONS: ReadonlySet<string> = new Set([
  "identityagent",
  "identityfile",
  "certificatefile",
  "pkcs11provider",
  "securitykeyprovider",
]);

/** Others that say how to talk to a host. `ssh` reads their values as it prints them. */
const TALK_OPTIONS: ReadonlySet<string> = new Set([
  ...["addkeystoagent", "bindaddress", "bindinterface", "casignaturealgorithms", "ciphers", "compression"],
  ...["connecttimeout", "escapechar", "hostkeyalgorithms", "identitiesonly", "ipqos", "kexalgorithms", "loglevel"],
  ...["macs", "pubkeyacceptedalgorithms", "pubkeyacceptedkeytypes", "pubkeyauthentication", "rekeylimit"],
  ...["requesttty", "requiredrsasize", "tcpkeepalive"],
]);

/** Whether the configuration that `ssh -G` printed leads to a host another way than by its name: names may be known only there. */
export function isLedElsewhere(printed: string, host: string): boolean {
  const [, hostname] = /^hostname (\S+)\r?$/m.exec(printed) ?? [];
  const isRenamed = hostname !== undefined && hostname.toLowerCase() !== host.toLowerCase();
  return isRenamed || /^proxy(?:jump|command) (?!none\r?$)/m.test(printed);
}

/** What a configuration may name as a jump host, or several; the last one is where it leads on from. */
const JUMPS =
  /^(?:(?<before>[\w.@:[\],-]+),)?(?:(?<user>[\w.-]+)@)?(?<host>\w[\w.-]*|\[[\da-fA-F:]+\])(?::(?<port>\d+))?$/;

/**
 * How the configuration that `ssh -G` printed leads to a host, in options that mean the same to whoever doesn't read it, or knows the host
 * by another name. A jump host may be known only there, so it is a command that reads it. `config` is as in a login.
 */
export function readWay(printed: string, host: string, config?: string): readonly SshOption[] {
  if (!isLedElsewhere(printed, host)) return [];
  const all = listPrinted(printed);
  const printedOf = (name: string) => all.find(([one]) => one === name)?.[1];
  const [hostname, command, jump] = ["hostname", "proxycommand", "proxyjump"].map(printedOf);
  const { before, user, host: last, port } = JUMPS.exec(jump ?? "")?.groups ?? {};
  const words = [
    ...(config === undefined ? [] : ["-F", `"${config.replaceAll("%", "%%")}"`]),
    ...(user === undefined ? [] : ["-l", user]),
    ...(port === undefined ? [] : ["-p", port]),
    ...(before === undefined ? [] : ["-J", before]),
  ];
  const jumping = last && ["ssh", ...words, "-W", '"[%h]:%p"', last.replace(/^\[(.*)\]$/, "$1")].join(" ");
  const way = { hostname, proxycommand: command === "none" ? undefined : (command ?? jumping) };
  return Object.entries(way).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

/** What of the configuration that `ssh -G` printed a login needs. A proxy command isn't among it: ours is named apart. */
export function readLoginOptions(printed: string): readonly SshOption[] {
  return listPrinted(printed).flatMap(([name, value]) => {
    // A file is quoted for it to stay one; `ssh` prints it as it was written, with what it stands for still in it.
    const written = /^[\w@%+=:,./~-]+$/.test(value) ? value : `"${value.replaceAll('"', '\\"')}"`;
    return LOGIN_OPTIONS.has(name) ? [[name, written] as const] : [];
  });
}

const listPrinted = (printed: string): readonly SshOption[] =>
  printed.split("\n").flatMap((line) => {
    const [, name = "", value = ""] = /^(\w+) (.+)$/.exec(line.trim()) ?? [];
    return name === "" ? [] : [[name, value] as const];
  });

/**
 * What `ssh` would do for a host by its name, and doesn't for the IP address that it is told to connect to: `Match host` and `%h` go by
 * that. Each is what `ssh -G` printed.
 */
export function findLostOptions(host: string, byName: string, byAddress: string): readonly SshOption[] {
  const read = (printed: string) => [
    ...readLoginOptions(printed),
    ...listPrinted(printed).filter(([name]) => TALK_OPTIONS.has(name)),
  ];
  const withHost = (value: string) => value.replaceAll(/%(.)/g, (both, sign) => (sign === "h" ? host : both));
  const named = read(byName).map(([name, value]) => [name, withHost(value)] as const);
  const addressed = read(byAddress);
  const valuesOf = (all: readonly SshOption[], name: string) =>
    all.flatMap(([one, value]) => (one === name ? [value] : [])).join("\n");
  return named.filter(([name]) => valuesOf(named, name) !== valuesOf(addressed, name));
}

/** Options for the command line. */
export const toArguments = (options: readonly SshOption[]): readonly string[] =>
  options.flatMap(([name, value]) => ["-o", `${name}=${value}`]);

function optionsOf(login: SshLogin): readonly string[] {
  const { config, identity, connectTo } = login;
  return [
    ...(config === undefined ? [] : ["-F", config]),
    ...(connectTo === undefined ? [] : ["-o", `HostName=${connectTo}`]),
    ...toArguments(buildProtectiveOptions(login)),
    // With a full agent, a machine refuses before the key that it admits was tried.
    ...(identity === undefined ? [] : ["-o", "IdentitiesOnly=yes", "-i", identity.replaceAll("%", "%%")]),
  ];
}

/** What is named before counts more than what is kept. */
function targetOf({ address: { host, port }, kept = [] }: SshLogin): readonly string[] {
  return [...toArguments(kept), "-p", String(port), "--", `root@${host}`];
}

/** The same to paste into a POSIX shell. The default place of the host keys needs no quotes in any shell. */
export function formatSshCommand(login: SshLogin): string {
  return ["ssh", ...buildSshArguments(login).map(quote)].join(" ");
}

/** Unlike `quoteWord`, leaves `~` bare, which `ssh` expands itself: the usual command needs no quotes that only some shells read. */
function quote(text: string): string {
  return /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
