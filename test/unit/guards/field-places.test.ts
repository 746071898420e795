// Every field of the interface has a place in the product, and docs/interface.md says which: its tables are those of the schemas.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { documented } from "../../../src/api/table/documented.ts";
import { ApiKeyRecord } from "../../../src/domain/account/key.ts";
import { Webhook } from "../../../src/domain/account/webhook.ts";
import { BackgroundJobs } from "../../../src/domain/host/background-jobs.ts";
import { Instance } from "../../../src/domain/instance/instance.ts";
import { Volume } from "../../../src/domain/instance/volume.ts";
import { CreateInstanceBody } from "../../../src/domain/launch/create-request.ts";
import { emptyDraft, toPlanWithoutOffer, withChoice, withTemplate } from "../../../src/domain/launch/launch-draft.ts";
import {
  LAUNCH_FIELDS,
  type LaunchField,
  type LaunchForm,
  toBaseForm,
  toFormContext,
} from "../../../src/domain/launch/launch-form.ts";
import { toLaunchRequest } from "../../../src/domain/launch/launch-plan.ts";
import { CREATE_FIELDS, type CreateField } from "../../../src/domain/launch/merge-request.ts";
import { readLaunchForm } from "../../../src/domain/launch/read-launch-form.ts";
import { FILTER_FIELDS } from "../../../src/domain/offer/filter-rows.ts";
import { readOffer } from "../../../src/domain/offer/offer.ts";
import { anySearch, SearchOffersBody, toSearchBody } from "../../../src/domain/offer/offer-search.ts";
import { Workergroup } from "../../../src/domain/serverless/workergroup.ts";
import { TEMPLATE_FIELDS, Template } from "../../../src/domain/template/template.ts";
import { TemplateDraft, TemplateEditBody } from "../../../src/domain/template/template-draft.ts";
import { buildWebhookPage } from "../../../src/present/account/webhook-page.ts";
import { buildInstancePage } from "../../../src/present/instance/instance-page.ts";
import { buildWorkergroupPage } from "../../../src/present/serverless/workergroup-page.ts";
import { manifestTexts, messages } from "../../texts.ts";
import { TEMPLATE } from "../support.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGE = read("docs/interface.md");

/** A part of the page: the sections of the interface that it is about, and the rows of its table. */
interface Part {
  readonly sections: readonly string[];
  readonly text: string;
  readonly rows: readonly { readonly fields: readonly string[]; readonly place: string }[];
}

