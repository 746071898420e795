// The summary without an editor: prices, templates and offers change under it, and one confirmation is all it ever gives.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import { TemplateHash } from "../../../src/domain/base/id.ts";
import { emptyDraft, type LaunchDraft, withTemplate, withVolume } from "../../../src/domain/launch/launch-draft.ts";
import type { LaunchQuestion } from "../../../src/domain/launch/launch-messages.ts";
import type { LaunchPlan } from "../../../src/domain/launch/launch-plan.ts";
import { anySearch } from "../../../src/domain/offer/offer-search.ts";
import { realClock } from "../../../src/lib/clock.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import { getLast } from "../../../src/services/core/loaded.ts";
import type { SignedIn } from "../../../src/services/core/session.ts";
import type { KeyNotice } from "../../../src/services/launch/notice-keys.ts";
import type { Reviewer, ReviewMessage, SummaryAnswer } from "../../../src/services/launch/review-launch.ts";
import { fastClock, type Parts } from "../editor-window.ts";
import { editorWindow, middleman, sandbox, signedIn } from "../support.ts";

interface Answers {
  readonly summary: (SummaryAnswer | undefined | (() => Promise<SummaryAnswer>))[];
  readonly change?: (draft: LaunchDraft) => LaunchDraft | "back" | undefined;
  readonly confirms?: boolean[];
  readonly addKey?: (account: SignedIn) => Promise<void>;
  /** Whether the person returns to the summary from what they read. */
  readonly comesBack?: boolean;
}

function reviewer({
  summary,
  change = () => undefined,
  confirms = [],
  addKey = async () => {},
  comesBack = true,
}: Answers) {
  const seen: { plan: LaunchPlan; label: string; keys: KeyNotice | undefined }[] = [];
  const told: ReviewMessage[] = [];
  const opened: string[] = [];
  const changed: string[] = [];
  const asked: LaunchQuestion[] = [];
  const who: Reviewer = {
    showSummary: async (plan, label, keys) => {
      seen.push({ plan, label, keys });
      const answer = summary.shift();
      return typeof answer === "function" ? await answer() : answer;
    },
    change: async (what, draft) => {
      changed.push(what);
      return change(draft);
    },
    read: async (what) => {
      opened.push(what);
      return comesBack;
    },
    addKey: async (account) => {
      opened.push("add-key");
      await addKey(account);
    },
    confirm: async (question) => {
      asked.push(question);
      return confirms.shift() ?? false;
    },
    tell: (message) => void told.push(message),
  };
  return { ...who, seen, told, opened, changed, asked };
}

async function atSummary(parts: Parts = {}, service: SandboxOptions = {}) {
  const window = await signedIn(service, { clock: fastClock, ...parts });
  const { offers } = await window.offers.search(anySearch);
  const offer = offers.find(({ disk_space = 0 }) => disk_space > 100);
  assert.ok(offer);
  const draft: LaunchDraft = { ...emptyDraft, image: "pytorch/pytorch", runtype: "ssh_direct", offer };
  const creates = () => window.lines.filter(({ path }) => path.startsWith("/api/v0/asks/"));
  return { ...window, offer, draft, creates };
}

test("what is confirmed is what was shown, under one intent; nothing is sent by a summary", async () => {
  const window = await atSummary();
  const who = reviewer({ summary: ["full", "rent", "rent"], confirms: [false, true] });
  const end = await window.review.review(window.me(), who, window.draft);
  assert.ok(end?.kind === "confirmed");
  assert.deepEqual(who.opened, ["full"]);
  assert.equal(who.seen.length, 3);
  assert.equal(new Set(who.seen.map(({ label }) => label)).size, 1, "every summary bears the same intent");
  assert.ok(who.seen[0]?.label.startsWith(end.intent.token));
  assert.equal(end.draft.offer.id, window.offer.id);
  assert.deepEqual(window.creates(), []);
});

test("the question is about the plan that was shown, in this account, and says where a rental could get lost", async () => {
  for (const onlyDocumented of [false, true]) {
    const window = await atSummary({}, { onlyDocumented });
    const who = reviewer({ summary: ["rent"], confirms: [true] });
    const end = await window.review.review(window.me(), who, window.draft);
    assert.ok(end?.kind === "confirmed");
    assert.equal(end.withoutTracking, onlyDocumented);
    const plan = who.seen[0]?.plan;
    const [{ now, ...asked }] = who.asked as [Extract<LaunchQuestion, { kind: "rent" }>];
    assert.deepEqual(asked, {
      kind: "rent",
      plan,
      sandbox: false,
      payer: undefined,
      withoutTracking: onlyDocumented,
    });
    assert.ok(Math.abs(now - Date.now()) < 60_000);
    assert.equal(who.asked.length, 1);
  }
});

