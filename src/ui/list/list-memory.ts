// What one list said last, drawn until it is read.
import type { KeptList, KeptRow } from "../../domain/base/kept-row.ts";
import type { Clock } from "../../lib/clock.ts";
import { Bag } from "../../lib/disposable.ts";
import { Emitter } from "../../lib/event.ts";
import { buildRememberedRow, toSaidByRow } from "../../present/base/remembered.ts";
import type { RowView } from "../../present/base/row.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import type { Node } from "./rows.ts";

interface Parts {
  readonly id: string;
  readonly session: SessionService;
  readonly memory: RowMemory;
  readonly clock: Clock;
  /** Whether each row says how old it is. */
  readonly isDated: boolean;
}

/** Rows as they were, and when the service was asked for them. */
export interface Remembered {
  readonly at: number;
  readonly nodes: readonly Node<never>[];
}

export class ListMemory {
  readonly #parts: Parts;
  readonly #bag = new Bag();
  readonly #recalls = this.#bag.add(new Emitter<void>());
  readonly onDidRecall = this.#recalls.event;
  #recalled: (Remembered & { readonly account: SignedIn }) | undefined;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#bag.add(parts.session.onDidChange(() => void this.#recall()));
    void this.#recall();
  }

  /** For the account that is signed in now. */
  get remembered(): Remembered | undefined {
    return this.#recalled?.account === this.#parts.session.current ? this.#recalled : undefined;
  }

  async #recall(): Promise<void> {
    const account = this.#parts.session.current;
    const list = account.kind === "signed-in" ? await this.#parts.memory.recall(account, this.#parts.id) : undefined;
    if (account.kind === "signed-in" && list) this.#take(account, list);
  }

  /** An account that was left in the meantime does no harm: what is remembered is asked for by account. */
  #take(account: SignedIn, list: KeptList): void {
    if (this.#recalled && this.#recalled.account !== account && this.remembered) return;
    const { clock, isDated } = this.#parts;
    const { at } = list;
    const node = (row: KeptRow): Node<never> => {
      const leaf = row.rows.length === 0;
      const asOf = { at, now: clock.now(), isDated: isDated && leaf };
      const children = row.rows.map((below) => ({
        view: buildRememberedRow(below, { ...asOf, isDated }),
        of: undefined,
        children: [],
      }));
      return { view: buildRememberedRow(row, asOf), of: undefined, children };
    };
    this.#recalled = { account, at, nodes: list.rows.map(node) };
    this.#recalls.fire();
  }

  /** Keeps what was read just now. Details of a row and rows that pass aren't kept. */
  keep(account: SignedIn, at: number, nodes: readonly Node<unknown>[]): void {
    const isKept = ({ view }: Node<unknown>) => !view.isPassing;
    void this.#parts.memory.keep(
      account,
      this.#parts.id,
      at,
      nodes
        .values()
        .filter(isKept)
        .map(({ view, children }) => ({
          ...toSaidByRow(view),
          rows: view.folded ? [] : children.filter(isKept).map((child) => toSaidByRow(child.view)),
        })),
    );
  }

  dispose(): void {
    this.#bag.dispose();
  }
}

/**
 * Rows that have arrived, in the place of what they replace, and the remembered ones that are still missing. What has
 * arrived in another group isn't remembered in the one where it was.
 */
export function mergeRemembered<T>(remembered: readonly Node<T>[], arrived: readonly Node<T>[]): readonly Node<T>[] {
  const fresh = new Map(arrived.map((node) => [node.view.id, node]));
  const inside = new Set(arrived.flatMap(({ children }) => children.map(({ view }) => view.id)));
  const merged = remembered.flatMap((node): Node<T>[] => {
    const now = fresh.get(node.view.id);
    if (now) return [now];
    const children = node.children.filter(({ view }) => !inside.has(view.id));
    return node.children.length > 0 && children.length === 0 ? [] : [{ ...node, children }];
  });
  const shown = new Set<RowView>(merged.map(({ view }) => view));
  return [...merged, ...arrived.filter(({ view }) => !shown.has(view))];
}
