// Ten thousand drawn templates and requests, merged by the sandbox and by a model that knows nothing but the words of the interface
// document's sections 2.3 and 4.3.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCreateRequest } from "../../../src/sandbox/handlers/create-request.ts";
import { toConfiguration } from "../../../src/sandbox/world/configuration.ts";
import { completeContent, type TemplateContent } from "../../../src/sandbox/world/template-content.ts";
import { TemplateStore } from "../../../src/sandbox/world/templates.ts";

type Fields = Readonly<Record<string, unknown>>;

/** A variable or a port of a template, in the order in which they are written. */
interface Flag {
  readonly kind: "variable" | "port";
  readonly name: string;
  readonly value: string;
}

interface Drawn {
  readonly parts: Omit<Partial<TemplateContent>, "env"> & { readonly image: string };
  readonly flags: readonly Flag[];
}

/** What an instance is created with, as far as the document says. */
function mergeByDocument({ parts, flags }: Drawn, request: Fields) {
  // "scalar fields in the request override the template's values"; what is null isn't given.
  const given = (name: string) => request[name] ?? undefined;
  const scalar = (name: string, ofTemplate: unknown) => given(name) ?? ofTemplate;
  // "template keys kept, request keys added, request value wins on conflict"; the string becomes the object form.
  const env = new Map<string, string>();
  for (const { kind, name, value } of flags)
    env.set(kind === "port" ? `-p ${name}` : name, kind === "port" ? "1" : value);
  for (const [name, value] of Object.entries((given("env") ?? {}) as Fields)) env.set(name, String(value));
  // "merged by key with request values winning".
  const filters = new Map(Object.entries(parts.extra_filters ?? {}));
  for (const [name, filter] of Object.entries((given("extra_filters") ?? {}) as Fields))
    filters.set(name, filter as never);
  // 2.3: `ssh`, `jupyter` or `args`, the first two direct or not; default `args`. Of the image, the tag; default `latest`.
  const direct = { ssh: parts.ssh_direct, jupyter: parts.jup_direct, args: undefined }[parts.runtype ?? "args"];
  const kind = parts.runtype ?? "args";
  const ofTemplate = kind === "args" ? "args" : `${kind}_${direct === true ? "direct" : "proxy"}`;
  const runtype = scalar("runtype", ofTemplate);
  const text = String(scalar("args_str", parts.args_str ?? ""));
  // Rule 7, and `image_login` as `-u <user> -p <access_token> <registry>`.
  const [, user, pass, repo] = String(given("image_login") ?? "").split(/^-u | -p | (?=\S+$)/);
  const { docker_login_user: u, docker_login_pass: p, docker_login_repo: r } = parts;
  const carried = u && p ? { repo: r ?? "", user: u, pass: p } : undefined;
  return {
    image: scalar("image", `${parts.image}:${parts.tag ?? "latest"}`),
    runtype,
    disk: scalar("disk", parts.recommended_disk_space ?? 8),
    env: [...env],
    onstart: scalar("onstart", parts.onstart ?? ""),
    // "Only used with `runtype` `args`".
    args: runtype === "args" ? text.split(" ").filter((word) => word !== "") : [],
    extraFilters: Object.fromEntries(filters),
    jupyterDir: scalar("jupyter_dir", parts.jupyter_dir ?? null),
    useJupyterLab: scalar("use_jupyter_lab", parts.use_jupyter_lab ?? false),
    pythonUtf8: given("python_utf8") ?? false,
    langUtf8: given("lang_utf8") ?? false,
    login: given("image_login") === undefined ? carried : { repo, user, pass },
    // Rule 8: the template's isn't applied.
    volume: given("volume_info"),
  };
}

const word = fc.stringMatching(/^[a-z0-9]{1,8}$/);
const words = fc.array(word, { maxLength: 3 }).map((all) => all.join(" "));
const name = fc.constantFrom("A", "B", "MODE", "TOKEN", "PATH_1", "constructor", "__proto__", "toString");
const port = fc.constantFrom("8000:8000", "8000:80", "22:2222", "5000:5000/udp");
const value = fc.oneof(word, fc.constantFrom("", "two words", 'a"b', "a'b", "a=b", "$HOME", "-p 1:1", "é", "\\"));
const flag: fc.Arbitrary<Flag> = fc.oneof(
  fc.record({ kind: fc.constant("variable" as const), name, value }),
  fc.record({ kind: fc.constant("port" as const), name: port, value: fc.constant("1") }),
);
const filters = fc.dictionary(
  fc.constantFrom("gpu_ram", "num_gpus", "verified", "made_up"),
  fc.record({ gte: fc.nat() }, { noNullPrototype: true }),
  { noNullPrototype: true },
);
const runtypes = ["ssh_direct", "ssh_proxy", "ssh", "jupyter_direct", "jupyter_proxy", "jupyter", "args"] as const;
const volume = fc.record(
  { volume_id: fc.nat({ max: 9 }).map((id) => id + 1), mount_path: fc.constant("/data") },
  { noNullPrototype: true },
);

