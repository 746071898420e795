// The language of what schemas say where they have no sentence of their own, such as a number in the place of a text.
import * as z from "zod";
import { de, en, zhCN } from "zod/locales";

/** `language` is the editor's, such as `de` or `zh-cn`. */
export function setSchemaLanguage(language: string): void {
  const [name = ""] = language.toLowerCase().split("-");
  const locales: Readonly<Record<string, typeof en>> = { de, zh: zhCN };
  z.config((locales[name] ?? en)());
}
