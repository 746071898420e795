// A list row as plain data: the tree draws it, tests read it.

import type { CommandId } from "../../ids.ts";

export interface RowView {
  /** Stable: contains nothing that can change while the row stands for the same thing. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Codicon name. */
  readonly icon: string;
  /** Theme color ID of the icon. */
  readonly color: string | undefined;
  /** What can be done with the row, as words for menus: `instance canDestroy`. */
  readonly context: string;
  /** What a screen reader says. Names the state, which others see in the icon. */
  readonly accessible: string;
  /** The hover text, built on demand because a list may have thousands of rows. */
  readonly tooltip?: () => Facts;
  /** The children start collapsed: they are details of the row, not rows in their own right. */
  readonly folded?: true;
  /** It belongs to what someone does right now, and not to the list: the next window doesn't show it. */
  readonly isPassing?: true;
  /** The command that a double click or Enter runs, with the row. */
  readonly opens?: CommandId;
  /** The command a click runs. */
  readonly command?: CommandId;
}

/** A title and named values, in reading order. None of it is markup. */
export interface Facts {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: string])[];
}

/** Why a list has no rows, or that it has some. */
export type Why =
  | "signedOut"
  | "loading"
  | "empty"
  | "incomplete"
  | "unreachable"
  | "refused"
  | "forbidden"
  | "unlisted"
  | "rows";

/** A row that shows one detail of another row: a name and its value. `id` starts with the parent row's ID. */
export function buildDetailRow(id: string, name: string, value: string): RowView {
  return {
    id,
    label: name,
    description: value,
    icon: "",
    color: undefined,
    context: "detail",
    accessible: `${name}: ${value}`,
  };
}

/** Drops the facts that are unknown. */
export function listKnownFacts(facts: readonly (readonly [string, string | number | undefined])[]): [string, string][] {
  return facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]]));
}

/** One of two words; undefined where it isn't known which. */
export function chooseWord(is: boolean | undefined, yes: string, no: string): string | undefined {
  if (is === undefined) return undefined;
  return is ? yes : no;
}

/** A heading over rows, with their count. */
export function buildGroupRow(id: string, name: string, count: number, accessible: string): RowView {
  return {
    id,
    label: name,
    description: String(count),
    icon: "",
    color: undefined,
    context: "group",
    accessible,
  };
}
