// The environment an instance was rented with, as the service tells it (interface 4.3, rule 4).

/** Values by name, among them options such as `-p 8080:8080` with the value `1`. All of it is foreign text. */
export type ExtraEnv = ReadonlyMap<string, string>;

const isValue = (value: unknown) => ["string", "number", "boolean"].includes(typeof value);

/** Reads pairs, which public services send, or the object of a request. What is neither name nor value is left out. */
export function readExtraEnv(given: unknown): ExtraEnv | undefined {
  if (typeof given !== "object" || given === null) return undefined;
  const pairs: readonly unknown[] = Array.isArray(given) ? given : Object.entries(given);
  const known = new Map<string, string>();
  for (const pair of pairs) {
    const [name, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof name === "string" && name !== "" && isValue(value)) known.set(name, String(value));
  }
  return known;
}
