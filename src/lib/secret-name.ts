// Decides whether a name denotes a secret. Whole words count, so `HF_TOKEN` does and `TOKENIZERS` doesn't.

/** Longer names are judged by their end, where the significant word is. */
const MOST = 200;

const SECRET = new Set([
  ..."token secret secrets password passwords passwd passphrase passcode pass pwd".split(" "),
  ..."credential credentials creds auth authorization cookie cookies bearer jwt pat key".split(" "),
]);

/** One word made of several, as in `PGPASSWORD`, `apikey` or `hftoken`. */
const COMPOUND =
  /(?:password|passwd|passphrase|passcode|secret|credentials?|token)$|^(?:pg|db|my|user|root)pass$|^(?:api|access|auth|private|secret|ssh|license|encryption|signing|master)keys?$/;

/** Plurals of these usually mean a count, unless the word before says what they unlock. */
const PLURAL = new Set(["keys", "tokens"]);
const OPENS = new Set(["api", "access", "auth", "bearer", "private", "refresh", "secret", "ssh"]);

/** Words before `key` that denote keys anyone may see. */
const OPEN_KEY = new Set(["public", "primary", "foreign", "sort", "partition", "cache", "hot", "idempotency"]);
/** Words before `token` that denote a word of a tokenizer. */
const OPEN_TOKEN = new Set("pad eos bos unk sep cls mask stop image video audio special".split(" "));
/** Words after `key` with which it is a part of a model, a video or a keyboard. */
const OPENED_BY_KEY = new Set("value values frame frames head heads point points press code codes map".split(" "));

/** After a secret word: a property of the secret, not the secret itself. */
const ABOUT = new Set([
  ..."type types name names file path dir folder count counts length len size limit ttl expiry expires".split(" "),
  ..."expiration url uri host port mode method enabled required provider format algorithm policy index".split(" "),
  ..."created at by user username email label status version hint rotation scope scopes role issuer".split(" "),
  ..."audience params through fail rate ratio".split(" "),
]);

/** Quick pre-check: a name without any of these contains no secret word. */
const HINT = /token|secret|pass|pwd|cred|auth|cookie|bearer|jwt|pat|key|login/i;

/** Cache: lists and long scripts ask about the same names again and again. */
const judged = new Map<string, boolean>();
const MOST_JUDGED = 1000;

function wordsOf(name: string): string[] {
  return name
    .split(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[^A-Za-z0-9]+/)
    .map((word) => word.toLowerCase().replace(/[0-9]+$/, ""))
    .filter((word) => word !== "");
}

function isSecretWord(words: readonly string[], at: number): boolean {
  const [before, word = "", after] = [words[at - 1] ?? "", words[at], words[at + 1]];
  if (after !== undefined && ABOUT.has(after)) return false;
  // `AWS_ACCESS_KEY_ID` names the key itself; `key_id` only says which key it is.
  if (after === "id" && (word === "key" || word === "token")) return before === "access";
  if (word === "token" && OPEN_TOKEN.has(before)) return false;
  if (word === "key" && OPENED_BY_KEY.has(after ?? "") && !OPENS.has(before)) return false;
  if (word === "key") return !OPEN_KEY.has(before);
  // On its own it is the shell's working directory.
  if (word === "pwd") return at > 0;
  if (word === "login") return after === undefined;
  if (PLURAL.has(word)) return OPENS.has(before);
  return SECRET.has(word) || COMPOUND.test(word);
}

/** For names of variables, fields, flags and settings, in any spelling: `api_key`, `apiKey`, `--api-key`, `API.KEY`. */
export function isSecretName(name: string): boolean {
  const end = name.slice(-MOST);
  if (!HINT.test(end)) return false;
  const known = judged.get(end);
  if (known !== undefined) return known;
  const words = wordsOf(end);
  const isSecret = words.some((_, at) => isSecretWord(words, at));
  if (judged.size >= MOST_JUDGED) judged.clear();
  judged.set(end, isSecret);
  return isSecret;
}
