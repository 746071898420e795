// Stores notes in the editor's state for an extension.
import type * as vscode from "vscode";
import type { Log } from "../../lib/log.ts";
import type { Notes } from "../../services/core/notes.ts";

/**
 * After the editor stored something, it reads all of an extension's state back, also that of other windows, and so drops
 * what was set in between. What is set here counts at once, is stored in turn, and once more if it was dropped.
 */
export function createNotes(state: vscode.Memento, log: Log): Notes {
  const unsaved = new Map<string, unknown>();
  let isSaving = false;

  async function save(): Promise<void> {
    if (isSaving) return;
    isSaving = true;
    let failed = new Map<string, unknown>();
    // What failed is still known in this window, and goes along with the next change.
    while ([...unsaved].some(([key, value]) => !failed.has(key) || failed.get(key) !== value)) {
      const batch = new Map(unsaved);
      try {
        await Promise.all([...batch].map(([key, value]) => state.update(key, value)));
        failed.clear();
        for (const [key, value] of batch)
          if (unsaved.get(key) === value && isStored(state, key, value)) unsaved.delete(key);
      } catch (error) {
        log.warn("The editor could not store notes.", error);
        failed = batch;
      }
    }
    isSaving = false;
  }

  return {
    get: (key) => (unsaved.has(key) ? unsaved.get(key) : state.get(key)),
    set: (key, value) => {
      unsaved.set(key, value);
      void save();
    },
    keys: () => {
      const keys = new Set([...state.keys(), ...unsaved.keys()]);
      return [...keys].filter((key) => !unsaved.has(key) || unsaved.get(key) !== undefined);
    },
  };
}

/** The editor stores a value as JSON. */
function isStored(state: vscode.Memento, key: string, value: unknown): boolean {
  return JSON.stringify(state.get(key)) === JSON.stringify(value);
}
