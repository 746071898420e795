// A template as a row and as a choice.
import { describeFilters } from "../../domain/offer/filter-words.ts";
import { formatMode } from "../../domain/template/launch-mode.ts";
import { getRuntype, type Template, toDisplayName, withTag } from "../../domain/template/template.ts";
import type { SearchField } from "../../domain/template/template-search.ts";
import { commands } from "../../ids.ts";
import { t, toLabel, toPlainText } from "../../lib/text.ts";
import { formatTimes } from "../base/counts.ts";
import { chooseWord, listKnownFacts, type RowView } from "../base/row.ts";
import { formatDate } from "../base/when.ts";

export function formatTemplateName(template: Template): string {
  return toLabel(toDisplayName(template.name));
}

export function formatTemplateImage(template: Template): string {
  return template.image === undefined ? t("no image") : toLabel(withTag(template.image, template.tag));
}

/** `own` means created by the signed-in account, which alone may edit it. */
export function buildTemplateRow(
  template: Template,
  tag: string,
  staleSince: number | undefined,
  own = false,
): RowView {
  const name = formatTemplateName(template);
  const image = formatTemplateImage(template);
  const [icon, kind] = look(template);
  return {
    // The hash changes at every edit; the numeric ID stays, so the row stays too.
    id: `template ${tag} ${template.id ?? template.hash_id}`,
    label: name,
    description: image,
    icon,
    color: staleSince === undefined ? undefined : "disabledForeground",
    context: own ? "template canLaunch canEdit" : "template canLaunch",
    accessible:
      kind === undefined
        ? t("{0}, template, image {1}", name, image)
        : t("{0}, template, image {1}, {2}", name, image, kind),
    opens: commands.templateEdit,
    tooltip: () => ({ title: name, facts: listTemplateFacts(template) }),
  };
}

/** The icon and its meaning in one word. */
function look(template: Template): [icon: string, kind: string | undefined] {
  if (template.private) return ["lock", t("private")];
  return template.recommended ? ["star-full", t("recommended")] : ["package", undefined];
}

export function listTemplateFacts(template: Template): [string, string][] {
  const text = (part: string | undefined, most = 300) => (part === undefined ? undefined : toPlainText(part, most));
  const filters = template.extra_filters;
  return listKnownFacts([
    [t("About"), text(template.desc)],
    [t("Image"), formatTemplateImage(template)],
    [t("Mode"), toPlainText(formatMode(getRuntype(template)), 40)],
    [t("Disk"), template.recommended_disk_space === undefined ? undefined : `${template.recommended_disk_space} GB`],
    [t("Machines"), filters && Object.keys(filters).length > 0 ? toPlainText(describeFilters(filters)) : t("any")],
    [t("Visibility"), chooseWord(template.private, t("private"), t("public"))],
    [t("Used"), template.count_created === undefined ? undefined : formatTimes(template.count_created)],
    [toFactName("recent_create_date"), formatDate(template.recent_create_date)],
    [toFactName("default_tag"), text(template.default_tag, 100)],
    [t("Creator"), template.creator_id],
    [t("Created"), formatDate(template.created_at)],
    [t("Hash"), template.hash_id],
  ]);
}

function toFactName(field: SearchField): string {
  const words = describeTemplateField(field);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a stored template's field says, in a few words (interface 4.5). */
export function describeTemplateField(field: SearchField): string {
  return {
    creator_id: t("number of the creator's account"),
    created_at: t("when the template was created"),
    count_created: t("how many instances were created from the template"),
    default_tag: t("the image's default tag"),
    docker_login_repo: t("private registry"),
    id: t("template number"),
    image: t("full name of the Docker image"),
    jup_direct: t("direct Jupyter connection"),
    hash_id: t("template hash"),
    name: t("full name"),
    recent_create_date: t("when an instance was last created from the template"),
    recommended_disk_space: t("GB"),
    recommended: t("on the recommended list"),
    ssh_direct: t("direct SSH connection"),
    tag: t("the image's tag"),
    use_ssh: t("SSH, direct or through the proxy"),
  }[field];
}
