// Templates and forms of launches for tests: some by hand, and drawn ones of every kind that a service or a person may come up with.
import fc from "fast-check";
import { emptyDraft, type LaunchDraft, withTemplate } from "../../src/domain/launch/launch-draft.ts";
import { type LaunchForm, toBaseForm } from "../../src/domain/launch/launch-form.ts";
import {
  type EnvEntry,
  formatEnvTable,
  parseEnvTable,
  withEntry,
  withNewEntry,
} from "../../src/domain/template/environment/env-table.ts";
import { RUNTYPES, Template } from "../../src/domain/template/template.ts";
import { TEMPLATE } from "./support.ts";

/** A launch of this template, with nothing changed. */
export const draftOf = (fields: Readonly<Record<string, unknown>> = {}): LaunchDraft =>
  withTemplate(emptyDraft, Template.parse({ ...TEMPLATE, ...fields }));

/** A launch of an image of one's own. */
export const IMAGE_DRAFT: LaunchDraft = { ...emptyDraft, image: "a/b", runtype: "ssh_direct" };

const flag = fc.constantFrom(
  ...["-e A=1", "-e A=2", "-e 'B=two words'", '--env=C="q"', "-eD=", "-p 8000:8000", "-p 53:53/udp", "-h box"],
  ...["-v /a:/b", "-n net", "--gpus all", "-e HF_TOKEN=abc"],
);

/** As a service may list it. Its flags can all be read. */
export const template: fc.Arbitrary<Template> = fc
  .record({
    image: fc.constantFrom("a/b", "ghcr.io/x/y", "host.example:5000/z", "a/b:own", `a/b@sha256:${"0".repeat(64)}`),
    tag: fc.constantFrom(undefined, "", "1.2", "latest"),
    env: fc.uniqueArray(flag, { maxLength: 6 }).map((flags) => flags.join(" ")),
    onstart: fc.constantFrom(undefined, "", "echo template", "#!/bin/bash\necho template\n"),
    runtype: fc.constantFrom("ssh", "jupyter", "args", undefined),
    args_str: fc.constantFrom(undefined, "", "serve --port 8000"),
    ssh_direct: fc.boolean(),
    jup_direct: fc.boolean(),
    jupyter_dir: fc.constantFrom(null, "", "/work"),
    use_jupyter_lab: fc.constantFrom(undefined, true, false),
    docker_login_repo: fc.constantFrom("", "ghcr.io"),
    docker_login_user: fc.constantFrom("", "me"),
    extra_filters: fc.constantFrom({}, { vms_enabled: { eq: true } }, { num_gpus: { gte: 2 } }),
    recommended_disk_space: fc.constantFrom(undefined, 8, 12.5, 40),
    private: fc.boolean(),
    volume_info: fc.constantFrom(null, { mount_path: "/data", size: 20 }, { mount_path: 7 }),
  })
  .map((fields) => Template.parse({ ...fields, hash_id: "abc123", name: "T" }));

/** Nothing chosen yet but what to launch. */
export const draft: fc.Arbitrary<LaunchDraft> = fc.tuple(fc.option(template), fc.boolean()).map(([given, isBid]) => {
  const made = given ? withTemplate(emptyDraft, given) : IMAGE_DRAFT;
  return isBid ? { ...made, bid: 0.4, search: { ...made.search, type: "bid" } } : made;
});

const value = fc.oneof(
  fc.constantFrom("", "1", "two words", "it's", '"', "$HOME", "back\\slash", "a=b", "--gpus all", "ü漢😀", "#"),
  fc.string({ maxLength: 12 }),
);
const name = fc.constantFrom("A", "B", "C", "HF_TOKEN", "_x.y", "PATH", "constructor");
const port = fc.integer({ min: 1, max: 65_535 }).map(String);
/** One that a launch may have. */
const entry: fc.Arbitrary<EnvEntry> = fc.oneof(
  fc.record({ kind: fc.constant("variable" as const), name, value }, { noNullPrototype: true }),
  port.map((host) => ({ kind: "port" as const, host, container: host })),
  port.map((host) => ({ kind: "port" as const, host, container: `${host}/udp` })),
  fc.constantFrom("box", "other").map((host) => ({ kind: "option" as const, flag: "-h", value: host })),
  fc.constantFrom("/a:/b", "/x:/y").map((where) => ({ kind: "option" as const, flag: "-v", value: where })),
);

/** The flags with some variables changed and some entries added. */
function changeFlags(flags: string, changed: readonly string[], added: readonly EnvEntry[]): string {
  let table = parseEnvTable(flags);
  for (const [at, row] of table.rows.entries()) {
    const text = changed[at];
    if (row.kind === "variable" && text !== undefined)
      table = withEntry(table, at, { kind: "variable", name: row.name, value: text });
  }
  for (const one of added) table = withNewEntry(table, one);
  return formatEnvTable(table);
}

const typed = fc.record(
  {
    image: fc.constantFrom("c/d", " c/d:2 ", "ghcr.io/me/own@sha256:".concat("1".repeat(64)), "a/b"),
    runtype: fc.constantFrom(...RUNTYPES),
    use_jupyter_lab: fc.boolean(),
    jupyter_dir: fc.constantFrom("", "/other", "not absolute"),
    vm: fc.boolean(),
    python_utf8: fc.boolean(),
    lang_utf8: fc.boolean(),
    onstart_order: fc.constantFrom("instead" as const, "after" as const),
    onstart: fc.constantFrom("", " ", "echo own", "#!/bin/sh\nexit 1\n", "x".repeat(5000)),
    args_str: fc.constantFrom("", "serve", "--name 'my model'"),
    disk: fc.constantFrom("8", " 30 ", "12.5"),
    mount_path: fc.constantFrom("/data", " /mnt/a..b "),
    target_state: fc.constantFrom("running" as const, "stopped" as const),
    cancel_unavail: fc.boolean(),
    price: fc.constantFrom("0.5", "$0.31", "2"),
    label: fc.constantFrom("", "mine", " two words "),
  },
  { requiredKeys: [], noNullPrototype: true },
);
const login = fc.constantFrom(
  {},
  { login_registry: "ghcr.io", login_user: "me", login_token: "t0k-en" },
  { login_registry: " r.example:5000 ", login_user: " a-b ", login_token: "p" },
);
const volume = fc.constantFrom<Partial<LaunchForm>>(
  {},
  { volume: "link", volume_id: " 27 ", mount_path: "/data" },
  { volume: "create", volume_id: "7301", volume_size: "1.5", mount_path: "/data" },
  { volume: "create", volume_id: "7301", volume_size: "100", mount_path: "/data" },
);

/** What a person may have made of the form of a launch. Most of it can be sent. */
export const formOf = (of: LaunchDraft): fc.Arbitrary<LaunchForm> =>
  fc
    .tuple(typed, login, volume, fc.array(value, { maxLength: 3 }), fc.array(entry, { maxLength: 3 }))
    .map(([changes, credentials, where, changed, added]) => {
      const base = toBaseForm(of);
      const form = { ...base, ...where, ...changes, ...credentials };
      return {
        ...form,
        env: changeFlags(base.env, changed, added),
        ...(form.image === "" ? { image: "c/d" } : {}),
        ...(form.volume === "none" ? { mount_path: base.mount_path } : {}),
        ...(form.runtype.startsWith("ssh") ? {} : { vm: base.vm }),
        ...(form.runtype === "args" ? {} : { args_str: base.args_str }),
      };
    });

/** A launch and a form of it. */
export const launch = draft.chain((of) => fc.tuple(fc.constant(of), formOf(of)));
