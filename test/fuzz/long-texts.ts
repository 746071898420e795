// No text from outside freezes the editor: a quarter of a megabyte of anything goes through every function that may read it,
// and must not take disproportionately longer than an eighth of it. The functions are found in the modules themselves, so
// that a new one isn't forgotten.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type Reading, toSeenInstance } from "../../src/domain/account/ledger.ts";
import { traceSpending } from "../../src/domain/account/spending.ts";
import { Webhook } from "../../src/domain/account/webhook.ts";
import { AppError } from "../../src/domain/base/error.ts";
import { InstanceId } from "../../src/domain/base/id.ts";
import { toPlainLog } from "../../src/domain/connection/log-text.ts";
import { EMPTY_JOBS_FORM } from "../../src/domain/host/jobs-form.ts";
import { Instance } from "../../src/domain/instance/instance.ts";
import { emptyDraft, type PricedDraft } from "../../src/domain/launch/launch-draft.ts";
import { type LaunchForm, toBaseForm, toFormContext } from "../../src/domain/launch/launch-form.ts";
import type { LaunchMessage, LaunchQuestion } from "../../src/domain/launch/launch-messages.ts";
import type { LaunchPlan } from "../../src/domain/launch/launch-plan.ts";
import { toPastRental } from "../../src/domain/launch/past-rental.ts";
import { readOffer } from "../../src/domain/offer/offer.ts";
import type { PriceSample } from "../../src/domain/offer/price-history.ts";
import { DEFAULT_JOB } from "../../src/domain/offer/table/job.ts";
import { toOfferTable } from "../../src/domain/offer/table/offer-table.ts";
import { DEFAULT_LAYOUT } from "../../src/domain/offer/table/offers-layout.ts";
import { Workergroup } from "../../src/domain/serverless/workergroup.ts";
import { Template } from "../../src/domain/template/template.ts";
import { NEW_TEMPLATE, TEMPLATE_DRAFT_FIELDS, toForm } from "../../src/domain/template/template-form.ts";
import type { EditNotice, TemplateMessage, TemplateQuestion } from "../../src/domain/template/template-messages.ts";
import { Turns } from "../../src/lib/turns.ts";
import type { buildSpendingView } from "../../src/present/account/spending-page.ts";
import { seeded } from "./answers.ts";

/** Characters. */
const LENGTH = 250_000;
/** CPU milliseconds below which no one asks further. */
const MOST_MS = 50;
/** How much longer the whole may take than an eighth of it: 8 times is linear, 64 times quadratic. */
const MOST_GROWTH = 24;

const UNITS = [
  "-token",
  "-",
  "'",
  '"',
  "=",
  "\\",
  " ",
  "a:",
  "://",
  "-u a -p ",
  "\ud800",
  "(",
  "\n",
  "a ",
  "-e a=b ",
  '\\"',
  "A=",
  "key= ",
  "TOKEN='",
  "bearer ",
  "[",
  '{"a":',
  "#\n",
  "$(",
  "\u202e",
  "\r",
  ":",
  ",",
  "/*",
  "\t",
  "😀",
  "A",
  "0",
  "://a:",
  "-p ",
  "<",
  "-e 'a",
  '""',
  "''",
  "token ",
  "a\n",
  "é ",
  "-eA=b ",
];

/** A unit over and over, or what almost is: `end` is read more than once by an expression that can divide what is before it. */
const repeat = (unit: string, length: number, end = ""): string =>
  unit.repeat(Math.ceil(length / unit.length)).slice(0, length - end.length) + end;

/** Characters of any kind, as many as asked for. */
export function mixText(seed: number, wanted: number): string {
  const random = seeded(seed);
  const parts: string[] = [];
  for (let length = 0; length < wanted; ) {
    const unit = UNITS[Math.floor(random() * UNITS.length)] ?? "-";
    const part = unit.repeat(1 + Math.floor(random() * 40));
    parts.push(part);
    length += part.length;
  }
  return parts.join("").slice(0, wanted);
}

const TEXTS: readonly (readonly [name: string, text: string])[] = [
  ...UNITS.map((unit) => [JSON.stringify(unit), repeat(unit, LENGTH)] as const),
  ...["0", "\r"].map((unit) => [`${JSON.stringify(unit)} and another at the end`, repeat(unit, LENGTH, "!")] as const),
  ...[1, 2, 3].map((seed) => [`mixture ${seed}`, mixText(seed, LENGTH)] as const),
];

/** Records of several texts hold that much in all. */
const part = (text: string) => text.slice(0, Math.ceil(text.length / 4));

const offerOf = (text: string) =>
  readOffer({ id: 7, gpu_name: text, geolocation: text, cpu_name: text, verification: text });
const samplesOf = (text: string): PriceSample[] => [
  { hour: 1, gpu: text, type: "bid", verified: true, n: 1, min: 1, p25: 1, p50: 1 },
];
const GOAL = { kind: "price", most: 1 } as const;
const watchOf = (text: string) => ({
  search: { filters: { gpu_name: { in: [text] }, [text]: { eq: text } }, type: "bid", sort: "price", diskGb: 8 },
  goal: GOAL,
});
const instanceOf = (text: string) =>
  Instance.parse({
    id: 7,
    ...Object.fromEntries(
      Object.keys(Instance.shape)
        .filter((name) => name !== "id")
        .map((name) => [name, text]),
    ),
  });
const templateOf = (text: string) =>
  Template.parse({
    ...Object.fromEntries(Object.keys(Template.shape).map((name) => [name, text.slice(0, 1000)])),
    ...{ hash_id: "h", env: text, onstart: text, args_str: text },
  });
const webhookOf = (text: string) =>
  Webhook.parse({ id: 7, name: text, webhook_url: `https://h/${text}`, event_types: [text] });
const groupOf = (text: string) =>
  Workergroup.parse({
    ...Object.fromEntries(Object.keys(Workergroup.shape).map((name) => [name, text])),
    id: 7,
    search_query: { gpu_name: { in: [text] } },
  });
const planOf = (text: string): LaunchPlan => ({
  offer: offerOf(text) as LaunchPlan["offer"],
  type: "ondemand",
  template: templateOf(part(text)),
  image: text,
  runtype: "ssh",
  diskGb: 10,
  label: text,
  bid: undefined,
});
const draftOf = (text: string) => ({
  ...NEW_TEMPLATE,
  ...Object.fromEntries(
    Object.entries(NEW_TEMPLATE).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, text.slice(0, 1000)]] : [],
    ),
  ),
  env: part(text),
  onstart: part(text),
  readme: part(text),
  runtype: "args" as const,
});
const recordOf = (text: string) => ({
  token: "vsc-aaaaaaaaaaaaaaaa",
  ids: [7],
  facts: new Set(["claimed"]),
  late: new Set(),
  prepared: { machine: text, origin: text, account: text, at: 0, offer: 7, version: 1, tracked: true, price: 1 },
});
const jobsOf = (text: string) => ({
  machine: 7,
  price_gpu: 1,
  price_inetu: 0,
  price_inetd: 0,
  image: part(text),
  args_str: part(text),
  onstart: part(text),
  env: { A: part(text) },
});
const jobsFormOf = (text: string) => ({
  ...EMPTY_JOBS_FORM,
  ...{ machine: "7", image: "a/b", price_gpu: "1", price_inetu: "0", price_inetd: "0" },
  args: part(text),
  env: [
    { name: "A", value: part(text) },
    { name: text.slice(0, 1000), value: part(text) },
  ],
  onstart: part(text),
});
const filtersOf = (text: string) => ({
  gpu_name: { in: [text], eq: text },
  geolocation: { eq: text },
  num_gpus: { gte: text },
  other: { eq: text },
});
const errorOf = (text: string) => new Error(text);
const environmentOf = (text: string) => ({ kind: "requirements" as const, file: text.slice(0, 5000) });
const placeOf = (text: string) => ({ key: "a", remote: text });

