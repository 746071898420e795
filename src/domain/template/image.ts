// A docker image's name and its parts, as registries read them.
import * as z from "zod";
import { t } from "../../lib/text.ts";
import { createRejection } from "../base/typed-number.ts";

/** Whether a text is a docker image name for a pull: `pytorch/pytorch:2.4.0`, `ghcr.io:443/a/b@sha256:…`. */
export function isImageName(text: string): boolean {
  const name = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
  const host = "(?:[A-Za-z0-9][A-Za-z0-9.-]*(?::\\d{1,5})?/)?";
  const shape = new RegExp(
    `^${host}${name}(?:/${name})*(?::[A-Za-z0-9_@][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
  );
  return text.length <= 1024 && shape.test(text);
}

/** As a file has it. */
export const ImageName = z.string().refine(isImageName);

/** @throws AppError `rejected` for anything but a docker image name. */
export function parseImage(input: string): string {
  const image = input.trim();
  if (image === "") throw createRejection("image", t("Image: enter a name, such as pytorch/pytorch:latest."));
  if (!isImageName(image)) {
    throw createRejection(
      "image",
      t("Image: “{0}” isn't a valid Docker image name. Use the form owner/name:tag in lowercase.", image),
    );
  }
  return image;
}

/** The registry an image names: `ghcr.io`, `localhost:5000`. Undefined for the default registry. */
export function findRegistry(image: string): string | undefined {
  const [first, ...rest] = image.split("/");
  return rest.length > 0 && first !== undefined && (/[.:]/.test(first) || first === "localhost") ? first : undefined;
}

/**
 * A registry's address as typed or copied from elsewhere, without what its clients add themselves: `https://ghcr.io/v2/` is `ghcr.io`.
 * `/v1` is in the address that Docker itself writes down for its registry. Undefined if more than a host is left, or nothing.
 */
export function readRegistry(typed: string): string | undefined {
  const written = typed.trim();
  const host = written
    .replace(/^https:\/\//i, "")
    .replace(/\/$/, "")
    .replace(/\/v[12]$/i, "");
  return host.includes("/") || (host === "" && written !== "") ? undefined : host;
}

/** What to enter in place of what `readRegistry` can't read. */
export const describeRegistry = (): string =>
  t("Enter the registry as a host only, such as registry.example.com:5000, without a scheme or path.");

/** The parts of a name, also of one that no registry would take. A registry's port is no tag, and `@` may begin one. */
export function splitImage(image: string): {
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
} {
  const at = image.lastIndexOf("/") + 1;
  const [, name = "", tag, digest] = /^(.*?)(?::(@?[^:@]*))?(?:@(.*))?$/s.exec(image.slice(at)) ?? [];
  return { name: image.slice(0, at) + name, tag, digest };
}

/** Whether a text is a tag that registries allow. */
export function isTag(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text);
}

/** Official images of systems and languages, whose own command is a shell or a prompt. */
const SHELLS = new Set([
  "ubuntu",
  "debian",
  "alpine",
  "fedora",
  "centos",
  "rockylinux",
  "almalinux",
  "archlinux",
  "amazonlinux",
  "busybox",
  "bash",
  "buildpack-deps",
  "python",
  "node",
  "ruby",
  "golang",
  "rust",
  "julia",
  "r-base",
  "perl",
  "openjdk",
]);
/** Others known to start a shell, whoever builds on them. */
const SHELLS_OF_OTHERS = new Set(["nvidia/cuda", "pytorch/pytorch", "continuumio/miniconda3", "continuumio/anaconda3"]);

/** Whether an image is known to start nothing but a shell or prompt, which ends at once without a terminal. */
export function startsOnlyShell(image: string): boolean {
  const short = splitImage(image.trim()).name.replace(/^(?:docker\.io\/)?(?:library\/)?/, "");
  return SHELLS.has(short) || SHELLS_OF_OTHERS.has(short);
}
