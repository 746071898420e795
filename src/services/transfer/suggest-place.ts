// Where on a machine a folder of this computer goes.
import { basename } from "node:path";
import { parseRemotePath } from "../../domain/transfer/transfer-command.ts";

/** The folder's own name is part of the place, unless no path there can hold it. */
export function suggestPlace(parent: string, folder: string): string {
  try {
    return parseRemotePath(`${parent}/${basename(folder)}`);
  } catch {
    return parent;
  }
}

/** The same, unless another folder of the same name went there. */
export function findFreePlace(parent: string, folder: string, taken: ReadonlySet<string>): string {
  const place = suggestPlace(parent, folder);
  for (let turn = 1; ; turn += 1) {
    const other = turn === 1 ? place : `${place}-${turn}`;
    if (!taken.has(other)) return other;
  }
}
