// Every sentence for people in the source, and what a language still lacks: `node test/texts.ts` prints it as JSON.
// `node test/texts.ts --translated` notes which English the texts of package.json are translated from.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { SourceFile } from "typescript/unstable/ast";
import { isCallExpression, isStringLiteral } from "typescript/unstable/ast/is";
import { nameOf, readSources, walk } from "./unit/guards/syntax.ts";

const ROOT = resolve(import.meta.dirname, "..");
/** Languages beside English, as the editor names them. */
export const LANGUAGES = ["de", "zh-cn"] as const;
export type Language = (typeof LANGUAGES)[number];

export type Texts = Readonly<Record<string, string>>;

function read(path: string): Texts {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Texts) : {};
}

let found: readonly string[] | undefined;

/** What stands in `t("…")` and `vscode.l10n.t("…")`, each once. */
export function messages(): readonly string[] {
  found ??= [...new Set(readSources().flatMap(({ file }) => messagesIn(file)))].sort();
  return found;
}

function messagesIn(file: SourceFile): string[] {
  const all: string[] = [];
  walk(file, (node) => {
    if (!isCallExpression(node) || nameOf(node.expression) !== "t") return;
    const [message] = node.arguments;
    if (message && isStringLiteral(message)) all.push(message.text);
  });
  return all;
}

/** Texts of the source in a language. */
export function bundle(language: Language): Texts {
  return read(join(ROOT, "media", "l10n", `bundle.l10n.${language}.json`));
}

/** Texts of package.json; without a language the English ones. */
export function manifestTexts(language?: Language): Texts {
  return read(join(ROOT, language === undefined ? "package.nls.json" : `package.nls.${language}.json`));
}

/** The key of each text of package.json, with a digest of the English that its translations translate. */
const DIGESTS = join(ROOT, "test", "unit", "guards", "manifest-digests.json");

/** Digests of the English texts of package.json, by key: their translations have the same keys, whatever the English says now. */
export function digestManifest(): Texts {
  const digest = (text: string) => createHash("sha256").update(text).digest("hex").slice(0, 8);
  return Object.fromEntries(Object.entries(manifestTexts()).map(([key, text]) => [key, digest(text)]));
}

/** Digests of the English that the texts of package.json were translated from. */
export function readTranslatedDigests(): Texts {
  return read(DIGESTS);
}

if (import.meta.main && process.argv.includes("--translated"))
  writeFileSync(DIGESTS, `${JSON.stringify(digestManifest(), null, 2)}\n`);
else if (import.meta.main) {
  const english = manifestTexts();
  const lacking = LANGUAGES.map((language) => {
    const [texts, manifest] = [bundle(language), manifestTexts(language)];
    return [
      language,
      {
        messages: messages().filter((message) => !(message in texts)),
        leftOver: Object.keys(texts).filter((message) => !messages().includes(message)),
        manifest: Object.fromEntries(Object.entries(english).filter(([key]) => !(key in manifest))),
      },
    ];
  });
  console.log(JSON.stringify(Object.fromEntries(lacking), null, 2));
}