type Recipe = (of: Record<string, (...given: never[]) => unknown>, text: string) => unknown;
const call = (name: string, ...make: ((text: string) => unknown)[]): [string, Recipe] => [
  name,
  (of, text) => of[name]?.(...(make.map((one) => one(text)) as never[])),
];
const whole = (text: string) => text;
const linkedOf = (text: string) => new Map(["template", "gpu", "max", "disk", "type"].map((name) => [name, text]));
const refuseLinked = (name: string, why: string) => new AppError("rejected", `${name}: ${why}`);
const readingOf = (text: string, at = 0): Reading => ({
  at,
  hasGaps: false,
  seen: new Map([[InstanceId.parse(1), toSeenInstance(fact()(text), text)]]),
});
const spendingOf = (text: string): Parameters<typeof buildSpendingView>[0] => ({
  from: 0,
  to: 3_600_000,
  stretches: traceSpending([readingOf(text), readingOf(text, 60_000)], 0, 3_600_000),
  since: 0,
  unread: [],
  charged: { kind: "unknown", error: { kind: "rejected", message: text } },
  sandbox: false,
});

const fact =
  (extra: object = {}) =>
  (text: string) => ({ value: instanceOf(text), raw: {}, launchPrice: 1, tag: text, now: 0, ...extra });

const grantOf = (text: string) => ({
  ...{ version: 1, name: text, origin: text, account: text, amount: 5, perHour: 1, launches: 2 },
  ...{ at: 0, until: 3_600_000, used: 0, spent: 0 },
});

/** Everything a launch can say with this text in it. */
const launchMessages = (text: string): readonly LaunchMessage[] => {
  const [plan, id, instance] = [planOf(text), InstanceId.parse(1), instanceOf(text)];
  return [
    { kind: "not-rented", error: new AppError("rejected", text), proven: false },
    { kind: "unknown", reason: text, token: text, tracked: false },
    { kind: "running", id, row: undefined, plan },
    { kind: "left-account", id, plan },
    { kind: "not-destroyed", ends: [{ id, kind: "destroy", outcome: "failed", reason: text }] },
    { kind: "dead", id, status: text, why: text, isImage: true },
    { kind: "replacing", id, plan },
    { kind: "not-dead", id, instance },
  ];
};
const questionsOf = (text: string): readonly LaunchQuestion[] => {
  const [plan, id] = [planOf(text), InstanceId.parse(1)];
  return [
    { kind: "rent", plan, sandbox: false, withoutTracking: true, now: 0 },
    { kind: "rent", plan, sandbox: false, withoutTracking: true, now: 0, isForAgent: true },
    { kind: "destroy-rented", id, row: undefined, plan },
    { kind: "reconfigure", dead: id },
    {
      ...{ kind: "replace", dead: id, before: plan, plan: { ...plan, lostLogin: true }, isNewTemplate: true },
      ...{ isImageAtFault: true, isPastEnd: true, sandbox: false, withoutTracking: true, now: 0 },
    },
  ];
};
/** Everything the editing of templates can say with this text in it. */
const templateMessagesOf = (text: string): readonly TemplateMessage[] => [
  { kind: "closed-unsaved", form: { name: text, isStored: true } },
  { kind: "not-own", name: text },
  { kind: "nothing-to-push", name: text },
  { kind: "pushed", name: text, hash: text },
  { kind: "lock-outdated", name: text, hash: text },
  { kind: "drifted", name: text },
  { kind: "saved-without", variables: [text, text] },
  { kind: "may-hold-secrets", name: text },
];
const templateQuestionsOf = (text: string): readonly TemplateQuestion[] => [
  { kind: "discard", form: { name: text, isStored: true } },
  { kind: "save-text", field: "onstart", name: text, isAutomatic: true },
  { kind: "push-changes", fields: TEMPLATE_DRAFT_FIELDS, from: NEW_TEMPLATE, to: draftOf(text) },
  { kind: "push-new", why: "foreign", name: text, isPrivate: true, needsToken: true, withoutValue: [text] },
  { kind: "delete", name: text, id: undefined },
];
const editNoticesOf = (text: string): readonly EditNotice[] => [
  { kind: "restored", at: 0, withheld: [text, text] },
  { kind: "existed", id: undefined },
];
/** Groups of machines. */
const machinesOf = (text: string) => ({
  name: "sweep",
  machines: [planOf(text), planOf(text)],
  spares: [],
  isApart: true,
  policy: { least: 2, rest: "destroy", minutes: 20 },
});
const groupRecordOf = (text: string) => ({
  id: text,
  name: text,
  prepared: { origin: text, account: text, user: 1, name: text, least: 1, rest: "destroy", at: 0, deadline: 0 },
  launches: [[text], [text, text]],
  facts: new Set(["told"]),
  decided: { decision: "short", by: text, unwanted: [text] },
  unreadable: 0,
});
const machineGroupOf = (text: string) => {
  const member = { rank: 0, token: text, id: 1, state: "ready", instance: instanceOf(text), price: 1 };
  return {
    id: text,
    name: text,
    record: groupRecordOf(text),
    members: [member, { ...member, rank: 1, state: "dead" }],
    listed: [1, 2],
    isSending: false,
  };
};

const jobOf = (text: string) => ({ engine: "ray", command: text, remote: text, id: "job-1" });
const jobHosts = [{ rank: 0, overlayIp: "10.0.0.1", gpus: 1 }];
const jobFactsOf = (text: string) => ({
  ...{
    group: machineGroupOf(text),
    engine: "each",
    onFailure: "continue",
    whenDone: "destroy",
    list: runUploadOf(text),
  },
  ...{ command: text, setup: text, remote: text, results: [text], secrets: [text], limits: {} },
});
const overlayOf = (text: string) => ({ name: text, overlay_id: 1, cluster_id: 2, internal_subnet: text, isNew: false });
const overlayFactsOf = (text: string) => ({
  overlay: overlayOf(text),
  members: [
    { id: 1, row: fact()(text) },
    { id: 2, row: undefined },
  ],
});

const handOverOf = (text: string) => ({
  ...{ id: text, name: "sweep", wanted: 1, sshConfig: text, identity: text, isVm: true, at: 0 },
  hosts: [
    { rank: 0, id: 1, alias: "cloud-gpu-1", host: "a", port: 1, overlayIp: "10.0.0.1", gpus: 1, gpu: text, end: 0 },
  ],
});

const launchDraftOf = (text: string): PricedDraft => ({ ...emptyDraft, ...planOf(text), offer: planOf(text).offer });

/** Typed into every field that takes a text, for a launch of a template that has others. */
const launchFormOf = (text: string): LaunchForm => ({
  ...toBaseForm(emptyDraft),
  ...{ image: part(text), env: part(text), onstart: part(text), args_str: part(text), volume: "create" },
  ...Object.fromEntries(
    ["login_registry", "login_user", "login_token", "jupyter_dir", "disk", "label", "price"].map((name) => [
      name,
      text.slice(0, 1000),
    ]),
  ),
  ...Object.fromEntries(["volume_id", "volume_size", "mount_path"].map((name) => [name, part(text)])),
});
const launchContextOf = (text: string) =>
  toFormContext({ ...launchDraftOf(text), template: templateOf(part(text)) }, true);
const configurationOf = (text: string) => ({
  ...{
    env: { [part(text)]: part(text), [`-p ${text.slice(0, 1000)}`]: "1" },
    onstart: part(text),
    args_str: part(text),
  },
  ...{ image_login: `-u a -p ${part(text)} b`, jupyter_dir: text.slice(0, 1000) },
  volume_info: { create_new: true, volume_id: 1, size: 1, mount_path: part(text) },
});
const configuredOf = (text: string): PricedDraft => ({
  ...launchDraftOf(text),
  configuration: configurationOf(text),
});

/** Functions that read records, with records made of the text; whatever takes texts alone is called with it as it is. */
const endOf = (text: string) => ({ id: 1, kind: "destroy", outcome: "failed", reason: text }) as const;

/** The address is read before; a folder's name may be anything. */
const loginOf = (text: string) => ({ address: { host: "1.2.3.4", port: 22 }, alias: "a", knownHosts: text });

/** What another account had rented, whose name is this text. */
const elsewhereOf = (text: string) => ({
  ...{ key: "k", name: text, base: "https://a.example", isLeft: true },
  ...{ count: 2, price: 1, at: 0 },
});

const logAddressOf = (text: string) => new URL(`https://logs.example.com/${encodeURI(text.toWellFormed())}`);

/** A list of an upload with this text as its names. */
const uploadOf = (text: string) => ({
  ...{ files: [{ path: text, size: 1, isExecutable: false }], folders: [text], bytes: 1 },
  ...{ secrets: [text, text], links: 2, specials: 1, unreadable: [text] },
});
const runUploadOf = (text: string) => ({
  ...uploadOf(text),
  main: { files: 1, bytes: 1 },
  data: [{ path: text, files: 1, bytes: 1 }],
});
const othersOf = (text: string) => ({ files: 9, names: [text, text] });
const uploadFactsOf = (text: string) => ({ id: 7, list: uploadOf(part(text)), remote: part(text) });

