// Choosing a tag from a registry's list, which may be ten thousand lines long.
import { label, plain, t } from "../../lib/text.ts";
import { type ImageQuestion, imageTags, untagged } from "../../services/images.ts";
import type { SessionService, SignedIn } from "../../services/session.ts";
import { BACK, type Choice, pick } from "./steps.ts";

/** The chosen tag, or undefined. A registry that cannot be read says so in the list, with a way to try again. */
export async function chooseTag(
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
