// The files of a machine as its notebook server lists them. Only names and sizes leave the folder, never what a file holds.
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";

/** A file or folder, in the words of Jupyter's contents API. */
export interface Model {
  readonly name: string;
  readonly path: string;
  readonly type: "directory" | "notebook" | "file";
  readonly created: string;
  readonly last_modified: string;
  readonly size: number | null;
  readonly writable: boolean;
  readonly mimetype: string | null;
  readonly format: "json" | null;
  /** Those inside, of a folder that was asked for by its path. */
  readonly content: readonly Model[] | null;
}

/** The segments of a path in an address; undefined for what names nothing here: hidden files, `..`, broken escapes. */
function readPath(path: string): string[] | undefined {
  try {
    const segments = path.split("/").filter((part) => part !== "");
    const names = segments.map(decodeURIComponent);
    return names.every((name) => /^[^./\\\0][^/\\\0]*$/.test(name)) ? names : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if there is no such thing, or something that is neither file nor folder, such as a link. */
function look(path: string): Stats | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() || stats?.isFile() ? stats : undefined;
}

function findType(name: string, stats: Stats): Model["type"] {
  if (stats.isDirectory()) return "directory";
  return name.endsWith(".ipynb") ? "notebook" : "file";
}

function describeEntry(names: readonly string[], stats: Stats): Model {
  const name = names.at(-1) ?? "";
  return {
    name,
    path: names.join("/"),
    type: findType(name, stats),
    created: stats.birthtime.toISOString(),
    last_modified: stats.mtime.toISOString(),
    size: stats.isDirectory() ? null : stats.size,
    writable: false,
    mimetype: null,
    format: null,
    content: null,
  };
}

function readContents(folder: string, names: readonly string[]): Model | undefined {
  let at = folder;
  let stats = look(at);
  for (const name of names) {
    if (!stats?.isDirectory()) return undefined;
    at = join(at, name);
    stats = look(at);
  }
  if (stats === undefined) return undefined;
  const model = describeEntry(names, stats);
  if (model.type !== "directory") return model;
  const inside = readdirSync(at)
    .filter((name) => !name.startsWith("."))
    .sort()
    .flatMap((name) => {
      const found = look(join(at, name));
      return found ? [describeEntry([...names, name], found)] : [];
    });
  return { ...model, format: "json", content: inside };
}

/** What a path of an address names inside a folder: no hidden file, and nothing that a link leads to. */
export function findContents(folder: string, path: string): Model | undefined {
  const names = readPath(path);
  try {
    return names && readContents(folder, names);
  } catch {
    // It was removed just now, may not be read, or no file can have such a name.
    return undefined;
  }
}
