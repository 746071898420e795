// The list for hosts: possible actions, what is for rent, and what is rented out.
import type { Row } from "../../domain/base/wire.ts";
import type { Volume, VolumeOffer } from "../../domain/host/volume.ts";
import { contexts, views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { groupRow } from "../../present/base/row.ts";
import { answerRow, hostActionRows, listingRow, volumeRow } from "../../present/host/host.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { HostLists, HostService } from "../../services/host/host.ts";
import { quietList } from "../kit/list-rhythm.ts";
import { ListView } from "../kit/list-view.ts";
import type { Node } from "../kit/rows.ts";

type HostNode = Node<Row<Volume> | Row<VolumeOffer>>;

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly host: HostService;
}

export function createHostView({ session, scheduler, host }: Services) {
  return new ListView({
    ...quietList,
    id: views.host,
    why: contexts.host,
    session,
    scheduler,
    collection: host.collection,
    draw: hostLists,
    count: ({ volumes, listings }) => volumes.length + listings.length,
    unreadable: ({ unreadable }) => unreadable,
    remark: ({ without }) => {
      if (without === undefined) return undefined;
      return without === "unsupported"
        ? t("This service does not list volumes; one can be unlisted by its id.")
        : t("The API key may not list volumes; one can be unlisted by its id.");
    },
    own: {
      rows: (tag) => {
        const answer = host.lastAnswer;
        return [...hostActionRows(tag), ...(answer ? [answerRow(answer, tag)] : [])].map(
          (view): HostNode => ({ view, of: undefined, children: [] }),
        );
      },
      onDidChange: host.onDidAnswer,
    },
  });
}

function hostLists({ volumes, listings }: HostLists, tag: string, staleSince: number | undefined): HostNode[] {
  const lists: HostNode[] = [
    {
      view: groupRow(
        `host ${tag} listings`,
        t("For rent"),
        listings.length,
        t("Volumes for rent: {0}", listings.length),
      ),
      of: undefined,
      children: listings.map((row) => ({ view: listingRow(row.value, tag, staleSince), of: row, children: [] })),
    },
    {
      view: groupRow(`host ${tag} volumes`, t("Your volumes"), volumes.length, t("Your volumes: {0}", volumes.length)),
      of: undefined,
      children: volumes.map((row) => ({ view: volumeRow(row.value, tag, staleSince), of: row, children: [] })),
    },
  ];
  return lists.filter(({ children }) => children.length > 0);
}
