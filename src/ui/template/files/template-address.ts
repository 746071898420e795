// File addresses of a template's parts: the account, the template's ID (or its hash, if it has none) and the field.
import * as vscode from "vscode";
import {
  readTemplatePath,
  TEXT_FIELDS,
  TEXT_FILES,
  type TextField,
  templatePath,
} from "../../../domain/template/template-path.ts";
import { fileSystem } from "../../../ids.ts";
import type { Stored } from "../../../services/template/template-saves.ts";
import type { TabAddress } from "../../../services/template/template-tabs.ts";

export function addressOf(tag: string, { id, hash }: Pick<Stored, "id" | "hash">, field: TextField): vscode.Uri {
  return vscode.Uri.from({ scheme: fileSystem, authority: tag, path: templatePath({ id, hash }, TEXT_FILES[field]) });
}

/** Anyone may request any address: undefined for one that isn't a template part. */
export function readAddress({ authority, path }: vscode.Uri): TabAddress | undefined {
  const read = readTemplatePath(path);
  const field = TEXT_FIELDS.find((one) => TEXT_FILES[one] === read?.file);
  return read && field && { tag: authority, id: read.id, hash: read.hash, field };
}
