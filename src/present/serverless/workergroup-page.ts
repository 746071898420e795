// A workergroup as a page: its load, what it runs and where. Never its key.
import type { Presence } from "../../domain/base/presence.ts";
import { commands } from "../../ids.ts";
import { maskSecrets } from "../../lib/redact.ts";
import { formatTime, t, toPlainText } from "../../lib/text.ts";
import { formatRecordJson } from "../base/record.ts";
import { buildPageSection, type RecordPage } from "../base/record-page.ts";
import { formatDate } from "../base/when.ts";
import {
  describeMachineSearch,
  formatEndpointName,
  formatLaunchArguments,
  formatRunningTemplate,
  formatWorkergroupName,
  hasTemplate,
  listLoadFacts,
  runsOlderTemplate,
  type WorkergroupFacts,
} from "./workergroups.ts";

interface Shown extends WorkergroupFacts {
  readonly raw: Readonly<Record<string, unknown>>;
  /** Wall clock milliseconds of the last list that had it. */
  readonly seenAt: number | undefined;
  readonly presence: Presence;
}

export function buildWorkergroupPage(shown: Shown): RecordPage {
  const { value, raw, hasKey, seenAt, presence } = shown;
  const isListed = presence === "listed";
  const { launch_args } = value;
  return {
    title: formatWorkergroupName(value),
    status: [formatEndpointName(value), seenAt === undefined ? undefined : t("as of {0}", formatTime(seenAt))]
      .filter(Boolean)
      .join(" · "),
    remarks: [
      ...missingRemarks(presence),
      ...(runsOlderTemplate(shown)
        ? [t("The template was edited after this workergroup was set up, so the hash below is outdated.")]
        : []),
    ],
    commands: [
      ...(isListed && hasTemplate(shown)
        ? [{ command: commands.workergroupOpenTemplate, label: t("Open Template") }]
        : []),
      ...(isListed && hasKey ? [{ command: commands.workergroupCopyApiKey, label: t("Copy Endpoint API Key…") }] : []),
    ],
    sections: [
      buildPageSection(t("Load"), listLoadFacts(value)),
      buildPageSection(t("What It Runs"), [
        [t("Template"), formatRunningTemplate(shown)],
        [t("Template hash"), toPlainText(value.template_hash ?? "", 64), toPlainText(value.template_hash ?? "", 64)],
        [t("Launch arguments"), formatLaunchArguments(value)],
        [t("Machines"), describeMachineSearch(value)],
      ]),
      buildPageSection(t("Endpoint"), [
        [t("Endpoint"), formatEndpointName(value)],
        [t("Endpoint ID"), value.endpoint_id, value.endpoint_id === undefined ? undefined : String(value.endpoint_id)],
        [t("Workergroup"), value.id, String(value.id)],
        [t("Created"), formatDate(value.created_at)],
      ]),
    ].filter((section) => section !== undefined),
    record: () =>
      formatRecordJson({ ...raw, ...(launch_args === undefined ? {} : { launch_args: maskSecrets(launch_args) }) }),
  };
}

function missingRemarks(presence: Presence): string[] {
  if (presence === "ended")
    return [t("This workergroup no longer exists on the service. Showing the last known data.")];
  if (presence === "missing") return [t("The service's last list was incomplete and didn't include this workergroup.")];
  return [];
}
