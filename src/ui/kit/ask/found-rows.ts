// The rows of a list that have all the words somebody types: the editor by itself finds what is typed only as one piece of one text.
import * as vscode from "vscode";
import { isShownAsTyped, matchesTyped } from "../../../lib/typed-rows.ts";

type Row = vscode.QuickPickItem & {
  /** It is always shown for as long as this text is typed. */
  readonly isFound?: boolean;
};

const isSeparator = ({ kind }: Row): boolean => kind === vscode.QuickPickItemKind.Separator;
const isAlwaysShown = ({ alwaysShow, isFound }: Row): boolean => alwaysShow === true && !isFound;

export const isFitting = (row: Row, typed: string): boolean => isAlwaysShown(row) || matchesTyped(row, typed);

export function findFitting<T extends Row>(rows: readonly T[], typed: string): readonly T[] {
  return rows.filter((row) => !isSeparator(row) && isFitting(row, typed));
}

/** Shows what the editor wouldn't find. No row moves: the editor tells a chosen row by its place. */
export function showFoundRows<T extends Row>(input: vscode.QuickPick<T>): void {
  const rows = input.items.map((row) => {
    if (isSeparator(row) || isAlwaysShown(row)) return row;
    const isFound = matchesTyped(row, input.value) && !isShownAsTyped(row, input.value);
    return isFound === (row.isFound ?? false) ? row : { ...row, isFound, alwaysShow: isFound };
  });
  if (rows.some((row, at) => row !== input.items[at])) input.items = rows;
}
