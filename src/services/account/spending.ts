// What the signed-in account spent in a span of time: by what was seen here, and by what the service charged.
import type { Charges } from "../../domain/account/charge.ts";
import { type Stretch, traceSpending } from "../../domain/account/spending.ts";
import { type AppError, asAppError } from "../../domain/base/error.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { Ledger } from "./ledger.ts";

/** Epoch milliseconds. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface Spending extends Period {
  readonly stretches: readonly Stretch[];
  /** When the first of it was seen; undefined if nothing ever was. */
  readonly since: number | undefined;
  /** Names of files of what was seen that couldn't be read: they begin with their months. */
  readonly unread: readonly string[];
  /** What the service charged, or why it doesn't say. */
  readonly charged:
    | { readonly kind: "known"; readonly charges: Charges }
    | { readonly kind: "unknown"; readonly error: AppError };
}

interface ReadOptions {
  /** What the service said before: it isn't asked again. */
  readonly charged?: Spending["charged"];
  readonly signal?: AbortSignal;
}

interface Parts {
  readonly session: SessionService;
  readonly ledger: Ledger;
}

export class SpendingService {
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws AppError `rejected` if the account was switched in the meantime, or the disk's error. */
  async read(account: SignedIn, { from, to }: Period, { charged: known, signal }: ReadOptions = {}): Promise<Spending> {
    const { session, ledger } = this.#parts;
    const [{ readings, unread }, charged] = await Promise.all([
      ledger.read(account, from),
      known ?? readCharges(account, { from, to }, signal),
    ]);
    session.assertStill(account);
    const since = readings.reduce<number | undefined>((first, { at }) => Math.min(first ?? at, at), undefined);
    return { from, to, stretches: traceSpending(readings, from, to), since, unread, charged };
  }
}

async function readCharges(
  { client }: SignedIn,
  { from, to }: Period,
  signal: AbortSignal | undefined,
): Promise<Spending["charged"]> {
  try {
    return { kind: "known", charges: await client.listCharges({ from: from / 1000, to: to / 1000 }, signal) };
  } catch (thrown) {
    return { kind: "unknown", error: asAppError(thrown) };
  }
}
