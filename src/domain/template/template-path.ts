// Paths of a template's parts in a virtual file system: a folder named by its number, or by its hash if it has none.
import { TemplateHash, TemplateId } from "../base/id.ts";

/** The parts of a template that have a tab of their own, by their file names there. */
export const TEXT_FILES = { onstart: "onstart.sh", readme: "readme.md" } as const;
export type TextField = keyof typeof TEXT_FILES;
export const TEXT_FIELDS = Object.keys(TEXT_FILES) as TextField[];

export interface TemplatePath {
  readonly id: TemplateId | undefined;
  /** If the template has a number, this is that number again, because the number is used to find it. */
  readonly hash: TemplateHash;
  readonly file: string;
}

export function templatePath({ id, hash }: Pick<TemplatePath, "id" | "hash">, file: string): string {
  return `/${id === undefined ? `hash-${encodeURIComponent(hash)}` : `id-${id}`}/${file}`;
}

/** Any path may be requested. Undefined for paths that `templatePath` doesn't write. */
export function readTemplatePath(path: string): TemplatePath | undefined {
  const [, kind, name = "", file = ""] = /^\/(id|hash)-([^/]{1,3072})\/([^/]+)$/.exec(path) ?? [];
  const id = kind === "id" ? TemplateId.safeParse(name).data : undefined;
  const hash = TemplateHash.safeParse(kind === "hash" ? decoded(name) : name).data;
  if (hash === undefined || (kind === "id" && id === undefined)) return undefined;
  return templatePath({ id, hash }, file) === path ? { id, hash, file } : undefined;
}

function decoded(name: string): string | undefined {
  try {
    return decodeURIComponent(name);
  } catch {
    return undefined;
  }
}
