// Who is signed in where: a fresh object on every transition, so that a late answer of an earlier one can be told apart.
import { createHash } from "node:crypto";
import { type Account, type Client, type ClientOptions, createClient } from "../../api/client.ts";
import type { Network } from "../../api/transport.ts";
import { type Address, parseAddress } from "../../domain/base/address.ts";
import { parseApiKey } from "../../domain/base/api-key.ts";
import { AppError } from "../../domain/base/error.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { rememberSecret } from "../../lib/redact.ts";
import { lazily } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import { ownerOf, proveKey } from "./key-check.ts";
import { newsOf, originOf, type Profile, type Profiles, profileFor, type SessionNews, type Vault } from "./profiles.ts";

export interface SignedOut {
  readonly kind: "signed-out";
}

export interface SignedIn {
  readonly kind: "signed-in";
  readonly address: Address;
  readonly client: Client;
  /** Whose key this is, asked once; undefined where the service does not say. */
  readonly account: () => Promise<Account | undefined>;
  /** The service's id of the account, as far as it was told already. */
  readonly user: () => number | undefined;
  /** True for the sandbox: nothing costs money there, and the key was never stored. */
  readonly sandbox: boolean;
  /** Which of the accounts signed in to it is; empty for the sandbox, which is none of them. */
  readonly profile: string;
  /** Tells accounts apart in stored facts without naming a key: a digest of origin and key. */
  readonly tag: string;
}

export type Session = SignedOut | SignedIn;

export interface SessionOptions {
  readonly vault: Vault;
  readonly profiles: Profiles;
  /** The chosen base address as the settings hold it; empty where none is chosen. */
  readonly chosen: () => string;
  readonly choose: (baseUrl: string) => Promise<void>;
  readonly network: () => Network;
  readonly log: Log;
  /** Tells other windows of a sign-in or sign-out that happened here. */
  readonly announce: (news: SessionNews) => void;
  /** Multiplies the gaps between calls; below 1 only for a service known to have no limits. */
  readonly pace?: number;
  /** Makes the client for an account; another than the usual one only for tests. */
  readonly connect?: (options: ClientOptions) => Client;
}

const SANDBOX = "";
const SIGNED_OUT: SignedOut = { kind: "signed-out" };

export class SessionService {
  readonly #options: SessionOptions;
  readonly #changes = new Emitter<Session>();
  readonly onDidChange = this.#changes.event;
  #current: Session = SIGNED_OUT;
  #key: string | undefined;
  /** Transitions run one after the other: another window's news must not cut into a sign-in half done. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get current(): Session {
    return this.#current;
  }

  /** @throws AppError `signed-out`. */
  signedIn(): SignedIn {
    if (this.#current.kind !== "signed-in") throw new AppError("signed-out", t("You are not signed in."));
    return this.#current;
  }

  /** For what was confirmed in one account and must not happen in another. @throws AppError `rejected`. */
  assertStill(account: SignedIn): void {
    if (this.#current !== account)
      throw new AppError("rejected", t("You switched accounts in the meantime. Nothing was done."), { notSent: true });
  }

  /** Whether an account's key still works; where that cannot be asked it is taken to. */
  async accepts({ client }: SignedIn): Promise<boolean> {
    try {
      await proveKey(client, undefined);
    } catch (error) {
      if (error instanceof AppError && error.kind === "key-refused") return false;
    }
    return true;
  }

  /** What the service said it does not have is asked for once more: somebody refreshes. @throws AppError `signed-out`. */
  askAnew(): void {
    this.signedIn().client.forgetLacks();
  }

  /**
   * Takes up what settings and vault say now, asking no server. Called at start and whenever another window may have
   * signed in or out. The sandbox is left alone: it was started here and ends here.
   */
  restore(): Promise<void> {
    return this.#inTurn(async () => {
      if (!(this.#current.kind === "signed-in" && this.#current.sandbox)) await this.#takeUp();
    });
  }

  async #takeUp(): Promise<void> {
    const { profiles, vault } = this.#options;
    const address = this.#chosen();
    const id = address && profiles.active(address.origin);
    const key = id === undefined ? undefined : await vault.read(id);
    if (!address || id === undefined || key === undefined) return this.#become(SIGNED_OUT, undefined);
    if (!profiles.find(id)) profiles.put({ id, base: address.base, name: address.host, user: undefined });
    if (!this.#is(address, key)) this.#become(this.#open(address, key, id), key);
  }

  #is(address: Address, key: string): boolean {
    return this.#current.kind === "signed-in" && this.#current.address.base === address.base && this.#key === key;
  }

  #chosen(): Address | undefined {
    const chosen = this.#options.chosen();
    if (chosen === "") return undefined;
    try {
      return parseAddress(chosen);
    } catch (error) {
      this.#options.log.warn("The address in the settings cannot be used.", error);
      return undefined;
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {});
    return mine;
  }

  /**
   * Tries a key by a real call before anything is kept.
   * @throws AppError: `rejected` for an address or key that cannot be used, else what the service answered.
   */
  async check(
    baseUrl: string,
    apiKey: string,
    signal?: AbortSignal,
  ): Promise<{ address: Address; key: string; account: Account | undefined }> {
    const address = parseAddress(baseUrl);
    const key = parseApiKey(apiKey);
    const client = this.#client(address, key);
    try {
      return { address, key, account: await proveKey(client, signal) };
    } finally {
      client.close();
    }
  }

