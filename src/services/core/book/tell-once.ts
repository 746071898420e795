// What one of all windows tells the person: whichever writes the claim.
import type { SessionService, SignedIn } from "../session.ts";
import type { Book, BookFile } from "./book.ts";

interface Claim<K extends string> {
  readonly entry: string;
  readonly file: BookFile<K>;
  readonly content?: string;
}

/**
 * - `told`: by this window, just now
 * - `elsewhere`: by another window, or by this one before
 * - `left`: by no one, because the account was left in the meantime. It is told once that is back.
 */
export type Telling = "told" | "elsewhere" | "left";

/** Tells it if the claim isn't there, which stays until its file is removed. @throws the disk's error: nothing was told then. */
export async function tellOnce<K extends string>(
  { book, session }: { readonly book: Book<K>; readonly session: Pick<SessionService, "current"> },
  account: SignedIn,
  { entry, file, content }: Claim<K>,
  tell: () => void,
): Promise<Telling> {
  if (session.current !== account) return "left";
  if (!(await book.create(entry, file, content))) return "elsewhere";
  if (session.current !== account) {
    await book.remove(entry, file);
    return "left";
  }
  tell();
  return "told";
}
