// Secrets this process knows by value, and how to remove them from a text. Searching for hundreds costs about as much
// as for one.

/**
 * The person's own secrets are masked from four characters on. A server could declare ordinary words secret, so its
 * limit is higher.
 */
const LEAST_OWN = 4;
const LEAST_SERVED = 8;
const MOST_SERVED = 500;

/** Characters of a secret's beginning that are masked where a text was cut: fewer could be any word. */
const LEAST_CUT = 8;

const BITS = 16;

/** The first four characters as a number. Different secrets can share it. */
function head(text: string, at: number): number {
  return (
    (text.charCodeAt(at) * 31 + text.charCodeAt(at + 1)) * 961 + text.charCodeAt(at + 2) * 31 + text.charCodeAt(at + 3)
  );
}

/** The ways a secret can be written in a text. */
function formsOf(secret: string): Set<string> {
  const whole = secret.toWellFormed();
  return new Set([secret, whole, encodeURIComponent(whole), JSON.stringify(whole).slice(1, -1)]);
}

/** Where the text that begins at `at` was cut. */
function findCut(text: string, at: number): number {
  const cut = text.indexOf("…", at);
  return cut < 0 ? Number.POSITIVE_INFINITY : cut;
}

/** How much of `form` stands in the text at `at`: all of it, or its beginning up to where the text was cut; else 0. */
function measureForm(text: string, at: number, cut: number, form: string): number {
  if (text.startsWith(form, at)) return form.length;
  const left = cut - at;
  return left >= LEAST_CUT && left < form.length && form.startsWith(text.slice(at, cut)) ? left : 0;
}

export class KnownSecrets {
  readonly #own = new Set<string>();
  /** Oldest first. */
  readonly #served = new Set<string>();
  #index: { readonly heads: Uint8Array; readonly forms: ReadonlyMap<number, readonly string[]> } | undefined;

  /** Remembers a secret the person entered for the lifetime of the process. */
  rememberOwn(value: string): void {
    if (value.length < LEAST_OWN || this.#own.has(value)) return;
    this.#own.add(value);
    this.#index = undefined;
  }

  holdsOwn(text: string): boolean {
    return [...this.#own].some((secret) => [...formsOf(secret)].some((form) => text.includes(form)));
  }

  /** Remembers a secret a server sent. When there are too many, the oldest are forgotten. */
  rememberServed(value: string): void {
    if (value.length < LEAST_SERVED) return;
    if (!this.#served.delete(value)) this.#index = undefined;
    this.#served.add(value);
    const [oldest] = this.#served;
    if (this.#served.size <= MOST_SERVED || oldest === undefined) return;
    this.#served.delete(oldest);
    this.#index = undefined;
  }

  /** Whoever cuts a text may cut a secret in it: what is left of that before a “…” is masked as well. */
  mask(text: string, mask: string): string {
    const { heads, forms } = this.#indexed();
    if (forms.size === 0) return text;
    let out = "";
    let from = 0;
    let cut = -1;
    for (let at = 0; at + LEAST_OWN <= text.length; at += 1) {
      const key = head(text, at);
      if (heads[key & (2 ** BITS - 1)] === 0) continue;
      const alike = forms.get(key);
      if (alike === undefined) continue;
      if (cut < at) cut = findCut(text, at);
      // Otherwise a shorter secret that begins the same way would leave the rest of the longer one visible.
      const longest = Math.max(...alike.map((form) => measureForm(text, at, cut, form)));
      if (longest === 0) continue;
      out += text.slice(from, at) + mask;
      from = at + longest;
      at = from - 1;
    }
    return out + text.slice(from);
  }

  #indexed() {
    this.#index ??= this.#build();
    return this.#index;
  }

  #build() {
    const heads = new Uint8Array(2 ** BITS);
    const forms = new Map<number, string[]>();
    for (const secret of [...this.#own, ...this.#served]) {
      for (const form of formsOf(secret)) {
        const key = head(form, 0);
        heads[key & (2 ** BITS - 1)] = 1;
        const alike = forms.get(key);
        if (alike) alike.push(form);
        else forms.set(key, [form]);
      }
    }
    return { heads, forms };
  }
}
