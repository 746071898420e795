// Images in registries: which tags there are (interface 4.12).
import { asAppError } from "../../domain/base/error.ts";
import { isTag } from "../../domain/template/image.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

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

/**
 * Tags as the registry lists them; none where it lists none, which does not mean that the image cannot be pulled. The
 * login is used for this one question, in the account it was meant for, and kept nowhere.
 * @throws AppError `rejected` where a login is missing or wrong; see `needsLogin`.
 */
export async function imageTags(
  session: SessionService,
  account: SignedIn,
  asked: ImageQuestion,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  session.assertStill(account);
  const login = { server: asked.server.trim(), username: asked.user.trim(), token: asked.token };
  const tags = await account.client.fetchImageTags(untagged(asked.image), login, signal);
  session.assertStill(account);
  return [...new Set(tags)].filter(isTag);
}

/** Whether a registry wants to know who asks, or did not believe it. */
export function needsLogin(thrown: unknown): boolean {
  const { kind, facts, message } = asAppError(thrown);
  const asks = facts.code === "registry_error" || /unauthori[sz]ed|credential|login|denied/i.test(message);
  return kind === "rejected" && asks;
}
