// One list in the sidebar: its tree, the line above it, the reason it is empty, and the refresher that keeps it up to
// date.
import * as vscode from "vscode";
import { Bag } from "../../lib/disposable.ts";
import { Emitter, type Event } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import { describeListCondition, findEmptyReason, type ListCondition } from "../../present/base/state.ts";
import type { ReadableCollection } from "../../services/core/collection.ts";
import { getError, getLast, getPart, type Loaded } from "../../services/core/loaded.ts";
import { Refresher, type Rhythm } from "../../services/core/refresher.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import { setListMessage, withViewProgress } from "../kit/messages.ts";
import { type ContextKey, setContext } from "../kit/run-command.ts";
import { ListMemory, mergeRemembered, type Remembered } from "./list-memory.ts";
import { type Node, RowTree } from "./rows.ts";

/** Rows that don't come from the service. `tag` is the account's. */
export interface OwnRows<T> {
  readonly rows: (tag: string) => readonly Node<T>[];
  readonly onDidChange: Event<void>;
}

interface ListViewParts<V, T> {
  readonly id: string;
  /** The context key that tells menus and welcome texts why the list is empty. */
  readonly why: ContextKey;
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly collection: ReadableCollection<V>;
  /** What the list said last, in whichever window. */
  readonly rowMemory: RowMemory;
  /** Whether a remembered row says how old it is: it says what something costs. */
  readonly datesRows?: boolean;
  readonly rhythm: Rhythm;
  readonly unsettled: () => boolean;
  readonly canSelectMany: boolean;
  /** Rows for a value. `staleSince` is set if the service has been unreachable since then. */
  readonly draw: (value: V, tag: string, staleSince: number | undefined) => readonly Node<T>[];
  readonly count: (value: V) => number;
  readonly unreadable: (value: V) => number;
  readonly complete: (value: V) => boolean;
  /** A remark about the list as a whole. */
  readonly remark?: (value: V) => string | undefined;
  /** Rows that don't come from the service. They are shown first. */
  readonly own?: OwnRows<T>;
  /** Fires when something else changes how the rows look. */
  readonly onDidChangeLook?: Event<void>;
  /** Whether the list is read slowly while it isn't visible. */
  readonly keeps?: () => boolean;
  /** Whether something depends on a reading each minute, whoever looks. */
  readonly needsMinutes?: () => boolean;
}

export class ListView<V, T> implements vscode.Disposable {
  readonly tree: RowTree<T>;
  readonly view: vscode.TreeView<Node<T>>;
  readonly refresher: Refresher;
  readonly #parts: ListViewParts<V, T>;
  readonly #bag = new Bag();
  readonly #memory: ListMemory;
  #isProgressShown = false;