  /**
   * Stores the key for its origin and switches to it. An account that was signed in to before gets the new key; another
   * one stands beside it. Where the service does not say whose key it is, it takes the place of the one there, unless
   * `add` says that it is another account's.
   * @throws AppError where the key was not accepted: then nothing is stored.
   */
  async signIn(baseUrl: string, apiKey: string, signal?: AbortSignal, add = false): Promise<void> {
    const { address, key, account } = await this.check(baseUrl, apiKey, signal);
    signal?.throwIfAborted();
    await this.#inTurn(async () => {
      const { vault, profiles, choose, announce } = this.#options;
      const id = await profileFor({ vault, profiles }, { origin: address.origin, key, user: account?.id, add });
      await vault.store(id, key);
      profiles.put({ id, base: address.base, name: account?.name ?? address.host, user: account?.id });
      profiles.activate(address.origin, id);
      await choose(address.base);
      this.#become(this.#open(address, key, id), key);
      announce(newsOf(profiles, id, true));
    });
  }

  /** The accounts that can be switched to. */
  get profiles(): readonly Profile[] {
    return this.#options.profiles.all();
  }

  /** Switches to an account signed in to before, asking no server. @throws AppError where it or its key is not there. */
  switchTo(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const { vault, profiles, choose, announce } = this.#options;
      const profile = profiles.find(id);
      if (!profile) throw new AppError("not-found", t("That account is not in the list (any more). Nothing was done."));
      const key = await vault.read(id);
      if (key === undefined)
        throw new AppError("signed-out", t("The key of {0} is no longer there. Sign in again.", profile.name));
      const address = parseAddress(profile.base);
      profiles.activate(address.origin, id);
      await choose(address.base);
      if (this.#is(address, key)) return;
      this.#become(this.#open(address, key, id), key);
      announce(newsOf(profiles, id, true));
    });
  }

  /**
   * Follows what another window did. A sign-out there removes the key here too: some editors keep a copy of the secrets
   * in every window and would otherwise go on with a key that its owner took away.
   */
  follow({ origin, signedIn, profile }: SessionNews): Promise<void> {
    return this.#inTurn(async () => {
      const { vault, profiles } = this.#options;
      const id = profile && originOf(profile.id) === origin ? profile.id : origin;
      if (!signedIn) {
        await vault.remove(id);
        profiles.drop(id);
      } else {
        // This window's notes may be older than the other's.
        if (profile?.id === id) profiles.put(profile);
        profiles.activate(origin, id);
      }
      if (!(this.#current.kind === "signed-in" && this.#current.sandbox)) await this.#takeUp();
    });
  }

  /** Switches to a sandbox; neither its key nor its address is kept. */
  async enterSandbox(baseUrl: string, apiKey: string): Promise<void> {
    const { address, key } = await this.check(baseUrl, apiKey);
    await this.#inTurn(async () => this.#become(this.#open(address, key, SANDBOX), key));
  }

  /**
   * Forgets the key of the current account. Out of a sandbox it leads back to whoever was signed in before.
   * @throws AppError `rejected` where the account is no longer the one that was asked about.
   */
  signOut(asked: Session = this.#current): Promise<void> {
    return this.#inTurn(async () => {
      const { vault, profiles, announce } = this.#options;
      const leaving = this.#current;
      if (leaving.kind === "signed-out") return;
      if (asked.kind === "signed-in") this.assertStill(asked);
      this.#become(SIGNED_OUT, undefined);
      if (leaving.sandbox) return this.#takeUp();
      await vault.remove(leaving.profile);
      profiles.drop(leaving.profile);
      announce(newsOf(profiles, leaving.profile, false));
    });
  }

  dispose(): void {
    this.#changes.dispose();
    if (this.#current.kind === "signed-in") this.#current.client.close();
  }

  #open(address: Address, key: string, profile: string): SignedIn {
    rememberSecret(key);
    const client = this.#client(address, key);
    const tag = createHash("sha256").update(`${address.origin}\n${key}`).digest("hex").slice(0, 16);
    const account = lazily(async () => {
      const owner = await ownerOf(client);
      if (owner) this.name({ profile, address }, owner);
      return owner;
    });
    const user = () => this.#options.profiles.find(profile)?.user;
    return { kind: "signed-in", address, client, account, user, sandbox: profile === SANDBOX, profile, tag };
  }

  /** Notes whose account it is, as soon as the service says it: when it is asked, or by the way. */
  name({ profile: id, address }: Pick<SignedIn, "profile" | "address">, owner: Pick<Account, "id" | "name">): void {
    const { profiles } = this.#options;
    const known = profiles.find(id);
    if (known) profiles.put({ id, base: address.base, name: owner.name ?? known.name, user: owner.id ?? known.user });
  }

  #client(address: Address, apiKey: string): Client {
    const { network, log, pace = 1, connect = createClient } = this.#options;
    return connect({ baseUrl: address.base, apiKey, network: network(), log, pace });
  }

  #become(next: Session, key: string | undefined): void {
    const before = this.#current;
    if (before.kind === "signed-out" && next.kind === "signed-out") return;
    this.#current = next;
    this.#key = key;
    if (before.kind === "signed-in") before.client.close();
    this.#changes.fire(next);
  }
}
