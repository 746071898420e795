// Saves templates: sends only changed fields, based on the version that was reviewed, and never overwrites others'
// changes.
import { AppError, asAppError } from "../../domain/base/error.ts";
import type { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import type { Row } from "../../domain/base/wire.ts";
import { Template } from "../../domain/template/template.ts";
import { listChangedFields, pickChanges } from "../../domain/template/template-changes.ts";
import type { TemplateDraft } from "../../domain/template/template-draft.ts";
import {
  TEMPLATE_DRAFT_FIELDS,
  type TemplateField,
  toDraft,
  toTemplateDraft,
  type WholeDraft,
} from "../../domain/template/template-form.ts";
import { Emitter } from "../../lib/event.ts";
import { t } from "../../lib/text.ts";
import type { SessionService, SignedIn } from "../core/session.ts";
import type { SaveKind } from "./template-owner.ts";
import type { TemplatesService } from "./templates.ts";

/** A template as the service stores it: the base of an edit. */
export interface Stored {
  readonly id: TemplateId | undefined;
  readonly hash: TemplateHash;
  readonly draft: WholeDraft;
}

export type SaveOutcome =
  /** `existing`: the account already had a template with exactly this content, and this is it. */
  | { readonly kind: "saved"; readonly stored: Stored; readonly existing: boolean }
  /** Someone changed it since the edit began. Nothing was sent. */
  | { readonly kind: "changed"; readonly theirs: Stored }
  | { readonly kind: "deleted" };

export interface Saved {
  readonly from: TemplateHash | undefined;
  readonly stored: Stored;
}

export function toStored({ value, raw }: Row<Template>): Stored {
  return { id: value.id, hash: value.hash_id, draft: toDraft(raw) };
}

export class TemplateSaves {
  readonly #session: SessionService;
  readonly #templates: TemplatesService;
  readonly #saved = new Emitter<Saved>();
  /** Fires for every save in this window, after the lists are updated. */
  readonly onDidSave = this.#saved.event;
  readonly #removed = new Emitter<Stored>();
  /** Fires for every template deleted in this window. */
  readonly onDidRemove = this.#removed.event;

  constructor(session: SessionService, templates: TemplatesService) {
    this.#session = session;
    this.#templates = templates;
  }

  /**
   * The template as it is now, found by its ID if it has one; undefined if it is gone.
   * @throws AppError; `rejected` if the account was left, `unexpected-reply` if what the service has can't be read.
   */
  async find(session: SignedIn, of: Pick<Stored, "id" | "hash">): Promise<Row<Template> | undefined> {
    this.#session.assertStill(session);
    return await this.#find(session, of);
  }

  /** The same, as the base of an edit. */
  async read(session: SignedIn, of: Pick<Stored, "id" | "hash">): Promise<Stored | undefined> {
    const row = await this.find(session, of);
    return row && toStored(row);
  }

  /**
   * Interface 4.6.
   * @throws AppError; `rejected` if the service or the schema refuses a field, or the account was left.
   */
  async create(session: SignedIn, draft: WholeDraft): Promise<SaveOutcome> {
    this.#session.assertStill(session);
    const { hash, id, existing } = await session.client.createTemplate(toTemplateDraft(draft));
    const sent = { ...draft, docker_login_pass: "" };
    const kind = existing ? "existed" : "created";
    return { kind: "saved", existing, stored: await this.#takeOver(session, { id, hash, kind }, undefined, sent) };
  }

  /**
   * Interface 4.7: the fields in which the draft differs from its base. The base is compared with the service's state
   * just before; the hash in the request guards against changes in between.
   * @throws AppError; `outcome-unknown` if the response was lost and reading the template again didn't settle it.
   */
  async edit(session: SignedIn, base: Stored, draft: WholeDraft): Promise<SaveOutcome> {
    this.#session.assertStill(session);
    const now = await this.#find(session, base);
    if (now === undefined) return { kind: "deleted" };
    if (now.value.hash_id !== base.hash) return { kind: "changed", theirs: toStored(now) };
    const body = pickChanges(base.draft, draft) as Partial<TemplateDraft>;
    if (Object.keys(body).length === 0) return { kind: "saved", stored: base, existing: false };
    const wanted = { ...draft, docker_login_pass: "" };
    try {
      const { id, hash } = await session.client.editTemplate(base.hash, body);
      const stored = await this.#takeOver(session, { id: id ?? base.id, hash, kind: "edited" }, now, wanted);
      return { kind: "saved", existing: false, stored };
    } catch (thrown) {
      return await this.#afterFailure(session, base, wanted, asAppError(thrown));
    }
  }

  /**
   * Interface 4.8, by the ID as it is read just before. Refused if the template isn't what the person was shown. A
   * template that is already gone, or that was deleted although the response was lost, counts as deleted.
   * @throws AppError that states the reason.
   */
  async remove(session: SignedIn, shown: Stored): Promise<void> {
    this.#session.assertStill(session);
    const now = await this.#find(session, shown);
    if (now === undefined) return this.#removed.fire(shown);
    const { id } = now.value;
    if (id === undefined)
      throw new AppError("rejected", t("The service didn't provide this template's number, so it can't be deleted."));
    if (now.value.hash_id !== shown.hash)
      throw new AppError(
        "rejected",
        t("The template has changed, so it wasn't deleted. Review the current version first."),
      );
    try {
      await session.client.deleteTemplate(id);
    } catch (thrown) {
      const still = await this.#find(session, shown).catch(() => now);
      if (still !== undefined) throw refusal(asAppError(thrown));
    }
    if (this.#session.current !== session) return;
    this.#templates.drop(shown);
    this.#removed.fire(shown);
  }

  /**
   * The outcome of a failed edit. The template is read again, because its hash may have changed or the edit may have
   * succeeded.
   */
  async #afterFailure(session: SignedIn, base: Stored, wanted: WholeDraft, error: AppError): Promise<SaveOutcome> {
    const doubtful =
      error.kind === "outcome-unknown" || error.kind === "not-found" || error.facts.code === "none_found";
    if (!doubtful || this.#session.current !== session) throw error;
    const now = await this.#find(session, base).catch(() => {
      throw error;
    });
    if (now === undefined) return { kind: "deleted" };
    const stored = toStored(now);
    if (stored.hash === base.hash) throw error;
    if (listChangedFields(stored.draft, wanted).length > 0) return { kind: "changed", theirs: stored };
    this.#tell(now, base.hash, "edited");
    return { kind: "saved", stored, existing: false };
  }

  /** Reads the saved template from the service. If that fails, returns what was sent. */
  async #takeOver(
    session: SignedIn,
    saved: Pick<Stored, "id" | "hash"> & { readonly kind: SaveKind },
    before: Row<Template> | undefined,
    sent: WholeDraft,
  ): Promise<Stored> {
    const read = await this.#find(session, { hash: saved.hash, id: undefined }).catch(() => undefined);
    const raw = { ...before?.raw, ...sent, hash_id: saved.hash, ...(saved.id === undefined ? {} : { id: saved.id }) };
    const row = read ?? { value: Template.parse(raw), raw };
    if (this.#session.current === session) this.#tell(row, before?.value.hash_id, saved.kind);
    return toStored(row);
  }

  #tell(row: Row<Template>, from: TemplateHash | undefined, kind: SaveKind): void {
    this.#templates.learn(row, kind);
    this.#templates.adopt(row, from);
    this.#saved.fire({ from, stored: toStored(row) });
  }

  async #find(session: SignedIn, { id, hash }: Pick<Stored, "id" | "hash">): Promise<Row<Template> | undefined> {
    const filters = id === undefined ? { hash_id: { eq: hash } } : { id: { eq: id } };
    const { rows, unreadable } = await session.client.searchTemplates(filters);
    this.#session.assertStill(session);
    const found = rows.find(({ value }) => (id === undefined ? value.hash_id === hash : value.id === id));
    if (found) this.#templates.update(found);
    // What is there but can't be read isn't gone.
    else if (unreadable > 0)
      throw new AppError("unexpected-reply", t("The service sent the template in a form that couldn't be read."));
    else this.#templates.drop({ id, hash });
    return found;
  }

  dispose(): void {
    this.#saved.dispose();
    this.#removed.dispose();
  }
}

/** Explains in plain words why a template wasn't deleted. */
function refusal(error: AppError): AppError {
  const facts = { ...error.facts, cause: error };
  if (facts.code === "template_in_use")
    return new AppError(
      "rejected",
      t(
        "Other people still use this template, so the service keeps it. Make the template private to hide it from new users.",
      ),
      facts,
    );
  if (facts.code === "not_creator")
    return new AppError("not-allowed", t("Only the creator can delete this template."), facts);
  return error;
}

/** The field that a refusal is about, if it or the schema names one. */
export function findRefusedField({ facts }: AppError): TemplateField | undefined {
  const named = Object.keys(facts.fields ?? {})[0]?.split(".")[0];
  return TEMPLATE_DRAFT_FIELDS.find((field) => field === named);
}
