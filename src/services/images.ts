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
}
