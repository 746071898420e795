// Paths of a template's parts in a virtual file system: a folder named by its number, or by its hash if it has none, and a
// file named after the template, for the person to recognize the tab.
import { toPlainText } from "../../lib/text.ts";
import { TemplateHash, TemplateId } from "../base/id.ts";

/** The parts of a template that have a tab of their own, by their file names there. */
export const TEXT_FILES = { onstart: "onstart.sh", readme: "readme.md" } as const;
export type TextField = keyof typeof TEXT_FILES;
export const TEXT_FIELDS = Object.keys(TEXT_FILES) as TextField[];

export interface TemplatePath {
  readonly id: TemplateId | undefined;
  /** If the template has a number, this is that number again, because the number is used to find it. */
  readonly hash: TemplateHash;
  /** Without the template's name. */
  readonly file: string;
}

const BETWEEN = " · ";

/** The name says nothing about which template it is: it may change, and the path stays valid. */
export function buildTemplatePath({ id, hash }: Pick<TemplatePath, "id" | "hash">, name: string, file: string): string {
  const shown = toPlainText(name.replace(/[/\\]/g, "-"), 60);
  return `/${folderOf(id, hash)}/${shown === "" ? file : `${shown}${BETWEEN}${file}`}`;
}

const folderOf = (id: TemplateId | undefined, hash: TemplateHash) =>
  id === undefined ? `hash ${encodeURIComponent(hash)}` : `template ${id}`;

/** Any path may be requested. Undefined for paths that `buildTemplatePath` doesn't write. */
export function readTemplatePath(path: string): TemplatePath | undefined {
  const [, kind, which = "", file = ""] = /^\/(template|hash) ([^/]{1,3072})\/(?:[^/]* · )?([^/]+)$/.exec(path) ?? [];
  const id = kind === "template" ? TemplateId.safeParse(which).data : undefined;
  const hash = TemplateHash.safeParse(kind === "hash" ? decoded(which) : which).data;
  if (hash === undefined || (kind === "template" && id === undefined)) return undefined;
  return path.startsWith(`/${folderOf(id, hash)}/`) ? { id, hash, file } : undefined;
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
