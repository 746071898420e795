// Lists the tags of images in registries (interface 4.12).
import { asAppError } from "../../domain/base/error.ts";
import { isTag, splitImage } from "../../domain/template/image.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";

export interface ImageQuestion {
  readonly image: string;
  readonly server: string;
  readonly user: string;
  readonly token: string;
}

/**
 * Tags as the registry lists them. An empty list doesn't mean that the image can't be pulled. The login is used for
 * this one request, in the account it was meant for, and never stored.
 * @throws AppError `rejected` if a login is missing or wrong; see `needsLogin`.
 */
export async function readImageTags(
  session: SessionService,
  account: SignedIn,
  asked: ImageQuestion,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  session.assertStill(account);
  const login = { server: asked.server.trim(), username: asked.user.trim(), token: asked.token };
  const tags = await account.client.fetchImageTags(splitImage(asked.image.trim()).name, login, signal);
  session.assertStill(account);
  return [...new Set(tags)].filter(isTag);
}

/** What a registry that lets no one in lacks: the first part of the login that isn't entered, or another token. */
export function findLoginGap({ server, user, token }: Omit<ImageQuestion, "image">): {
  readonly field: "docker_login_repo" | "docker_login_user" | "docker_login_pass";
  readonly message: string;
} {
  const message = t("Enter the registry, user, and token to list the tags of a private image.");
  if (server.trim() === "") return { field: "docker_login_repo", message };
  if (user.trim() === "") return { field: "docker_login_user", message };
  if (token === "") return { field: "docker_login_pass", message };
  return { field: "docker_login_pass", message: t("The registry refused this user and token.") };
}

/** Whether a registry requires a login, or rejected the one it got. */
export function needsLogin(thrown: unknown): boolean {
  const { kind, facts } = asAppError(thrown);
  return kind === "rejected" && facts.code === "registry_error";
}
