// The text of every source file and test, and the comments in them as running text.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "../../..");

interface Passage {
  /** From the root, with slashes. */
  readonly file: string;
  readonly text: string;
}

export function readTypeScript(): readonly Passage[] {
  const files = ["src", "test"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.endsWith(".ts"))
      .map((name) => `${folder}/${name.replaceAll("\\", "/")}`),
  );
  return files.map((file) => ({ file, text: readFileSync(join(ROOT, file), "utf8") }));
}

/** Each comment is one text: what it says may go on in the next line. */
export function listComments(files: readonly Passage[]): readonly Passage[] {
  return files.flatMap(({ file, text }) => {
    const found = text.matchAll(/(?<=^|\s)\/\*[*\s][\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n)+|[ \t]\/\/ .*$/gm);
    return [...found].map(([comment]) => ({
      file,
      text: comment.replace(/\s*\n\s*(?:\/\/|\*(?!\/))\s*/g, " ").trim(),
    }));
  });
}
