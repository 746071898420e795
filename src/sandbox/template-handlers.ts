// Handlers of everything about templates and their images: search, create, edit, delete, image tags (interface 4.5 to 4.8, 4.12).
import { readObject } from "./checks.ts";
import { readFilterText } from "./filters.ts";
import type { Handlers } from "./handler.ts";
import { imageTags } from "./image-tags.ts";
import { readOrderBy } from "./order.ts";
import { readNewTemplate, readTemplateChange } from "./template-request.ts";
import { TEMPLATE_KINDS, templateRecord } from "./templates.ts";

export const templateHandlers = {
  searchTemplates: ({ world, query }) => {
    const filters = readFilterText("select_filters", query.select_filters, TEMPLATE_KINDS);
    const found = world.templates.search(filters, readOrderBy(query.order_by, TEMPLATE_KINDS));
    return { success: true, templates_found: found.length, templates: found.map(templateRecord) };
  },

  createTemplate: ({ world, body }) => {
    const content = readNewTemplate(body);
    const { made, template } = world.templates.create(content, world.account.id, Math.round(world.now()));
    const msg = made
      ? `Template Created Successfully! New Template ID: ${template.id}`
      : `Existing Template Found: ${template.id}. User relationship added.`;
    return { success: made, msg, template: templateRecord(template) };
  },

  editTemplate: ({ world, body }) => {
    const { hash, fields } = readTemplateChange(body);
    const template = world.templates.edit(hash, fields, world.account.id);
    const msg = `Template ${template.id} Updated Successfully`;
    return { success: true, hash_id: template.hash_id, msg, template: templateRecord(template) };
  },

  deleteTemplate: ({ world, body }) => {
    const { template_id: id } = readObject(body);
    world.templates.delete(id, world.account.id);
    return { success: true, msg: `Template ${id} Deleted Successfully` };
  },

  fetchImageTags: ({ body }) => {
    const tags = imageTags(body);
    return tags.length > 0 ? { success: true, tags } : { success: false, tags: [], error: "No tags found" };
  },
} satisfies Partial<Handlers>;
