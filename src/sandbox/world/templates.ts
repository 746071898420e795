// The templates in the sandbox's world: public ones and the account's own (interface 2.3).
import { TEMPLATE_FIELDS } from "../../domain/template/template.ts";
import type { FieldKind, Kinds } from "../base/filters.ts";
import { Random } from "../base/random.ts";
import { Refusal } from "../base/refusal.ts";
import { hashTemplate, type TemplateContent } from "./template-content.ts";

export interface StoredTemplate extends TemplateContent {
  readonly id: number;
  readonly hash_id: string;
  readonly creator_id: number;
  /** UTC epoch seconds. */
  readonly created_at: number;
  readonly default_tag: string;
  readonly recommended: boolean;
  count_created: number;
  recent_create_date: number;
}

/** The fields of a template search and their types. */
export const TEMPLATE_KINDS: Kinds = {
  ...Object.fromEntries(
    Object.entries(TEMPLATE_FIELDS).map(([field, type]): [string, FieldKind] => [
      field,
      type === "integer" || type === "float" ? "number" : type,
    ]),
  ),
  private: "boolean",
};

const PUBLISHER = 62_897;
const DAY = 86_400;

export class TemplateStore {
  readonly #templates = new Map<number, StoredTemplate>();
  #nextId = 190_000;

  /** Adds a template with a history that fits its position: the first ones are the oldest and most used. */
  add(content: TemplateContent, about: { readonly owner: number | undefined; readonly now: number }): StoredTemplate {
    const place = this.#templates.size;
    const random = new Random(content.name);
    const own = about.owner !== undefined;
    const template: StoredTemplate = {
      ...content,
      id: 181_300 + place * 211,
      hash_id: hashTemplate(content),
      creator_id: about.owner ?? PUBLISHER,
      created_at: Math.round(about.now - random.drawBetween(own ? 2 : 40, own ? 30 : 600) * DAY),
      default_tag: content.tag,
      recommended: !own && place < 8,
      count_created: own ? random.drawWhole(1, 12) : Math.round(48_000 / (place + 1)) + random.drawWhole(0, 900),
      recent_create_date: Math.round(about.now - random.drawBetween(60, own ? DAY : 3600)),
    };
    this.#templates.set(template.id, template);
    return template;
  }

  /** Creates a template for an account, or returns the one with the same content (and therefore the same `hash_id`). */
  create(content: TemplateContent, owner: number, now: number): { readonly made: boolean; template: StoredTemplate } {
    const existing = this.findByHash(hashTemplate(content));
    if (existing) return { made: false, template: existing };
    this.#nextId += 211;
    const template: StoredTemplate = {
      ...content,
      id: this.#nextId,
      hash_id: hashTemplate(content),
      creator_id: owner,
      created_at: now,
      default_tag: content.tag,
      recommended: false,
      count_created: 0,
      recent_create_date: 0,
    };
    this.#templates.set(template.id, template);
    return { made: true, template };
  }

  /** Changes content and hash. The old hash becomes unknown. @throws Refusal 400 with the public service's messages. */
  edit(hash: string, fields: Partial<TemplateContent>, owner: number): StoredTemplate {
    const before = this.findByHash(hash);
    if (before === undefined)
      throw new Refusal(400, "invalid_args", `Unable to Update Template. None found for given Hash ID: ${hash}`);
    if (before.creator_id !== owner)
      throw new Refusal(400, "invalid_args", "Only the Template Creator may Update Existing Template.");
    const content = toContent({ ...before, ...fields });
    const hashed = hashTemplate(content);
    const twin = this.findByHash(hashed);
    if (twin && twin !== before) throw new Refusal(400, "invalid_args", `Existing Template Found: ${twin.id}.`);
    const after: StoredTemplate = { ...before, ...content, hash_id: hashed, default_tag: content.tag };
    this.#templates.set(after.id, after);
    return after;
  }

  /** @throws Refusal 400, or 401 for another account's template, with the public service's messages. */
  delete(id: unknown, owner: number): void {
    if (!Number.isSafeInteger(id)) throw new Refusal(400, "invalid_args", "Template ID must be integer");
    const template = this.#templates.get(Number(id));
    if (template === undefined) throw new Refusal(400, "invalid_args", "Invalid Template ID or User ID");
    if (template.creator_id !== owner)
      throw new Refusal(401, "not_authorized", "Templates can ONLY be Deleted by their Creator");
    this.#templates.delete(template.id);
  }

  findByHash(hash: string): StoredTemplate | undefined {
    return this.list().find((template) => template.hash_id === hash);
  }

  list(): StoredTemplate[] {
    return [...this.#templates.values()];
  }
}

/** Only the content, from which the hash is made. */
export function toContent(template: StoredTemplate): TemplateContent {
  const {
    id,
    hash_id,
    creator_id,
    created_at,
    default_tag,
    recommended,
    count_created,
    recent_create_date,
    ...content
  } = template;
  return content;
}

/** A template on the wire, without the registry's password. */
export function toTemplateRecord({ docker_login_pass: _, ...shown }: StoredTemplate): Record<string, unknown> {
  return { ...shown, readme_visible: shown.readme !== "" };
}
