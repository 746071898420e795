// The JSON schema of template files, generated from the draft schema at build time. No bundle includes this file.
import { toJSONSchema } from "zod";
import { Filters } from "../offer/filter.ts";
import { TemplateFile } from "./template-file.ts";

/** What the editor shows for a field in completions and on hover. */
const ABOUT: Readonly<Record<keyof typeof TemplateFile.shape, string>> = {
  name: "What people see in lists.",
  image: "Docker image, such as pytorch/pytorch, without its tag.",
  tag: "Tag of the image; latest where it is left out.",
  desc: "One line about it.",
  readme: "Longer documentation in Markdown: a text, or a list of lines.",
  env: "Variables and ports as docker flags: -e NAME=value -p 8080:8080",
  onstart: "Shell commands run when the instance starts, 4,048 characters at most: a text, or a list of lines.",
  runtype: "How it is reached: ssh, jupyter (with SSH), or args (the image's own entrypoint).",
  args_str: "Arguments for the image's entrypoint; used with runtype args only.",
  ssh_direct: "Direct SSH, by a port of the machine.",
  use_ssh: "SSH of either kind. On with runtype ssh and jupyter where it is left out.",
  jup_direct: "Direct Jupyter, by a port of the machine.",
  jupyter_dir: "Directory Jupyter starts in, from the root on.",
  use_jupyter_lab: "JupyterLab instead of Jupyter Notebook.",
  docker_login_repo: "Address of a private registry.",
  docker_login_user: "User at the private registry. Its token never stands in a file: type it in the template's form.",
  href: "Link to the image's documentation (https).",
  repo: "Repository identifier.",
  extra_filters: "Which machines suit it: { field: { operator: value } }. VRAM (gpu_ram) is in MB.",
  recommended_disk_space: "Disk in GB.",
  private: "Whether only you see it. Private where it is left out.",
  volume_info: "A hint for forms; it attaches nothing.",
  $schema: "The schema of this file.",
  $sync: "Number and hash of the template at the last push or pull. Written by Cloud GPU.",
};

export function templateFileSchema(): Record<string, unknown> {
  const schema = toJSONSchema(TemplateFile.extend({ extra_filters: Filters.optional() }), {
    target: "draft-7",
    io: "input",
  }) as Record<string, unknown>;
  const properties = schema.properties as Record<string, Record<string, unknown>>;
  for (const [field, description] of Object.entries(ABOUT)) properties[field] = { description, ...properties[field] };
  // A new file needs these fields; the editor offers them as one snippet.
  const defaultSnippets = [{ label: "{ name, image }", body: { name: "$1", image: "$2", runtype: "ssh" } }];
  return { ...schema, title: "Cloud GPU template", defaultSnippets };
}
