// What a list row is, as plain data: the tree draws it, tests read it.

import type { CommandId } from "../../ids.ts";

export interface RowView {
  /** Stable: holds nothing that changes while the thing stays the same. */
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Codicon name. */
  readonly icon: string;
  /** Theme colour id of the icon. */
  readonly color: string | undefined;
  /** What can be done with it, as words for menus: `instance canDestroy`. */
  readonly context: string;
  /** What a screen reader says; names the state, which sighted people see in the icon. */
  readonly accessible: string;
  /** What is said of it on hovering: made when somebody asks, as a list may be of thousands. */
  readonly tooltip?: () => Facts;
  /** Its children stay folded until somebody looks: details of the row, not rows in their own right. */
  readonly folded?: true;
  /** What a click on it does. */
  readonly command?: CommandId;
}

/** A title and named values, in reading order. Neither is markup. */
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

/** A row that is a detail of another one: a name and its value. `id` starts with that of the row it belongs to. */
export function detailRow(id: string, name: string, value: string): RowView {
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

/** Keeps the facts that are known. */
export function known(facts: readonly (readonly [string, string | number | undefined])[]): [string, string][] {
  return facts.flatMap(([name, value]) => (value === undefined || value === "" ? [] : [[name, String(value)]]));
}

/** One of two words; undefined where it is not known which. */
export function chooseWord(is: boolean | undefined, yes: string, no: string): string | undefined {
  if (is === undefined) return undefined;
  return is ? yes : no;
}

/** A heading over rows, with how many there are. */
export function groupRow(id: string, name: string, count: number, accessible: string): RowView {
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
