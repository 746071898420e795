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

/** Every source file. The compiler runs until it is disposed of, and answers what its types are until then. */
export function openSources(): { readonly sources: readonly Source[]; [Symbol.dispose](): void } {
  const api = new API({ cwd: ROOT });
  const found = new Map<string, Source>();
  for (const openProject of PROJECTS) {
    const project = open(api, openProject);
    for (const name of project.program.getSourceFileNames()) {
      const path = relative(SRC, name).split(sep).join("/");
      const file = path.startsWith("..") || found.has(path) ? undefined : project.program.getSourceFile(name);
      if (file) found.set(path, { path, file, project });
    }
  }
  return { sources: [...found.values()], [Symbol.dispose]: () => api.close() };
}

/** Every source file, for guards that need no types. */
export function readSources(): readonly Source[] {
  using open = openSources();
  return open.sources;
}

/** Texts as files of their own, by their paths, to try a guard on. The compiler answers what their types are until it is disposed of. */
export function openTexts(texts: Readonly<Record<string, string>>): ReturnType<typeof openSources> {
  const files = Object.keys(texts);
  const config = JSON.stringify({ compilerOptions: { noLib: true, allowImportingTsExtensions: true }, files });
  const placed = Object.entries(texts).map(([path, text]) => [`/${path}`, text]);
  const fs = createVirtualFileSystem({ "/tsconfig.json": config, ...Object.fromEntries(placed) });
  const api = new API({ cwd: "/", fs });
  const project = open(api, "/tsconfig.json");
  const sources = files.map((name): Source => {
    const file = project.program.getSourceFile(`/${name}`);
    if (!file) throw new Error("the text was not read");
    return { path: name.replace(/^src\//, ""), file, project };
  });
  return { sources, [Symbol.dispose]: () => api.close() };
}

/** A text as a file of its own, for guards that need no types. */
export function parseText(text: string): SourceFile {
  using open = openTexts({ "planted.ts": text });
  const [{ file }] = open.sources as readonly [Source];
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
