// Public SSH keys as they stand in files and at the service: "ssh-ed25519 AAAA… name".

export interface PublicKey {
  /** The whole line, as it is sent. */
  readonly line: string;
  readonly type: string;
  /** The key itself, in base64: two lines with the same one are the same key. */
  readonly blob: string;
  /** What its owner called it; often a mail address. */
  readonly comment: string;
  /** The path of its private half, if that is a file of this computer. It is never opened here. */
  readonly file?: string;
}

const LINE = /^((?:ssh|ecdsa|sk)-[\w@.-]{1,60}) ([A-Za-z0-9+/]{16,4000}={0,2})(?: ([^\r\n]{0,200}))?$/;

/** One line of text as a public key. Undefined for anything else, such as a private key, a certificate, or options before the key. */
export function readPublicKey(text: string): PublicKey | undefined {
  const line = text.trim();
  const [, type, blob, comment = ""] = LINE.exec(line) ?? [];
  return type === undefined || blob === undefined || type.includes("-cert-")
    ? undefined
    : { line, type, blob, comment: comment.trim() };
}

/** Whether one of this computer's keys is among those that may log in. */
export function findSharedKey(
  mine: readonly PublicKey[],
  admitted: readonly (string | undefined)[],
): PublicKey | undefined {
  const known = new Set(admitted.map((text) => readPublicKey(text ?? "")?.blob));
  return mine.find(({ blob }) => known.has(blob));
}
