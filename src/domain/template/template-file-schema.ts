// The JSON schema of template files, generated from the draft schema at build time. No bundle includes this file.
import { toJSONSchema } from "zod";
import { Filters } from "../offer/filter.ts";
import { TemplateFile } from "./template-file.ts";
import { buildFilterSchema } from "./template-filter-schema.ts";
import type { TemplateLaunch, TemplateRun } from "./template-proposals.ts";

/** What the editor shows for a field in completions and on hover. */
const ABOUT: Readonly<Record<keyof typeof TemplateFile.shape, string>> = {
  name: "Name shown in lists.",
  image: "Docker image, such as pytorch/pytorch, without its tag.",
  tag: "Tag of the image. Default: latest.",
  desc: "One-line description.",
  readme: "Longer documentation in Markdown: a text, or a list of lines.",
  env: "Variables and ports as Docker flags: -e NAME=value -p 8080:8080",
  onstart: "Shell commands that run when the instance starts, at most 4,048 characters: a text, or a list of lines.",
  runtype: "How to connect: ssh, jupyter (with SSH), or args (the image's own entrypoint).",
  args_str: "Arguments for the image's entrypoint. Used only with runtype args.",
  ssh_direct: "Direct SSH through a port of the machine.",
  use_ssh: "SSH, direct or through the proxy. Default: on with runtype ssh and jupyter.",
  jup_direct: "Direct Jupyter through a port of the machine.",
  jupyter_dir: "Absolute path of the directory where Jupyter starts.",
  use_jupyter_lab: "JupyterLab instead of Jupyter Notebook.",
  docker_login_repo: "Address of a private registry.",
  docker_login_user:
    "User name for the private registry. Tokens can't be stored in files: enter the token in the template's form.",
  href: "Link to the image's documentation (https).",
  repo: "Repository identifier.",
  extra_filters: "Requirements for the machine: { field: { operator: value } }. VRAM (gpu_ram) is in MB.",
  recommended_disk_space: "Disk size in GB.",
  private: "Whether only you see the template. Default: private.",
  volume_info: "A hint for forms. Doesn't attach a volume.",
  run: "What Run on a GPU runs on an instance of this template. Stays in this file: it's never pushed.",
  launch: "What Launch changes of the template. Stays in this file: it's never pushed.",
  $schema: "The schema of this file.",
  $sync: "Number and hash of the template at the last push or pull, its service, and its user. Written by Cloud GPU.",
};

const ABOUT_RUN: Readonly<Record<keyof typeof TemplateRun.shape, string>> = {
  command: "Command to run in the uploaded folder.",
  setup: "Command to run first, in place of installing what the folder requires. Empty for nothing.",
  env: "Environment variables for the setup and the command. No secrets: name those under secrets.",
  secrets:
    "Names of secrets that the setup and the command get as environment variables. Their values are in no file: Cloud GPU asks for them.",
  results:
    "Files to download, as patterns in the uploaded folder, such as out/**. Default: all that the run creates or changes.",
  resultsEveryMinutes:
    "Minutes between downloads of the results while the command runs, from 1 to 1440. Default: only at its end.",
  whenDone:
    "What becomes of an instance that is rented for it: destroy (default), stop (its disk stays, and is billed), or keep.",
  maxPricePerHour: "The most that an instance may cost for it, in dollars per hour, beside your own limits.",
  maxAttempts:
    "How many instances may be rented for it in all, one after another, without asking again: another one once the one before is lost.",
  dataFolders:
    "Folders in the uploaded folder with data: uploaded even if ignored, kept on the instance, and not among the results.",
};

const ABOUT_LAUNCH: Readonly<Record<keyof typeof TemplateLaunch.shape, string>> = {
  image: "Image with its tag, in place of the template's.",
  runtype: "How to connect, in place of what the template says.",
  env: 'Variables and ports that are added or changed, such as { "MODE": "train", "-p 8000:8000": "1" }. No secrets: set those in the template.',
  onstart: "Start script in place of the template's: a text, or a list of lines.",
  args_str: "Arguments for the image's entrypoint. Used only with runtype args.",
  use_jupyter_lab: "JupyterLab instead of Jupyter Notebook.",
  jupyter_dir: "Absolute path of the directory where Jupyter starts.",
  python_utf8: "Python with the locale C.UTF-8.",
  lang_utf8: "All programs with the locale C.UTF-8.",
  vm: "A virtual machine instead of a container.",
  disk: "Size of the disk in GB.",
  label: "Name of the instance.",
  target_state: "running (default), or stopped: created without starting, with its disk billed.",
  cancel_unavail:
    "Whether nothing is rented if the machine can't start immediately. If not, the instance waits, and its disk is billed.",
};

export function buildTemplateFileSchema(): Record<string, unknown> {
  const schema = toJSONSchema(TemplateFile.extend({ extra_filters: Filters.optional() }), {
    target: "draft-7",
    io: "input",
  }) as Record<string, unknown>;
  const properties = schema.properties as Record<string, Record<string, unknown>>;
  for (const [field, description] of Object.entries(ABOUT)) properties[field] = { description, ...properties[field] };
  for (const [section, about] of [
    ["run", ABOUT_RUN],
    ["launch", ABOUT_LAUNCH],
  ] as const) {
    const fields = properties[section]?.properties as Record<string, Record<string, unknown>>;
    for (const [field, description] of Object.entries(about)) fields[field] = { description, ...fields[field] };
  }
  const { description, additionalProperties: condition } = properties.extra_filters ?? {};
  properties.extra_filters = { description, ...buildFilterSchema(condition as Record<string, unknown>) };
  properties.run = { ...properties.run, defaultSnippets: [{ label: "{ command }", body: { command: "$1" } }] };
  // A new file needs these fields; the editor offers them as one snippet.
  const defaultSnippets = [{ label: "{ name, image }", body: { name: "$1", image: "$2", runtype: "ssh" } }];
  return { ...schema, title: "Cloud GPU template", defaultSnippets };
}
