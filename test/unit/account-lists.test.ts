// Webhooks, workergroups and hosts in words: hostile records, masked secrets, and what a person may type for jobs.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Webhook } from "../../src/domain/account/webhook.ts";
import { AppError } from "../../src/domain/base/error.ts";
import { parseMachine, parsePrice, parseVariables, parseWords } from "../../src/domain/host/background-jobs.ts";
import { Workergroup } from "../../src/domain/serverless/workergroup.ts";
import { isTag, registryOf } from "../../src/domain/template/image.ts";
import { Template } from "../../src/domain/template/template.ts";
import { maskAddress, maskSecrets, redactForReading, rememberSecret, rememberSecretsIn } from "../../src/lib/redact.ts";
import { webhookDetails, webhookRow } from "../../src/present/account/webhooks.ts";
import { recordText } from "../../src/present/base/record.ts";
import { ageText, dateText } from "../../src/present/base/when.ts";
import { dayPrice, jobsLines } from "../../src/present/host/host.ts";
import { runsOlderTemplate, workergroupFacts, workergroupRow } from "../../src/present/serverless/workergroups.ts";
import { untagged } from "../../src/services/template/image-tags.ts";

const NOW = 1_800_000_000_000;
const says = (wanted: RegExp) => (error: unknown) =>
  error instanceof AppError && error.kind === "rejected" && wanted.test(error.message);

