// Choosing a tag of an image: fetched from its registry, with a login if it is private.
import { asAppError } from "../../domain/base/error.ts";
import { registryOf } from "../../domain/template/image.ts";
import { imageWithTag } from "../../domain/template/template.ts";
import { label, t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { type ImageQuestion, imageTags, needsLogin, untagged } from "../../services/template/image-tags.ts";
import { type Answer, ask, BACK, type Choice, pick, type StepPlace } from "../kit/steps.ts";

const LOGIN = Symbol("login");

/** @returns the image with the chosen tag. A login that was needed is not stored. */
export async function askTag(session: SessionService, place: StepPlace, image: string): Promise<Answer<string>> {
  const bare = untagged(image);
  const account = session.signedIn();
  let question: ImageQuestion = { image: bare, server: "", user: "", token: "" };
  for (;;) {
    const asked = question;
    const tag = await pick<string | typeof LOGIN>({
      ...place,
      placeholder: t("Tags of {0}. Type to filter.", label(bare, 60)),
      choices: (signal) => tagChoices(session, account, asked, signal),
      active: (value) => value === LOGIN,
    });
    if (tag === undefined || tag === BACK) return tag;
    if (tag !== LOGIN) return imageWithTag(bare, tag);
    const given = await askLogin({ title: place.title, back: true }, bare);
    if (given === undefined) return undefined;
    if (given !== BACK) question = { ...question, ...given };
  }
}

async function tagChoices(
  session: SessionService,
  account: SignedIn,
  question: ImageQuestion,
  signal: AbortSignal,
): Promise<Choice<string | typeof LOGIN>[]> {
  try {
    const tags = await imageTags(session, account, question, signal);
    if (tags.length > 0) return tags.map((tag) => ({ label: tag, value: tag }));
    return [
      {
        label: t("The registry lists no tags for this image."),
        detail: t("It may exist all the same. Is its name right?"),
      },
      signIn(t("For a private image")),
    ];
  } catch (thrown) {
    if (!needsLogin(thrown)) throw thrown;
    return [
      {
        label: `$(lock) ${t("The registry lets nobody in without a login.")}`,
        detail: label(asAppError(thrown).message, 300),
      },
      signIn(),
    ];
  }
}

function signIn(description = ""): Choice<typeof LOGIN> {
  return { label: `$(key) ${t("Log In to the Registry…")}`, description, value: LOGIN, alwaysShow: true };
}

async function askLogin(place: StepPlace, image: string): Promise<Answer<Omit<ImageQuestion, "image">>> {
  const username = await ask<string>({
    ...place,
    prompt: t("User name at the registry of {0}", label(image, 60)),
    read: (text) => text.trim(),
  });
  if (username === undefined || username === BACK) return username;
  const token = await ask<string>({
    ...place,
    prompt: t("Access token or password. It is used for this list and not kept."),
    password: true,
    read: (text) => text.trim(),
  });
  return token === undefined || token === BACK ? token : { server: registryOf(image) ?? "", user: username, token };
}
