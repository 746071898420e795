// An instance as a page: what it is, what it costs, how to reach it, and what can be done with it now.
import type { Presence } from "../../domain/base/presence.ts";
import { commands } from "../../ids.ts";
import { formatTime, t } from "../../lib/text.ts";
import { formatRecordJson } from "../base/record.ts";
import { buildPageSection, type PageCommand, type RecordPage } from "../base/record-page.ts";
import {
  type InstanceFacts,
  listConnectionFacts,
  listMachineFacts,
  listRentalFacts,
  listStatusFacts,
  listTimeFacts,
} from "./instance-facts.ts";
import { describeInstanceState, formatInstanceName, listAbilities } from "./instances.ts";
import { formatOrder } from "./orders.ts";

interface Shown extends InstanceFacts {
  /** The service's whole record. */
  readonly raw: unknown;
  readonly presence: Presence;
}

export function buildInstancePage(shown: Shown): RecordPage {
  const { value, raw, order, presence } = shown;
  const isThere = presence === "listed" && !shown.gone;
  const can = new Set(isThere ? listAbilities(shown).split(" ") : []);
  const offer = (needs: string, command: PageCommand["command"], label: string): PageCommand[] =>
    can.has(needs) ? [{ command, label }] : [];
  const state = order ? formatOrder(order) : describeInstanceState(shown);
  return {
    title: formatInstanceName(value),
    status: [t("Instance {0}", value.id), isThere ? state : undefined, asOf(shown)].filter(Boolean).join(" · "),
    remarks: remarksOf(shown),
    commands: [
      ...offer("canConnect", commands.instanceOpenTerminal, t("Open Terminal")),
      ...offer("canReplace", commands.instanceReplace, t("Replace…")),
      ...offer("canStart", commands.instanceStart, t("Start…")),
      ...offer("canShowLog", commands.instanceShowLogs, t("Show Log")),
      ...offer("canStop", commands.instanceStop, t("Stop…")),
      ...offer("canDestroy", commands.instanceDestroy, t("Destroy…")),
    ],
    sections: [
      buildPageSection(t("Status and Cost"), listStatusFacts(shown), [
        ...offer("canReboot", commands.instanceReboot, t("Reboot…")),
        ...offer("canSetEnd", commands.instanceSetAutoStop, t("Set Auto-Stop…")),
        ...offer("canBid", commands.instanceChangeBid, t("Change Bid…")),
      ]),
      buildPageSection(t("Connect"), listConnectionFacts(shown), [
        ...offer("canConnect", commands.instanceCopySshCommand, t("Copy SSH Command")),
        ...offer("canConnect", commands.instanceOpenRemoteWindow, t("Open in New Window…")),
        ...offer("canConnect", commands.instanceOpenJupyter, t("Open Jupyter")),
        ...offer("canConnect", commands.instanceOpenPort, t("Forward Port…")),
        ...offer("canConnect", commands.instanceUpload, t("Upload Folder…")),
        ...offer("canConnect", commands.instanceDownload, t("Download…")),
      ]),
      buildPageSection(t("Machine"), listMachineFacts(shown), [
        ...offer("canShowLog", commands.instanceShowDaemonLog, t("Show Host Daemon Log")),
        ...offer("canBlock", commands.instanceBlockMachine, t("Block Machine…")),
      ]),
      buildPageSection(
        t("Template and Launch"),
        listRentalFacts(shown),
        offer("canRename", commands.instanceRename, t("Rename…")),
      ),
      buildPageSection(t("Times"), listTimeFacts(shown)),
    ].filter((section) => section !== undefined),
    record: () => formatRecordJson(raw),
  };
}

/** What isn't from just now says when it was. */
function asOf({ staleSince }: Shown): string | undefined {
  return staleSince === undefined ? undefined : t("as of {0}", formatTime(staleSince));
}

function remarksOf({ presence, gone }: Shown): string[] {
  if (gone || presence === "ended")
    return [t("This instance no longer exists on the service. Showing the last known data.")];
  if (presence === "missing")
    return [t("The service's last list didn't include this instance. It may still be billed.")];
  return [];
}
