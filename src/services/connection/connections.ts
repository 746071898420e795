// Logging in to a running instance: where its SSH server is, whether it answers yet, and whose keys it admits.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { InstanceId } from "../../domain/base/id.ts";
import { readKeyPlaces } from "../../domain/connection/key-places.ts";
import { findSharedKey, type PublicKey } from "../../domain/connection/public-key.ts";
import { formatReadableName } from "../../domain/connection/readable-name.ts";
import { isSameAddress, type SshAddress } from "../../domain/connection/ssh-address.ts";
import {
  findLostOptions,
  formatHostKeyAlias,
  isLedElsewhere,
  readFastCiphers,
  readWay,
  type SshLogin,
} from "../../domain/connection/ssh-command.ts";
import { getPhase, hasSsh, type Instance } from "../../domain/instance/instance.ts";
import type { Clock } from "../../lib/clock.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import { listMachinePorts, listSshAddresses } from "./addresses.ts";
import { createForbiddenError, findReachable, findSshServer, type LookUp } from "./reachable.ts";
import { findKeyFile, findLocalUser, listLocalKeys, rememberKeyFile } from "./ssh/local-keys.ts";
import { findProxyCommand } from "./ssh/proxy-command.ts";
import type { SshFiles } from "./ssh/ssh-files.ts";
import { printOwnConfiguration } from "./ssh/ssh-program.ts";

interface Services {
  readonly session: SessionService;
  readonly clock: Clock;
  readonly files: SshFiles;
  /** Only tests name one. */
  readonly lookUp?: LookUp;
}

/** Where an SSH server answers, and what the person's configuration says of its host. */
interface Found {
  readonly address: SshAddress;
  readonly connectTo?: string | undefined;
  readonly printed: string;
}

/** What the person's configuration says of an address. */
type Printer = (address: SshAddress) => Promise<string>;

/** Milliseconds. A machine runs up to a minute before its SSH server does; images that install one take longer. */
const PATIENCE = 180_000;
const PAUSE = 3000;
/** After so many tries, the machine is read again: it may be gone, or have got another address. */
const TRIES_PER_READ = 5;

/** Asked for what the person set for all hosts. An address where no one is: `ssh` may look a name up. */
const NO_HOST: SshAddress = { host: "192.0.2.1", port: 22 };

/** A key of this computer that an instance admits; `none`, or `unknown` if the service doesn't say. */
export type AdmittedKey = PublicKey | "none" | "unknown";

export class ConnectionsService {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * The login by the first address at which an SSH server answers. Waits up to 3 min for one.
   * @throws AppError: `rejected` if the instance doesn't run or has no SSH, `gone`, `timeout`, `cancelled`.
   */
  async reach(account: SignedIn, id: InstanceId, signal: AbortSignal): Promise<SshLogin> {
    const { clock } = this.#services;
    const end = clock.elapsed() + PATIENCE;
    const print = this.#createPrinter();
    let instance = await this.#read(account, id, signal);
    for (let turn = 1; ; turn += 1) {
      const found = await this.#findServer(account, listSshAddresses(account, instance), print, signal);
      if (found) {
        this.#services.session.assertStill(account);
        const login = await this.#login(account, instance, found);
        // While it was waited for, the machine may have ended, and its address belong to another one.
        return turn === 1 ? login : await this.recheck(account, id, login);
      }
      if (signal.aborted) throw cancelled();
      if (clock.elapsed() >= end) throw silent(account, instance);
      await clock.sleep(PAUSE, signal).catch((cause) => {
        throw cancelled(cause);
      });
      if (turn % TRIES_PER_READ === 0) instance = await this.#read(account, id, signal);
    }
  }

