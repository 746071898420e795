// The page's sentences in the editor's language.
import { setTranslator } from "../../lib/text.ts";

/** A sentence that the dictionary lacks stays in English. `language` is for numbers and times, such as `de`. */
export function useDictionary(dictionary: Readonly<Record<string, string>>, language?: string): void {
  const known = new Map(Object.entries(dictionary));
  setTranslator((message) => known.get(message) ?? message, language);
}