  constructor(parts: ListViewParts<V, T>) {
    this.#parts = parts;
    const { id, collection, session, rowMemory: memory, scheduler, datesRows = false } = parts;
    this.#memory = this.#bag.add(new ListMemory({ id, session, memory, clock: scheduler.clock, isDated: datesRows }));
    this.tree = new RowTree({ clock: scheduler.clock, isVisible: () => this.view.visible });
    this.view = vscode.window.createTreeView(parts.id, {
      treeDataProvider: this.tree,
      canSelectMany: parts.canSelectMany,
    });
    const looked = this.#bag.add(new Emitter<void>());
    this.#bag.add(this.tree);
    this.#bag.add(this.view);
    this.#bag.add(this.view.onDidChangeVisibility(() => looked.fire()));
    this.#bag.add(vscode.window.onDidChangeWindowState(() => looked.fire()));
    this.#bag.add(this.#memory.onDidRecall(() => this.#draw()));
    this.#bag.add(collection.store.onDidChange(() => this.#draw()));
    this.#bag.add(session.onDidChange(() => this.#draw()));
    if (parts.own) this.#bag.add(parts.own.onDidChange(() => this.#draw()));
    if (parts.onDidChangeLook) this.#bag.add(parts.onDidChangeLook(() => this.#draw()));
    this.refresher = this.#bag.add(
      new Refresher({
        id: parts.id,
        scheduler: parts.scheduler,
        collection,
        session,
        attention: { visible: () => this.view.visible && vscode.window.state.focused, onDidChange: looked.event },
        unsettled: parts.unsettled,
        ...(parts.keeps ? { keeps: parts.keeps } : {}),
        ...(parts.needsMinutes ? { needsMinutes: parts.needsMinutes } : {}),
        rhythm: parts.rhythm,
      }),
    );
    this.#draw();
    this.refresher.plan();
  }

  get id(): string {
    return this.#parts.id;
  }

  /** The rows that are selected, while they can be seen. */
  get selection(): readonly Node<T>[] {
    return this.view.visible ? this.view.selection : [];
  }

  /** Selects the row that stands for it, and brings the list to the front. @returns false if there is no such row. */
  async reveal(isSought: (of: unknown) => boolean): Promise<boolean> {
    const node = this.tree.find(isSought);
    if (node) await this.view.reveal(node, { select: true, focus: true });
    return node !== undefined;
  }

  #draw(): void {
    const { collection, session, draw, why } = this.#parts;
    const loaded = collection.store.current;
    const signedIn = session.current.kind === "signed-in" ? session.current : undefined;
    const last = getLast(loaded) ?? getPart(loaded);
    const own = signedIn ? (this.#parts.own?.rows(signedIn.tag) ?? []) : [];
    const read = last && signedIn ? draw(last.value, signedIn.tag, getError(loaded) ? last.at : undefined) : [];
    const remembered = this.#rememberedFor(loaded);
    const condition = this.#condition(loaded, own.length, remembered);
    this.tree.update([...own, ...mergeRemembered(remembered?.nodes ?? [], read)], signedIn);
    // Only what a complete read returned: a list with gaps says nothing about what it omits.
    if (loaded.state === "ready" && signedIn && this.#parts.complete(loaded.last.value))
      this.#memory.keep(signedIn, loaded.last.at, read);
    setListMessage(this.view, signedIn && condition.count > 0 ? (describeListCondition(condition) ?? "") : "");
    this.view.description = signedIn?.sandbox ? t("Sandbox") : (signedIn?.address.host ?? "");
    if (loaded.state === "loading" && !getLast(loaded)) this.#showProgress();
    const reason = signedIn ? findEmptyReason(condition) : "signedOut";
    setContext(why, signedIn && reason === "signedOut" ? "loading" : reason);
  }

  /** Shows the editor's own progress bar above the list until its first read ends. */
  #showProgress(): void {
    if (this.#isProgressShown) return;
    this.#isProgressShown = true;
    const { store } = this.#parts.collection;
    const ended = new Promise<void>((resolve) => {
      const listening = store.onDidChange(({ state }) => {
        if (state === "loading") return;
        listening.dispose();
        this.#isProgressShown = false;
        resolve();
      });
    });
    void withViewProgress(this.#parts.id, () => ended);
  }

  /** What the list said in an earlier window, as long as this one hasn't read it. */
  #rememberedFor(loaded: Loaded<V>): Remembered | undefined {
    if (getLast(loaded)) return undefined;
    // A key that isn't accepted shows nothing of the account.
    const reason = getError(loaded)?.kind;
    return reason === "key-refused" || reason === "not-allowed" ? undefined : this.#memory.remembered;
  }

  #condition(loaded: Loaded<V>, own: number, remembered: Remembered | undefined): ListCondition {
    const { count, unreadable, complete, remark, scheduler } = this.#parts;
    const last = getLast(loaded) ?? getPart(loaded);
    const value = last?.value;
    const known = own + (value ? count(value) : 0);
    const now = scheduler.clock.now();
    const rows = remembered && !value ? ({ kind: "remembered", now } as const) : partial(loaded);
    return {
      state: loaded.state,
      error: getError(loaded),
      at: rows?.kind === "remembered" ? remembered?.at : last?.at,
      rows,
      count: known + (remembered?.nodes.length ?? 0),
      unreadable: value ? unreadable(value) : 0,
      complete: value ? complete(value) : true,
      remark: value ? remark?.(value) : undefined,
    };
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

function partial(loaded: Loaded<unknown>): ListCondition["rows"] {
  return getLast(loaded) === undefined && getPart(loaded) !== undefined ? { kind: "partial" } : undefined;
}
