// A name for an instance that a person can type and tell apart from others: what it is, where it is, and its number.
import type { Instance } from "../instance/instance.ts";

/** Characters of a GPU's name. */
const MOST_GPU = 24;
/** A service may call its GPUs anything. No name is one that a person gave to a machine of their own, such as `prod-7`. */
const READABLE = /^[1-9]\d{0,2}x[a-z0-9]{1,24}(?:-[a-z]{2})?-[1-9]\d{0,15}(?:-[2-9])?$/;

/** Whether a text is such a name: nothing else that `ssh`, a shell, or a file system could understand. */
export function isReadableName(text: string): boolean {
  return text.length <= 60 && READABLE.test(text);
}

type Named = Pick<Instance, "id" | "num_gpus" | "gpu_name" | "geolocation">;

/**
 * Such as `1xrtx4090-fr-31000001`. The number makes it the instance's own at its service. Undefined if the service doesn't say what
 * instance it is: a name never says more than is known.
 */
export function formatReadableName({ id, num_gpus: count, gpu_name: gpu, geolocation }: Named): string | undefined {
  const word = (gpu ?? "")
    .slice(0, 200)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "")
    .slice(0, MOST_GPU);
  const [, country] = /(?:^|[\s,])([A-Z]{2})$/.exec((geolocation ?? "").slice(-40).trim()) ?? [];
  const name = [`${count}x${word}`, ...(country === undefined ? [] : [country.toLowerCase()]), id].join("-");
  return isReadableName(name) ? name : undefined;
}

/** Two services may give the same number: the name that none of these is. Undefined if there are too many of them. */
export function findFreeName(name: string, taken: ReadonlySet<string>): string | undefined {
  const others = [2, 3, 4, 5, 6, 7, 8, 9].map((turn) => `${name}-${turn}`);
  return [name, ...others].find((one) => isReadableName(one) && !taken.has(one));
}
