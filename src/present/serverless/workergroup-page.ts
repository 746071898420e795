// A workergroup as a page: its load, what it runs and where. Never its key.
import type { Presence } from "../../domain/base/presence.ts";
import { commands } from "../../ids.ts";
import { maskSecrets } from "../../lib/redact.ts";
import { formatTime, t, toPlainText } from "../../lib/text.ts";
import { recordJson } from "../base/record.ts";
import { pageSection, type RecordPage } from "../base/record-page.ts";
import { dateText } from "../base/when.ts";
import {
  endpointName,
  hasTemplate,
  launchArguments,
  loadFacts,
  runningTemplate,
  runsOlderTemplate,
  searchText,
  type WorkergroupFacts,
  workergroupName,
} from "./workergroups.ts";

interface Shown extends WorkergroupFacts {
  readonly raw: Readonly<Record<string, unknown>>;
  /** Wall clock milliseconds of the last list that had it. */
  readonly seenAt: number | undefined;
  readonly presence: Presence;
}

export function workergroupPage(shown: Shown): RecordPage {
  const { value, raw, hasKey, seenAt, presence } = shown;
  const isListed = presence === "listed";
  const { launch_args } = value;
  return {
    title: workergroupName(value),
    status: [endpointName(value), seenAt === undefined ? undefined : t("as of {0}", formatTime(seenAt))]
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
      ...(isListed && hasKey ? [{ command: commands.workergroupCopyApiKey, label: t("Copy API Key…") }] : []),
    ],
    sections: [
      pageSection(t("Load"), loadFacts(value)),
      pageSection(t("What It Runs"), [
        [t("Template"), runningTemplate(shown)],
        [t("Template hash"), toPlainText(value.template_hash ?? "", 64), toPlainText(value.template_hash ?? "", 64)],
        [t("Launch arguments"), launchArguments(value)],
        [t("Machines"), searchText(value)],
      ]),
      pageSection(t("Endpoint"), [
        [t("Endpoint"), endpointName(value)],
        [t("Endpoint ID"), value.endpoint_id, value.endpoint_id === undefined ? undefined : String(value.endpoint_id)],
        [t("Workergroup"), value.id, String(value.id)],
        [t("Created"), dateText(value.created_at)],
      ]),
    ].filter((section) => section !== undefined),
    record: () =>
      recordJson({ ...raw, ...(launch_args === undefined ? {} : { launch_args: maskSecrets(launch_args) }) }),
  };
}

function missingRemarks(presence: Presence): string[] {
  if (presence === "ended") return [t("This workergroup is no longer on the service. You see what was known of it.")];
  if (presence === "missing")
    return [t("This workergroup wasn't in the service's last list, which couldn't be read in full.")];
  return [];
}
