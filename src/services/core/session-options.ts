// What the session needs from whoever starts the product.
import { type Client, type ClientOptions, createClient } from "../../api/client.ts";
import type { Network } from "../../api/transport.ts";
import { type Address, parseAddress } from "../../domain/base/address.ts";
import type { Log } from "../../lib/log.ts";
import type { KeyStore, Profiles, SessionChange } from "./profiles.ts";

export interface SessionOptions {
  readonly keyStore: KeyStore;
  readonly profiles: Profiles;
  /** The chosen base address from the settings, or empty if none is chosen. */
  readonly chosen: () => string;
  readonly choose: (baseUrl: string) => Promise<void>;
  readonly network: () => Network;
  readonly log: Log;
  /** Tells other windows about a sign-in or sign-out in this one. */
  readonly announce: (change: SessionChange) => void;
  /** Multiplies the gaps between calls; below 1 only for a service known to have no limits. */
  readonly pace?: number;
  /** Creates the client for an account. Only tests replace it. */
  readonly connect?: (options: ClientOptions) => Client;
}

/** The address from the settings; undefined if none is chosen, or one that can't be used. */
export function parseChosenAddress({ chosen, log }: SessionOptions): Address | undefined {
  const address = chosen();
  if (address === "") return undefined;
  try {
    return parseAddress(address);
  } catch (error) {
    log.warn("The address in the settings cannot be used.", error);
    return undefined;
  }
}

/** A client for a key. `pace` multiplies the gaps between calls. */
export function connectTo(
  { network, log, connect = createClient }: SessionOptions,
  address: Address,
  apiKey: string,
  pace = 1,
): Client {
  return connect({ baseUrl: address.base, apiKey, network: network(), log, pace });
}
