// Small facts that outlive a reload; the editor keeps them.

/** Facts worth keeping over a reload, by key; comfort, not safety. */
export interface Notes {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  keys(): readonly string[];
}
