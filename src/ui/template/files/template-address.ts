// File addresses of a template's parts: the account, the template's ID (or its hash, if it has none) and the field.
import * as vscode from "vscode";
import {
  buildTemplatePath,
  readTemplatePath,
  TEXT_FIELDS,
  TEXT_FILES,
  type TextField,
} from "../../../domain/template/template-path.ts";
import { fileSystem } from "../../../ids.ts";
import type { Stored } from "../../../services/template/template-saves.ts";
import type { TabAddress } from "../../../services/template/template-tabs.ts";

/** That of the tab that shows it already, if there is one: the template may have had another name then. */
export function toTextAddress(tag: string, { id, hash, draft }: Stored, field: TextField): vscode.Uri {
  const path = buildTemplatePath({ id, hash }, draft.name, TEXT_FILES[field]);
  const uri = vscode.Uri.from({ scheme: fileSystem, authority: tag, path });
  const wanted = identify(uri);
  return (
    vscode.workspace.textDocuments
      .map((open) => open.uri)
      .find((open) => wanted !== undefined && identify(open) === wanted) ?? uri
  );
}

/** What an address stands for, whatever it is called. */
function identify(uri: vscode.Uri): string | undefined {
  return uri.scheme === fileSystem ? JSON.stringify(readAddress(uri)) : undefined;
}

/** Anyone may request any address: undefined for one that isn't a template part. */
export function readAddress({ authority, path }: vscode.Uri): TabAddress | undefined {
  const read = readTemplatePath(path);
  const field = TEXT_FIELDS.find((one) => TEXT_FILES[one] === read?.file);
  return read && field && { tag: authority, id: read.id, hash: read.hash, field };
}
