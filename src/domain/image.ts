// Parts of a docker image's name as registries read them.

/** The registry an image names: `ghcr.io`, `localhost:5000`; undefined where it is the default one. */
export function registryOf(image: string): string | undefined {
  const [first, ...rest] = image.split("/");
  return rest.length > 0 && first !== undefined && (/[.:]/.test(first) || first === "localhost") ? first : undefined;
}

/** A tag as registries allow it; anything else is not one, whoever says so. */
export function isTag(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text);
}
