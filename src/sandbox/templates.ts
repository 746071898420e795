// The shelf of templates in the sandbox's world: public ones and the account's own, and the search over them (interface 4.5).
import { type Filters, matches } from "../domain/filter.ts";
import { TEMPLATE_FIELDS } from "../domain/template.ts";
import type { FieldKind, Kinds } from "./filters.ts";
import { Random } from "./random.ts";
import { type TemplateContent, templateHash } from "./template-content.ts";

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

/** Fields of a template search and what they are compared with. */
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

export class TemplateShelf {
  readonly #templates = new Map<number, StoredTemplate>();

  /** Puts one on the shelf with a past that fits its place: the first ones are the oldest and most used. */
  add(content: TemplateContent, about: { readonly owner: number | undefined; readonly now: number }): StoredTemplate {
    const place = this.#templates.size;
    const random = new Random(content.name);
    const own = about.owner !== undefined;
    const template: StoredTemplate = {
      ...content,
      id: 181_300 + place * 211,
      hash_id: templateHash(content),
      creator_id: about.owner ?? PUBLISHER,
      created_at: Math.round(about.now - random.between(own ? 2 : 40, own ? 30 : 600) * DAY),
      default_tag: content.tag,
      recommended: !own && place < 8,
      count_created: own ? random.whole(1, 12) : Math.round(48_000 / (place + 1)) + random.whole(0, 900),
      recent_create_date: Math.round(about.now - random.between(60, own ? DAY : 3600)),
    };
    this.#templates.set(template.id, template);
    return template;
  }

  byHash(hash: string): StoredTemplate | undefined {
    return this.all().find((template) => template.hash_id === hash);
  }

  all(): StoredTemplate[] {
    return [...this.#templates.values()];
  }

  /** Those that meet all filters, in the order they were put there. */
  search(filters: Filters): StoredTemplate[] {
    const read = (template: StoredTemplate, field: string) => template[field as keyof StoredTemplate];
    return this.all().filter((template) => matches(template, filters, read));
  }
}

/** A template as the wire shows it: the registry's password stays inside. */
export function templateRecord({ docker_login_pass: _, ...shown }: StoredTemplate): Record<string, unknown> {
  return { ...shown, readme_visible: shown.readme !== "" };
}
