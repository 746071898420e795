// What is stored about instances across reloads: the price confirmed at launch, and the IDs to read if no list contains
// them.
import { InstanceId } from "../../domain/base/id.ts";
import type { Notes } from "../core/notes.ts";

/** Every key begins with the kind of fact and the account's tag, so that accounts never see each other's facts. */
export class InstanceNotes {
  readonly #notes: Notes;

  constructor(notes: Notes) {
    this.#notes = notes;
  }

  getPrice(tag: string, id: InstanceId): number | undefined {
    const price = this.#notes.get(`price ${tag} ${id}`);
    return typeof price === "number" ? price : undefined;
  }

  setPrice(tag: string, id: InstanceId, price: number): void {
    this.#notes.set(`price ${tag} ${id}`, price);
  }

  /** Instances launched here or added by ID. */
  listTracked(tag: string): readonly InstanceId[] {
    const prefix = `tracked ${tag} `;
    return this.#notes.keys().flatMap((key) => {
      const id = key.startsWith(prefix) ? InstanceId.safeParse(key.slice(prefix.length)) : undefined;
      return id?.success && this.#notes.get(key) === true ? [id.data] : [];
    });
  }

  track(tag: string, id: InstanceId): void {
    this.#notes.set(`tracked ${tag} ${id}`, true);
  }

  /** Removes everything about an instance that is gone. */
  drop(tag: string, id: InstanceId): void {
    for (const what of ["price", "tracked"]) this.#notes.set(`${what} ${tag} ${id}`, undefined);
  }

  /** Forgets an account's prices. The IDs stay: those instances may still be billed when the owner signs in again. */
  forgetPrices(tag: string): void {
    for (const key of this.#notes.keys()) if (key.startsWith(`price ${tag} `)) this.#notes.set(key, undefined);
  }
}