test("a summary that is left for something else to read is over, and asks nothing more", async () => {
  const window = await atSummary();
  const who = reviewer({ summary: ["full", "rent"], confirms: [true], comesBack: false });
  assert.equal(await window.review.review(window.me(), who, window.draft), undefined);
  assert.deepEqual([who.opened, who.seen.length, who.asked], [["full"], 1, []]);
});

test("without an offer, one is asked for before anything is shown; Escape and Back lead out", async () => {
  const window = await atSummary();
  const { offer, ...rest } = window.draft;
  const bare: LaunchDraft = { ...rest, offer: undefined };
  const chosen = reviewer({ summary: [undefined], change: (draft) => ({ ...draft, offer }) });
  assert.equal(await window.review.review(window.me(), chosen, bare), undefined);
  assert.deepEqual([chosen.changed, chosen.seen.length], [["offer"], 1]);
  const escaped = reviewer({ summary: [] });
  assert.equal(await window.review.review(window.me(), escaped, bare), undefined);
  const back = reviewer({ summary: [], change: () => "back" });
  assert.deepEqual(await window.review.review(window.me(), back, bare), { kind: "back", draft: bare });
  assert.deepEqual([escaped.seen, back.seen, back.told], [[], [], []]);
});

test("Back from a change leads to the summary as it was, Escape there drops the launch", async () => {
  const window = await atSummary();
  const who = reviewer({ summary: ["label", "compare", "back"], change: () => "back" });
  const end = await window.review.review(window.me(), who, window.draft);
  assert.ok(end?.kind === "back" && end.draft.offer === window.offer);
  assert.deepEqual([who.changed, who.opened], [["label"], ["compare"]]);
  // Which keys there are may become known in the meantime.
  assert.deepEqual({ ...who.seen[2], keys: undefined }, { ...who.seen[0], keys: undefined });
  const dropped = reviewer({ summary: ["label", "rent"] });
  assert.equal(await window.review.review(window.me(), dropped, window.draft), undefined);
  assert.equal(dropped.seen.length, 1);
});

test("who switches accounts at a summary changes nothing of it there: what it holds is of the account that was left", async () => {
  for (const what of ["configuration", "volume", "offer", "disk", "end", "label"] as const) {
    const window = await atSummary();
    const account = window.me();
    const switchAccounts = async () => {
      const other = await sandbox({ seed: 2 });
      await window.session.signIn(other.url, other.apiKey);
      return what;
    };
    const who = reviewer({ summary: [switchAccounts], change: (draft) => draft });
    await assert.rejects(window.review.review(account, who, window.draft), /You switched accounts/, what);
    assert.deepEqual([who.changed, who.seen.length], [[], 1]);
  }
});

test("a template that cannot be read is shown as it was known", async () => {
  const window = await atSummary({ clock: realClock });
  await window.templates.collection.refresh();
  const [row] = getLast(window.templates.collection.store.current)?.value.own ?? [];
  assert.ok(row);
  window.service.faults.add("500@searchTemplates");
  const who = reviewer({ summary: ["rent"], confirms: [true] });
  const draft = { ...withTemplate(emptyDraft, row.value), offer: window.offer };
  const end = await window.review.review(window.me(), who, draft);
  assert.ok(end?.kind === "confirmed");
  assert.deepEqual([who.seen[0]?.plan.template, who.told], [row.value, []]);
});

test("a template without a number is never taken for another one without", async () => {
  const { service, offer } = await atSummary();
  const url = await middleman(service.url, (path, status, text) => ({
    status,
    text: path.startsWith("/api/v0/template/") ? text.replaceAll(/"id":\d+,/g, "") : text,
  }));
  const window = editorWindow();
  await window.session.signIn(url, service.apiKey);
  await window.templates.collection.refresh();
  const [row] = getLast(window.templates.collection.store.current)?.value.own ?? [];
  assert.ok(row && row.value.id === undefined);
  const template = { ...row.value, hash_id: TemplateHash.parse("elsewhere") };
  const who = reviewer({ summary: ["rent"], confirms: [true] });
  const end = await window.review.review(window.me(), who, { ...withTemplate(emptyDraft, template), offer });
  assert.ok(end?.kind === "confirmed");
  assert.equal(end.draft.template, template);
});

