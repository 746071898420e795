// Secrets this process knows by value, and how to remove them from a text. Searching for hundreds costs about as much
// as for one. A server decides what it calls secret: it may call a sentence of ours so, which must be readable all the same.
import { findOwnWords, isOwnWording } from "./text.ts";

/**
 * The person's own secrets are masked from four characters on. A server could declare ordinary words secret, so its
 * limit is higher.
 */
const LEAST_OWN = 4;
const LEAST_SERVED = 8;
const MOST_SERVED = 500;

/** Characters of a secret's beginning that are masked where a text was cut: fewer could be any word. */
const LEAST_CUT = 8;

/** Characters; a longer text is none that we say. */
const LONGEST_SAID = 20_000;
/** What stands between words of ours: numbers, prices and times. */
const NUMBERS = /^[\d\s.,:;$/%+()-]*$/;

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

/** Whether a secret that a server sent may be what we say ourselves. */
const mayBeOurs = (secret: string): boolean => /\s/.test(secret) || isOwnWording(secret);

/** How much of each character is ours: not, a word that anyone might use, or a phrase. */
type Cover = Uint8Array;

function coverOwnWords(text: string): Cover {
  const cover = new Uint8Array(text.length);
  for (const { from, to, isPhrase } of findOwnWords(text))
    for (let at = from; at < to; at += 1) cover[at] = Math.max(cover[at] ?? 0, isPhrase ? 2 : 1);
  return cover;
}

interface Masked {
  readonly text: string;
  /** What comes after it may be looked at again. */
  readonly to: number;
}

/**
 * What stands there with `mask` in place of all that isn't ours. What we say is no secret, and a word of it alone is ours only if nothing
 * else is there.
 */
function maskForeign(
  text: string,
  cover: Cover,
  { from, to }: { readonly from: number; readonly to: number },
  mask: string,
): Masked {
  const of = (run: { readonly from: number; readonly to: number }) => text.slice(run.from, run.to);
  const parts = splitRuns(from, to, (at) => cover[at] ?? 0);
  const isSaid = parts.every((part) => part.level > 0 || NUMBERS.test(of(part)));
  const hasPhrase = parts.some(({ level }) => level === 2);
  if (isSaid && (hasPhrase || parts.filter(({ level }) => level === 1).length === 1)) return { text: "", to: from };
  if (!hasPhrase) return { text: mask, to };
  const runs = splitRuns(from, to, (at) => Number(cover[at] === 2));
  const last = runs.findLastIndex(({ level }) => level === 0);
  const shown = runs
    .slice(0, last + 1)
    .map((run) => (run.level === 1 ? of(run) : of(run).replace(/\S+(?:\s+\S+)*/, mask)));
  return { text: shown.join(""), to: runs[last]?.to ?? to };
}

interface Run {
  readonly from: number;
  to: number;
  readonly level: number;
}

function splitRuns(from: number, to: number, levelAt: (at: number) => number): readonly Run[] {
  const runs: Run[] = [];
  for (let at = from; at < to; at += 1) {
    const last = runs.at(-1);
    if (last?.level === levelAt(at)) last.to = at + 1;
    else runs.push({ from: at, to: at + 1, level: levelAt(at) });
  }
  return runs;
}

interface Place {
  readonly from: number;
  readonly to: number;
}

/** Where the person's own secrets are in a text, in order and apart from each other. */
class OwnPlaces {
  readonly #places: readonly Place[];
  #next = 0;

  constructor(places: readonly Place[]) {
    this.#places = places;
  }

  /**
   * Where what is masked from `from` on ends: a server's secret may end within one of the person's own, of which nothing shall be left.
   * Undefined if none of them is touched. `from` only grows from call to call.
   */
  findEnd({ from, to }: Place): number | undefined {
    const start = (at: number) => this.#places[at]?.from ?? Number.POSITIVE_INFINITY;
    const end = (at: number) => this.#places[at]?.to ?? Number.POSITIVE_INFINITY;
    while (end(this.#next) <= from) this.#next += 1;
    if (start(this.#next) >= to) return undefined;
    let last = this.#next;
    while (start(last + 1) < to) last += 1;
    return Math.max(to, end(last));
  }
}

interface Index {
  readonly heads: Uint8Array;
  readonly forms: ReadonlyMap<number, readonly string[]>;
  /** Those of the person's own secrets. */
  readonly own: ReadonlySet<string>;
}

export class KnownSecrets {
  readonly #own = new Set<string>();
  /** Oldest first. */
  readonly #served = new Set<string>();
  #index: Index | undefined;

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
    let cover: Cover | undefined;
    let own: OwnPlaces | undefined;
    const judged = new Map<string, boolean>();
    for (let at = 0; at + LEAST_OWN <= text.length; at += 1) {
      const key = head(text, at);
      if (heads[key & (2 ** BITS - 1)] === 0) continue;
      const alike = forms.get(key);
      if (alike === undefined) continue;
      if (cut < at) cut = findCut(text, at);
      // Otherwise a shorter secret that begins the same way would leave the rest of the longer one visible.
      const longest = Math.max(...alike.map((form) => measureForm(text, at, cut, form)));
      if (longest === 0) continue;
      own ??= this.#findOwn(text);
      const end = own.findEnd({ from: at, to: at + longest });
      const hit = { from: at, to: end ?? at + longest };
      const found = text.slice(at, hit.to);
      const mayShow = judged.get(found) ?? (text.length <= LONGEST_SAID && mayBeOurs(found));
      judged.set(found, mayShow);
      const isOurs = mayShow && end === undefined;
      if (isOurs) cover ??= coverOwnWords(text);
      const shown = isOurs && cover ? maskForeign(text, cover, hit, mask) : { text: mask, to: hit.to };
      if (shown.to === at) continue;
      out += text.slice(from, at) + shown.text;
      from = shown.to;
      at = from - 1;
    }
    return out + text.slice(from);
  }

  #findOwn(text: string): OwnPlaces {
    const { heads, forms, own } = this.#indexed();
    const places: { readonly from: number; to: number }[] = [];
    let cut = -1;
    for (let at = 0; own.size > 0 && at + LEAST_OWN <= text.length; at += 1) {
      const key = head(text, at);
      if (heads[key & (2 ** BITS - 1)] === 0) continue;
      const alike = forms.get(key)?.filter((form) => own.has(form)) ?? [];
      if (cut < at) cut = findCut(text, at);
      const to = at + Math.max(0, ...alike.map((form) => measureForm(text, at, cut, form)));
      const last = places.at(-1);
      if (last && at < last.to) last.to = Math.max(last.to, to);
      else if (to > at) places.push({ from: at, to });
    }
    return new OwnPlaces(places);
  }

  #indexed() {
    this.#index ??= this.#build();
    return this.#index;
  }

  #build(): Index {
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
    return { heads, forms, own: new Set([...this.#own].flatMap((secret) => [...formsOf(secret)])) };
  }
}
