// Images in registries: which tags there are (interface 4.12).
import type { SessionService } from "./session.ts";

export interface ImageQuestion {
  readonly image: string;
  readonly server: string;
  readonly user: string;
  readonly token: string;
}

/** The path without a tag or digest; a registry's port is neither. */
export function untagged(image: string): string {
  const path = image.trim().replace(/@[^/]*$/, "");
  const colon = path.lastIndexOf(":");
  return colon > path.lastIndexOf("/") ? path.slice(0, colon) : path;
}

/** Tags as the registry lists them; none where it lists none. @throws AppError `rejected` where a login is missing or wrong. */
export function imageTags(
  session: SessionService,
  asked: ImageQuestion,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const login = { server: asked.server.trim(), username: asked.user.trim(), token: asked.token };
  return session.signedIn().client.fetchImageTags(untagged(asked.image), login, signal);
// Tags of docker images as the service finds them in registries (interface 4.12).
import { asAppError } from "../domain/error.ts";
import { isTag, registryOf, withoutTag } from "../domain/image.ts";

/** Who asks a private registry; used for one question and kept nowhere. */
export interface Login {
  readonly username: string;
}

export class ImagesService {
  readonly #session: SessionService;

  constructor(session: SessionService) {
    this.#session = session;
  }

  /**
   * Tags of an image, whatever tag or digest it was named with; none where the registry lists none, which says nothing
   * about whether it can be pulled.
   * @throws AppError; see `needsLogin`.
   */
  async tags(image: string, login?: Login, signal?: AbortSignal): Promise<readonly string[]> {
    const account = this.#session.signedIn();
    const server = registryOf(image);
    const given = login === undefined ? {} : { ...login, ...(server === undefined ? {} : { server }) };
    const tags = await account.client.fetchImageTags(withoutTag(image), given, signal);
    this.#session.assertStill(account);
    return [...new Set(tags)].filter(isTag);
  }
}

/** Whether a registry wants to know who asks, or did not believe it. */
export function needsLogin(thrown: unknown): boolean {
  const { kind, facts, message } = asAppError(thrown);
  return (
    kind === "rejected" && (facts.code === "registry_error" || /unauthori[sz]ed|credential|login|denied/i.test(message))
  );
}