test("another disk is priced anew before the summary is shown again", async () => {
  const window = await atSummary();
  const who = reviewer({ summary: ["disk", undefined], change: (draft) => ({ ...draft, diskGb: 90 }) });
  assert.equal(await window.review.review(window.me(), who, window.draft), undefined);
  const [before, after] = who.seen.map(({ plan }) => plan);
  assert.equal(after?.diskGb, 90);
  assert.ok((after?.offer.dph_total ?? 0) > (before?.offer.dph_total ?? 0), "the disk is part of the price");
});

test("a price that was read for another disk is read again each time the summary comes back", async () => {
  const window = await atSummary();
  const who = reviewer({ summary: ["full", "rent", undefined], confirms: [false] });
  const reads = () => window.lines.filter(({ path }) => path === "/api/v0/bundles/").length;
  const before = reads();
  await window.review.review(window.me(), who, { ...window.draft, diskGb: 90 });
  assert.equal(who.seen.length, 3);
  assert.equal(reads() - before, 3);
});

test("an offer that was taken is said to be, another one is asked for, and Back leads out", async () => {
  const window = await atSummary();
  const change = (draft: LaunchDraft): LaunchDraft | "back" => (draft.diskGb === 8 ? { ...draft, diskGb: 90 } : "back");
  const who = reviewer({
    summary: [
      async () => {
        createInstance(window.service.world, window.offer.id, { image: "pytorch/pytorch" });
        return "disk";
      },
    ],
    change,
  });
  const end = await window.review.review(window.me(), who, window.draft);
  assert.equal(end?.kind, "back");
  assert.deepEqual(who.told, [{ kind: "offer-taken", diskGb: 90 }]);
  assert.deepEqual(who.changed, ["disk", "offer"]);
  assert.ok(window.launches.tried.has(window.offer.id));
});

test("a price that cannot be read is said, and nothing is shown in its place", async () => {
  const window = await atSummary();
  const who = reviewer({
    summary: [
      async () => {
        window.service.faults.add("500@searchOffers");
        return "disk";
      },
    ],
    change: (draft) => (draft.diskGb === 8 ? { ...draft, diskGb: 90 } : undefined),
  });
  assert.equal(await window.review.review(window.me(), who, window.draft), undefined);
  const [message] = who.told;
  assert.ok(message?.kind === "price-unread" && message.error instanceof AppError);
  assert.deepEqual([message.diskGb, message.error.kind, who.told.length], [90, "server", 1]);
  assert.equal(who.seen.length, 1);
});

test("a volume that isn't on the machine of the offer goes from the launch, and the person is told", async () => {
  const window = await atSummary();
  const who = reviewer({ summary: ["back"] });
  const machine = (window.draft.offer?.machine_id ?? 0) + 1;
  await window.review.review(window.me(), who, withVolume(window.draft, 5012, machine));
  assert.deepEqual(who.told, [{ kind: "volume-lost" }]);
  assert.equal(who.seen[0]?.plan.configuration, undefined);
});

test("a limit of one's own leaves the summary open, and nothing was asked", async () => {
  const window = await atSummary({ limits: { pricePerHour: 0.0001 } });
  const who = reviewer({ summary: ["rent", "back"], confirms: [true] });
  const end = await window.review.review(window.me(), who, window.draft);
  assert.equal(end?.kind, "back");
  const [message] = who.told;
  assert.ok(message?.kind === "refused" && message.error instanceof AppError);
  assert.equal(message.error.facts.limit, "pricePerHour");
  assert.deepEqual(who.asked, []);
});

test("a template changed elsewhere is in the summary as it is now, and again where it changes before Rent", async () => {
  const window = await atSummary({ clock: realClock });
  await window.templates.collection.refresh();
  const [row] = getLast(window.templates.collection.store.current)?.value.own ?? [];
  assert.ok(row);
  const { templates, account } = window.service.world;
  const edit = (desc: string) => {
    const now = templates.list().find(({ id }) => id === row.value.id);
    assert.ok(now);
    templates.edit(now.hash_id, { desc }, account.id);
  };
  edit("first");
  const draft = { ...withTemplate(emptyDraft, row.value), offer: window.offer };
  const who = reviewer({
    summary: [
      async () => {
        edit("second");
        await window.templates.collection.refresh();
        return "rent";
      },
      "rent",
    ],
    confirms: [true],
  });
  const end = await window.review.review(window.me(), who, draft);
  assert.ok(end?.kind === "confirmed");
  const changed = { kind: "template-changed", name: row.value.name };
  assert.deepEqual(who.told, [changed, changed]);
  assert.deepEqual(
    who.seen.map(({ plan }) => plan.template?.desc),
    ["first", "second"],
  );
  assert.equal(end.draft.template?.desc, "second");
});

