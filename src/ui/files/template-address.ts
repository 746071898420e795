// Where a template's parts lie as files: the account, the template's number (or its hash, where it has none) and the field.
import * as vscode from "vscode";
import { TemplateHash, TemplateId } from "../../domain/id.ts";
import { fileSystem } from "../../ids.ts";
import type { Stored } from "../../services/template-saves.ts";

const NAMES = { onstart: "onstart.sh", readme: "readme.md" } as const;
export type TabField = keyof typeof NAMES;

export interface TemplateAddress {
  /** The session's tag: a file of one account is never shown to another. */
  readonly tag: string;
  readonly id: TemplateId | undefined;
  readonly hash: TemplateHash;
  readonly field: TabField;
}

export function addressOf(tag: string, { id, hash }: Pick<Stored, "id" | "hash">, field: TabField): vscode.Uri {
  const folder = id === undefined ? `hash-${hash}` : `id-${id}`;
  return vscode.Uri.from({ scheme: fileSystem, authority: tag, path: `/${folder}/${NAMES[field]}` });
}

/** Anybody may ask for any address: undefined for one that is none of these. */
export function readAddress({ authority, path }: vscode.Uri): TemplateAddress | undefined {
  const [, kind, name = "", file = ""] = /^\/(id|hash)-([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const field = file === NAMES.onstart ? "onstart" : file === NAMES.readme ? "readme" : undefined;
  const id = kind === "id" ? TemplateId.safeParse(name).data : undefined;
  // A template with a number is looked for by it; the hash is then only what names it in between.
  const hash = TemplateHash.safeParse(name).data;
  if (field === undefined || hash === undefined || (kind === "id" && id === undefined)) return undefined;
  return { tag: authority, id, hash, field };
}
