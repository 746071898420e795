// Operations on templates and images (interface 4.5 to 4.8, 4.12).
import { AppError } from "../../domain/base/error.ts";
import type { TemplateHash, TemplateId } from "../../domain/base/id.ts";
import { type Rows, readRows } from "../../domain/base/wire.ts";
import type { Filters } from "../../domain/offer/filter.ts";
import { Template } from "../../domain/template/template.ts";
import type { TemplateDraft } from "../../domain/template/template-draft.ts";
import { rememberSecret } from "../../lib/redact.ts";
import { t } from "../../lib/text.ts";
import type { Caller } from "../call.ts";
import { createRefusal, listOrNone } from "../reply.ts";
import { toJsonText } from "../request.ts";

interface SavedTemplate {
  readonly id: TemplateId | undefined;
  /** The hash from now on; every edit changes it. */
  readonly hash: TemplateHash;
  /** True if the account already had a template with exactly this content. */
  readonly existing: boolean;
}

/** What a private registry requires; sent, never stored. */
export interface RegistryLogin {
  readonly server?: string;
  readonly username?: string;
  readonly token?: string;
}

const Saved = Template.pick({ id: true, hash_id: true });

function saved(operation: string, template: unknown, existing: boolean): SavedTemplate {
  const read = Saved.safeParse(template);
  if (!read.success) {
    throw new AppError(
      "outcome-unknown",
      t("The service didn't confirm what happened to the template. Refresh to check."),
      {
        operation,
      },
    );
  }
  return { id: read.data.id, hash: read.data.hash_id, existing };
}

export function createTemplateOperations(caller: Caller) {
  return {
    /** Interface 4.5. Needs the permission `user_read`. */
    async searchTemplates(filters: Filters, signal?: AbortSignal): Promise<Rows<Template>> {
      const query = { select_filters: toJsonText("searchTemplates", "select_filters", filters) };
      const reply = await caller.call("searchTemplates", { query, signal });
      return readRows(Template, listOrNone("searchTemplates", reply, reply.templates), (template) => template.hash_id);
    },

    /** Interface 4.6. If an identical template exists, that counts as a success and returns it. */
    async createTemplate(draft: TemplateDraft): Promise<SavedTemplate> {
      if (draft.docker_login_pass !== "") rememberSecret(draft.docker_login_pass);
      const reply = await caller.call("createTemplate", { body: draft });
      if (reply.success === false && !reply.template) throw createRefusal("createTemplate", reply);
      return saved("createTemplate", reply.template, reply.success === false);
    },

    /** Interface 4.7. Takes only the fields to change; the response has the new hash. */
    async editTemplate(hash: TemplateHash, changes: Partial<TemplateDraft>): Promise<SavedTemplate> {
      if (changes.docker_login_pass) rememberSecret(changes.docker_login_pass);
      const reply = await caller.call("editTemplate", { body: { ...changes, hash_id: hash } });
      return saved("editTemplate", reply.template, false);
    },

    /** Interface 4.8. Takes the numeric ID, not the hash. */
    async deleteTemplate(id: TemplateId): Promise<void> {
      await caller.call("deleteTemplate", { body: { template_id: id } });
    },

    /**
     * Interface 4.12; the body is an extra. Takes the image without a tag.
     * @returns the tags; empty if the registry lists none.
     */
    async fetchImageTags(image: string, login: RegistryLogin = {}, signal?: AbortSignal): Promise<readonly string[]> {
      if (login.token) rememberSecret(login.token);
      const given = Object.fromEntries(
        Object.entries(login).filter(([, value]) => value !== undefined && value !== ""),
      );
      const reply = await caller.call("fetchImageTags", { body: { image, ...given }, signal });
      const tags = listOrNone("fetchImageTags", reply, reply.tags);
      return tags.filter((tag): tag is string => typeof tag === "string");
    },
  };
}