const originOf = (text: string) => ({ url: text, branch: text, commit: text });
const agreedOf = () => ({ limits: { maxHours: 8, maxAttempts: 3 }, price: 0.5, isBid: true });

const attemptsOf = (text: string) => ({
  run: { instance: 7 },
  attempts: [...text.slice(0, 500)].map(() => ({ run: text, instance: 7, at: 1, end: 2, price: 1 })),
  before: "stopped",
  early: { at: 1 },
  upload: { files: [text], bytes: 1, secrets: [text] },
});
const runOf = (text: string) => ({
  ...{ id: text, base: text, account: text, instance: 7, at: 0, window: text },
  plan: { name: text, command: text, setup: text, folder: text, remote: text },
  state: {
    kind: "ended",
    at: 1,
    why: text,
    results: { kind: "failed", why: text },
    rental: { kind: "kept", why: text },
  },
});

const thereResultOf = (text: string) => ({ name: `./${text}`, size: 1, changed: 2 });

const quiet = { since: { elapsed: 0, now: 0 }, last: { elapsed: 1, now: 1 }, percent: 10, missed: [] };
const idleState = { time: 60_000, percent: 10, source: "service" };
const idleWish = { minutes: 30, ending: "stop" };

/** Offers of a page, of which the text is every field. */
const offersOf = (text: string) => [offerOf(text) ?? assert.fail(), offerOf(text.slice(1)) ?? assert.fail()];
const tableOf = (text: string) => toOfferTable(offersOf(text), { objection: () => text });
const rowsOfTable = () => Uint32Array.of(0, 1);
const twoNumbers = () => Float64Array.of(1, 2);

