// What benchmarks share: what each gives back, the figure that stands for many, and an extension to measure against.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** At most this; NaN where there is no goal. */
  readonly goal: number;
}

/** An extension that does nothing but what its manifest brings. */
export async function bareExtension(folder: string, name: string, contributes: object = {}): Promise<string> {
  const path = join(folder, name);
  await mkdir(path);
  const manifest = {
    name,
    publisher: "bench",
    version: "0.0.1",
    engines: { vscode: "^1.106.0" },
    main: "./main.cjs",
    extensionKind: ["ui", "workspace"],
    contributes,
  };
  await writeFile(join(path, "package.json"), JSON.stringify(manifest));
  await writeFile(join(path, "main.cjs"), "exports.activate = () => {};\n");
  return path;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
