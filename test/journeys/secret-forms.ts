// The ways in which a secret may stand in a text, for tests that look for it where it must not be.

/** Base64 with something before it: what stands in the middle whatever that is. */
const coded = (bytes: Uint8Array): readonly string[] =>
  [0, 1, 2].map((pad) =>
    Buffer.concat([Buffer.alloc(pad), bytes])
      .toString("base64")
      .slice(4, -4),
  );

/** As it is, encoded for an address, for JSON, in base64 at any offset, and its beginning, for a text that was cut. */
export function formsOf(secret: string): readonly string[] {
  const inJson = JSON.stringify(secret).slice(1, -1);
  return [secret, encodeURIComponent(secret), inJson, secret.slice(0, 16), ...coded(Buffer.from(secret))];
}

/** Characters of base64 that nothing else shares with a key by chance, and how far apart they are looked for. */
const PART = { length: 24, apart: 8 };

/**
 * Any longer part of the file of a private key that isn't of its public half, which is in there as well, and the secret of an
 * Ed25519 key that has no passphrase.
 */
export function formsOfPrivateKey(pem: string, publicLine: string): readonly string[] {
  const body = pem.replace(/-----[^-]+-----|\s/g, "");
  const parts = Array.from({ length: Math.floor((body.length - PART.length) / PART.apart) + 1 }, (_, at) =>
    body.slice(at * PART.apart, at * PART.apart + PART.length),
  );
  const bytes = Buffer.from(body, "base64");
  // The private half is the secret and the public half once more, as one string of 64 bytes.
  const at = bytes.lastIndexOf(Buffer.from([0, 0, 0, 64]));
  const secret = at < 0 ? undefined : bytes.subarray(at + 4, at + 36);
  return [
    ...parts.filter((part) => !publicLine.includes(part)),
    ...(secret ? [secret.toString("hex"), secret.toString("latin1"), ...coded(secret)] : []),
  ];
}

/** Where one of the forms stands. Texts are compared byte by byte: read them as Latin-1. */
export function findForms(texts: Iterable<string>, secrets: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const hits: string[] = [];
  for (const text of texts)
    for (const [name, forms] of secrets) {
      const found = forms.find((form) => text.includes(form));
      if (found !== undefined)
        hits.push(`${name}: …${text.slice(Math.max(0, text.indexOf(found) - 100)).slice(0, 160)}`);
    }
  return hits;
}
