// A template's content, and the hash of it that identifies the template for a launch (interface 2.3).
import { createHash } from "node:crypto";
import type { Filters } from "../../domain/offer/filter.ts";

/** The fields its creator sets. Units: `recommended_disk_space` GB. */
export interface TemplateContent {
  readonly name: string;
  readonly image: string;
  readonly tag: string;
  readonly desc: string;
  readonly readme: string;
  readonly env: string;
  readonly onstart: string;
  readonly runtype: "ssh" | "jupyter" | "args";
  readonly args_str: string;
  readonly ssh_direct: boolean;
  readonly use_ssh: boolean;
  readonly jup_direct: boolean;
  readonly jupyter_dir: string | null;
  readonly use_jupyter_lab: boolean;
  readonly docker_login_repo: string;
  readonly docker_login_user: string;
  readonly docker_login_pass: string;
  readonly href: string;
  readonly repo: string;
  readonly extra_filters: Filters;
  readonly recommended_disk_space: number;
  readonly private: boolean;
  readonly volume_info: Readonly<Record<string, unknown>> | null;
}

/** Completes a template with the defaults of interface 2.3. */
export function completeContent(parts: Partial<TemplateContent> & Pick<TemplateContent, "name" | "image">) {
  const runtype = parts.runtype ?? "args";
  const content: TemplateContent = {
    tag: "latest",
    desc: "",
    readme: "",
    env: "",
    onstart: "",
    runtype,
    args_str: "",
    ssh_direct: false,
    use_ssh: runtype !== "args",
    jup_direct: false,
    jupyter_dir: null,
    use_jupyter_lab: false,
    docker_login_repo: "",
    docker_login_user: "",
    docker_login_pass: "",
    href: "",
    repo: parts.image,
    extra_filters: {},
    recommended_disk_space: 8,
    private: false,
    volume_info: null,
    ...parts,
  };
  return content;
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, item]) => [name, sorted(item)]),
  );
}

/** 32 hex digits derived from the content alone. Any change gives another hash; the order of fields doesn't matter. */
export function hashTemplate(content: TemplateContent): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(content)))
    .digest("hex")
    .slice(0, 32);
}
