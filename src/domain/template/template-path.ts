// Where a template's parts lie in a virtual file system: a folder named by its number, or by its hash where it has none.
import { TemplateHash, TemplateId } from "../base/id.ts";

export interface TemplatePath {
  readonly id: TemplateId | undefined;
  /** Of a template with a number this is only its number again: it is looked for by that. */
  readonly hash: TemplateHash;
  readonly file: string;
}

export function templatePath({ id, hash }: Pick<TemplatePath, "id" | "hash">, file: string): string {
  return `/${id === undefined ? `hash-${encodeURIComponent(hash)}` : `id-${id}`}/${file}`;
}

/** Anybody may ask for any path: undefined for one that `templatePath` does not write. */
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
