// The source as syntax trees, for guards that read it.
import { join, relative, resolve, sep } from "node:path";
import type { Node, SourceFile } from "typescript/unstable/ast";
import { isIdentifier, isPropertyAccessExpression } from "typescript/unstable/ast/is";
import { createVirtualFileSystem } from "typescript/unstable/fs";
import { API, type Project } from "typescript/unstable/sync";

const ROOT = resolve(import.meta.dirname, "../../..");
const SRC = join(ROOT, "src");
/** The pages have types of their own. */
const PROJECTS = [join(ROOT, "tsconfig.json"), join(SRC, "webview", "tsconfig.json")];

export interface Source {
  /** Below `src`, with slashes. */
  readonly path: string;
  readonly file: SourceFile;
  readonly project: Project;
}

/** One compiler for all guards of a process: it reads the sources once. Its types are known until the process ends. */
let found: readonly Source[] | undefined;

/** Every source file. */
export function readSources(): readonly Source[] {
  if (found) return found;
  const api = new API({ cwd: ROOT });
  const byPath = new Map<string, Source>();
  for (const openProject of PROJECTS) {
    const project = open(api, openProject);
    for (const name of project.program.getSourceFileNames()) {
      const path = relative(SRC, name).split(sep).join("/");
      const file = path.startsWith("..") || byPath.has(path) ? undefined : project.program.getSourceFile(name);
      if (file) byPath.set(path, { path, file, project });
    }
  }
  found = [...byPath.values()];
  return found;
}

const planted = createVirtualFileSystem({});
let compiler: API | undefined;
let count = 0;

/** Texts as files of their own, by their paths, to try a guard on: each time in a project that knows no other. */
export function parseTexts(texts: Readonly<Record<string, string>>): readonly Source[] {
  compiler ??= new API({ cwd: "/", fs: planted });
  count += 1;
  const files = Object.keys(texts);
  const config = JSON.stringify({ compilerOptions: { noLib: true, allowImportingTsExtensions: true }, files });
  for (const [path, text] of Object.entries({ ...texts, "tsconfig.json": config }))
    planted.writeFile?.(`/${count}/${path}`, text);
  const project = open(compiler, `/${count}/tsconfig.json`);
  return files.map((name): Source => {
    const file = project.program.getSourceFile(`/${count}/${name}`);
    if (!file) throw new Error("the text was not read");
    return { path: name.replace(/^src\//, ""), file, project };
  });
}

/** A text as a file of its own, for guards that need no types. */
export function parseText(text: string): SourceFile {
  const [{ file }] = parseTexts({ "planted.ts": text }) as readonly [Source];
  return file;
}

function open(api: API, openProject: string): Project {
  const project = api.updateSnapshot({ openProject }).getProject(openProject);
  if (!project) throw new Error(`${openProject} was not opened`);
  return project;
}

/** Visits a node and what is in it; where `visit` says false, what is in it is left out. */
export function walk(node: Node, visit: (node: Node) => unknown): void {
  if (visit(node) !== false) node.forEachChild((child) => walk(child, visit));
}

export function lineOf(node: Node): number {
  const file = node.getSourceFile();
  return file.text.slice(0, node.getStart(file)).split("\n").length;
}

/** `t` of `t` and of `vscode.l10n.t`. */
export function nameOf(node: Node): string {
  if (isIdentifier(node)) return node.text;
  return isPropertyAccessExpression(node) ? node.name.text : "";
}
