// What other programs need to know of a group: where its machines are, and how they are logged in to.
import { t } from "../../../lib/text.ts";
import type { InstanceId } from "../../base/id.ts";
import { toPrice } from "../../base/money.ts";
import { isPlainHost } from "../../connection/ssh-address.ts";
import { isHostAlias } from "../../connection/ssh-config.ts";

export interface GroupHost {
  /** From 0, as engines count. */
  readonly rank: number;
  readonly id: InstanceId;
  /** Its name in our SSH configuration, where its address is. */
  readonly alias: string;
  readonly host: string;
  readonly port: number;
  /** Its private address in a network that all of them share. */
  readonly overlayIp: string | undefined;
  /** How many GPUs it has; undefined if the service doesn't say. */
  readonly gpus: number | undefined;
  /** As the service calls them: foreign text. */
  readonly gpu: string | undefined;
  /** Dollars per hour. */
  readonly pricePerHour: number | undefined;
  /** Epoch milliseconds. */
  readonly end: number | undefined;
  /** Where a folder of this computer was uploaded to. */
  readonly folder?: string | undefined;
}

export interface HandOver {
  /** `grp-` and 16 characters. */
  readonly id: string;
  /** `[a-z][a-z0-9-]*`. */
  readonly name: string;
  /** By rank; those that can be logged in to. */
  readonly hosts: readonly GroupHost[];
  /** How many the group has in all. */
  readonly wanted: number;
  /** The absolute path of our SSH configuration. */
  readonly sshConfig: string;
  /** The absolute path of the key that all of them admit; undefined if they differ, or it isn't known. */
  readonly identity: string | undefined;
  /** Whether they are virtual machines: containers can't run other engines' agents. */
  readonly isVm: boolean;
  /** Epoch milliseconds. */
  readonly at: number;
}

/** A file, or why it can't work. */
export type HandedFile =
  | { readonly name: string; readonly text: string; readonly isProgram?: true }
  | { readonly name: string; readonly why: string };

/** Four numbers from 0 to 255, of a network that isn't public. */
const PRIVATE = /^(?:10\.\d{1,3}|172\.(?:1[6-9]|2\d|3[01])|192\.168)\.\d{1,3}\.\d{1,3}$/;

/** The private address that a machine's `ip -4 -o addr show eth0` says. Undefined for anything else. */
export function readOverlayAddress(said: string): string | undefined {
  const [, address] = /\binet (\d{1,3}(?:\.\d{1,3}){3})\//.exec(said.slice(0, 4000)) ?? [];
  if (address === undefined || !PRIVATE.test(address)) return undefined;
  return address.split(".").every((part) => Number(part) <= 255) ? address : undefined;
}

/** Whether all of them can reach each other by a network of their own. */
export function sharesNetwork({ hosts, wanted }: HandOver): boolean {
  return hosts.length === wanted && hosts.every(({ overlayIp }) => overlayIp !== undefined);
}

/** Why engines whose machines talk to each other can't be used. */
export const describeNoNetwork = (): string =>
  t("The machines can't reach each other. They must all be running and in the same overlay network.");
/** Why engines that bring an agent of their own can't be used. */
export const describeNoVm = (): string => t("Requires virtual machines. These instances are containers.");

/** More than any machine has. */
const MOST_GPUS = 1024;

/** What is known of a machine: numbers that mean nothing aren't, and keep no other machine from being handed over. */
export function withoutOddNumbers(host: GroupHost): GroupHost {
  const { gpus, pricePerHour, end } = host;
  return {
    ...host,
    gpus: Number.isInteger(gpus) && gpus !== undefined && gpus > 0 && gpus <= MOST_GPUS ? gpus : undefined,
    pricePerHour: toPrice(pricePerHour),
    end: end === undefined || Number.isNaN(new Date(end).getTime()) ? undefined : end,
  };
}

/** @throws RangeError for a host that must not get into any file: names and addresses are checked wherever they come from. */
export function assertPlain({ alias, host, overlayIp }: GroupHost): void {
  if (!isHostAlias(alias) || !isPlainHost(host) || (overlayIp !== undefined && !PRIVATE.test(overlayIp)))
    throw new RangeError("This machine can't be written into a file.");
}