const RECIPES: ReadonlyMap<string, Recipe> = new Map([
  call(
    "readToolInput",
    () => "searchOffers",
    (text) => ({ gpu: text, [text]: text }),
  ),
  call("buildOffersAnswer", (text) => ({
    ...{ offers: offersOf(text), unreadable: 0, hours: 1, most: 10, objection: () => text },
    loosen: [],
  })),
  call("buildQuoteAnswer", (text) => ({ plan: planOf(text), hours: 1, objection: text, link: text, now: 0 })),
  call(
    "buildInstancesAnswer",
    (text) => [fact()(text)],
    () => true,
  ),
  call("buildExportedInstances", (text) => [fact()(text)]),
  call(
    "readPlainValue",
    () => "gpu",
    whole,
    () => refuseLinked,
  ),
  call("toLaunchLink", linkedOf, () => refuseLinked),
  call("toExploreLink", linkedOf, () => refuseLinked),
  call("buildRunsAnswer", (text) => [runOf(text)]),
  call("buildRunAnswer", runOf, (text) => [text]),
  ...["buildFailureAnswer", "buildRunFailedAnswer"].map((name) => call(name, (text) => new AppError("rejected", text))),
  call("readLink", (text) => ({ path: "/launch", query: `template=${text}`, fragment: "" })),
  call(
    "withLinkedSearch",
    () => emptyDraft.search,
    (text) => ({ filters: filtersOf(text), type: undefined, diskGb: undefined }),
  ),
  call("buildLaunchLink", whole, whole, whole),
  call("withOffer", launchDraftOf, offerOf, () => emptyDraft.search),
  call("toOfferTable", offersOf, (text) => ({ objection: () => text, seen: () => ({ text, trust: 1 }) })),
  call(
    "getRowText",
    (text) => tableOf(text).texts.gpu_name,
    () => 1,
  ),
  call(
    "findTyped",
    tableOf,
    rowsOfTable,
    () => "gpu",
    (text) => ({ typed: text, from: 0 }),
  ),
  call(
    "readColumn",
    tableOf,
    () => "gpu",
    () => DEFAULT_JOB,
  ),
  call("readJobPrice", tableOf, () => ({ hours: 1, diskGb: 8, downGb: 1, upGb: 0 })),
  call("readMeasure", tableOf, () => "dlperf"),
  call("getTextField", () => "gpu"),
  call("getBestDirection", () => "gpu"),
  call("judgeTable", tableOf, filtersOf),
  call("splitFilters", filtersOf),
  call("rankByPrice", tableOf),
  call("sortRows", rowsOfTable, twoNumbers, () => "asc", rowsOfTable),
  call("findFront", rowsOfTable, () => ({ costs: twoNumbers(), gains: twoNumbers() })),
  call("listComparable", rowsOfTable, () => ({ costs: twoNumbers(), gains: twoNumbers() })),
  call(
    "filterByBrush",
    rowsOfTable,
    () => ({ costs: twoNumbers(), gains: twoNumbers() }),
    () => ({ costs: [0, 1], gains: [0, 1] }),
  ),
  call("readLayout", (text) => ({ columns: [text], widths: { [text]: text }, job: text })),
  call("toggleColumn", () => DEFAULT_LAYOUT, whole),
  call(
    "moveColumn",
    () => DEFAULT_LAYOUT,
    whole,
    () => 1,
  ),
  call(
    "resizeColumn",
    () => DEFAULT_LAYOUT,
    () => "price",
    () => 50,
  ),
  call(
    "listLargestFamilies",
    (text) => [text, text],
    () => 8,
  ),
  call("samplePrices", (text) => ({ type: "bid", isWhole: true, offers: [offerOf(text), offerOf(text.slice(0, 80))] })),
  ...["writeSamples", "mergeSamples", "indexHistories"].map((name) => call(name, samplesOf)),
  call("thinSamples", samplesOf, () => 1000),
  call("toWatchSearch", watchOf),
  call("formatWatchTitle", watchOf),
  call("describePriceNotice", watchOf, offerOf),
  call("buildWatchLine", (text) => ({
    ...{ watch: watchOf(text), snoozedUntil: undefined, minutes: 10, now: 1 },
    look: { at: 1, next: 2, isMet: false, problem: text },
  })),
  call("toMachineKey", offerOf),
  call("getGoalPrice", () => GOAL, offerOf),
  call(
    "findBest",
    () => GOAL,
    (text) => [offerOf(text)],
  ),
  call(
    "judgeLook",
    () => GOAL,
    (text) => [offerOf(text)],
    (text) => ({ told: [{ machine: text, at: 1 }] }),
    () => 1,
  ),
  call("looksAtAllPrices", (text) => ({ [text]: { eq: text } })),
  // Paths are read before, and are at most this long.
  call("buildUploadCommand", (text) => text.slice(0, 1000)),
  call("buildDownloadCommand", (text) => text.slice(0, 1000)),
  call("foldPath", (text) => [text]),
  call("isFollowed", (text) => [text]),
  call("findAnswer", (text) => new TextEncoder().encode(text)),
  call("findLargest", uploadOf, () => 5),
  call("hasOutgrown", uploadOf, () => ({ files: 0, bytes: 0 })),
  call("buildUploadQuestion", uploadFactsOf),
  call("formatUploadList", whole, uploadFactsOf),
  call(
    "describeUploaded",
    (text) => ({ files: 1, bytes: 1, changed: [text], missing: [text] }),
    whole,
    () => 7,
  ),
  call("buildProjectQuestion", uploadFactsOf, (text) => ({ environment: environmentOf(text), origin: originOf(text) })),
  call("formatOrigin", originOf),
  call(
    "describeSentProject",
    (text) => ({
      ...{ sent: { files: 1, bytes: 1, changed: [text], missing: [] }, kept: [text], hasIdentity: true },
      branch: text,
    }),
    whole,
    () => 7,
    () => "main",
  ),
  call("describeDownloaded", () => ({ files: 1, bytes: 1, links: 1, others: 1, names: 1, repeated: 1 }), whole, whole),
  call("buildReplaceQuestion", whole, (text) => [text, text]),
  call(
    "findSharedKey",
    () => [],
    (text) => [text],
  ),
  call("readExtraEnv", (text) => [[text, text], text, { [text]: text }]),
  call(
    "describePreparationFailure",
    () => InstanceId.parse(7),
    (text) => ({ kind: "other", said: text }),
  ),
  call("buildSshArguments", loginOf),
  call("formatAddress", (text) => ({ host: text, port: 80 })),
  call(
    "buildPublicPortQuestion",
    () => ({ id: InstanceId.parse(7), port: 80, canForward: true }),
    (text) => ({ host: text, port: 80 }),
  ),
  call("chooseBrowserAddress", (text) => ({
    asked: "http://127.0.0.1:80/",
    external: text,
    editor: text,
    host: "a.localhost",
  })),
  call(
    "buildSharedAddressQuestion",
    () => 1,
    (text) => ({ host: text, isHere: true }),
  ),
  call("buildCommandArguments", loginOf, () => "true"),
  call(
    "isSameAddress",
    (text) => ({ host: text, port: 1 }),
    (text) => ({ host: text, port: 1 }),
  ),
  call("buildShareArguments", loginOf, (text) => text),
  call("buildTerminalArguments", loginOf),
  call("buildForwardArguments", loginOf, () => ({ local: 1, remote: 2 })),
  call("isLogAddress", logAddressOf, () => ({
    address: { origin: "https://gpu.example.com" },
    own: [],
    sandbox: false,
    reach: "public",
  })),
  call("isLoopback", logAddressOf),
  call(
    "continueLog",
    (text) => `${text}\n${text}b`,
    (text) => `${text}\n${text}c`,
    () => new Turns(),
  ),
  call(
    "cleanInTurns",
    whole,
    () => toPlainLog,
    () => new Turns(),
  ),
  call("formatLogTitle", instanceOf, () => "daemon"),
  call("formatLogHeader", instanceOf, () => "container"),
  call("describeLogEvent", (text) => ({ kind: "failed", error: new AppError("rejected", text) })),
  call("formatLogDocument", instanceOf, (text) => ({ text, isCut: true, at: "12:00" })),
  call("formatSshCommand", loginOf),
  call("buildProtectiveOptions", loginOf),
  call("toArguments", (text) => [[[text, text]]]),
  call(
    "formatTerminalConfig",
    (text) => text,
    (text) => [text],
    (text) => text,
  ),
  call(
    "formatSshConfig",
    (text) => [{ ...loginOf(text), alias: "cloud-gpu-a-7", identity: text }],
    (text) => text,
  ),
  call("formatReadableName", instanceOf),
  call("listEnvironments", (text) => ({ names: [text, "pyproject.toml"], pyproject: text })),
  call("listContenders", (text) => [{ kind: "requirements" as const, file: text }]),
  call("findSetup", (text) => [text, `requirements-${text}.txt`]),
  call("buildEnvironmentCheck", environmentOf, whole),
  call("buildEnvironmentScript", environmentOf, whole),
  call("describeEnvironment", environmentOf),
  call("buildListProjectCommand", placeOf),
  call("buildEnterCommand", placeOf),
  call("formatSentLine", whole, () => ({ size: 1, seconds: 1, isExecutable: false })),
  call("buildPrepareProjectCommand", placeOf, (text) => ({
    environment: environmentOf(text),
    identity: { name: text, email: text },
  })),
  call("readGitIdentity", (text) => [text, `[user]\nname = ${text}`]),
  call("isReadableName", whole),
  call("findFreeName", whole, () => new Set<string>()),
  call("findDifference", loginOf, whole, whole),
  call(
    "compareHostKeys",
    (text) => [{ type: text, blob: text }],
    (text) => [{ type: text, blob: text }],
  ),
  call("findRemoteExtension", (text) => (id: string) => id === text),
  call("findJsonFlaw", (text) => ({ [text]: text, list: [...text.slice(0, 100_000)] })),
  call(
    "isDeeperThan",
    () => 64,
    (text) => ({ [text]: [text] }),
  ),
  call("redactValue", (text) => ({ [text]: text, list: [text, errorOf(text)] })),
  call("redactForReading", (text) => ({ [text]: text, env: { [text]: text }, list: [text] })),
  call("rememberSecretsIn", (text) => ({ [text]: "x" })),
  call("maskNamedSecrets", whole, () => "••••"),
  call("skipBlanks", whole, () => 0),
  call("mergeEnv", whole, (text) => ({ A: text })),
  ["formatEnvTable", (of, text) => of.formatEnvTable?.(of.parseEnvTable?.(text as never) as never)],
  [
    "withEntry",
    (of, text) =>
      of.withEntry?.(
        of.parseEnvTable?.(text as never) as never,
        0 as never,
        { kind: "variable", name: "A", value: part(text) } as never,
      ),
  ],
  [
    "withNewEntry",
    (of, text) =>
      of.withNewEntry?.(
        of.parseEnvTable?.(text as never) as never,
        { kind: "variable", name: "A", value: part(text) } as never,
      ),
  ],
  ["withoutRow", (of, text) => of.withoutRow?.(of.parseEnvTable?.(text as never) as never, 0 as never)],
  call("asAppError", errorOf),
  call("toFilterRows", filtersOf),
  call("findFilterMistakes", filtersOf),
  call("readFilterRows", (text) => [
    { field: "gpu_name", operator: "in", value: part(text) },
    { field: part(text), operator: "eq", value: part(text) },
    { field: "num_gpus", operator: "gte", value: part(text) },
  ]),
  call("toFilters", filtersOf),
  call(
    "matchesFilters",
    (text) => ({ gpu_name: text }),
    filtersOf,
    () => (row: Record<string, unknown>, field: string) => row[field],
  ),
  call("meetsCondition", whole, (text) => ({ in: [text], eq: text })),
  call("getPhase", instanceOf),
  call("isInTransition", instanceOf),
  call("isDead", instanceOf),
  call("getReportedPrice", instanceOf),
  call("getCurrentPrice", fact()),
  ...["toLaunchRequest", "toLaunchForm", "toBaseForm", "listConfigured", "describeVolumeOf"].map((name) =>
    call(name, configuredOf, whole),
  ),
  call("toFormContext", configuredOf, () => true),
  call(
    "describeConfigured",
    (text) => [text, text, text, text],
    () => "none",
  ),
  call("withChoice", launchDraftOf, (text) => ({ image: text, label: text, configuration: configurationOf(text) })),
  ...["readLaunchForm", "buildLaunchScript"].map((name) => call(name, launchFormOf, launchContextOf)),
  call("withoutNeeds", configuredOf),
  call("withProposal", launchFormOf, (text) => ({ image: text, onstart: text, env: { [text]: text }, label: text })),
  call("listOwnFields", launchFormOf, () => toBaseForm(emptyDraft)),
  call("toNewTemplate", launchFormOf, launchDraftOf),
  call("formatRequest", configurationOf),
  call("calculatePlanPrice", planOf),
  call("calculateBilledPrice", planOf),
  call("withTemplateNow", launchDraftOf, (text) => planOf(text).template),
  call("toLaunchPlan", launchDraftOf),
  [
    "describeLaunchMessage",
    (of, text) => {
      for (const message of launchMessages(text)) of.describeLaunchMessage?.(...([message] as never[]));
    },
  ],
  call(
    "formatLaunchAction",
    () => "choose-again",
    (text) => launchMessages(text)[0],
  ),
  [
    "buildLaunchQuestion",
    (of, text) => {
      for (const question of questionsOf(text)) of.buildLaunchQuestion?.(...([question] as never[]));
    },
  ],
  call("describeLaunchStage", (text) => ({ id: 1, instance: instanceOf(text) })),
  call("parseDisk", whole, offerOf),
  call("parseBid", whole, offerOf),
  call("toOfferSearch", templateOf),
  call("toSearchBody", (text) => ({ type: "ondemand", filters: filtersOf(text), sort: "price", diskGb: 10 })),
  call("describeRequirements", (text) => ({ filters: filtersOf(text), limit: 5 })),
  call("getServiceFilters", (text) => ({ filters: filtersOf(text) })),
  call("filterOffers", (text) => [offerOf(text)], filtersOf),
  call("formatResultFolderName", runOf),
  call("readGuardsThere", whole),
  ...["toResultPath", "isLeftOut"].map((name) => call(name, whole)),
  call("readResultLink", whole, (text) => `./${text}`),
  call(
    "countHiding",
    (text) => [
      { path: text, target: text },
      { path: `out/${text}`, target: "" },
    ],
    (text) => ({ others: [text, `${text}/a`], isResult: () => false, mayHold: () => true }),
    () => new Turns(),
  ),
  // Patterns are read before, and are at most this long.
  [
    "compileGlobs",
    (of, text) => (of.compileGlobs?.(...([[text.slice(0, 200)]] as never[])) as (path: string) => unknown)?.(text),
  ],
  [
    "compileBelow",
    (of, text) => (of.compileBelow?.(...([[text.slice(0, 200)]] as never[])) as (path: string) => unknown)?.(text),
  ],
  call("hasRunOutgrown", runUploadOf, runUploadOf),
  call("formatData", (text) => ({ path: text, files: 1, bytes: 1 })),
  call("describeData", (text) => runUploadOf(text).data),
  ...["formatGlobs", "describeResults"].map((name) => call(name, (text) => [text, text])),
  call("formatOthers", othersOf),
  call("describeLate", (text) => Array.from({ length: 9 }, () => `./${text}`)),
  call("listResultNotes", (text) => ({ unmatched: [text], others: othersOf(text) })),
  call("buildListThereCommand", (text) => text.slice(0, 1000)),
  call("readThereFile", (text) => `1 2 644 ./${text}`),
  call("readThereResult", (text) => `1 2 ./${text}`),
  call("formatFetchedFile", thereResultOf, (text) => text),
  call("formatComingFile", thereResultOf, (text) => text),
  call("formatFetchedFiles", (text) => {
    const latest = { ...thereResultOf(text), digest: "0".repeat(64) };
    return new Map([[latest.name, { latest, digests: new Map([["1".repeat(64), 1]]) }]]);
  }),
  call("formatEarlierFiles", (text) => new Map([[text, { digests: new Map([[text, 1]]) }]])),
  call("readFetchedFiles", (text) => `${"0".repeat(64)} 1 2 ./${text}\n`),
  call(
    "chooseDue",
    (text) => ({ now: 9, files: [thereResultOf(text)] }),
    () => new Map(),
    () => ({ bytes: 9, lines: 1e7 }),
  ),
  call("findEarlyTime", runOf),
  call("readDigest", (text) => `${"0".repeat(64)}  ${text}`),
  call(
    "sortInTurns",
    (text) => [text, ...text.slice(0, 5000)],
    () => new Turns(),
  ),
  ...[
    "describeDetachedRun",
    "describeLeftRun",
    "describeRunEnd",
    "formatRunName",
    "buildLateEndQuestion",
    "describeRental",
    "isOnlyOnDisk",
    "mayStillCost",
  ].map((name) => call(name, runOf)),
  call(
    "describeKeptInstance",
    whole,
    () => 7,
    whole,
    () => ({ price: 1, isGone: false }),
  ),
  call(
    "describeGuard",
    (text) => ({ kind: "failed", why: text }),
    () => true,
  ),
  call("withProposalsOf", whole, whole),
  call(
    "describeStillCosts",
    () => 7,
    () => 1,
  ),
  // Commands are read before, and are at most this long.
  call(
    "buildPlaceKeeperCommand",
    (text) => ({ instance: 7, base: text }),
    (text) => ({ wish: idleWish, percent: 10, at: 1, name: text }),
    () => 1,
  ),
  call("buildIdleKeeperScript", (text) => ({ instance: 7, base: text, wish: idleWish, percent: 10, version: "1-a" })),
  call("buildRunScript", whole, (text) => ({ command: text.slice(0, 10_000), setup: "", remote: "/r" })),
  call("describeStranded", runOf, () => 1),
  call("describeRentalDetail", (text) => ({
    agreed: [text],
    command: text,
    setup: text,
    list: runUploadOf(text),
    results: [text],
    limits: {},
    whenDone: "destroy",
  })),
  call("describeStopped", runOf, () => 1),
  call("describeUpload", uploadOf),
  call("formatSome", (text) => [text]),
  call("listRunEndLines", runOf, () => 1),
  call("buildRunLine", runOf, () => 0),
  ...["isOpen", "hasResultsThere", "describeState", "awaitsRentalEnd", "isStranded", "canContinue", "isLost"].map(
    (name) => call(name, runOf),
  ),
  call("buildRunRow", runOf, whole, () => 0),
  ...["calculateAttemptsCost", "formatAttemptsCost"].map((name) => call(name, (text) => attemptsOf(text).attempts)),
  call("toRunDraft", runOf),
  ...["describeAgreedAttempts", "listAgreedLines"].map((name) => call(name, agreedOf)),
  call("listAttemptsChoices", () => 2, agreedOf),
  ...["describeAttempt", "describeEarlierResults", "listAttemptLines"].map((name) => call(name, attemptsOf)),
  call("suggestTemplate", templateOf, (text) => [templateOf(text)]),
  call(
    "confirmTerms",
    (text) => ({ name: text, command: text, setup: text, folder: text }),
    (text) => ({ command: text, secrets: [text], results: [text], limits: {}, whenDone: "destroy", stopsItself: true }),
  ),
  ...["describeSecrets", "formatSecrets"].map((name) => call(name, (text) => [text, text])),
  call("buildSecretLine", (text) => new Map([["HF_TOKEN", text]])),
  call("buildRunQuestion", (text) => ({
    ...uploadFactsOf(text),
    list: runUploadOf(part(text)),
    secrets: [text],
    results: [text],
    command: text,
    setup: text,
    limits: {},
    price: 1,
    others: [runOf(text)],
    stopsItself: false,
    autoStop: { end: { until: 2e12, ending: "destroy" }, now: 1e12 },
  })),
  call("countMatches", (text) => [offerOf(text)], filtersOf),
  call("canJudgeAll", filtersOf, (text) => [offerOf(text)]),
  call("listRelaxations", filtersOf, (text) => [offerOf(text)]),
  call(
    "formatCondition",
    () => "gpu_name",
    (text) => ({ in: [text], eq: text }),
  ),
  call(
    "describeCondition",
    () => "gpu_name",
    (text) => ({ in: [text], eq: text }),
  ),
  call("describeFilters", filtersOf),
  call("describeSearch", (text) => ({ name: { eq: text } })),
  call("readOffer", (text) => ({ id: text, gpu_name: text })),
  call("formatMachineName", offerOf),
  call("listChangedFields", draftOf, (text) => draftOf(`${text}x`)),
  call("pickChanges", draftOf, (text) => draftOf(`${text}x`)),
  call("mergeChanges", draftOf, draftOf, (text) => draftOf(`${text}x`)),
  call("keepWording", draftOf, draftOf, draftOf, draftOf),
  [
    "listUnsavedFields",
    async (_, text) => {
      const { toForm } = await import("../../src/domain/template/template-form.ts");
      const { listUnsavedFields } = await import("../../src/domain/template/template-changes.ts");
      return listUnsavedFields(toForm(draftOf("x")), toForm(draftOf(text)));
    },
  ],
  call("toDraft", (text) => ({ ...draftOf(text), extra_filters: text })),
  call(
    "withTemplateContent",
    (text) => JSON.stringify({ name: part(text), image: "a", $sync: { hash: "h" } }),
    draftOf,
    () => ({ hash: "h" }),
  ),
  call("toDisplayName", (text) => text),
  call("toForm", draftOf),
  [
    "readForm",
    (of, text) =>
      of.readForm?.({
        ...(of.toForm?.(draftOf("x") as never) as object),
        ...draftOf(text),
        extra_filters: [],
        volume_info: part(text),
        recommended_disk_space: part(text),
      } as never),
  ],
  call("toTemplateDraft", draftOf),
  call("withPlainRegistry", draftOf),
  [
    "lintForm",
    async (of, text) => {
      const { toForm } = await import("../../src/domain/template/template-form.ts");
      return of.lintForm?.(toForm(draftOf(text)) as never);
    },
  ],
  call(
    "findUnknownGpus",
    (text) => [part(text)],
    (text) => [part(text), "RTX 4090"],
  ),
  call("describeUnknownGpu", (text) => ({ name: text, closest: [text] })),
  call("listAskedGpus", (text) => ({ gpu_name: { eq: text, in: [text] } })),
  [
    "lintFile",
    async (of, text) => {
      const { parseTree } = await import("jsonc-parser");
      const file = JSON.stringify({ env: part(text) });
      return of.lintFile?.({ text: file, root: parseTree(file), gpus: [text] } as never, draftOf(text) as never);
    },
  ],
  call(
    "checkForm",
    (text) => toForm(draftOf(text)),
    (text) => ({ base: toForm(draftOf("x")), isStored: true, withheld: [text] }),
  ),
  call("findMissingToken", draftOf),
  call("formatTemplate", draftOf),
  call(
    "describeChange",
    () => "name",
    draftOf,
    (text) => draftOf(`${text}x`),
  ),
  call("isUndecided", (text) => ({ base: part(text), mine: `${part(text)}a`, theirs: `${part(text)}b` }), part),
  // JSON writes half a character as six.
  call(
    "createTemplateFile",
    (text) => draftOf(part(text)),
    () => ({ hash: "h" }),
  ),
  call("toFileName", (text) => ({ name: text })),
  call("getRuntype", templateOf),
  call("mergeConfiguration", templateOf, (text) => ({ env: { A: text }, image: text })),
  call("compareWithTemplate", planOf, whole, whole),
  ...["readJobsForm", "checkJobsForm", "isTyped"].map((name) => call(name, jobsFormOf)),
  call("describeOwnMachine", (text) => ({ id: 7, gpu_name: text, hostname: text, geolocation: text })),
  call("buildJobsQuestion", jobsOf),
  call("buildAnswerRow", (text) => ({ at: 0, outcome: "done", text }), whole),
  call(
    "buildListingRow",
    (text) => ({ id: 7, geolocation: text }),
    whole,
    () => undefined,
  ),
  call(
    "buildVolumeRow",
    (text) => ({ id: 7, label: text, status: text, instances: [] }),
    whole,
    () => undefined,
  ),
  call("describeInstanceLine", fact()),
  call("buildDestroyQuestion", (text) => [fact()(text)]),
  call("buildStartQuestion", (text) => [fact()(text)]),
  call(
    "buildStateQuestion",
    () => "stop",
    (text) => [fact()(text)],
  ),
  call(
    "buildOrderQuestion",
    () => "destroy",
    (text) => [fact()(text)],
  ),
  call(
    "toAgentQuestion",
    (text) => ({ message: text.slice(0, 100), detail: text.slice(0, 100), go: "Go" }),
    (text) => ({ row: fact()(text), sandbox: true, payer: text }),
  ),
  call(
    "toAgentLaunch",
    (text): LaunchMessage => ({ kind: "not-rented", error: new AppError("rejected", text), proven: false }),
  ),
  call("toRecordedLaunch", recordOf),
  call("createAbsent"),
  call("countRented", recordOf),
  call(
    "countGrant",
    (text) => text,
    grantOf,
    (text) => [recordOf(text)],
  ),
  call("judgeGranted", grantOf, planOf, () => 0),
  call(
    "buildGrantQuestion",
    grantOf,
    (text) => ({ sandbox: true, payer: text }),
    () => 0,
  ),
  call("buildGrantView", grantOf, () => 0),
  call("describeUnproven", (text) => ({ id: 1, kind: "destroy", outcome: "failed", reason: text })),
  call("buildBudgetFacts", grantOf, (text) => text),
  call(
    "buildSoonerQuestion",
    fact(),
    () => ({ wish: { until: 3_600_000, ending: "destroy" }, present: { until: 7_200_000, ending: "stop" } }),
    () => 0,
  ),
  call("formatPhase", instanceOf),
  call("formatInstanceName", instanceOf),
  call("formatInstanceTitle", instanceOf),
  call("formatRented", fact()),
  call("buildInstanceRow", fact()),
  call("listHoverFacts", fact()),
  call("listStatusFacts", fact()),
  call("listConnectionFacts", fact()),
  call("listMachineFacts", fact()),
  call("listRentalFacts", fact()),
  call("listTimeFacts", fact()),
  call("listAbilities", fact()),
  call("describeInstanceState", fact()),
  call("buildInstancePage", (text) => fact({ raw: { label: text }, presence: "listed" })(text)),
  call(
    "buildPageSection",
    (text) => text,
    (text) => [[text, text, text]],
  ),
  call(
    "describeAutoStopNotice",
    () => "overdue",
    (text) => ({ instance: fact()(text).value, end: { until: 0, ending: "stop" }, launchPrice: 1 }),
    () => 1,
  ),
  call(
    "describeUnreadable",
    () => "ends",
    (text) => text,
  ),
  call(
    "describeHeldEnd",
    () => "held",
    (text) => ({ instance: fact()(text).value, until: 0, why: text, isUnsure: true }),
    () => 1,
  ),
  call(
    "describeEnded",
    (text) => fact()(text).value,
    () => ({ until: 0, ending: "stop" }),
    (text) => endOf(text),
    () => 1,
  ),
  call("formatTotalPrice", (text) => [fact()(text)]),
  call("formatLaunchName", recordOf),
  call("describeLaunchRisk", recordOf, () => 0),
  call("buildLaunchRow", recordOf, whole),
  call("listLaunchFacts", recordOf),
  call("getLaunchState", recordOf),
  call("isUnresolved", recordOf),
  call("isLabelCopied", instanceOf, recordOf),
  call("isLate", instanceOf, recordOf),
  call("toBefore", (text) => [{ value: instanceOf(text) }]),
  call("isRentedLongAfter", instanceOf, recordOf),
  call("isRefused", recordOf),
  call("wasDenied", recordOf),
  call("defuseItem", (text) => ({ label: text, description: text, detail: text })),
  call("keepSides", (text) => ({ label: `$(add) ${text}`, description: text })),
  call("describeFinishedOrders", (text) => [endOf(text)]),
  call(
    "describeDestroyed",
    (text) => [{ ...endOf(text), kind: "destroy", outcome: "done", id: fact()(text).value.id }],
    (text) => [fact()(text)],
  ),
  call("describeOrderFailures", (text) => [endOf(text)]),
  call("describeStaleOrders", () => [{ id: 1, kind: "stop", at: 0 }]),
  call("getInstanceIcon", instanceOf),
  call(
    "buildCountPrompt",
    () => "destroy",
    (text) => [fact()(text)],
  ),
  call("describeReading", elsewhereOf),
  call("describeNamedReading", elsewhereOf),
  call("buildOtherAccountWarning", whole, elsewhereOf),
  call(
    "buildPaidView",
    (text) => {
      const list = { unreadable: 0, error: errorOf(text) };
      return {
        instances: { ...list, rows: [fact()(text)], isWhole: true, isListed: true, at: 0 },
        launches: { ...list, rows: [recordOf(text)] },
        volumes: { ...list, rows: [{ value: { id: 7, label: text, status: text, instances: [] } }] },
        workergroups: { ...list, rows: [{ value: groupOf(text) }] },
        diskCosts: new Map(),
        failed: [{ ...endOf(text), id: 7 }],
      };
    },
    () => () => undefined,
    () => 0,
  ),
  call(
    "buildSignOutQuestion",
    (text) => ({ rows: [fact()(text)], atRisk: [recordOf(text)], isCurrent: false, isListed: true }),
    (text) => text,
  ),
  call("getPriceAtRisk", recordOf),
  call("belongsTo", recordOf, (text) => ({ base: text, tag: text, user: undefined })),
  call("describeLaunchNotice", () => "late", recordOf),
  call("formatReliability", offerOf),
  call("formatOfferPlace", offerOf),
  call("buildOfferLine", (text) => ({ offer: offerOf(text), count: 2 }), whole),
  call("findStartTimes", (text) => [{ image: text, since: 0, startSeconds: 1 }], whole),
  call("addUpHistories", (text) => [{ machine: 1, image: text }]),
  call("listProven", () => new Map()),
  call("listFailed", () => new Map()),
  call("withVariables", whole, (text) => ({ A: text })),
  call("groupOffers", (text) => [offerOf(text), offerOf(text)]),
  call("matchesTyped", (text) => ({ label: text, description: text, detail: text }), whole),
  call("matchesWords", (text) => ({ label: text, description: text, detail: text }), whole),
  call("formatPlaces", (text) => [text, part(text)]),
  call("listPlaces", (text) => ({ in: [text] })),
  call("formatVerified", offerOf),
  call("buildSummary", planOf, whole),
  call(
    "listDistinctMachines",
    (text) => [planOf(text).offer],
    () => ({ isApart: true }),
  ),
  call(
    "findSpare",
    (text) => [planOf(text).offer],
    planOf,
    () => [],
    () => ({ isApart: false }),
  ),
  call("countStates", machineGroupOf, () => "ready"),
  call(
    "formatCostToEnd",
    (text) => [planOf(text)],
    () => ({ hours: 1, ending: "stop" }),
    () => 0,
  ),
  call("sumPrice", (text) => [planOf(text)]),
  call("toGroupPlan", (text) => ({
    ...machinesOf(text),
    base: launchDraftOf(text),
    offers: [planOf(text).offer],
    rest: "ask",
    minutes: 1,
  })),
  call(
    "decideGroup",
    groupRecordOf,
    () => ["ready"],
    () => false,
  ),
  call("findDecision", groupRecordOf),
  call("isEnding", groupRecordOf),
  call("mayGrow", groupRecordOf),
  call("findRank", (text) => [groupRecordOf(text)], whole),
  call("isGroupOf", groupRecordOf, (text) => ({ base: text, tag: text, user: undefined })),
  ...["listGroupCosts", "describeGroupEnd"].map((name) => call(name, machinesOf, () => 0)),
  ...["formatGroupDisk", "listGroupNotKnown", "listMachineLines", "formatGroupImage"].map((name) =>
    call(name, machinesOf),
  ),
  call("formatGroupKind", (text) => machinesOf(text).machines),
  call("buildRentGroupQuestion", machinesOf, (text) => ({
    sandbox: false,
    payer: text,
    withoutTracking: true,
    now: 0,
  })),
  call("buildMachineGroupRow", (text) => ({
    group: machineGroupOf(text),
    tag: text,
    prices: [1],
    ends: [undefined],
    staleSince: undefined,
    now: 0,
  })),
  call(
    "planRank",
    jobOf,
    () => jobHosts,
    () => 0,
  ),
  call("needsNetwork", () => "ray"),
  call("buildJobQuestion", jobFactsOf),
  call("buildAnsibleQuestion", jobFactsOf),
  ...["formatEngineName", "describeEngine"].map((name) => call(name, () => "ray")),
  call(
    "describeRunningJob",
    () => "ray",
    () => 2,
  ),
  call(
    "describeDetachedJob",
    whole,
    () => 2,
    () => true,
  ),
  call("describeRankEnd", (text) => ({ rank: 0, run: runOf(text), error: undefined, mayRun: true })),
  call("describeRankEnd", (text) => ({ rank: 0, run: undefined, error: new Error(text), mayRun: true })),
  call("describeUnstoppable", () => 0, whole),
  call("isJobWell", (text) => [{ rank: 0, run: runOf(text) }]),
  call("describeJobEnd", whole, (text) => [{ rank: 0, run: runOf(text) }]),
  ...["formatJobName", "listOutcomeLines"].map((name) => call(name, runOf)),
  ...["describeNetwork", "formatOverlayTitle", "formatOverlayWord"].map((name) => call(name, overlayOf)),
  ...["describeOverlay", "buildDeleteOverlayPrompt"].map((name) => call(name, overlayFactsOf)),
  call("describeDeletedOverlay", overlayFactsOf, () => [1, 2]),
  call(
    "findOverlay",
    (text) =>
      new Map([
        [text, text],
        [`-n ${text}`, "1"],
      ]),
  ),
  call("findCommonCluster", (text) => [planOf(text).offer]),
  call("findJoinable", (text) => ({ base: launchDraftOf(text), offers: [planOf(text).offer] })),
  call("describeGroupState", machineGroupOf),
  call(
    "describeDecision",
    machineGroupOf,
    (text) => [fact()(text)],
    () => false,
    (text) => text,
  ),
  call("buildDestroyGroupQuestion", whole, (text) => [fact()(text)]),
  call("buildStopGroupQuestion", whole, (text) => [fact()(text)]),
  call("describeEndedGroup", whole, () => [1, 2]),
  ...["writeHandOver", "writeHostsJson", "writeHostsList", "writeInventory", "writeParallel"].map((name) =>
    call(name, (text) => handOverOf(part(text))),
  ),
  ...["writeTorchrun", "writeRay", "writeSkyPilot", "writeDstack", "sharesNetwork"].map((name) =>
    call(name, (text) => handOverOf(part(text))),
  ),
  call(
    "buildGroupCommand",
    whole,
    () => 0,
    () => 1,
  ),
  call("describeGroupRunEvent", (text) => ({ kind: "failed", rank: 0, why: text })),
  call("summarizeGroupRun", () => [{ kind: "ended", rank: 0, code: 0 }]),
  call("buildReplaceFilesQuestion", whole, (text) => [text, text]),
  call(
    "describeHandOver",
    whole,
    () => 2,
    (text) => [{ rank: 0, why: text }],
  ),
  call("formatPlanPrice", planOf),
  call("buildRentQuestion", planOf, whole),
  call("formatCostUntilEnd", planOf, () => 0),
  call(
    "formatRecord",
    (text) => [text],
    (text) => ({ [text]: text }),
  ),
  call("listKnownFacts", (text) => [[text, text]]),
  call("toSeenInstance", fact(), whole),
  call("describeAlert", instanceOf, () => "outbid"),
  call("calculateDiskShare", instanceOf),
  call("hasAlert", instanceOf, () => "disk"),
  call(
    "canBeIdle",
    instanceOf,
    () => quiet,
    () => quiet.last,
  ),
  call("describeIdleInstances", (text) => [{ instance: instanceOf(text), state: idleState, launchPrice: 1 }]),
  call(
    "describeIdleSoon",
    instanceOf,
    () => idleWish,
    () => ({ left: 5 }),
  ),
  call("describeIdleEnded", instanceOf, () => idleWish, endOf),
  call("isAlertOver", instanceOf, () => "disk"),
  call("toPastRental", instanceOf, () => 0),
  call("toPastInstance", (text) => toPastRental(instanceOf(text), 0)),
  call(
    "keepPastRentals",
    (text) => [toPastRental(instanceOf(text), 0)],
    (text) => [instanceOf(text)],
    () => 1,
  ),
  call("writeLine", (text) => readingOf(text, 1), readingOf),
  call(
    "isSameSeen",
    (text) => readingOf(text),
    (text) => readingOf(text),
  ),
  call(
    "traceSpending",
    (text) => [readingOf(text), readingOf(text, 60_000)],
    () => 0,
    () => 60_000,
  ),
  call(
    "sumDiskCosts",
    (text) => [readingOf(text), readingOf(text, 60_000)],
    () => 60_000,
  ),
  call(
    "findAbsence",
    (text) => [readingOf(text), readingOf(text, 9e6)],
    () => 9e6,
  ),
  call("buildSpendingView", spendingOf, () => ({ period: "today", group: "template" })),
  call(
    "describeAbsence",
    (text) => ({
      ...{ from: 0, to: 9e6, spent: { observed: 1, inferred: { low: 0, high: 0 }, isOpen: false } },
      ...{ ended: [toSeenInstance(fact()(text))], stopped: [], begun: [], billed: [toSeenInstance(fact()(text))] },
    }),
    () => () => true,
  ),
  call("findEmptyReason", (text) => ({
    state: "failed",
    error: errorOf(text),
    count: 0,
    at: 0,
    unreadable: 0,
    complete: true,
  })),
  call("describeListCondition", (text) => ({ error: errorOf(text), at: 0, count: 1, unreadable: 0, complete: true })),
  call("sumCurrentPrices", (text) => [fact()(text)]),
  call("buildSignedOutView", (text) => [elsewhereOf(text)]),
  call("buildStatusView", (text) => ({
    rows: [fact()(text)],
    atRisk: [recordOf(text)],
    doubled: [],
    others: [elsewhereOf(text)],
    passed: [fact()(text).value],
    balance: undefined,
    now: 0,
    sandbox: false,
    at: 0,
    stale: false,
    isWhole: true,
  })),
  [
    "describeTemplateMessage",
    (of, text) => {
      for (const message of templateMessagesOf(text)) of.describeTemplateMessage?.(...([message] as never[]));
    },
  ],
  [
    "buildTemplateQuestion",
    (of, text) => {
      for (const question of templateQuestionsOf(text)) of.buildTemplateQuestion?.(...([question] as never[]));
    },
  ],
  [
    "describeEditNotice",
    (of, text) => {
      for (const notice of editNoticesOf(text)) of.describeEditNotice?.(...([notice] as never[]));
    },
  ],
  call("formatFormName", (text) => ({ name: text, isStored: false })),
  call(
    "formatFormTitle",
    (text) => ({ name: text, isStored: false }),
    () => true,
  ),
  call("buildDraftChoice", (text) => ({ form: toForm(draftOf(text)), base: { form: toForm(draftOf("x")) }, at: 0 })),
  call("formatTemplateName", templateOf),
  call("formatTemplateImage", templateOf),
  call("buildTemplateRow", templateOf, whole, () => undefined),
  call("listTemplateFacts", templateOf),
  call("formatWebhookName", webhookOf),
  call("formatWebhookAddress", webhookOf),
  call("buildWebhookRow", (text) => ({ value: webhookOf(text), tag: text, staleSince: undefined, now: 0 })),
  call("buildWebhookDetails", webhookOf, whole),
  call("buildWebhookPage", (text) => ({ value: webhookOf(text), raw: { webhook_url: text, name: text }, now: 0 })),
  call("formatWorkergroupName", groupOf),
  call("formatEndpointName", groupOf),
  call("describeMachineSearch", groupOf),
  call("formatLaunchArguments", groupOf),
  call("runsOlderTemplate", (text) => ({ value: groupOf(text), template: "unknown" })),
  call("findByWords", (text) => [{ name: text, image: text, tag: text, desc: text, count_created: 1 }], whole),
  call("cutKeptRows", (text) => [{ id: text, label: text, description: text, icon: "", accessible: text, rows: [] }]),
  call("toSaidByRow", (text) => ({ id: text, label: text, description: text, icon: text, accessible: text })),
  call(
    "buildWorkergroupRow",
    (text) => ({ value: groupOf(text), template: "unknown" }),
    (text) => ({ tag: text, staleSince: undefined }),
  ),
  call("hasTemplate", (text) => ({ value: groupOf(text), template: "unknown" })),
  call("formatRunningTemplate", (text) => ({ value: groupOf(text), template: "unknown" })),
  call("buildWorkergroupPage", (text) => ({ value: groupOf(text), raw: { launch_args: text }, template: "unknown" })),
  call("listWorkergroupFacts", (text) => ({ value: groupOf(text), template: "unknown" })),
  call("buildWorkergroupDetails", (text) => ({ value: groupOf(text), template: "unknown" }), whole),
  [
    "readReply",
    async (of, text) => {
      const { endpoints } = await import("../../src/api/table/endpoints.ts");
      for (const [status, body] of [
        [200, part(text)],
        [404, JSON.stringify({ error: part(text), msg: "x" })],
        [500, `<${part(text)}`],
      ])
        try {
          of.readReply?.(
            "getInstance" as never,
            endpoints.getInstance as never,
            { status, retryAfter: part(text), text: body } as never,
            7 as never,
          );
        } catch {}
    },
  ],
  call("readRetryAfter", () => undefined, whole),
  call(
    "createRefusal",
    () => "searchOffers",
    (text) => ({ error: text, msg: text }),
  ),
  call(
    "createUnexpectedReply",
    () => "searchOffers",
    (text) => ({ error: text, msg: text }),
  ),
  call(
    "buildRememberedRow",
    (text) => ({ id: text, label: text, description: text, icon: "x", accessible: text }),
    () => ({ at: 1, now: 2, isDated: true }),
  ),
  call("writeKeptList", (text) => ({ tag: text, at: 1, rows: [] })),
  call("hasError", (text) => ({ error: text })),
  call("isQueued", (text) => ({ error: text, msg: text })),
  call(
    "listOrNone",
    () => "searchTemplates",
    (text) => ({ success: false, msg: text }),
    () => undefined,
  ),
]);

