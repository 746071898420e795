// One launch that is being configured: what is typed, what would be sent, and the draft that comes of it.
import { AppError, asAppError } from "../../../domain/base/error.ts";
import type { CreateInstanceBody } from "../../../domain/launch/create-request.ts";
import type { LaunchChoice } from "../../../domain/launch/launch-configuration.ts";
import { type LaunchDraft, toPlanWithoutOffer, withChoice } from "../../../domain/launch/launch-draft.ts";
import {
  type LaunchField,
  type LaunchForm,
  type LaunchFormContext,
  LaunchForm as LaunchFormShape,
  listUnaskedFields,
  toFormContext,
  toLaunchForm,
  withProposal,
} from "../../../domain/launch/launch-form.ts";
import { toLaunchRequest } from "../../../domain/launch/launch-plan.ts";
import { listOwnFields, readLaunchForm } from "../../../domain/launch/read-launch-form.ts";
import { readScript, unpackScript } from "../../../domain/template/packed-script.ts";
import type { TemplateLaunch } from "../../../domain/template/template-proposals.ts";
import type { Clock } from "../../../lib/clock.ts";
import { t } from "../../../lib/text.ts";
import type { SessionService, SignedIn } from "../../core/session.ts";
import type { KeptForm, LaunchForms } from "./launch-forms.ts";
import type { LaunchVolumes } from "./launch-volumes.ts";

/** What configuring a launch needs. */
export interface ConfigureServices {
  readonly session: Pick<SessionService, "assertStill">;
  readonly launchForms: LaunchForms;
  readonly launchVolumes: LaunchVolumes;
  readonly clock: Clock;
}

/** Belongs to one machine, which another launch of the same template may not have. */
const OF_MACHINE: readonly LaunchField[] = ["price", "disk", "label"];

export class LaunchEdit {
  readonly #services: ConfigureServices;
  readonly account: SignedIn;
  readonly draft: LaunchDraft;
  /** The draft with each script as it runs: the form shows none that is compressed. */
  readonly shown: LaunchDraft;
  readonly context: LaunchFormContext;
  /** What the form begins with. */
  readonly form: LaunchForm;
  /** Whether it holds what was typed for an earlier launch that wasn't rented. */
  readonly isRestored: boolean;
  /** What was typed into fields that this form doesn't ask for. It stays for one that does. */
  readonly #unasked: KeptForm;

  private constructor(
    services: ConfigureServices,
    account: SignedIn,
    draft: LaunchDraft,
    begin: Pick<LaunchEdit, "shown" | "context" | "form" | "isRestored">,
    unasked: KeptForm,
  ) {
    this.#services = services;
    this.account = account;
    this.draft = draft;
    this.shown = begin.shown;
    this.context = begin.context;
    this.form = begin.form;
    this.isRestored = begin.isRestored;
    this.#unasked = unasked;
  }

  /** What was configured of this launch counts more than what was typed before it. */
  static async open(
    services: ConfigureServices,
    account: SignedIn,
    draft: LaunchDraft,
    mustRun: boolean,
    isForSeveral = false,
  ): Promise<LaunchEdit> {
    const shown = await withWholeScripts(draft);
    const context = toFormContext(shown, mustRun, isForSeveral);
    const form = toLaunchForm(shown);
    const isFresh = draft.configuration === undefined && (draft.image ?? "") === "";
    const kept = (await services.launchForms.read(account, draft.template)) ?? {};
    services.session.assertStill(account);
    const unasked = new Set<string>(listUnaskedFields(context));
    const pick = (isUnasked: boolean) =>
      Object.fromEntries(Object.entries(kept).filter(([field]) => unasked.has(field) === isUnasked));
    const restored = LaunchFormShape.parse({ ...form, ...(isFresh ? pick(false) : {}) });
    const isRestored = listOwnFields(restored, form).length > 0;
    return new LaunchEdit(services, account, draft, { shown, context, form: restored, isRestored }, pick(true));
  }

