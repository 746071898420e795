// The runs of the signed-in account, at hand for whoever draws them.
import type { InstanceId } from "../../domain/base/id.ts";
import type { RunRecord } from "../../domain/run/run-record.ts";
import type { Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";
import type { SessionService } from "../core/session.ts";
import type { RunJournal } from "./run-journal.ts";

interface Parts {
  readonly session: SessionService;
  readonly journal: RunJournal;
  readonly log: Log;
}

export class RunList implements Disposable {
  readonly #parts: Parts;
  readonly #inTurn = createQueue();
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #listening: readonly Disposable[];
  #runs: readonly RunRecord[] = [];
  #isDue = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#listening = [parts.session.onDidChange(() => this.#restart()), parts.journal.onDidChange(() => this.wake())];
    this.wake();
  }

  /** Those on an instance, the latest first. */
  listFor(id: InstanceId): readonly RunRecord[] {
    return this.#runs.filter(({ instance }) => instance === id);
  }

  /** The instances on which a run is in progress, as far as is known. */
  get busy(): readonly InstanceId[] {
    return this.#runs.filter(({ state }) => state.kind !== "ended").map(({ instance }) => instance);
  }

  /** This or another window wrote something. However often it is called, the files are read once more at most. */
  wake(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#inTurn(() => this.#read()).catch((error) => this.#parts.log.warn("The runs could not be listed.", error));
  }

  #restart(): void {
    this.#runs = [];
    this.wake();
  }

  async #read(): Promise<void> {
    this.#isDue = false;
    const { session, journal } = this.#parts;
    const account = session.current;
    const runs = account.kind === "signed-in" ? await journal.readAll(account) : [];
    if (session.current !== account) return;
    this.#runs = runs;
    this.#changes.fire();
  }

  dispose(): void {
    for (const one of this.#listening) one.dispose();
  }
}
