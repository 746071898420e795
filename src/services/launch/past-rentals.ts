// What was rented in each account, also after it is gone, so that it can be rented again.
import * as z from "zod";
import type { InstanceId } from "../../domain/base/id.ts";
import type { Instance } from "../../domain/instance/instance.ts";
import { keepPastRentals, PastRental, toPastInstance } from "../../domain/launch/past-rental.ts";
import { stored } from "../../ids.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { getLast } from "../core/loaded.ts";
import type { Notes } from "../core/notes.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { Instances, InstancesService } from "../instance/instances.ts";

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly notes: Notes;
  readonly clock: Clock;
}

const List = z.array(z.unknown());

export class PastRentals implements Disposable {
  readonly #parts: Parts;
  readonly #listening: readonly Disposable[];
  /** Of sandboxes, which are gone with the window. */
  readonly #ofSandbox = new WeakMap<SignedIn, readonly PastRental[]>();
  #list: Instances | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listening = [
      parts.instances.collection.store.onDidChange(() => this.#keep()),
      // The account was signed out of.
      parts.session.onDidForget((profile) => parts.notes.set(stored.pastRentals(profile), undefined)),
    ];
  }

  /** The newest first; those that are still rented are among them. */
  list(account: SignedIn): readonly PastRental[] {
    if (account.sandbox) return this.#ofSandbox.get(account) ?? [];
    const list = List.safeParse(this.#parts.notes.get(stored.pastRentals(account.profile))).data ?? [];
    return list.flatMap((one) => PastRental.safeParse(one).data ?? []);
  }

  /** As far as it is known; undefined for one that was never seen, or was forgotten. */
  findInstance(account: SignedIn, id: InstanceId): Instance | undefined {
    const past = this.list(account).find(({ record }) => record.id === id);
    return past && toPastInstance(past);
  }

  #keep(): void {
    const { session, instances, notes, clock } = this.#parts;
    const account = session.current;
    const list = getLast(instances.collection.store.current)?.value;
    if (account.kind !== "signed-in" || list === undefined || list === this.#list) return;
    this.#list = list;
    if (!list.complete || list.unread || list.unreadable > 0) return;
    const before = this.list(account);
    const listed = list.rows.filter(({ gone }) => !gone).map(({ value }) => value);
    const ended = list.rows.filter(({ gone }) => gone).map(({ value }) => value.id);
    const now = keepPastRentals(before, listed, clock.now(), list.listed ? undefined : ended);
    if (JSON.stringify(now) === JSON.stringify(before)) return;
    if (account.sandbox) this.#ofSandbox.set(account, now);
    else notes.set(stored.pastRentals(account.profile), now);
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
  }
}