/** They take no text from outside: numbers, our own values, time, or wiring. */
const NOTHING_FOREIGN = new Set(
  `listLoadFacts setListenerFailureReporter createLog rememberSecret rememberServedSecret sleep workWithin joinCalls createQueue createLazy setTranslator t formatNumber formatDateTime formatDayTime formatNearTime
  toNumber toWholeNumber toText toBoolean renameField normalizeRow takesList hasOrder needsOrder toWholeGb toWire toShown isTypedGb getFormPosition startsOnlyShell isBlank calculateDiskPrice assertWithinLimits findExceeded formatDuration listCountries formatRegionName countOffers formatGroupCount toPrice formatPrice formatHourlyPrice formatTotal formatHourlySum
  describeGoal formatGoalPrice formatMarket isSnoozed calculateLookPause proposeGoalPrice toTemplateFilters formatMonthDay compareWithUsual drawSparkline formatUsual describePriceHistory formatPriceHistoryHeading getRecommendedDisk withCondition sortOffers getHourlyPrice calculateGpuPrice toVramGb calculateVramPrice toVramMb buildTemplateFileSchema buildFilterSchema comesWithSsh
  listOperators toTypedValue formatDayPrice formatTrafficPrice isRentedOut describeBilling formatDate formatAge readRows createTransientError createUnconfirmed
  isDate readCondition withTemplate formatSize formatFileCount describeProgress buildLargeQuestion isMuchMore describeKept waitForAbort describeSupply formatTemplateAction mayStillRun describeEarlierGuard withUsualTime changeLimits withPriceLimit describeLimits calculateEndTime fixEndTime describeDiskCost formatDiskCost readLoad continueSpell isIdle isOutdated calculateQuietTime getLoadSource calculateWarningTime formatIdleSpan formatIdle describeIdle formatIdleWish describeIdleWish formatAutoStopWishes describeIdleTimeout formatElapsed formatAutoStopWish describeAutoStopWish describeSecondWish calculateHoursLeft buildBalanceView addPrices
  getPastPrice clipStretch sumSpent toSpentRange startOfDay splitByDay groupStretches sumCharges formatAmount formatSpent describeUnread isWorthTelling`.split(
    /\s+/,
  ),
);

