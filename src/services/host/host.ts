// What hosts manage here: background jobs on their machines, and volumes on and off the market (interface 4.1, 4.9).

import { AppError, asAppError } from "../../domain/base/error.ts";
import type { Row, Rows } from "../../domain/base/wire.ts";
import type { BackgroundJobs } from "../../domain/host/background-jobs.ts";
import type { Volume, VolumeOffer } from "../../domain/instance/volume.ts";
import type { Clock } from "../../lib/clock.ts";
import { Emitter } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { Collection, type ReadableCollection } from "../core/collection.ts";
import { getLast } from "../core/loaded.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

export interface HostLists {
  /** What the account has rented or created. */
  readonly volumes: readonly Row<Volume>[];
  /** What the account rents out. */
  readonly listings: readonly Row<VolumeOffer>[];
  readonly unreadable: number;
  /** Why volumes aren't listed; undefined if they are. */
  readonly without: "unsupported" | "not-allowed" | undefined;
}

/** The service's response to the host's last action in this session. */
export interface HostAnswer {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly about: { readonly machine: number } | { readonly listing: number };
  readonly outcome: "done" | "refused" | "unknown";
  readonly text: string;
  /** The service's echo of the request. It may contain what the person entered, including secrets. */
  readonly sent: Readonly<Record<string, unknown>> | undefined;
}

export class HostService {
  readonly #collection: Collection<HostLists>;
  readonly #session: SessionService;
  readonly #clock: Clock;
  readonly #answers = new Emitter<void>();
  readonly onDidAnswer = this.#answers.event;
  #last: { readonly account: SignedIn; readonly answer: HostAnswer } | undefined;

  constructor(session: SessionService, clock: Clock) {
    this.#session = session;
    this.#clock = clock;
    this.#collection = new Collection({ session, clock, read });
  }

  get collection(): ReadableCollection<HostLists> {
    return this.#collection;
  }

  /** From this session only: responses to another account must not be shown here. */
  get lastAnswer(): HostAnswer | undefined {
    return this.#last?.account === this.#session.current ? this.#last?.answer : undefined;
  }

  get listings(): readonly Row<VolumeOffer>[] {
    return getLast(this.#collection.store.current)?.value.listings ?? [];
  }

  /**
   * Replaces the machine's default jobs; sent once.
   * @throws AppError with a sentence that says none were created, or `outcome-unknown`.
   */
  async createJobs(account: SignedIn, jobs: BackgroundJobs): Promise<HostAnswer> {
    const { machine } = jobs;
    return this.#once(account, { machine }, async ({ client }) => {
      const sent = await client.createBackgroundJobs(jobs);
      return { text: t("Created background jobs on machine {0}.", machine), sent };
    });
  }

  /**
   * Takes a volume off the market; sent once.
   * @throws AppError with a sentence that says it stays, or `outcome-unknown`.
   */
  async unlist(account: SignedIn, listing: number): Promise<HostAnswer> {
    try {
      return await this.#once(account, { listing }, async ({ client }) => {
        const said = await client.unlistVolume(listing);
        return { text: said === "" ? t("Volume {0} is no longer listed.", listing) : said, sent: undefined };
      });
    } finally {
      if (this.#session.current === account) void this.collection.refresh();
    }
  }

  async #once(
    account: SignedIn,
    about: HostAnswer["about"],
    send: (account: SignedIn) => Promise<Pick<HostAnswer, "text" | "sent">>,
  ): Promise<HostAnswer> {
    this.#session.assertStill(account);
    try {
      const answer: HostAnswer = { at: this.#clock.now(), about, outcome: "done", ...(await send(account)) };
      this.#keep(account, answer);
      return answer;
    } catch (thrown) {
      const error = inWords(about, asAppError(thrown));
      const outcome = error.kind === "outcome-unknown" ? "unknown" : "refused";
      this.#keep(account, { at: this.#clock.now(), about, outcome, text: error.message, sent: undefined });
      throw error;
    }
  }

  #keep(account: SignedIn, answer: HostAnswer): void {
    this.#last = { account, answer };
    this.#answers.fire();
  }

  dispose(): void {
    this.#collection.dispose();
    this.#answers.dispose();
  }
}

/** Says what failed and the service's reason. If the outcome is unknown, says where to look before trying again. */
function inWords(about: HostAnswer["about"], error: AppError): AppError {
  if (error.kind === "key-refused") return error;
  const message =
    error.kind === "outcome-unknown" ? describeUnknown(about, error.message) : describeFailure(about, error.message);
  return new AppError(error.kind, message, { ...error.facts, cause: error });
}

function describeUnknown(about: HostAnswer["about"], reason: string): string {
  return "machine" in about
    ? t("{0} Check machine {1} on the service's website before you create its jobs again.", reason, about.machine)
    : t("{0} Check whether volume {1} is still listed before you try again.", reason, about.listing);
}

function describeFailure(about: HostAnswer["about"], reason: string): string {
  return "machine" in about
    ? t("Couldn't create background jobs on machine {0}: {1}", about.machine, reason)
    : t("Couldn't unlist volume {0}: {1}", about.listing, reason);
}

const NONE = { rows: [], unreadable: 0 };

async function read(
  { client, account }: SignedIn,
  signal: AbortSignal,
  partly: (lists: HostLists) => void,
): Promise<HostLists> {
  try {
    const volumes = await client.listVolumes(signal);
    partly({ volumes: volumes.rows, listings: [], unreadable: volumes.unreadable, without: undefined });
    const me = (await account())?.id;
    // The account's own listings are found by its ID. Without the ID, they can't be told apart from other hosts'.
    const listings: Rows<VolumeOffer> =
      me === undefined
        ? NONE
        : await client.searchVolumes({ host_id: { eq: me }, rentable: { in: [true, false] }, limit: 200 }, signal);
    const unreadable = volumes.unreadable + listings.unreadable;
    return { volumes: volumes.rows, listings: listings.rows, unreadable, without: undefined };
  } catch (thrown) {
    const { kind } = asAppError(thrown);
    if (kind !== "unsupported" && kind !== "not-allowed") throw thrown;
    return { volumes: [], listings: [], unreadable: 0, without: kind };
  }
}
