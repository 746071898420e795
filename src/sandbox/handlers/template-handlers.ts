// Handlers for templates and their images: search, create, edit, delete, image tags (interface 4.5 to 4.8, 4.12).
import { matchesFilters } from "../../domain/offer/filter.ts";
import { readJsonObject } from "../base/checks.ts";
import { readFilterText } from "../base/filters.ts";
import { TEMPLATE_KINDS, toTemplateRecord } from "../world/templates.ts";
import type { World } from "../world/world.ts";
import type { Handlers } from "./handler.ts";
import { listImageTags } from "./image-tags.ts";
import { compareBy, readOrderBy } from "./order.ts";
import { readNewTemplate, readTemplateChange } from "./template-request.ts";

/** The templates that meet all filters. Where the order leaves it open, in the order they were added. */
function search(world: World, query: Readonly<Record<string, string>>): Record<string, unknown>[] {
  const filters = readFilterText("select_filters", query.select_filters, TEMPLATE_KINDS);
  const order = readOrderBy(query.order_by, TEMPLATE_KINDS);
  const read = (record: Record<string, unknown>, field: string) => record[field];
  return world.templates
    .list()
    .map(toTemplateRecord)
    .map(world.getDating())
    .filter((record) => matchesFilters(record, filters, read))
    .sort(compareBy(order, read));
}

export const templateHandlers = {
  searchTemplates: ({ world, query }) => {
    const templates = search(world, query);
    return { success: true, templates_found: templates.length, templates };
  },

  createTemplate: ({ world, body }) => {
    const content = readNewTemplate(body);
    const { made, template } = world.templates.create(content, world.account.id, Math.floor(world.getNow()));
    const msg = made
      ? `Template Created Successfully! New Template ID: ${template.id}`
      : `Existing Template Found: ${template.id}. User relationship added.`;
    return { success: made, msg, template: world.getDating()(toTemplateRecord(template)) };
  },

  editTemplate: ({ world, body }) => {
    const { hash, fields } = readTemplateChange(body);
    const template = world.templates.edit(hash, fields, world.account.id);
    const msg = `Template ${template.id} Updated Successfully`;
    return { success: true, hash_id: template.hash_id, msg, template: world.getDating()(toTemplateRecord(template)) };
  },

  deleteTemplate: ({ world, body }) => {
    const { template_id: id } = readJsonObject(body);
    world.templates.delete(id, world.account.id);
    return { success: true, msg: `Template ${id} Deleted Successfully` };
  },

  fetchImageTags: ({ body }) => {
    const tags = listImageTags(body);
    return tags.length > 0 ? { success: true, tags } : { success: false, tags: [], error: "No tags found" };
  },
} satisfies Partial<Handlers>;
