// How the groups of an account stand: what their files say, what the launches became, and what the service lists.

import type { InstanceId } from "../../domain/base/id.ts";
import type { GroupFacts, MemberFacts } from "../../domain/group/group-facts.ts";
import { judgeMember } from "../../domain/group/group-policy.ts";
import type { GroupRecord } from "../../domain/group/group-record.ts";
import { getCurrentPrice, type Instance, readLaunchToken, type SshState } from "../../domain/instance/instance.ts";
import { isLabelCopied, isLate, type LaunchRecord } from "../../domain/launch/launch-record.ts";
import type { InstanceRow } from "../instance/instances.ts";
import { LISTS_LAG_MS } from "../launch/commitments.ts";

/** What a reading of groups rests on. */
interface GroupSources {
  readonly rows: readonly InstanceRow[];
  /** Whether the list has everything. */
  readonly isComplete: boolean;
  readonly launches: readonly LaunchRecord[];
  readonly sshOf: (id: InstanceId) => SshState | undefined;
  /** Groups whose window may still rent for them. */
  readonly sending: ReadonlySet<string>;
  /** Instances that a list has had: without them, a complete one proves that they are gone. */
  readonly seen: ReadonlySet<InstanceId>;
  /** Epoch milliseconds. */
  readonly now: number;
}

export function readGroups(records: readonly GroupRecord[], sources: GroupSources): readonly GroupFacts[] {
  if (records.length === 0) return [];
  const rows = new Map<string, InstanceRow[]>();
  const byId = new Map(sources.rows.map((row) => [row.value.id, row]));
  for (const row of sources.rows) {
    const token = findLaunchToken(sources.launches, row.value);
    if (token !== undefined && !row.gone) rows.set(token, [...(rows.get(token) ?? []), row]);
  }
  const launches = new Map(sources.launches.map((launch) => [launch.token, launch]));
  /** By the label, and by what the launch was confirmed to be: a label may be changed on the service's website. */
  const rowsOf = (token: string): readonly InstanceRow[] => {
    const confirmed = (launches.get(token)?.ids ?? []).flatMap((id) => byId.get(id) ?? []).filter(({ gone }) => !gone);
    return [...new Set([...(rows.get(token) ?? []), ...confirmed])];
  };
  return records.map((record) => {
    const isSending = sources.sending.has(record.id);
    const members = record.launches.map((tokens, rank) => {
      // One that was written down and never came to be leaves the rank to the one before.
      const token = tokens.findLast((one) => launches.has(one) || rowsOf(one).length > 0) ?? tokens.at(-1) ?? "";
      return readMember({ rank, token, row: rowsOf(token)[0], launch: launches.get(token), isSending }, sources);
    });
    const listed = record.launches
      .flat()
      .flatMap(rowsOf)
      .map(({ value }) => value.id);
    return { id: record.id, name: record.name, record, members, listed: [...new Set(listed)], isSending };
  });
}

interface Found {
  readonly rank: number;
  readonly token: string;
  readonly row: InstanceRow | undefined;
  readonly launch: LaunchRecord | undefined;
  readonly isSending: boolean;
}

function readMember({ rank, token, row, launch, isSending }: Found, sources: GroupSources): MemberFacts {
  const { isComplete, seen, sshOf, now } = sources;
  const id = row?.value.id ?? launch?.ids[0];
  const wasListed = launch?.ids.some((one) => seen.has(one)) ?? false;
  const mustBeListed = wasListed || now - (launch?.prepared?.at ?? now) > LISTS_LAG_MS;
  const state = judgeMember({
    isSending,
    launch,
    instance: row?.value,
    isStartingSsh: row !== undefined && sshOf(row.value.id) === "starting",
    isUnlisted: isComplete && mustBeListed,
  });
  return { rank, token, id, state, instance: row?.value, price: row && getCurrentPrice(row) };
}

/** The launch that an instance came from: as the journal has it, or else as its label says, unless that may have been copied to it. */
export function findLaunchToken(
  launches: readonly LaunchRecord[],
  instance: Pick<Instance, "id" | "label" | "start_date">,
): string | undefined {
  const token = readLaunchToken(instance.label);
  const launch = launches.find(({ ids }) => ids.includes(instance.id)) ?? launches.find((one) => one.token === token);
  if (!launch) return token;
  return isLate(instance, launch) || isLabelCopied(instance, launch) ? undefined : launch.token;
}
