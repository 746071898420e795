// The list for hosts: what is for rent, what is rented out, and what the account has rented itself.
import type { Row } from "../../domain/base/wire.ts";
import type { Volume, VolumeOffer } from "../../domain/instance/volume.ts";
import { contexts, views } from "../../ids.ts";
import { t } from "../../lib/text.ts";
import { buildGroupRow } from "../../present/base/row.ts";
import { buildAnswerRow, buildListingRow, buildVolumeRow, isRentedOut } from "../../present/host/host.ts";
import type { RowMemory } from "../../services/core/row-memory.ts";
import type { Scheduler } from "../../services/core/scheduler.ts";
import type { SessionService } from "../../services/core/session.ts";
import type { HostLists, HostService } from "../../services/host/host.ts";
import { quietList } from "../list/list-rhythm.ts";
import { ListView } from "../list/list-view.ts";
import type { Node } from "../list/rows.ts";

type HostNode = Node<Row<Volume> | Row<VolumeOffer>>;

interface Services {
  readonly session: SessionService;
  readonly scheduler: Scheduler;
  readonly rowMemory: RowMemory;
  readonly host: HostService;
}

export function createHostView({ session, scheduler, rowMemory, host }: Services) {
  return new ListView({
    ...quietList,
    id: views.host,
    why: contexts.host,
    session,
    scheduler,
    rowMemory,
    collection: host.collection,
    draw: hostLists,
    count: ({ volumes, listings }) => volumes.length + listings.length,
    unreadable: ({ unreadable }) => unreadable,
    remark: ({ without }) => {
      if (without === undefined) return undefined;
      return without === "unsupported"
        ? t("This service can't list volumes. You can unlist a volume by its ID.")
        : t("The API key doesn't have permission to list volumes. You can unlist a volume by its ID.");
    },
    own: {
      rows: (tag) => {
        const answer = host.lastAnswer;
        return answer ? [{ view: buildAnswerRow(answer, tag), of: undefined, children: [] } satisfies HostNode] : [];
      },
      onDidChange: host.onDidAnswer,
    },
  });
}

function hostLists({ volumes, listings }: HostLists, tag: string, staleSince: number | undefined): HostNode[] {
  const [rentedOut = [], forRent = []] = [true, false].map((is) =>
    listings
      .filter(({ value }) => isRentedOut(value) === is)
      .map((row): HostNode => ({ view: buildListingRow(row.value, tag, staleSince), of: row, children: [] })),
  );
  const own = volumes.map(
    (row): HostNode => ({ view: buildVolumeRow(row.value, tag, staleSince), of: row, children: [] }),
  );
  return [
    group(`host ${tag} listings`, t("Listed"), t("Listed volumes: {0}", forRent.length), forRent),
    group(`host ${tag} rented-out`, t("Rented out"), t("Rented-out volumes: {0}", rentedOut.length), rentedOut),
    group(`host ${tag} volumes`, t("Your volumes"), t("Your volumes: {0}", own.length), own),
  ].filter(({ children }) => children.length > 0);
}

function group(id: string, name: string, accessible: string, children: readonly HostNode[]): HostNode {
  return { view: buildGroupRow(id, name, children.length, accessible), of: undefined, children };
}