  /** The first address at which a server answers. @throws AppError `rejected` if none of them may be connected to. */
  async #findServer(
    account: SignedIn,
    addresses: readonly SshAddress[],
    print: Printer,
    signal: AbortSignal,
  ): Promise<Found | undefined> {
    let refused = 0;
    for (const address of addresses) {
      const printed = await print(address);
      // Through a proxy, only `ssh` itself finds out.
      if (findProxyCommand(this.#services.files) !== undefined) return { address, printed };
      const ip = await findSshServer(account, address, this.#services, signal);
      const isLed = isLedElsewhere(printed, address.host);
      if (ip !== undefined && ip !== "forbidden") return { address, printed, connectTo: isLed ? undefined : ip };
      if (
        isLed &&
        (ip === "forbidden" || (await findReachable(account, address.host, this.#services.lookUp)).length === 0)
      )
        return { address, printed };
      if (ip === "forbidden") refused += 1;
    }
    const [first] = addresses;
    if (first && refused === addresses.length) throw createForbiddenError(first.host);
    return undefined;
  }

  /** Asks `ssh` once for each host: a wait takes many turns, and a configuration may run programs. */
  #createPrinter(): Printer {
    const { config } = this.#services.files;
    const known = new Map<string, string>();
    return async (address) => {
      const printed = known.get(address.host) ?? (await printOwnConfiguration({ config, address }));
      // It is asked again if it couldn't say.
      if (printed !== "") known.set(address.host, printed);
      return printed;
    };
  }

  /** @returns the login as it is now, if the instance still runs at its address. @throws AppError as `reach` does. */
  async recheck(account: SignedIn, id: InstanceId, login: SshLogin): Promise<SshLogin> {
    const addresses = listSshAddresses(account, await this.#read(account, id));
    if (addresses.some((one) => isSameAddress(one, login.address))) {
      const proxyCommand = findProxyCommand(this.#services.files);
      return { ...login, proxyCommand, connectTo: proxyCommand === undefined ? login.connectTo : undefined };
    }
    throw new AppError("rejected", t("Instance {0} has another address now. Try again.", id));
  }

  /** The login by the address that is tried first, without connecting. @throws AppError as `reach` does. */
  async describe(account: SignedIn, id: InstanceId): Promise<SshLogin> {
    const instance = await this.#read(account, id);
    const [address] = listSshAddresses(account, instance);
    // Whoever is told connects by name, with their configuration.
    if (address) return { ...(await this.#login(account, instance, await this.#judge(account, address))), kept: [] };
    throw new AppError(
      "rejected",
      t("The service lists no SSH address for instance {0} yet. Try again in a moment.", id),
    );
  }

  /** Without connecting, and by name: whoever is told may connect much later. @throws AppError `rejected` if no one may. */
  async #judge(account: SignedIn, address: SshAddress): Promise<Found> {
    const printed = await this.#createPrinter()(address);
    const isLed = findProxyCommand(this.#services.files) !== undefined || isLedElsewhere(printed, address.host);
    if (!isLed && (await findReachable(account, address.host, this.#services.lookUp)) === "forbidden")
      throw createForbiddenError(address.host);
    return { address, printed };
  }

  /** Where everyone reaches a port right now; undefined if no one does. @throws AppError as `reach` does. */
  async readPublicAddress(account: SignedIn, id: InstanceId, port: number): Promise<SshAddress | undefined> {
    const ports = listMachinePorts(account, await this.#readRunning(account, id));
    const found = ports.find((one) => one.port === port)?.publicAt;
    if (found && (await findReachable(account, found.host, this.#services.lookUp)) === "forbidden")
      throw createForbiddenError(found.host);
    return found;
  }

  async #read(account: SignedIn, id: InstanceId, signal?: AbortSignal): Promise<Instance> {
    const value = await this.#readRunning(account, id, signal);
    if (!hasSsh(value))
      throw new AppError(
        "rejected",
        t("Instance {0} runs its image's own entrypoint without an SSH server, as set in its template.", id),
      );
    return value;
  }

  async #readRunning(account: SignedIn, id: InstanceId, signal?: AbortSignal): Promise<Instance> {
    this.#services.session.assertStill(account);
    const row = await account.client.getInstance(id, signal);
    this.#services.session.assertStill(account);
    if (!row) throw new AppError("gone", t("Instance {0} is no longer in your account.", id));
    const { value } = row;
    if (getPhase(value) !== "running")
      throw new AppError("rejected", t("Instance {0} isn't running. You can connect once it's running.", id));
    return value;
  }

  /** The name that the machine's host key is stored under. */
  getAlias({ address: { host }, sandbox, tag }: SignedIn, id: InstanceId): string {
    // Machines of a sandbox live as long as it does. The next one gives their numbers to others.
    return formatHostKeyAlias(sandbox ? `sandbox-${tag}` : host, id);
  }

  async #login(account: SignedIn, instance: Instance, { address, connectTo, printed }: Found): Promise<SshLogin> {
    const { folder, knownHosts, config } = this.#services.files;
    await mkdir(folder, { recursive: true, mode: 0o700 }).catch((cause) => {
      throw new AppError("rejected", t("Couldn't create the folder {0}, where host keys are stored.", folder), {
        cause,
      });
    });
    const proxyCommand = findProxyCommand(this.#services.files);
    const ciphers = readFastCiphers(printed);
    // Ports are forwarded without the person's configuration, and terminals know the machine by another name.
    const way = proxyCommand === undefined ? readWay(printed, address.host, config) : [];
    const place = connectTo === undefined ? { address, kept: way } : await this.#pin(address, connectTo, printed);
    const names = { alias: this.getAlias(account, instance.id), name: formatReadableName(instance) };
    return { ...place, ...names, knownHosts, config, proxyCommand, ciphers };
  }

  /** Where to connect, with what the person's configuration says of the name. */
  async #pin(address: SshAddress, connectTo: string, printed: string) {
    if (connectTo === address.host) return { address, connectTo };
    const { config } = this.#services.files;
    const kept = findLostOptions(address.host, printed, await printOwnConfiguration({ config, address }, connectTo));
    return { address, connectTo, kept };
  }

  /** The public keys of this computer. */
  async listLocalKeys(): Promise<readonly PublicKey[]> {
    const { folder, config } = this.#services.files;
    const printed = await printOwnConfiguration({ config, address: NO_HOST });
    return await listLocalKeys([dirname(folder), folder], readKeyPlaces(printed, findLocalUser(), process.env));
  }

  /** A key in a file that the person chose; undefined if it isn't one. */
  async rememberKeyFile(path: string): Promise<PublicKey | undefined> {
    return await rememberKeyFile(this.#services.files.folder, path);
  }

  /** The file to log in with by this key; undefined leaves the choice to `ssh`. Never rejects. */
  async findKeyFile(key: PublicKey | undefined): Promise<string | undefined> {
    return key && (await findKeyFile(this.#services.files.folder, key));
  }

  /** Which key of this computer the instance admits. @throws AppError as `findAdmitted` does. */
  async findOwnKey(account: SignedIn, id: InstanceId): Promise<AdmittedKey> {
    return await this.findAdmitted(account, id, await this.listLocalKeys());
  }

  /**
   * Which of these keys the instance admits.
   * @throws AppError if the account was switched or its key is refused, or if the instance is gone.
   */
  async findAdmitted(account: SignedIn, id: InstanceId, keys: readonly PublicKey[]): Promise<AdmittedKey> {
    const listed = await account.client.listInstanceSshKeys(id).catch((thrown) => {
      if (["gone", "not-found", "key-refused", "signed-out"].includes(asAppError(thrown).kind)) throw thrown;
      return undefined;
    });
    this.#services.session.assertStill(account);
    if (!listed) return "unknown";
    const admitted = listed.rows.map(({ value }) => value.public_key);
    return findSharedKey(keys, admitted) ?? (listed.unreadable > 0 ? "unknown" : "none");
  }

  /**
   * Adds a public key to the account, for instances to come, and to this instance.
   * @throws AppError if the instance doesn't take it.
   */
  async addKey(account: SignedIn, id: InstanceId, { line }: PublicKey): Promise<void> {
    this.#services.session.assertStill(account);
    await account.client.createSshKey(line).catch((thrown) => {
      // The account may have the key already, which services call a bad request.
      if (!["rejected", "unsupported"].includes(asAppError(thrown).kind)) throw thrown;
    });
    this.#services.session.assertStill(account);
    await account.client.attachSshKey(id, line);
  }
}

const cancelled = (cause?: unknown) => new AppError("cancelled", t("Canceled."), { cause });

function silent(account: SignedIn, instance: Instance): AppError {
  const [address] = listSshAddresses(account, instance);
  if (!address)
    return new AppError(
      "timeout",
      t("Instance {0} is running, but the service lists no SSH address for it.", instance.id),
    );
  const place = `${address.host}:${address.port}`;
  return new AppError(
    "timeout",
    t(
      "Instance {0} is running, but no SSH server responded at {1} within {2} min. If your network blocks that port, set {3}.",
      instance.id,
      place,
      PATIENCE / 60_000,
      "cloudGpu.connect.proxyCommand",
    ),
  );
}
