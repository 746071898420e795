// Every sentence for people in the source, and what a language still lacks: `node test/texts.ts` prints it as JSON.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const ROOT = resolve(import.meta.dirname, "..");
/** Languages beside English, as the editor names them. */
export const LANGUAGES = ["de", "zh-cn"] as const;
export type Language = (typeof LANGUAGES)[number];

export type Texts = Readonly<Record<string, string>>;

function read(path: string): Texts {
  return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Texts) : {};
}

/** What stands in `t("…")` and `vscode.l10n.t("…")`, each once. */
export function messages(): string[] {
  const source = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(ROOT, "src", name), "utf8"))
    .join("\n");
  const found = source.matchAll(/\bt\(\s*("(?:[^"\\]|\\.)*")/g);
  return [...new Set([...found].map(([, literal]) => JSON.parse(literal ?? '""') as string))].sort();
}

/** Texts of the source in a language. */
export function bundle(language: Language): Texts {
  return read(join(ROOT, "media", "l10n", `bundle.l10n.${language}.json`));
}

/** Texts of package.json; without a language the English ones. */
export function manifestTexts(language?: Language): Texts {
  return read(join(ROOT, language === undefined ? "package.nls.json" : `package.nls.${language}.json`));
}

if (import.meta.main) {
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