const SRC = join(import.meta.dirname, "../../src");
const FILES = [
  ...["lib", "domain", "present"].flatMap((room) =>
    readdirSync(join(SRC, room), { recursive: true, encoding: "utf8" }).map((name) => join(SRC, room, name)),
  ),
  join(SRC, "api/reply.ts"),
].filter((path) => path.endsWith(".ts"));

type Functions = Record<string, (...given: never[]) => unknown>;
const isClass = (value: unknown) => /^class\b/.test(Function.prototype.toString.call(value));

/** A function that may read what comes from outside. */
export interface Reader {
  /** Below `src`. */
  readonly path: string;
  readonly name: string;
  readonly run: (text: string) => unknown;
}

/** All of them, and the recipes and exceptions that name no function. */
export async function findReaders(): Promise<{
  readonly readers: readonly Reader[];
  readonly gone: readonly string[];
}> {
  const readers: Reader[] = [];
  const known = new Set<string>();
  for (const path of FILES) {
    const functions = (await import(path)) as Functions;
    for (const [name, value] of Object.entries(functions)) {
      if (typeof value !== "function" || isClass(value)) continue;
      known.add(name);
      if (NOTHING_FOREIGN.has(name)) continue;
      const recipe = RECIPES.get(name);
      const run = (text: string) => (recipe ? recipe(functions, text) : value(...([text, text, text] as never[])));
      readers.push({ path: path.slice(SRC.length + 1), name, run });
    }
  }
  return { readers, gone: [...RECIPES.keys(), ...NOTHING_FOREIGN].filter((name) => !known.has(name)) };
}

