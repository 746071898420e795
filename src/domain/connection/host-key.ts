// Host keys as files and programs of OpenSSH write them, a line each: "name ssh-ed25519 AAAA…".

export interface HostKey {
  readonly type: string;
  /** The key itself, in base64. */
  readonly blob: string;
}

/** Lines of what a machine shows. It has one key of each type. */
const MOST_LINES = 100;

const LINE = /^[^\s#@]\S{0,1000} ((?:ssh|ecdsa|sk)-[\w@.-]{1,60}) ([A-Za-z0-9+/]{16,4000}={0,2})(?:\s|$)/;

/** The keys in a text. Comments, certificates and all else that is no key are passed over. */
export function readHostKeys(text: string): readonly HostKey[] {
  const lines = text.slice(0, 1_000_000).split("\n", MOST_LINES);
  return lines.flatMap((line) => {
    const [, type, blob] = LINE.exec(line.slice(0, 6000)) ?? [];
    return type === undefined || blob === undefined ? [] : [{ type, blob }];
  });
}

/**
 * - `new`: no key of the machine is stored
 * - `same`: the machine shows a key that is stored
 * - `changed`: it shows none of those stored, but others. `ssh` alone would accept one of another type.
 * - `unclear`: it shows none at all, so nothing can be said
 */
export type HostKeyState = "new" | "same" | "changed" | "unclear";

export function compareHostKeys(stored: readonly HostKey[], shown: readonly HostKey[]): HostKeyState {
  if (stored.length === 0) return "new";
  if (shown.length === 0) return "unclear";
  const known = new Set(stored.map(({ type, blob }) => `${type} ${blob}`));
  return shown.some(({ type, blob }) => known.has(`${type} ${blob}`)) ? "same" : "changed";
}
