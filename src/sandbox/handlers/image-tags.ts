// The registries of the sandbox's world: images, their tags, and who may read them (interface 4.12).
import { checkText, readFields, readJsonObject } from "../base/checks.ts";
import { Refusal } from "../base/refusal.ts";
import { canReadImage, toRegistryServer } from "../world/registries.ts";
import { ownTemplates, publicTemplates } from "../world/template-library.ts";

const MORE_TAGS: Readonly<Record<string, readonly string[]>> = {
  "pytorch/pytorch": [
    "latest",
    "2.7.1-cuda12.8-cudnn9-devel",
    "2.7.1-cuda12.8-cudnn9-runtime",
    "2.6.0-cuda12.4-cudnn9-runtime",
  ],
  "nvidia/cuda": ["13.0.0-devel-ubuntu24.04", "12.8.1-runtime-ubuntu24.04", "12.4.1-cudnn-devel-ubuntu22.04"],
  "tensorflow/tensorflow": ["latest", "latest-gpu", "2.19.0-gpu", "2.19.0"],
  // As many as projects that publish every build have.
  "vllm/vllm-openai": ["latest", "v0.10.0", "v0.9.2", "nightly", ...builds(4000)],
  ubuntu: ["latest", "22.04", "25.04", "noble", "jammy"],
};

function builds(count: number): string[] {
  return Array.from({ length: count }, (_, place) => `nightly-build-${count - place}`);
}

const CATALOGUE: ReadonlyMap<string, readonly string[]> = (() => {
  const tags = new Map<string, Set<string>>();
  for (const { image, tag } of [...publicTemplates, ...ownTemplates]) {
    const of = tags.get(image) ?? new Set();
    for (const one of [tag, ...(MORE_TAGS[image] ?? ["latest"])]) of.add(one);
    tags.set(image, of);
  }
  return new Map([...tags].map(([image, of]) => [image, [...of]]));
})();

/**
 * Shortens `docker.io/library/ubuntu`, with the server separate or not, to `ubuntu`. Other registries stay part of the
 * name.
 */
function fullName(image: string, server: string): string {
  const host = toRegistryServer(server);
  const whole = host === "" || image.startsWith(`${host}/`) ? image : `${host}/${image}`;
  return whole.replace(/^(index\.)?docker\.io\//, "").replace(/^library\//, "");
}

/**
 * Empty for an unknown image. @throws Refusal 400 `invalid_args`, or `registry_error` if a login is missing or wrong.
 */
export function listImageTags(body: unknown): string[] {
  const checks = {
    image: checkText(1024, 1),
    server: checkText(1024),
    username: checkText(1024),
    token: checkText(4096),
  };
  const { image, server, username, token } = readFields(readJsonObject(body), checks);
  if (typeof image !== "string") throw new Refusal(400, "invalid_args", "image is required and must be a string");
  const name = fullName(image, String(server ?? ""));
  const login = { user: String(username), pass: String(token) };
  if (!canReadImage(name, login))
    throw new Refusal(400, "registry_error", `The registry refused access to ${name}: a username and token are needed`);
  return [...(CATALOGUE.get(name) ?? [])];
}