  /** Keeps what was typed. @returns the request as it would be sent; undefined while the form has errors. */
  async change(form: LaunchForm): Promise<CreateInstanceBody | undefined> {
    const { base } = this.context;
    const own = listOwnFields(form, base).filter((field) => !OF_MACHINE.includes(field));
    const keeping = this.#services.launchForms.keep(this.account, this.draft.template, {
      ...Object.fromEntries(own.map((field) => [field, form[field]])),
      ...this.#unasked,
    });
    const choice = await this.#read(form).catch(() => undefined);
    await keeping;
    if (!choice) return undefined;
    const plan = toPlanWithoutOffer(withChoice(this.draft, choice));
    return toLaunchRequest(plan, `vsc-… ${choice.label}`.trim(), this.#services.clock.now());
  }

  /** @throws AppError `rejected` naming the field, or why the service can't be asked about a volume. */
  async finish(form: LaunchForm): Promise<LaunchDraft> {
    const { session, launchVolumes } = this.#services;
    session.assertStill(this.account);
    const choice = await this.#read(form);
    const volume = await launchVolumes.check(this.account, choice.configuration.volume_info, this.draft.offer);
    session.assertStill(this.account);
    return withChoice(this.draft, choice, volume);
  }

  /** What a page sends isn't trusted. A script that is too long is compressed. */
  async #read(form: LaunchForm): Promise<LaunchChoice> {
    const { choice, problems } = readLaunchForm(form, this.context);
    const wrong = problems.find(({ severity }) => severity === "error");
    if (!choice) throw refuse(wrong?.field ?? "image", wrong?.message ?? t("The form is invalid."));
    const { onstart } = choice.configuration;
    if (onstart === undefined) return choice;
    const { stored, problem } = await readScript(onstart, true);
    if (stored === undefined) throw refuse("onstart", problem?.message ?? t("The form is invalid."));
    return { ...choice, configuration: { ...choice.configuration, onstart: stored } };
  }
}

/** The draft as a template file proposes to configure it. @throws AppError `rejected` naming the field. */
export async function withProposedChoice(
  services: ConfigureServices,
  account: SignedIn,
  draft: LaunchDraft,
  { proposed, mustRun }: { readonly proposed: TemplateLaunch; readonly mustRun: boolean },
): Promise<LaunchDraft> {
  const edit = await LaunchEdit.open(services, account, draft, mustRun);
  return await edit.finish(withProposal(toLaunchForm(edit.shown), proposed)).catch((error) => {
    const [field] = Object.keys(asAppError(error).facts.fields ?? {});
    if (field === undefined) throw error;
    throw refuse(field as LaunchField, t("{0}: {1}", `launch.${field}`, asAppError(error).message));
  });
}

/** Keeps what was configured of a template's launch for one that comes later. @returns whether there is anything. */
export async function keepChoice(services: ConfigureServices, account: SignedIn, draft: LaunchDraft): Promise<boolean> {
  const { template, configuration, image, runtype } = draft;
  if (!template || [configuration, image, runtype].every((one) => one === undefined)) return false;
  const edit = await LaunchEdit.open(services, account, draft, false);
  await edit.change(toLaunchForm(edit.shown));
  return true;
}

/** The draft as it was last configured and not rented. @throws AppError `rejected` naming the field, or `gone` if nothing is kept. */
export async function withKeptChoice(
  services: ConfigureServices,
  account: SignedIn,
  draft: LaunchDraft,
): Promise<LaunchDraft> {
  const edit = await LaunchEdit.open(services, account, draft, false);
  if (!edit.isRestored)
    throw new AppError(
      "gone",
      t("What you configured for this watch is no longer kept. Choose Configuration… to enter it again."),
    );
  return await edit.finish(edit.form);
}

async function withWholeScripts(draft: LaunchDraft): Promise<LaunchDraft> {
  const { template, configuration } = draft;
  const [ofTemplate, own] = await Promise.all([
    unpackScript(template?.onstart ?? ""),
    unpackScript(configuration?.onstart ?? ""),
  ]);
  return {
    ...draft,
    ...(template && ofTemplate !== undefined ? { template: { ...template, onstart: ofTemplate } } : {}),
    ...(own === undefined ? {} : { configuration: { ...configuration, onstart: own } }),
  };
}

function refuse(field: LaunchField, message: string): AppError {
  return new AppError("rejected", message, { notSent: true, fields: { [field]: message } });
}
