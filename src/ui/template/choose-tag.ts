// Choosing a tag from a registry's list, which may have ten thousand lines.
import { AppError } from "../../domain/base/error.ts";
import type { TemplateForm } from "../../domain/template/template-form.ts";
import { label, plain, t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { type ImageQuestion, imageTags, untagged } from "../../services/template/image-tags.ts";
import { BACK, type Choice, pick } from "../kit/steps.ts";

/** The chosen tag, or undefined. If a registry can't be read, the list says so and offers to try again. */
async function chooseTag(
  session: SessionService,
  account: SignedIn,
  asked: ImageQuestion,
  present: string,
): Promise<string | undefined> {
  const choices = async (signal: AbortSignal): Promise<Choice<string>[]> => {
    const tags = await imageTags(session, account, asked, signal);
    if (tags.length === 0) return [{ label: t("The registry lists no tags of this image. Type one in the form.") }];
    return tags.map((tag) => ({
      label: label(tag),
      ...(tag === present ? { description: t("chosen now") } : {}),
      value: tag,
    }));
  };
  const chosen = await pick<string>({
    title: t("Tags of {0}", plain(untagged(asked.image), 80)),
    placeholder: t("Which tag?"),
    choices,
    active: (tag) => tag === present,
  });
  return chosen === BACK ? undefined : chosen;
}

/** The fields of a template's form that concern its image and the registry login. */
export type TagQuestion = Pick<
  TemplateForm,
  "image" | "tag" | "docker_login_repo" | "docker_login_user" | "docker_login_pass"
>;

/** @throws AppError `rejected` naming the field if no image is entered. */
export async function chooseFormTag(
  session: SessionService,
  account: SignedIn,
  { image, tag, docker_login_repo: server, docker_login_user: user, docker_login_pass: token }: TagQuestion,
): Promise<string | undefined> {
  if (image.trim() === "") throw new AppError("rejected", t("Type the image first."), { fields: { image: "" } });
  return await chooseTag(session, account, { image, server, user, token }, tag);
}
