// File addresses of a template's parts: the account, the template's ID (or its hash, if it has none) and the field.
import * as vscode from "vscode";
import type { TemplateHash, TemplateId } from "../../../domain/base/id.ts";
import { readTemplatePath, templatePath } from "../../../domain/template/template-path.ts";
import { fileSystem } from "../../../ids.ts";
import type { Stored } from "../../../services/template/template-saves.ts";

const NAMES = { onstart: "onstart.sh", readme: "readme.md" } as const;
export type TabField = keyof typeof NAMES;
const FIELDS = Object.keys(NAMES) as TabField[];

export interface TemplateAddress {
  /** The session's tag: a file of one account is never shown to another. */
  readonly tag: string;
  readonly id: TemplateId | undefined;
  readonly hash: TemplateHash;
  readonly field: TabField;
}

export function addressOf(tag: string, { id, hash }: Pick<Stored, "id" | "hash">, field: TabField): vscode.Uri {
  return vscode.Uri.from({ scheme: fileSystem, authority: tag, path: templatePath({ id, hash }, NAMES[field]) });
}

/** Anyone may request any address: undefined for one that isn't a template part. */
export function readAddress({ authority, path }: vscode.Uri): TemplateAddress | undefined {
  const read = readTemplatePath(path);
  const field = FIELDS.find((one) => NAMES[one] === read?.file);
  return read && field && { tag: authority, id: read.id, hash: read.hash, field };
}
