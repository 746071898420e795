// A thing of the account as a page: plain data in reading order, complete, with secrets masked.
import type { RowCommand } from "../../ids.ts";

interface PageFact {
  readonly name: string;
  readonly value: string;
  /** What its button puts on the clipboard. It stays with the host, so it may be more than what is shown. */
  readonly copies?: string;
}

/** Something that can be done with it now, by the command that does it elsewhere, too. */
export interface PageCommand {
  readonly command: RowCommand;
  readonly label: string;
}

interface PageSection {
  readonly title: string;
  readonly facts: readonly PageFact[];
  readonly commands: readonly PageCommand[];
}

export interface RecordPage {
  readonly title: string;
  /** Below the title: what it is, and how current. */
  readonly status: string;
  /** Sentences that someone should read first. */
  readonly remarks: readonly string[];
  /** What it is opened for, the most likely first. */
  readonly commands: readonly PageCommand[];
  readonly sections: readonly PageSection[];
  /** Everything the service says of it, as JSON. Written when someone wants to read it: it can be long. */
  readonly record: () => string;
}

/** `copies` is the text that its button puts on the clipboard. */
export type Fact = readonly [name: string, value: string | number | undefined, copies?: string | undefined];

/** A section without what is unknown; undefined if nothing is left. */
export function buildPageSection(
  title: string,
  facts: readonly Fact[],
  commands: readonly PageCommand[] = [],
): PageSection | undefined {
  const known = facts.flatMap(([name, value, copies]): PageFact[] => {
    if (value === undefined || value === "") return [];
    return [{ name, value: String(value), ...(copies === undefined ? {} : { copies }) }];
  });
  return known.length + commands.length === 0 ? undefined : { title, facts: known, commands };
}
