// Choosing a tag of an image from its registry's list, which may have ten thousand lines: for a template's form, which
// holds the login of a private image, and on its own, where the login is asked for.
import { AppError, asAppError } from "../../domain/base/error.ts";
import { describeRegistry, findRegistry, readRegistry, splitImage } from "../../domain/template/image.ts";
import { withTag } from "../../domain/template/template.ts";
import type { TemplateForm } from "../../domain/template/template-form.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { findLoginGap, type ImageQuestion, needsLogin, readImageTags } from "../../services/template/image-tags.ts";
import { type Choice, pickOne } from "../kit/ask/pick.ts";
import { type Answer, askText, BACK, type StepPlace } from "../kit/ask/steps.ts";

const LOGIN = Symbol("login");
type TagChoice = Choice<string | typeof LOGIN>;

/** The fields of a template's form that concern its image and the registry login. */
type TagQuestion = Pick<
  TemplateForm,
  "image" | "tag" | "docker_login_repo" | "docker_login_user" | "docker_login_pass"
>;

/**
 * Tags for a template's form. If the registry can't be read, the list says so and offers to try again.
 * @throws AppError `rejected` naming the field to go to: the image if none is entered, the login if it is needed.
 */
export async function chooseFormTag(
  session: SessionService,
  account: SignedIn,
  { image, tag: present, docker_login_repo: registry, docker_login_user: user, docker_login_pass: token }: TagQuestion,
): Promise<string | undefined> {
  if (image.trim() === "") throw new AppError("rejected", t("Enter the image first."), { fields: { image: "" } });
  const server = readRegistry(registry);
  if (server === undefined)
    throw new AppError("rejected", describeRegistry(), { fields: { docker_login_repo: describeRegistry() } });
  const asked: ImageQuestion = { image, server, user, token };
  const none: TagChoice = { label: t("The registry lists no tags for this image. Enter a tag in the form.") };
  const chosen = await pickOne<string | typeof LOGIN>({
    title: t("Tags of {0}", toPlainText(splitImage(image.trim()).name, 80)),
    placeholder: t("Which tag?"),
    choices: (signal) =>
      listTagsOrLogin(session, account, asked, { signal, present, none: [none, offerLogin(t("for private images"))] }),
    active: (tag) => tag === present,
  });
  if (chosen === LOGIN) {
    const { field, message } = findLoginGap(asked);
    throw new AppError("rejected", message, { fields: { [field]: message } });
  }
  return typeof chosen === "string" ? chosen : undefined;
}

/** @returns the image with the chosen tag. A login that was needed isn't stored. */
export async function askTag(session: SessionService, place: StepPlace, image: string): Promise<Answer<string>> {
  const bare = splitImage(image.trim()).name;
  const account = session.requireSignedIn();
  const none: TagChoice = {
    label: t("The registry lists no tags for this image."),
    detail: t("The image may still exist. Check its name."),
  };
  let question: ImageQuestion = { image: bare, server: "", user: "", token: "" };
  for (;;) {
    const asked = question;
    const tag = await pickOne<string | typeof LOGIN>({
      ...place,
      placeholder: t("Tags of {0}. Type to filter.", toLabel(bare, 60)),
      choices: (signal) =>
        listTagsOrLogin(session, account, asked, { signal, none: [none, offerLogin(t("for private images"))] }),
      active: (value) => value === LOGIN,
    });
    if (tag === undefined || tag === BACK) return tag;
    if (tag !== LOGIN) return withTag(bare, tag);
    const given = await askLogin({ title: place.title, back: true }, bare);
    if (given === undefined) return undefined;
    if (given !== BACK) question = { ...question, ...given };
  }
}

interface TagList {
  readonly signal: AbortSignal;
  /** The tag that is chosen now. */
  readonly present?: string;
  /** Shown if there is no tag. */
  readonly none: readonly TagChoice[];
}

/** @throws AppError; see `readImageTags`. */
async function listTags(
  session: SessionService,
  account: SignedIn,
  asked: ImageQuestion,
  { signal, present, none }: TagList,
): Promise<TagChoice[]> {
  const tags = await readImageTags(session, account, asked, signal);
  if (tags.length === 0) return [...none];
  return tags.map((tag) => ({
    label: toLabel(tag),
    ...(tag === present ? { description: t("current") } : {}),
    value: tag,
  }));
}

/** If the registry lets no one in, the list offers to log in. */
async function listTagsOrLogin(
  session: SessionService,
  account: SignedIn,
  asked: ImageQuestion,
  list: TagList,
): Promise<TagChoice[]> {
  try {
    return await listTags(session, account, asked, list);
  } catch (thrown) {
    if (!needsLogin(thrown)) throw thrown;
    const refused: TagChoice = {
      label: `$(lock) ${asked.token === "" ? t("This registry requires a login.") : t("The registry refused this user and token.")}`,
      detail: toLabel(asAppError(thrown).message, 300),
    };
    return [refused, offerLogin()];
  }
}

function offerLogin(description = ""): TagChoice {
  return { label: `$(key) ${t("Log In to the Registry…")}`, description, value: LOGIN, alwaysShow: true };
}

async function askLogin(place: StepPlace, image: string): Promise<Answer<Omit<ImageQuestion, "image">>> {
  const username = await askText<string>({
    ...place,
    prompt: t("User name for the registry of {0}", toLabel(image, 60)),
    read: (text) => text.trim(),
  });
  if (username === undefined || username === BACK) return username;
  const token = await askText<string>({
    ...place,
    prompt: t("Access token or password. Used for this list only and not stored."),
    password: true,
    read: (text) => text.trim(),
  });
  return token === undefined || token === BACK ? token : { server: findRegistry(image) ?? "", user: username, token };
}
