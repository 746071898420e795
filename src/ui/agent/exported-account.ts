// What other extensions see of the account in use, and what they may open. Nothing here spends, ends or changes anything, and what they ask for
// is read like a link: anyone may have written it.
import * as vscode from "vscode";
import { readLaunchDraft, readOfferFilter } from "../../domain/agent/extension-draft.ts";
import type { Link } from "../../domain/agent/link.ts";
import { AppError } from "../../domain/base/error.ts";
import type { Asker } from "../../domain/launch/launch-plan.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag, type Disposable } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { buildExportedInstances, type ExportedInstance } from "../../present/agent/exported-instances.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { AutoStopsService } from "../../services/instance/auto-stops/auto-stops.ts";
import type { InstancesService } from "../../services/instance/instances.ts";

/** Opens it, signed in, and shows the person what went wrong. */
export type OpenLink = (link: Link, askedBy: Asker) => Promise<void>;

interface Parts {
  readonly session: SessionService;
  readonly instances: InstancesService;
  readonly autoStops: AutoStopsService;
  readonly clock: Clock;
  readonly log: Log;
}

/** Milliseconds after what an extension opened, before another may be opened: a loop of calls would leave the person nothing else to do. */
const PAUSE = 5000;

export class ExportedAccount implements Disposable {
  readonly #parts: Parts;
  readonly #open: OpenLink;
  readonly #changes = new Emitter<void>();
  readonly onDidChange = this.#changes.event;
  readonly #bag = new Bag();
  #instances = buildExportedInstances([]);
  #isSandbox = false;
  #isOpen = false;
  /** Monotonic milliseconds. */
  #restsUntil = 0;

  constructor(parts: Parts, open: OpenLink) {
    this.#parts = parts;
    this.#open = open;
    this.#bag.add(parts.session.onDidChange(() => this.#look(true)));
    this.#bag.add(parts.instances.collection.store.onDidChange(() => this.#look()));
    this.#bag.add(parts.autoStops.onDidChange(() => this.#look()));
    this.#bag.add(vscode.workspace.onDidGrantWorkspaceTrust(() => this.#look(true)));
    this.#look();
  }

  /** Frozen, and the same until something changes. */
  get instances(): readonly ExportedInstance[] {
    return this.#instances;
  }

  get isSandbox(): boolean {
    return this.#isSandbox;
  }

  /** @throws AppError `rejected` before anything is shown. What fails later is told to the person. */
  async openSummary(draft: unknown): Promise<void> {
    const link = readLaunchDraft(draft);
    if (!vscode.workspace.isTrusted)
      throw new AppError("rejected", t("In a workspace that isn't trusted, other extensions can only open offers."));
    await this.#openOne(link);
  }

  /** @throws AppError `rejected` before anything is shown. What fails later is told to the person. */
  async openOffers(filter: unknown): Promise<void> {
    await this.#openOne(readOfferFilter(filter));
  }

  async #openOne(link: Link): Promise<void> {
    const { clock, log } = this.#parts;
    if (this.#isOpen)
      throw new AppError("rejected", t("Something that another extension asked for is still open. Try again later."));
    if (clock.elapsed() < this.#restsUntil)
      throw new AppError("rejected", t("Another extension asked for something a moment ago. Try again later."));
    this.#isOpen = true;
    try {
      log.info(`Another extension opens ${link.kind === "launch" ? "a launch" : "the offers"}.`);
      await this.#open(link, "extension");
    } finally {
      this.#isOpen = false;
      this.#restsUntil = clock.elapsed() + PAUSE;
    }
  }

  #look(isOther = false): void {
    const { session, instances, autoStops } = this.#parts;
    const now = session.current;
    // A workspace that isn't trusted may have brought the extension that reads this.
    const isShown = now.kind === "signed-in" && vscode.workspace.isTrusted;
    const rows = isShown ? instances.rows.filter(({ gone }) => !gone) : [];
    const told = buildExportedInstances(rows.map((row) => ({ ...row, end: autoStops.findAutoStop(row.value) })));
    this.#isSandbox = isShown && now.sandbox;
    const isSame = JSON.stringify(told) === JSON.stringify(this.#instances);
    if (!isSame) this.#instances = told;
    if (isOther || !isSame) this.#changes.fire();
  }

  dispose(): void {
    this.#bag.dispose();
    this.#instances = buildExportedInstances([]);
    this.#changes.dispose();
  }
}
