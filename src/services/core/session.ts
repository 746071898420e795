// Who is signed in, and where. Every transition creates a new object, so that late responses to an earlier session can
// be recognized.
import { createHash } from "node:crypto";
import type { Account, Client } from "../../api/client.ts";
import { type Address, parseAddress } from "../../domain/base/address.ts";
import { AppError } from "../../domain/base/error.ts";
import { Emitter } from "../../lib/event.ts";
import { rememberSecret } from "../../lib/redact.ts";
import { createLazy, createQueue } from "../../lib/task.ts";
import { t } from "../../lib/text.ts";
import { type CheckedKey, checkKey, findOwner } from "./key-check.ts";
import { createKeyLeftError, KeyRemovals } from "./key-removals.ts";
import {
  findProfile,
  formatAccountName,
  type Profiles,
  readOrigin,
  type SessionChange,
  toSessionChange,
} from "./profiles.ts";
import { connectTo, parseChosenAddress, type SessionOptions } from "./session-options.ts";
import { storeKey } from "./store-key.ts";

interface SignedOut {
  readonly kind: "signed-out";
}

export interface SignedIn {
  readonly kind: "signed-in";
  readonly address: Address;
  readonly client: Client;
  /** The account this key belongs to, requested once; undefined if the service doesn't say. */
  readonly account: () => Promise<Account | undefined>;
  /** The service's ID for the account, if already known. */
  readonly user: () => number | undefined;
  /** True for the sandbox: nothing costs money there, and the key is never stored. */
  readonly sandbox: boolean;
  /** The profile of the account; empty for the sandbox, which has none. */
  readonly profile: string;
  /** Identifies the account in stored facts without revealing the key: a digest of origin and key. */
  readonly tag: string;
}

export type Session = SignedOut | SignedIn;

const SANDBOX = "";
const SIGNED_OUT: SignedOut = { kind: "signed-out" };

