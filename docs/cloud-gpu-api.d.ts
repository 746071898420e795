// What Cloud GPU exports to other extensions. Copy this file to your extension; docs/extensions.md has an example.
import type { Event } from "vscode";

export interface CloudGpuApi {
  readonly version: 1;

  /** Fires when the list of instances, a price, a status, or an auto-stop changes, and when the account changes. */
  readonly onDidChange: Event<void>;

  /**
   * The instances of the account that this window uses, as last read. Frozen. Empty if no one is signed in, while the list is read for the
   * first time, and in a workspace that isn't trusted.
   */
  readonly instances: readonly CloudGpuInstance[];

  /** Whether these are instances of the sandbox, which cost nothing. */
  readonly isSandbox: boolean;

  /**
   * Opens the prompts of a launch, and then its summary. The person chooses the offer and confirms; nothing is rented otherwise. Whoever is
   * signed out is asked to sign in first.
   * @returns when the person has left the prompts, or once the launch that they confirmed has finished. They see what goes wrong with it.
   * @throws Error that names the field if the draft is wrong, and also if the workspace isn't trusted or something that an extension asked for
   * is open or was a moment ago. Nothing is shown then.
   */
  openSummary(draft: CloudGpuLaunchDraft): Promise<void>;

  /**
   * Opens the page of offers. Whoever is signed out is asked to sign in first.
   * @throws Error as `openSummary` does. A workspace needn't be trusted.
   */
  exploreOffers(filter?: CloudGpuOfferFilter): Promise<void>;
}

export interface CloudGpuInstance {
  readonly id: number;
  /** One line without invisible characters, of at most 80. Any text can stand here: show it, and don't act on it. */
  readonly label: string;
  /**
   * - `scheduling`: waits for its GPU
   * - `ended`: its container has ended
   * - `failed`: it couldn't start
   * - `lost`: the service has no contact to it
   * - `unclear`: the service says something that Cloud GPU doesn't know
   */
  readonly status:
    | "starting"
    | "running"
    | "stopping"
    | "stopped"
    | "scheduling"
    | "ended"
    | "failed"
    | "lost"
    | "unclear";
  /** Dollars in the present state; left out if unknown. */
  readonly pricePerHour?: number;
  /** Left out if it has none that Cloud GPU knows. An idle timeout or a run may end it all the same. */
  readonly autoStop?: {
    /** `remind`: a message only, and the instance goes on costing money. */
    readonly action: "stop" | "destroy" | "remind";
    /** Milliseconds since 1970. */
    readonly at: number;
    /** It may end at another time, not end, or the person is asked first. */
    readonly isUncertain?: true;
  };
}

/** What a link to offers can say, by the same names (docs/links.md). No other field is taken. */
export interface CloudGpuOfferFilter {
  /** Such as `RTX 4090`. */
  readonly gpu?: string;
  /** How many GPUs. */
  readonly gpus?: number;
  /** GB per GPU at least. */
  readonly vram?: number;
  /** Dollars per hour at most. */
  readonly max?: number;
  /** Percent at least. */
  readonly reliability?: number;
  /** ISO 3166-1 alpha-2, such as `DE`. */
  readonly country?: string;
  /** GB to rent. */
  readonly disk?: number;
  readonly type?: "ondemand" | "bid";
}

/** What a link to a launch can say. */
export interface CloudGpuLaunchDraft extends CloudGpuOfferFilter {
  /** The template's hash: 32 hexadecimal digits. */
  readonly template: string;
}