describe("a webhook's row", () => {
  const row = (fields: object) =>
    webhookRow({ value: Webhook.parse({ id: 7, ...fields }), tag: "t", staleSince: undefined, now: NOW });

  test("is named by its name, else by where it leads, else by its id", () => {
    assert.equal(row({ name: "Chat", webhook_url: "https://a.b/c" }).label, "Chat");
    assert.equal(row({ name: null, webhook_url: "https://a.b/c" }).label, "a.b");
    assert.equal(row({ name: " ", webhook_url: "no address" }).label, "Webhook 7");
  });

  test("shows nothing of a hostile record but text, and its id holds nothing that changes", () => {
    const hostile = row({
      name: `\u202Egpj$(trash)\n${"x".repeat(10_000)}`,
      webhook_url: "javascript:alert(1)",
      event_types: ["client:a\u202Eb", "__proto__", 7],
      created_at: 1e308,
      updated_at: "yesterday",
    });
    assert.ok(hostile.label.length <= 61 && !/\u202E|\n|\$\(/.test(hostile.label));
    assert.doesNotMatch(JSON.stringify(hostile), /Invalid Date|NaN|undefined|\\u202/i);
    assert.equal(hostile.id, row({ name: "other", created_at: 5 }).id);
  });

  test("unfolds to events once each, address and dates; an address holds no secret", () => {
    const value = Webhook.parse({
      id: 7,
      webhook_url: "https://me:pw@hooks.slack.com/services/T024BE7LD/XXXXXXXXXXXXXXXXXXXXXXXX?token=abc#frag",
      event_types: ["host:machine_offline", "host:machine_offline", "outbid"],
      created_at: NOW / 1000 - 3 * 86_400,
    });
    const details = webhookDetails(value, "t").map(({ label, description }) => `${label}: ${description}`);
    assert.deepEqual(details.slice(0, 3), [
      "Machine offline: host:machine_offline",
      "Outbid: outbid",
      "Address: https://hooks.slack.com/services/T024BE7LD/••••?••••#••••",
    ]);
    assert.equal(new Set(webhookDetails(value, "t").map(({ id }) => id)).size, details.length);
  });
});

describe("a workergroup's row", () => {
  const facts = (fields: object, template: Template | "gone" | "unknown" = "unknown") => {
    const { api_key, ...value } = Workergroup.parse({ id: 9, ...fields });
    return { value, template, hasKey: api_key !== undefined };
  };
  const template = Template.parse({ hash_id: "new", id: 3, name: "vLLM" });

  test("says that its template is older only where both hashes are known", () => {
    assert.equal(runsOlderTemplate(facts({ template_hash: "old" }, template)), true);
    assert.equal(runsOlderTemplate(facts({ template_hash: "new" }, template)), false);
    for (const unknown of ["gone", "unknown"] as const)
      assert.equal(runsOlderTemplate(facts({ template_hash: "old" }, unknown)), false);
    assert.equal(runsOlderTemplate(facts({}, template)), false);
  });

  test("says what the service no longer has, what is missing, and a search it cannot read", () => {
    const row = (fields: object, at: Template | "gone" | "unknown") => {
      const view = workergroupRow(facts(fields, at), { tag: "t", staleSince: undefined });
      return JSON.stringify([view, view.tooltip?.()]);
    };
    assert.match(row({ template_hash: "old", template_id: 3 }, "gone"), /old; the service no longer has it/);
    assert.match(row({ search_query: { gpu_ram: { near: 3 } } }, "unknown"), /not readable; see the document/);
    assert.match(row({ search_query: '{"num_gpus":{"eq":2}}' }, "unknown"), /GPUs 2/);
    assert.doesNotMatch(row({ min_load: "x", target_util: null, cold_workers: 1.5 }, "unknown"), /NaN|undefined|null/);
  });

  test("shows VRAM in GB, whether the service sends MB or GB", () => {
    const vram = (gpu_ram: unknown) => workergroupFacts(facts({ gpu_ram })).find(([name]) => name === "VRAM")?.[1];
    assert.deepEqual([24_000, 24, 81_920, 80, 0, null].map(vram), [
      "24 GB",
      "24 GB",
      "80 GB",
      "80 GB",
      undefined,
      undefined,
    ]);
  });

  test("knows whether there is a key, and holds none", () => {
    const made = facts({ api_key: "CANARY-workergroup-key" });
    assert.match(workergroupRow(made, { tag: "t", staleSince: undefined }).context, /canCopyKey/);
    assert.doesNotMatch(JSON.stringify(made), /CANARY/);
  });
});

describe("secrets in texts", () => {
  test("are masked in arguments, addresses and scripts", () => {
    for (const [text, shown] of [
      ["--env '-e HF_TOKEN=abc' --disk 9", "--env '-e HF_TOKEN=••••' --disk 9"],
      ["--login '-u me -p abc reg.io'", "--login ••••"],
      ["-u me -p abc reg.io", "-u me -p •••• reg.io"],
      ["serve --api-key abc --port 80", "serve --api-key •••• --port 80"],
      ['export AWS_SECRET_ACCESS_KEY="a b"; run', "export AWS_SECRET_ACCESS_KEY=••••; run"],
      ["git clone https://me:abc@host/x", "git clone https://me:••••@host/x"],
      ["curl -H 'Authorization: Bearer abc'", "curl -H 'Authorization: Bearer ••••"],
      ["--disk 120 --direct -p 8080:8080", "--disk 120 --direct -p 8080:8080"],
    ] as const)
      assert.equal(maskSecrets(text), shown);
    assert.equal(maskAddress("https://ci.example.com/hooks/near-end"), "https://ci.example.com/hooks/near-end");
    assert.equal(maskAddress("https://a.b/hook/9f8e7d6c5b4a3f2e"), "https://a.b/hook/••••");
  });

  test("are masked in records by name and by value, at any depth", () => {
    rememberSecretsIn({ webhook_secret: "CANARY-webhook-secret", name: "CANARY-is-a-name" });
    rememberSecret("CANARY-bearer-0123456789");
    const shown = JSON.stringify(
      redactForReading({
        note: "it is CANARY-webhook-secret",
        deep: [{ deeper: { instance_api_key: "abcdefgh", text: "CANARY-bearer-0123456789" } }],
        env: { HF: "CANARY-env" },
        name: "CANARY-is-a-name",
      }),
    );
    assert.doesNotMatch(shown, /CANARY-(webhook|bearer|env)|abcdefgh/);
    assert.match(shown, /"HF":"••••".*CANARY-is-a-name/);
  });

  test("a page of a record has no character that turns or hides others", () => {
    const text = recordText(["a\nb\u202E"], { name: "x\u202Ey\u2028z", big: "ok" });
    assert.doesNotMatch(text, /[\u202E\u2028]/);
    assert.deepEqual(JSON.parse(text.replace(/^\/\/.*$/m, "")).name, "x\u202Ey\u2028z");
  });
});

describe("dates", () => {
  test("are said where they are dates, and left out where they are not", () => {
    for (const none of [undefined, 0, -5, 1e308, Number.NaN]) {
      assert.equal(dateText(none), undefined);
      assert.equal(ageText(none, NOW), undefined);
    }
    assert.equal(ageText(NOW / 1000 - 90, NOW), "2 min");
    assert.equal(ageText(NOW / 1000 - 5 * 3600, NOW), "5 h");
    assert.equal(ageText(NOW / 1000 - 64 * 86_400, NOW), "64 days");
    assert.equal(ageText(NOW / 1000 + 60, NOW), "0 min", "a clock that runs wrong by a minute");
    assert.equal(ageText(NOW / 1000 + 90_000, NOW), undefined);
  });
});

describe("background jobs", () => {
  test("what is typed is read, or refused with the reason", () => {
    assert.equal(parseMachine(" 123 "), 123);
    for (const text of ["", "12.5", "-1", "0", "1e3", "99999999999999999999"])
      assert.throws(() => parseMachine(text), says(/^Machine: /), text);
    assert.equal(parsePrice("P", "$ 4.80"), 4.8);
    for (const text of ["", "4,80", "-1", "NaN", "1e9", "99999999"])
      assert.throws(() => parsePrice("P", text), says(/^P: /), text);
    assert.deepEqual(parseVariables(`A=1 B='two words' C= D==`), { A: "1", B: "two words", C: "", D: "=" });
    for (const text of ["A", "=1", "A=1 A=2", "-p=1", "__proto__=1", "A=two words"])
      assert.throws(() => parseVariables(text), says(/^Environment: /), text);
    assert.throws(
      () => parseVariables("HF_TOKEN=good secretvalue"),
      (error) => !/secretvalue/.test((error as Error).message),
    );
  });

  test("shell words are refused at their column", () => {
    assert.throws(() => parseWords("Arguments", `a 'b`), says(/^Arguments, column 3: the quote ' is not closed/));
    assert.throws(() => parseWords("Arguments", `a"b c\\"`), says(/^Arguments, column 2: the quote " is not closed/));
    assert.throws(() => parseWords("Arguments", `ab\\`), says(/^Arguments, column 3: nothing follows the backslash/));
    assert.deepEqual(parseWords("Arguments", `a 'b c' "d\\"e"`), ["a", "b c", 'd"e']);
  });

  test("prices are said per day and per hour, and the review masks what looks secret", () => {
    assert.equal(dayPrice(24), "$24.00 per GPU and day ($1.00/h)");
    assert.equal(dayPrice(undefined), "not set");
    const lines = jobsLines({
      env: { HF_TOKEN: "abc", MODE: "a b" },
      args_str: "--api-key abc",
      onstart: "TOKEN=abc x",
    });
    assert.doesNotMatch(JSON.stringify(lines), /abc/);
    assert.match(JSON.stringify(lines), /MODE='a b'/);
  });
});

test("an image's name is taken apart as registries write it", () => {
  for (const [image, bare, registry] of [
    ["ubuntu", "ubuntu", undefined],
    ["pytorch/pytorch:2.1", "pytorch/pytorch", undefined],
    ["localhost:5000/a/b", "localhost:5000/a/b", "localhost:5000"],
    ["ghcr.io:443/a/b:1@sha256:ff", "ghcr.io:443/a/b", "ghcr.io:443"],
  ] as const) {
    assert.equal(untagged(image), bare);
    assert.equal(registryOf(image), registry);
  }
  assert.deepEqual(["latest", "-x", "a b", "$(x)", "", "v".repeat(200)].filter(isTag), ["latest"]);
});