/** CPU milliseconds of the whole process while the work was done: a busy machine changes little about them. */
async function cost(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  try {
    await work();
  } catch {
    // A text may be refused.
  }
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The least of three measurements. */
async function least(work: () => unknown): Promise<number> {
  const times = [];
  for (let turn = 0; turn < 3; turn += 1) times.push(await cost(work));
  return Math.min(...times);
}

/** An eighth of a text, with its beginning and its end. */
function shortened(text: string): string {
  return text.slice(0, text.length / 16) + text.slice(-text.length / 16);
}

/** Texts that take the function disproportionately longer than their eighth. */
async function findSlow({ path, name, run }: Reader): Promise<string[]> {
  const slow: string[] = [];
  await cost(() => run("x"));
  for (const [what, text] of TEXTS) {
    const once = await cost(() => run(text));
    if (once < MOST_MS || once / (await cost(() => run(shortened(text)))) < MOST_GROWTH) continue;
    // Slow on a busy machine, or slow by its nature: the quickest of three tells which.
    const [whole, eighth] = [await least(() => run(text)), await least(() => run(shortened(text)))];
    if (whole < MOST_MS || whole / eighth < MOST_GROWTH) continue;
    slow.push(`${path}, ${name}: ${Math.round(whole)} ms of CPU for ${what}, ${Math.round(eighth)} ms for an eighth`);
  }
  return slow;
}

if (import.meta.main) {
  const { readers } = await findReaders();
  const slow: string[] = [];
  for (const reader of readers) slow.push(...(await findSlow(reader)));
  console.log(`${readers.length} functions, ${TEXTS.length} texts of ${LENGTH} characters, ${slow.length} slow`);
  for (const one of slow) console.log(one);
  process.exitCode = slow.length > 0 ? 1 : 0;
}