const template: fc.Arbitrary<Drawn> = fc.record({
  parts: fc.record(
    {
      image: fc.constantFrom("vendor/base", "registry.example:5000/a/b"),
      tag: word,
      onstart: words,
      runtype: fc.constantFrom("ssh", "jupyter", "args"),
      args_str: words,
      ssh_direct: fc.boolean(),
      use_ssh: fc.boolean(),
      jup_direct: fc.boolean(),
      jupyter_dir: fc.option(word),
      use_jupyter_lab: fc.boolean(),
      docker_login_repo: fc.constantFrom("", "r.example"),
      docker_login_user: fc.constantFrom("", "me"),
      docker_login_pass: fc.constantFrom("", "token-of-template"),
      extra_filters: filters,
      recommended_disk_space: fc.integer({ min: 8, max: 500 }),
      volume_info: fc.option(volume),
    },
    { requiredKeys: ["image"], noNullPrototype: true },
  ),
  flags: fc.array(flag, { maxLength: 6 }),
});

/** Any of the fields, each of which may be null: it isn't given then. */
const optional = <T>(of: fc.Arbitrary<T>) => fc.option(of, { freq: 6 });
const request = fc.record(
  {
    image: optional(fc.constantFrom("other/image", "other/image:9")),
    label: optional(words),
    disk: optional(fc.integer({ min: 8, max: 500 })),
    runtype: optional(fc.constantFrom(...runtypes)),
    target_state: optional(fc.constantFrom("running", "stopped")),
    price: optional(fc.constant(0.5)),
    env: optional(
      fc.dictionary(
        fc.oneof(
          name,
          port.map((mapping) => `-p ${mapping}`),
        ),
        fc.oneof(value, fc.nat(), fc.boolean()),
        {
          noNullPrototype: true,
        },
      ),
    ),
    onstart: optional(words),
    args_str: optional(words),
    use_jupyter_lab: optional(fc.boolean()),
    jupyter_dir: optional(word),
    python_utf8: optional(fc.boolean()),
    lang_utf8: optional(fc.boolean()),
    image_login: optional(fc.constantFrom("-u you -p other-token q.example", "-u a -p b c")),
    cancel_unavail: optional(fc.boolean()),
    vm: optional(fc.boolean()),
    volume_info: optional(volume),
    extra_filters: optional(filters),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
/** "Docker flag format, with `-e NAME=value` for variables and `-p host:container` for ports, space separated". */
const written = (flags: readonly Flag[]): string =>
  flags.map((one) => (one.kind === "port" ? `-p ${one.name}` : `-e ${quoted(`${one.name}=${one.value}`)}`)).join(" ");

test("4.3 rules 4 to 8: the sandbox merges 10,000 templates and requests as the document says", () => {
  let overridden = 0;
  fc.assert(
    fc.property(template, request, (drawn, body) => {
      const content = completeContent({ ...drawn.parts, name: "drawn", env: written(drawn.flags) });
      const stored = new TemplateStore().add(content, { owner: 1, now: 0 });
      const ports = body.env && Object.keys(body.env).filter((key) => key.startsWith("-p"));
      const env = body.env && { ...body.env, ...Object.fromEntries((ports ?? []).map((key) => [key, "1"])) };
      const sent: Fields = { ...body, ...(env ? { env } : {}), template_hash_id: stored.hash_id };
      const {
        env: gotEnv,
        onstart,
        ...got
      } = toConfiguration(stored, readCreateRequest(JSON.parse(JSON.stringify(sent))));
      const { env: wantedEnv, ...wanted } = mergeByDocument(drawn, sent);
      if (drawn.flags.some(({ name: key }) => Object.hasOwn(env ?? {}, key))) overridden += 1;
      assert.deepEqual({ ...got, onstart: onstart ?? "" }, wanted);
      assert.deepEqual(Object.entries(gotEnv), wantedEnv, "the same names and values in the same order");
    }),
    { numRuns: 10_000 },
  );
  assert.ok(overridden > 500, `only ${overridden} had a name in both`);
});