function partsOf(page: string): readonly Part[] {
  const [, whole = ""] = /^## Where each field is\n(.*?)(?=^## )/ms.exec(page) ?? [];
  return whole
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const [, sections = ""] = /^[^\n]*\(([\d., ]+)\)\n/.exec(text) ?? [];
      const rows = [...text.matchAll(/^\| (`.*?) \|(.*)\|$/gm)].map(([, names = "", place = ""]) => ({
        fields: [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name),
        place: place.trim(),
      }));
      return { sections: sections.split(", "), text, rows };
    });
}

/** Names in the path of an operation, as the page has it: `{offer_id}`. */
function namesInPath(section: string): readonly string[] {
  const [heading = ""] = new RegExp(`^### ${section.replace(".", "\\.")} .*$`, "m").exec(PAGE) ?? [];
  return [...heading.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
}

const keys = (shape: object): string[] => Object.keys(shape);
const volumeFields = keys(CreateInstanceBody.shape.volume_info.unwrap().shape).map((name) => `volume_info.${name}`);

/** What is sent, by the operation's section. */
const SENT: Readonly<Record<string, readonly string[]>> = {
  "4.1": keys(BackgroundJobs.shape),
  // Each of the other keys is a filter by a field of the offers.
  "4.2": [...keys(SearchOffersBody.shape), ...keys(FILTER_FIELDS), "rentable"],
  "4.3": [...keys(CreateInstanceBody.shape), ...volumeFields],
  "4.4": [],
  "4.5": [...keys(documented.searchTemplates.query.shape), ...keys(TEMPLATE_FIELDS)],
  "4.6": keys(TemplateDraft.shape),
  "4.7": keys(TemplateEditBody.shape),
  "4.8": keys(documented.deleteTemplate.body.shape),
  "4.9": keys(documented.unlistVolume.body.shape),
  "4.10": [],
  "4.11": [],
  "4.12": keys(documented.fetchImageTags.body.shape),
  "4.13": [],
};

/** What a service says, by the record's section. */
const SAID: Readonly<Record<string, readonly string[]>> = {
  "2.1": keys(readOffer({ id: 1 }) ?? {}),
  "2.2": keys(Instance.shape),
  // A stored template holds what it was created with.
  "2.3": [...keys(Template.shape), ...keys(TemplateDraft.shape)],
  "2.4": keys(Volume.shape),
  "2.5": keys(Webhook.shape),
  "2.6": keys(Workergroup.shape),
  "2.7": keys(ApiKeyRecord.shape),
  "2.8": ["error", "msg"],
};

const EXPECTED: Readonly<Record<string, readonly string[]>> = {
  ...SAID,
  ...Object.fromEntries(
    Object.entries(SENT).map(([section, fields]) => [section, [...namesInPath(section), ...fields]]),
  ),
};

function findProblems(parts: readonly Part[], expected: Readonly<Record<string, readonly string[]>>): string[] {
  const named = parts.flatMap(({ sections }) => sections);
  const absent = Object.keys(expected).filter((section) => !named.includes(section));
  return [
    ...absent.map((section) => `${section}: no part`),
    ...parts.flatMap(({ sections, rows, text }) => {
      const fields = new Set(sections.flatMap((section) => expected[section] ?? []));
      const placed = rows.flatMap((row) => row.fields);
      const say = (list: readonly string[], what: string) => list.map((name) => `${sections}: ${name} ${what}`);
      return [
        ...say(sections, "").filter(() => sections.some((section) => expected[section] === undefined)),
        ...say(
          [...fields].filter((name) => !placed.includes(name)),
          "has no row",
        ),
        ...say(
          placed.filter((name) => !fields.has(name)),
          "is no field",
        ),
        ...say(
          placed.filter((name, at) => placed.indexOf(name) !== at),
          "has two rows",
        ),
        ...say(
          rows.filter(({ place }) => !/\w/.test(place)).flatMap((row) => row.fields),
          "has no place",
        ),
        ...(rows.length > 0 || text.split("\n").length > 2 ? [] : say(sections, "says nothing")),
      ];
    }),
  ];
}

test("every field of a request or a record has a row on the page that says where it is, and every row is of a field", () => {
  assert.deepEqual(findProblems(partsOf(PAGE), EXPECTED), []);
});

test("no operation and no section of records is left out", () => {
  const operations = Object.values(documented).map(({ section }) => section);
  assert.deepEqual(Object.keys(SENT).sort(), [...operations].sort());
  const records = [...PAGE.matchAll(/^### (2\.\d+) /gm)].map(([, section]) => section);
  assert.deepEqual(Object.keys(SAID), records);
  const searched = keys(toSearchBody(anySearch));
  assert.ok(searched.includes("rentable"), "what the page says of every search");
});

test("a removed row, an invented one, a doubled one and an empty place are noticed", () => {
  const fields = { "2.8": ["error", "msg"] };
  const page = (...rows: readonly string[]) =>
    partsOf(
      `## Where each field is\n\n### Error (2.8)\n\n| field | where |\n| --- | --- |\n${rows.join("\n")}\n\n## Next\n`,
    );
  const error = "| `error` | the message |";
  const msg = "| `msg` | the message |";
  assert.deepEqual(findProblems(page(error, msg), fields), []);
  assert.deepEqual(findProblems(page("| `error`, `msg` | the message |"), fields), []);
  assert.deepEqual(findProblems(page(error), fields), ["2.8: msg has no row"]);
  assert.deepEqual(findProblems(page(error, msg, "| `code` | the log |"), fields), ["2.8: code is no field"]);
  assert.deepEqual(findProblems(page(error, msg, msg), fields), ["2.8: msg has two rows"]);
  assert.deepEqual(findProblems(page(error, "| `msg` |  |"), fields), ["2.8: msg has no place"]);
  assert.deepEqual(findProblems(page(error, msg), { ...fields, "2.9": ["id"] }), ["2.9: no part"]);
  assert.equal(findProblems(page(error, msg), {}).length, 3, "a part about nothing");
});

test("what a place names in bold is a text of the product", () => {
  const texts = new Set([...messages(), ...Object.values(manifestTexts())].map((text) => text.toLowerCase()));
  const named = partsOf(PAGE).flatMap(({ text }) => [...text.matchAll(/\*\*(.+?)\*\*/g)].map(([, name = ""]) => name));
  assert.deepEqual(
    named.filter((name) => !texts.has(name.toLowerCase())),
    [],
  );
  assert.ok(named.length > 150, "the names were found");
});

test("the whole record at the end of a page has every field, also one that nobody knows", () => {
  const give = (shape: object) => ({
    ...Object.fromEntries(keys(shape).map((name) => [name, "x"])),
    id: 7,
    of_tomorrow: 1,
  });
  const [instance, webhook, group] = [Instance, Webhook, Workergroup].map(({ shape }) => give(shape));
  const when = { seenAt: 1, now: 1, presence: "listed" } as const;
  const pages = [
    [
      instance,
      buildInstancePage({
        ...when,
        ...{ launchPrice: undefined, staleSince: undefined, tag: "" },
        value: Instance.parse(instance),
        raw: instance,
      }),
    ],
    [webhook, buildWebhookPage({ ...when, value: Webhook.parse(webhook), raw: webhook ?? {} })],
    [
      group,
      buildWorkergroupPage({
        ...when,
        ...{ template: "unknown" as const, hasKey: true },
        value: Workergroup.parse(group),
        raw: group ?? {},
      }),
    ],
  ] as const;
  for (const [raw, page] of pages) assert.deepEqual(keys(JSON.parse(page.record())).sort(), keys(raw ?? {}).sort());
});

/** Fields of a create request that the form holds in other fields; the template is chosen before. */
const COMPOSED: Partial<Record<CreateField, readonly LaunchField[]>> = {
  template_hash_id: [],
  image_login: ["login_registry", "login_user", "login_token"],
  onstart: ["onstart_order", "onstart"],
  volume_info: ["volume", "volume_id", "volume_size", "mount_path"],
};
const FORM_FIELDS: readonly string[] = CREATE_FIELDS.flatMap((field): readonly string[] => COMPOSED[field] ?? [field]);

/** Fields for which the sections of a page draw a control: to list one, or to say where its value comes from, draws none. */
function drawnBy(source: string): readonly string[] {
  const controls = [...source.matchAll(/(?<!\brenderSource)\(page, "(\w+)"/g)].map(([, name = ""]) => name);
  return /\brenderEnvTable\(\s*\{/.test(source) ? [...controls, "env"] : controls;
}

test("the form of a launch has every field of the request, and the page draws every field of the form", () => {
  assert.deepEqual([...FORM_FIELDS].sort(), [...LAUNCH_FIELDS].sort());
  const drawn = drawnBy(read("src/webview/launch/sections.ts"));
  assert.deepEqual(
    LAUNCH_FIELDS.filter((field) => !drawn.includes(field)),
    [],
  );
  assert.deepEqual(drawnBy('{ id: "env", fields: ["env", "vm"] }; flagOf(page, "vm"); renderSource(page, "image")'), [
    "vm",
  ]);
});

/** What a form with other values in these fields sends. */
function send(changes: Partial<LaunchForm>): string[] {
  const template = Template.parse({ ...TEMPLATE, runtype: "ssh" });
  const start = withTemplate(emptyDraft, template);
  const draft = { ...start, bid: 0.4, search: { ...start.search, type: "bid" as const } };
  const { choice, problems } = readLaunchForm(
    { ...toBaseForm(draft), price: "0.5", ...changes },
    toFormContext(draft, false),
  );
  assert.ok(choice, JSON.stringify(problems));
  return keys(toLaunchRequest(toPlanWithoutOffer(withChoice(draft, choice)), "", 0));
}

test("a form that is filled in sends every field of the request", () => {
  const container = send({
    ...{ image: "c/d:2", runtype: "args", args_str: "serve", env: "-e A=1", onstart: "true", label: "x", disk: "20" },
    ...{ login_registry: "ghcr.io", login_user: "lab", login_token: "token" },
    ...{ volume: "create", volume_id: "7", volume_size: "10", mount_path: "/data" },
    ...{ python_utf8: true, lang_utf8: true, target_state: "stopped", cancel_unavail: true },
  });
  const notebook = send({ runtype: "jupyter_direct", use_jupyter_lab: true, jupyter_dir: "/work" });
  assert.deepEqual([...new Set([...container, ...notebook, ...send({ vm: true })])].sort(), [...CREATE_FIELDS].sort());
});
