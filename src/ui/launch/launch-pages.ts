// The tabs in which launches are configured. A tab belongs to one launch: closing it leads back to the step that opened it.
import * as vscode from "vscode";
import type { AppError } from "../../domain/base/error.ts";
import type { LaunchDraft } from "../../domain/launch/launch-draft.ts";
import { LAUNCH_FIELDS, type LaunchField, type LaunchForm } from "../../domain/launch/launch-form.ts";
import { toNewTemplate } from "../../domain/launch/new-template.ts";
import { formatMachineName } from "../../domain/offer/offer.ts";
import { splitImage } from "../../domain/template/image.ts";
import { toDisplayName, withTag } from "../../domain/template/template.ts";
import type { WholeDraft } from "../../domain/template/template-form.ts";
import { Bag } from "../../lib/disposable.ts";
import type { Log } from "../../lib/log.ts";
import { t } from "../../lib/text.ts";
import { formatRequest } from "../../present/launch/masked-request.ts";
import { describeVolumeFacts } from "../../present/launch/volume-text.ts";
import { type LaunchPage, launchPage } from "../../protocol/launch-page.ts";
import type { SessionService, SignedIn } from "../../services/core/session.ts";
import { type ConfigureServices, LaunchEdit } from "../../services/launch/configure/launch-edit.ts";
import { type Answer, BACK } from "../kit/ask/steps.ts";
import { type Answers, answerPage } from "../kit/page-line.ts";
import { PageTabs } from "../kit/page-tabs.ts";
import { chooseFormTag } from "../template/choose-tag.ts";
import { chooseVolume } from "./choose-volume.ts";

interface PageServices extends ConfigureServices {
  readonly session: SessionService;
  readonly log: Log;
}

/** What to begin with, and whether something is to be done on the instance as soon as it is there. */
interface Purpose {
  readonly focus: LaunchField;
  readonly mustRun: boolean;
  readonly isForSeveral?: boolean;
}

export class LaunchPages {
  readonly #tabs: PageTabs<LaunchEdit>;
  readonly #saveAsTemplate: (draft: WholeDraft) => void;

  /** `saveAsTemplate` opens the form of a new template with this content. */
  constructor(extension: vscode.Uri, saveAsTemplate: (draft: WholeDraft) => void) {
    this.#tabs = new PageTabs(extension, "launch");
    this.#saveAsTemplate = saveAsTemplate;
  }

  /** Resolves to the configured draft, to Back once the tab is closed, or to nothing once someone signs out. @throws AppError if the account was switched. */
  async ask(services: PageServices, draft: LaunchDraft, purpose: Purpose): Promise<Answer<LaunchDraft>> {
    const account = services.session.requireSignedIn();
    const edit = await LaunchEdit.open(services, account, draft, purpose.mustRun, purpose.isForSeveral);
    const { promise, resolve, reject } = Promise.withResolvers<Answer<LaunchDraft>>();
    this.#tabs.show(edit, t("Launch Configuration"), ({ webview }) => {
      const bag = new Bag();
      bag.add({ dispose: () => resolve(BACK) });
      const answers = this.#answersOf(services, edit, purpose, resolve);
      bag.add(answerPage({ webview, contract: launchPage, answers, fieldOf: findRefusedField, log: services.log }));
      bag.add(
        services.session.onDidChange(({ kind }) => {
          // Whoever signs out knows that they drop it.
          if (kind === "signed-out") return resolve(undefined);
          try {
            services.session.assertStill(account);
          } catch (error) {
            reject(error);
          }
        }),
      );
      return bag;
    });
    return await promise.finally(() => this.#tabs.close(edit));
  }

  #answersOf(
    services: PageServices,
    edit: LaunchEdit,
    { focus }: Purpose,
    done: (draft: LaunchDraft) => void,
  ): Answers<LaunchPage> {
    const { draft, account } = edit;
    let last: { readonly about: string; readonly text: Promise<string | undefined> } | undefined;
    // The service is asked once for each volume that is named.
    const describe = (form: LaunchForm) => {
      const about = [form.volume, form.volume_id, form.volume_size].join(" ");
      if (last?.about !== about) last = { about, text: describeVolume(services, edit, form) };
      return last.text;
    };
    return {
      open: async () => ({
        state: {
          ...{ context: edit.context, form: edit.form, isRestored: edit.isRestored, focus },
          title: draft.template ? toDisplayName(draft.template.name, 80) : t("New Launch"),
          ...(draft.offer ? { machine: formatMachineName(draft.offer) } : {}),
        },
        dictionary: vscode.l10n.bundle ?? {},
      }),
      change: async (form) => {
        const [request, volume] = await Promise.all([edit.change(form), describe(form)]);
        return {
          ...(request === undefined ? {} : { request: formatRequest(request) }),
          ...(volume === undefined ? {} : { volume }),
        };
      },
      tags: (form) => chooseTagOf(services, account, form),
      volume: (kind) => chooseVolume(services.launchVolumes, account, kind, draft.offer),
      review: async (form) => {
        done(await edit.finish(form));
        return null;
      },
      saveAs: async (form) => {
        services.session.assertStill(account);
        this.#saveAsTemplate(toNewTemplate(form, edit.shown));
        return null;
      },
    };
  }
}

/** What the form's own checks can't know, and what the tags' question is about. */
function findRefusedField({ facts: { fields = {} } }: AppError): string | undefined {
  const names: Readonly<Record<string, LaunchField>> = {
    docker_login_repo: "login_registry",
    docker_login_user: "login_user",
    docker_login_pass: "login_token",
  };
  const [first] = Object.keys(fields).map((name) => names[name] ?? name);
  return LAUNCH_FIELDS.find((field) => field === first);
}

async function chooseTagOf(
  { session }: PageServices,
  account: SignedIn,
  { image, login_registry, login_user, login_token }: LaunchForm,
): Promise<string | undefined> {
  const { name, tag = "" } = splitImage(image.trim());
  const login = { docker_login_repo: login_registry, docker_login_user: login_user, docker_login_pass: login_token };
  const chosen = await chooseFormTag(session, account, { image: name, tag, ...login });
  return chosen === undefined ? undefined : withTag(name, chosen);
}

/** Where the volume is or what it costs; nothing while that can't be read. */
async function describeVolume(
  { launchVolumes }: PageServices,
  { account, draft }: LaunchEdit,
  { volume, volume_id, volume_size }: LaunchForm,
): Promise<string | undefined> {
  const id = Number(volume_id);
  if (volume === "none" || !Number.isSafeInteger(id) || id <= 0) return undefined;
  const facts = await launchVolumes
    .describe(account, { kind: volume, id, size: Number(volume_size) }, draft)
    .catch(() => undefined);
  return facts && describeVolumeFacts(facts);
}