describe("SSH keys before anything is paid", () => {
  const mine = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMineMineMineMineMineMineMineMineMineMineMi me@here";
  async function withKeys(account: string[], parts: Parts = {}, service: SandboxOptions = {}) {
    const window = await atSummary({ clock: realClock, ...parts }, service);
    window.service.world.account.sshKeys = account;
    const folder = join(window.userData.root, "ssh");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, "id_ed25519.pub"), mine);
    await writeFile(join(folder, "id_ed25519"), "never read");
    return window;
  }
  const other = mine.replace("Mine", "Hers");

  test("a summary says which keys are missing, and nothing where one of this computer is there", async () => {
    for (const [keys, said] of [
      [[], "none"],
      [[other], "none-here"],
      [[other, mine], undefined],
    ] as const) {
      const window = await withKeys([...keys]);
      const who = reviewer({ summary: ["rent"], confirms: [true] });
      const end = await window.review.review(window.me(), who, window.draft);
      assert.equal(who.seen[0]?.keys, said);
      assert.equal(end?.kind, "confirmed", "it is a notice, not a refusal");
    }
  });

  test("nothing is said of a launch without SSH, nor where the service does not say", async () => {
    const window = await withKeys([]);
    const who = reviewer({ summary: [undefined, undefined] });
    await window.review.review(window.me(), who, { ...window.draft, runtype: "args" });
    const silent = await withKeys([], {}, { onlyDocumented: true });
    await silent.review.review(silent.me(), who, silent.draft);
    assert.deepEqual(
      who.seen.map(({ keys }) => keys),
      [undefined, undefined],
    );
  });

  test("a key that was added is seen by the same summary", async () => {
    const window = await withKeys([]);
    const addKey = async (account: SignedIn) => {
      const [key] = (await window.connections.listLocalKeys()).filter(({ line }) => line === mine);
      assert.ok(key);
      await window.accountKeys.add(account, key);
      await window.accountKeys.add(account, key);
    };
    const who = reviewer({ summary: ["add-key", "rent"], confirms: [true], addKey });
    const end = await window.review.review(window.me(), who, window.draft);
    assert.equal(end?.kind, "confirmed");
    assert.deepEqual(
      who.seen.map(({ keys }) => keys),
      ["none", undefined],
    );
    assert.deepEqual(window.service.world.account.sshKeys, [mine]);
  });

  test("a key that is refused leaves the summary open and says so", async () => {
    const window = await withKeys([]);
    const addKey = async (account: SignedIn) => {
      const [key] = await window.connections.listLocalKeys();
      assert.ok(key);
      await window.session.signOut();
      await window.accountKeys.add(account, key);
    };
    const who = reviewer({ summary: ["add-key", undefined], addKey });
    await window.review.review(window.me(), who, window.draft);
    assert.deepEqual(
      who.told.map(({ kind }) => kind),
      ["refused"],
    );
    assert.deepEqual(window.service.world.account.sshKeys, []);
  });

  test("a virtual machine is stopped at the summary as long as the account has no key", async () => {
    const window = await withKeys([]);
    await window.templates.collection.refresh();
    const [row] = getLast(window.templates.collection.store.current)?.value.own ?? [];
    assert.ok(row);
    const template = { ...row.value, id: undefined, hash_id: TemplateHash.parse("a-vm") };
    const vm = { ...template, extra_filters: { ...template.extra_filters, vms_enabled: { eq: true } } };
    const draft = { ...withTemplate(emptyDraft, vm), offer: window.offer };
    const addKey = async () => {
      window.service.world.account.sshKeys = [other];
    };
    const who = reviewer({ summary: ["rent", "add-key", "rent"], confirms: [true], addKey });
    const end = await window.review.review(window.me(), who, draft);
    assert.deepEqual(
      who.told.map(({ kind }) => kind),
      ["refused"],
    );
    assert.deepEqual(
      who.seen.map(({ keys }) => keys),
      ["none", "none", "none-here"],
    );
    assert.equal(end?.kind, "confirmed", "a key may lie where nobody looks");
    assert.equal(who.asked.length, 1);
  });
});