export class SessionService {
  readonly #options: SessionOptions;
  readonly #changes = new Emitter<Session>();
  readonly onDidChange = this.#changes.event;
  readonly #forgets = new Emitter<string>();
  /** Fires with an account's profile when it is signed out of, here or in another window. */
  readonly onDidForget = this.#forgets.event;
  #current: Session = SIGNED_OUT;
  #key: string | undefined;
  /** Transitions run one at a time: an event from another window must not interrupt a sign-in. */
  readonly #inTurn = createQueue();
  /** Accounts that another window signed out of, until it is their turn here. */
  readonly #leaving = new Set<string>();
  /** What other windows did last with each account. */
  readonly #heard = new Map<string, SessionChange>();
  readonly #removals: KeyRemovals;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#removals = new KeyRemovals(options);
  }

  get current(): Session {
    return this.#current;
  }

  /** @throws AppError `signed-out`. */
  requireSignedIn(): SignedIn {
    if (this.#current.kind !== "signed-in") throw new AppError("signed-out", t("You aren't signed in."));
    return this.#current;
  }

  /** For what was confirmed in one account and must not happen in another. @throws AppError `rejected`. */
  assertStill(account: SignedIn): void {
    if (this.#current !== account)
      throw new AppError("rejected", t("You switched accounts. Nothing was changed."), { notSent: true });
  }

  /**
   * Retries endpoints that the service said it lacks, because the person chose Refresh.
   * @throws AppError `signed-out`.
   */
  retryMissingEndpoints(): void {
    this.requireSignedIn().client.forgetMissingEndpoints();
  }

  /**
   * Applies what the settings and the key store contain now, without asking a server. Called at startup and whenever
   * another window may have signed in or out. Ignores the sandbox: it belongs to this window.
   */
  restore(): Promise<void> {
    return this.#inTurn(() => this.#takeUp());
  }

  async #takeUp(): Promise<void> {
    if (this.#current.kind === "signed-in" && this.#current.sandbox) return;
    const { profiles } = this.#options;
    const address = parseChosenAddress(this.#options);
    const id = address && profiles.findActiveAt(address);
    const key = id === undefined || profiles.isKeyLeft(id) ? undefined : await this.#readKey(id);
    if (!address || id === undefined || key === undefined) return this.#become(SIGNED_OUT, undefined);
    if (!profiles.find(id)) profiles.put({ id, base: address.base, name: address.host, user: undefined });
    if (!this.#is(address, key)) this.#become(this.#open(address, key, id), key);
  }

  #is(address: Address, key: string): boolean {
    return this.#current.kind === "signed-in" && this.#current.address.base === address.base && this.#key === key;
  }

  /** Nothing for an account that was signed out of while the key store took its time. */
  async #readKey(id: string): Promise<string | undefined> {
    const key = await this.#options.keyStore.read(id);
    return this.#leaving.has(id) ? undefined : key;
  }

  /** @throws AppError as `checkKey` does. */
  check(baseUrl: string, apiKey: string, signal?: AbortSignal): Promise<CheckedKey> {
    return checkKey(this.#options, baseUrl, apiKey, signal);
  }

  /**
   * Stores the key for its origin and switches to it. If the account was signed in to before, its key is replaced; a
   * different account gets its own profile. If the service doesn't say which account the key belongs to, it replaces
   * the existing one, unless `add` says that it belongs to another account.
   * @throws AppError if the key wasn't accepted. Nothing is stored then.
   */
  async signIn(baseUrl: string, apiKey: string, signal?: AbortSignal, add = false): Promise<void> {
    const { address, key, account } = await this.check(baseUrl, apiKey, signal);
    signal?.throwIfAborted();
    await this.#inTurn(async () => {
      const { keyStore, profiles, choose, announce } = this.#options;
      const id = await findProfile({ keyStore, profiles }, { ...address, key, user: account?.id, add });
      await storeKey(keyStore, id, key, () => choose(address.base));
      this.#removals.supersede(id);
      profiles.put({ id, base: address.base, name: account?.name ?? address.host, user: account?.id });
      profiles.activate(address.origin, id);
      this.#become(this.#open(address, key, id), key);
      announce(toSessionChange(profiles, id, true));
    });
  }

  /** The accounts that can be switched to, and what they are called. */
  get profiles(): Omit<Profiles, "put" | "drop" | "activate"> {
    return this.#options.profiles;
  }

  /**
   * Switches to an account that was signed in to before, without asking a server.
   * @throws AppError if it or its key is missing.
   */
  switchTo(id: string): Promise<void> {
    return this.#inTurn(async () => {
      const { profiles, choose, announce } = this.#options;
      const profile = profiles.find(id);
      if (!profile) throw new AppError("not-found", t("That account is no longer in the list. Nothing was changed."));
      const key = await this.#readKey(id);
      if (key === undefined)
        throw new AppError(
          "signed-out",
          t("The API key of {0} is no longer stored. Sign in again.", formatAccountName(profile)),
        );
      const address = parseAddress(profile.base);
      // What fails changes nothing, now or at the next start.
      await choose(address.base);
      profiles.activate(address.origin, id);
      if (this.#is(address, key)) return;
      this.#become(this.#open(address, key, id), key);
      announce(toSessionChange(profiles, id, true));
    });
  }

  /**
   * Follows what another window did. A sign-out there also removes the key here: some editors keep a copy of the
   * secrets in every window and would otherwise continue to use a key that its owner removed. This window signs out even
   * if its key store fails or hangs.
   */
  async follow(change: SessionChange): Promise<void> {
    const { origin, signedIn, profile } = change;
    const id = profile && readOrigin(profile.id) === origin ? profile.id : origin;
    this.#heard.set(id, change);
    // Before its turn, which comes late while another transition waits for the key store.
    if (!signedIn) this.#leave(id);
    const [forgetting] = await this.#inTurn(async () => {
      const { profiles } = this.#options;
      if (!signedIn) this.#leave(id);
      else {
        // This window's notes may be older than the other window's.
        if (profile?.id === id) profiles.put(profile);
        profiles.activate(origin, id);
        this.#removals.supersede(id);
      }
      const done = signedIn ? undefined : this.#forget(id, this.#heard.get(id)?.signedIn);
      await this.#takeUp();
      return [done];
    });
    await forgetting;
  }

  #leave(id: string): void {
    this.#leaving.add(id);
    if (this.#current.kind === "signed-in" && this.#current.profile === id) this.#become(SIGNED_OUT, undefined);
  }

  /**
   * Its owner may be back in another window by now: then the key there is stays.
   * @returns whether the key is gone. That may take until the window closes, so no turn waits for it.
   */
  async #forget(id: string, isBack = false): Promise<boolean> {
    this.#leaving.delete(id);
    this.#forgets.fire(id);
    return isBack || (await this.#removals.remove(id, () => this.#keepKey(id)));
  }

  async #keepKey(id: string): Promise<void> {
    if (this.#current.kind === "signed-in" && this.#current.profile === id && this.#key !== undefined)
      await this.#options.keyStore.store(id, this.#key);
  }

  /** Switches to a sandbox. Neither its key nor its address is stored. */
  async enterSandbox(baseUrl: string, apiKey: string): Promise<void> {
    const { address, key } = await this.check(baseUrl, apiKey);
    await this.#inTurn(async () => this.#become(this.#open(address, key, SANDBOX), key));
  }

  /**
   * Forgets the current account's key. Leaving a sandbox returns to the account that was signed in before.
   * Signed out already, it tries again to remove a key that couldn't be removed then.
   * @throws AppError `rejected` if the account is no longer the one that the person was asked about, `outcome-unknown` if
   *   the key couldn't be removed. This window and the others are signed out even so.
   */
  async signOut(asked: Session = this.#current): Promise<void> {
    const [forgetting] = await this.#inTurn(async () => {
      const { profiles, announce } = this.#options;
      const leaving = this.#current;
      if (leaving.kind === "signed-out") {
        if (asked.kind === "signed-in" && profiles.find(asked.profile)) this.assertStill(asked);
        const address = parseChosenAddress(this.#options);
        const id = address && profiles.findActiveAt(address);
        return [id === undefined || !profiles.isKeyLeft(id) || this.#forget(id)];
      }
      if (asked.kind === "signed-in") this.assertStill(asked);
      this.#become(SIGNED_OUT, undefined);
      if (leaving.sandbox) return [await this.#takeUp().then(() => true)];
      const done = this.#forget(leaving.profile);
      // Said before the key store has answered: it may hang until the window closes, and the other windows must stop all the same.
      announce(toSessionChange(profiles, leaving.profile, false));
      return [done];
    });
    if (!(await forgetting)) throw createKeyLeftError();
  }

  dispose(): void {
    this.#changes.dispose();
    this.#forgets.dispose();
    if (this.#current.kind === "signed-in") this.#current.client.close();
  }

  #open(address: Address, key: string, profile: string): SignedIn {
    rememberSecret(key);
    const sandbox = profile === SANDBOX;
    // A sandbox has no limits unless it is told to; then it says when to come back.
    const client = connectTo(this.#options, address, key, sandbox ? 0 : this.#options.pace);
    const tag = createHash("sha256").update(`${address.base}\n${key}`).digest("hex").slice(0, 16);
    const account = createLazy(async () => {
      const owner = await findOwner(client);
      if (owner) this.name({ profile, address }, owner);
      return owner;
    });
    const user = () => this.#options.profiles.find(profile)?.user;
    return { kind: "signed-in", address, client, account, user, sandbox, profile, tag };
  }

  /** Stores the account's name and ID as soon as the service provides them, on request or with another response. */
  name({ profile: id, address }: Pick<SignedIn, "profile" | "address">, owner: Pick<Account, "id" | "name">): void {
    const { profiles } = this.#options;
    const known = profiles.find(id);
    if (known) profiles.put({ id, base: address.base, name: owner.name ?? known.name, user: owner.id ?? known.user });
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
