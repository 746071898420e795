// Small facts that survive a reload. The editor stores them.

/** Facts worth keeping across a reload, by key. They are for convenience, not safety. */
export interface Notes {
  get(key: string): unknown;
  set(key: string, value: unknown): void;
  keys(): readonly string[];
}
