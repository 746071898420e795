// The files that work for any group: they name the machines, and `ssh` reaches each of them on its own.
import { quoteWord } from "../../../lib/shell-words.ts";
import type { GroupHost, HandedFile, HandOver } from "./group-host.ts";

/** The first lines of every file that can have comments. */
export function writeFileHead({ name }: Pick<HandOver, "name">): string {
  return [
    `# Group ${name}, written by Cloud GPU.`,
    "# Addresses change when a machine restarts: update the files with Export Group Files…",
    "# What you change here is asked about before it is replaced.",
  ].join("\n");
}

/** `ssh` with our configuration: nothing of the machines themselves is in the command. */
export function writeSshCommand({ sshConfig }: Pick<HandOver, "sshConfig">): string {
  return `ssh -F ${quoteWord(sshConfig)}`;
}

/** JSON strings are YAML strings as well, whatever is in them. */
export const quoteYaml = (text: string): string => JSON.stringify(text).replaceAll(/[\u007f-\uffff]/g, escapeUnit);

const escapeUnit = (unit: string): string => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, "0");

/** What programs of one's own read: everything that is known, as data. */
export function writeHostsJson({ id, name, at, hosts }: HandOver): HandedFile {
  const rows = hosts.map((host) => ({
    rank: host.rank,
    id: host.id,
    alias: host.alias,
    host: host.host,
    port: host.port,
    user: "root",
    overlay_ip: host.overlayIp ?? null,
    gpus: host.gpus ?? null,
    gpu: host.gpu ?? null,
    price_per_hour: host.pricePerHour ?? null,
    auto_stop_at: host.end === undefined ? null : new Date(host.end).toISOString(),
  }));
  const written = {
    written_by: "Cloud GPU",
    written_at: new Date(at).toISOString(),
    group: name,
    group_id: id,
    hosts: rows,
  };
  return { name: "hosts.json", text: `${JSON.stringify(written, undefined, 2)}\n` };
}

/** A name a line, for programs that take a list of hosts. */
export function writeHostsList(given: HandOver): HandedFile {
  return { name: "hosts.txt", text: `${writeFileHead(given)}\n${given.hosts.map(({ alias }) => alias).join("\n")}\n` };
}

/** Groups that Ansible has on its own, and words that YAML takes for something else than a name. */
const NO_NAME = /^(?:all|ungrouped|y|n|yes|no|on|off|true|false|null)$/;

/** Ansible's groups take no hyphens. */
function inventoryGroup({ name }: Pick<HandOver, "name">): string {
  const word = name.replaceAll("-", "_");
  return NO_NAME.test(word) ? `group_${word}` : word;
}

/** Beside the inventory: without a configuration of the person's, Ansible would look for one in the folder that it runs in. */
export const NO_SETTINGS = { name: "ansible.cfg", text: "# Only the settings that Ansible has by itself.\n" };

/** For Ansible, which expands no `~`. */
export function writeInventory(given: HandOver): HandedFile {
  const { hosts, sshConfig } = given;
  const variables = ({ rank, gpus, overlayIp, folder }: GroupHost) =>
    [
      `node_rank: ${rank}`,
      ...(gpus === undefined ? [] : [`gpus: ${gpus}`]),
      ...(overlayIp === undefined ? [] : [`overlay_ip: ${quoteYaml(overlayIp)}`]),
      // A value of its own: whoever uses it in a command must not quote it again.
      ...(folder === undefined ? [] : [`cloud_gpu_folder: ${quoteYaml(quoteWord(folder))}`]),
    ].join(", ");
  const text = [
    writeFileHead(given),
    "# An image without Python takes the modules raw and script only.",
    "all:",
    "  children:",
    `    ${inventoryGroup(given)}:`,
    "      hosts:",
    ...hosts.map((host) => `        ${host.alias}: { ${variables(host)} }`),
    "      vars:",
    `        ansible_ssh_common_args: ${quoteYaml(`-F ${quoteWord(sshConfig)}`)}`,
    "        ansible_python_interpreter: auto_silent",
    "",
  ].join("\n");
  return { name: "inventory.yml", text };
}

/**
 * GNU parallel splits a line at commas before any shell reads it, and takes two of them, or one behind a backslash, for a comma of the
 * command. A path by `~` would need no comma for most, but rsync expands none when files are transferred.
 */
const escapeCommas = (command: string): string =>
  command.replaceAll(String.raw`\,`, String.raw`\'',`).replaceAll(",", ",,");

/** For GNU parallel: as many jobs at a time as a machine has GPUs. */
export function writeParallel(given: HandOver): HandedFile {
  const ssh = escapeCommas(writeSshCommand(given));
  const lines = given.hosts.map(({ gpus = 1, alias }) => `${Math.max(1, gpus)}/${ssh} ${alias}`);
  return { name: "parallel.slf", text: `${writeFileHead(given)}\n${lines.join("\n")}\n` };
}
