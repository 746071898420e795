// A docker image's name and its parts, as registries read them.
import { t } from "../../lib/text.ts";
import { refusal } from "../base/typed-number.ts";

/** A docker image name for a pull: `pytorch/pytorch:2.4.0`, `ghcr.io:443/a/b@sha256:…`. @throws AppError `rejected`. */
export function parseImage(input: string): string {
  const image = input.trim();
  const name = "[a-z0-9]+(?:(?:\\.|_{1,2}|-+)[a-z0-9]+)*";
  const host = "(?:[A-Za-z0-9.-]+(?::\\d{1,5})?/)?";
  const shape = new RegExp(
    `^${host}${name}(?:/${name})*(?::[A-Za-z0-9_@][A-Za-z0-9_.-]{0,127})?(?:@sha256:[a-f0-9]{64})?$`,
  );
  if (image === "") throw refusal("image", t("Image: empty. Type one, such as pytorch/pytorch:latest."));
  if (image.length > 1024 || !shape.test(image)) {
    throw refusal(
      "image",
      t("Image: “{0}” is not the name of a docker image. It looks like owner/name:tag, in lower case.", image),
    );
  }
  return image;
}

/** The registry an image names: `ghcr.io`, `localhost:5000`. Undefined for the default registry. */
export function registryOf(image: string): string | undefined {
  const [first, ...rest] = image.split("/");
  return rest.length > 0 && first !== undefined && (/[.:]/.test(first) || first === "localhost") ? first : undefined;
}

/** Whether a text is a tag that registries allow. */
export function isTag(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/.test(text);
}
