// Masks secrets in output that arrives in pieces of any size. One pass by the automaton of Aho and Corasick: the time grows with the
// output alone, whatever it holds and however many forms are looked for.
import { MASK } from "./redact.ts";

/** Bytes: a shorter text could be any word of the output. */
export const LEAST_MASKED = 8;
/** Lines of one secret that are masked on their own. */
const MOST_LINES = 2000;

const NONE = -1;

/** The secret itself, its lines, and the ways in which programs like to print it. */
function listForms(secret: string): readonly string[] {
  const lines = secret.split(/\r?\n/, MOST_LINES);
  const whole = secret.toWellFormed();
  return [secret, secret.trimEnd(), ...lines, JSON.stringify(whole).slice(1, -1), encodeURIComponent(whole)];
}

/** A tree of all forms. Node 0 is its root; a node's number is above its parent's. */
class FormTree {
  readonly #bytes: number[] = [0];
  readonly #children: number[] = [NONE];
  readonly #siblings: number[] = [NONE];
  readonly #depths: number[] = [0];
  readonly #parents: number[] = [NONE];
  /** The longest form that ends there, in bytes; 0 for none. */
  readonly #ends: number[] = [0];
  readonly #falls: number[] = [0];

  constructor(forms: Iterable<Uint8Array>) {
    for (const form of forms) this.#add(form);
    this.#link();
  }

  #add(form: Uint8Array): void {
    let node = 0;
    for (const byte of form) {
      const child = this.#find(node, byte);
      node = child === NONE ? this.#grow(node, byte) : child;
    }
    this.#ends[node] = form.length;
  }

  #grow(parent: number, byte: number): number {
    const node = this.#bytes.push(byte) - 1;
    this.#siblings.push(this.#children[parent] ?? NONE);
    this.#children.push(NONE);
    this.#children[parent] = node;
    this.#depths.push(this.getDepth(parent) + 1);
    this.#parents.push(parent);
    this.#ends.push(0);
    this.#falls.push(0);
    return node;
  }

  #find(node: number, byte: number): number {
    let child = this.#children[node] ?? NONE;
    while (child !== NONE && this.#bytes[child] !== byte) child = this.#siblings[child] ?? NONE;
    return child;
  }

  /** Where to go on if nothing follows: the longest end of what was read that a form begins with. By depth, from the root. */
  #link(): void {
    const order = [...this.#bytes.keys()].sort((a, b) => this.getDepth(a) - this.getDepth(b));
    for (const node of order) {
      if (this.getDepth(node) < 2) continue;
      const fall = this.findNext(this.#falls[this.#parents[node] ?? 0] ?? 0, this.#bytes[node] ?? 0);
      this.#falls[node] = fall;
      this.#ends[node] = Math.max(this.getEnd(node), this.getEnd(fall));
    }
  }

  findNext(from: number, byte: number): number {
    for (let node = from; ; node = this.#falls[node] ?? 0) {
      const child = this.#find(node, byte);
      if (child !== NONE) return child;
      if (node === 0) return 0;
    }
  }

  /** Bytes of what was read last that a form begins with. */
  getDepth(node: number): number {
    return this.#depths[node] ?? 0;
  }

  getEnd(node: number): number {
    return this.#ends[node] ?? 0;
  }
}

export class SecretMasker {
  readonly #tree: FormTree;
  readonly #mask = Buffer.from(MASK);
  #node = 0;
  /** What may be the beginning of a secret, and which bytes of it belong to one. */
  #held: { readonly bytes: Uint8Array; readonly flags: Uint8Array } = {
    bytes: new Uint8Array(0),
    flags: new Uint8Array(0),
  };
  #isInSecret = false;
  #hasMasked = false;

  /** Those that are too short to be told from words are left out. */
  constructor(secrets: Iterable<string>) {
    const forms = new Set([...secrets].flatMap(listForms));
    this.#tree = new FormTree(
      [...forms].map((form) => Buffer.from(form)).filter(({ length }) => length >= LEAST_MASKED),
    );
  }

  /** Whether anything was masked so far. */
  get hasMasked(): boolean {
    return this.#hasMasked;
  }

  /** What can be shown by now; the rest comes with the next piece, or at the end. */
  push(piece: Uint8Array): Uint8Array {
    const bytes = Buffer.concat([this.#held.bytes, piece]);
    const flags = new Uint8Array(bytes.length);
    flags.set(this.#held.flags);
    for (let at = this.#held.bytes.length; at < bytes.length; at += 1) {
      this.#node = this.#tree.findNext(this.#node, bytes[at] ?? 0);
      const length = this.#tree.getEnd(this.#node);
      if (length > 0) flags.fill(1, at + 1 - length, at + 1);
    }
    const shown = bytes.length - this.#tree.getDepth(this.#node);
    this.#held = { bytes: bytes.subarray(shown), flags: flags.subarray(shown) };
    return this.#show(bytes.subarray(0, shown), flags);
  }

  /** What was held back: nothing follows that would make it a secret. */
  end(): Uint8Array {
    const { bytes, flags } = this.#held;
    this.#held = { bytes: bytes.subarray(0, 0), flags: flags.subarray(0, 0) };
    this.#node = 0;
    return this.#show(bytes, flags);
  }

  #show(bytes: Uint8Array, flags: Uint8Array): Uint8Array {
    const parts: Uint8Array[] = [];
    let at = 0;
    while (at < bytes.length) {
      const isSecret = flags[at] === 1;
      let to = at + 1;
      while (to < bytes.length && (flags[to] === 1) === isSecret) to += 1;
      if (!isSecret) parts.push(bytes.subarray(at, to));
      // Of one that comes in pieces, the first bears the mask.
      else if (!this.#isInSecret) parts.push(this.#mask);
      this.#hasMasked ||= isSecret;
      this.#isInSecret = isSecret;
      at = to;
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
  }
}
