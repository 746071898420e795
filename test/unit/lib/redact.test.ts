// Secrets are kept out of texts and records, whatever the texts and the secrets are made of.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../../src/domain/base/error.ts";
import {
  MASK,
  maskAddress,
  maskAddresses,
  maskSecrets,
  redactForReading,
  redactText,
  redactValue,
  rememberSecret,
  rememberSecretsIn,
  rememberServedSecret,
} from "../../../src/lib/redact.ts";
import { setTranslator, t } from "../../../src/lib/text.ts";

describe("secrets in texts", () => {
  test("a lone surrogate among the secrets breaks nothing", () => {
    rememberSecret("\ud800abcd-own");
    rememberServedSecret("\udfffserved-secret");
    assert.equal(redactText("a \ud800abcd-own b \ufffdabcd-own c"), `a ${MASK} b ${MASK} c`);
    assert.equal(redactText("\udfffserved-secret"), MASK);
    assert.equal(redactText("\ud800"), "\ud800");
    assert.match(maskSecrets("HF_TOKEN=\ud800 x"), /^HF_TOKEN=•••• x$/);
    assert.equal(new AppError("server", "no \ud800abcd-own").message.includes("abcd-own"), false);
  });

  test("a server's short words stay in our sentences, a person's own key does not", () => {
    rememberServedSecret("service");
    rememberSecret("k3y!");
    assert.equal(redactText("The service took k3y!"), `The service took ${MASK}`);
  });

  test("five hundred of a server's values are remembered, the oldest give way, the person's own never", () => {
    rememberSecret("own-key-of-the-person");
    rememberServedSecret("served-value-first");
    for (let index = 0; index < 500; index += 1) rememberServedSecret(`served-value-${index}-x`);
    assert.equal(redactText("served-value-first own-key-of-the-person"), `served-value-first ${MASK}`);
    assert.equal(redactText("served-value-0-x served-value-499-x"), `${MASK} ${MASK}`);
    rememberServedSecret("served-value-0-x");
    rememberServedSecret("served-value-500-x");
    assert.equal(
      redactText("served-value-0-x served-value-1-x"),
      `${MASK} served-value-1-x`,
      "what is seen again stays",
    );
  });

  test("the longer of two secrets that begin alike leaves nothing behind", () => {
    rememberSecret("abcd-1234");
    rememberSecret("abcd-1234-5678");
    assert.equal(redactText("abcd-1234-5678 abcd-1234!"), `${MASK} ${MASK}!`);
  });

  test("leave nothing behind where a text that holds them was cut", () => {
    const secret = "canary-of-a-cut-0123456789";
    rememberServedSecret(secret);
    for (const kept of [8, 12, secret.length - 1])
      for (const after of ["…", "… · stopped"])
        assert.equal(redactText(`key ${secret.slice(0, kept)}${after}`), `key ${MASK}${after}`);
    for (const text of ["canary- · and canary-of-a-cow…", "only its beginning, canary-of-a-cut"])
      assert.equal(redactText(text), text);
  });

  test("are found URL-encoded and as JSON writes them", () => {
    rememberSecret('quo"te/ü');
    assert.equal(redactText(encodeURIComponent('quo"te/ü')), MASK);
    assert.equal(redactText(JSON.stringify('quo"te/ü')), `"${MASK}"`);
  });

  for (const [text, shown] of [
    ['TOKEN="abc', "TOKEN=••••"],
    ["PASSWORD='a b'\nnext", "PASSWORD=••••\nnext"],
    ['{"password": "a b", "user": "me"}', '{"password": ••••, "user": "me"}'],
    ["https://:pw@host/", "https://:••••@host/"],
    ["MONKEY=1 KEYBOARD=us", "MONKEY=1 KEYBOARD=us"],
    ["--token --other x", "--token --other x"],
    ["Authorization: Basic dXNlcg==", "Authorization: Basic ••••"],
    ["-u me -p 'a b' reg.io -u you -p c reg", "-u me -p •••• reg.io -u you -p •••• reg"],
    ["token://host/path", "token://host/path"],
  ] as const)
    test(`${JSON.stringify(text)} is masked`, () => assert.equal(maskSecrets(text), shown));
});

describe("secrets in what is read", () => {
  test("are masked in arguments, addresses and scripts", () => {
    for (const [text, shown] of [
      ["--env '-e HF_TOKEN=abc' --disk 9", "--env '-e HF_TOKEN=••••' --disk 9"],
      ["--login '-u me -p abc reg.io'", "--login ••••"],
      ["-u me -p abc reg.io", "-u me -p •••• reg.io"],
      ["serve --api-key abc --port 80", "serve --api-key •••• --port 80"],
      ['export AWS_SECRET_ACCESS_KEY="a b"; run', "export AWS_SECRET_ACCESS_KEY=••••; run"],
      ["git clone https://ghp_0123456789abcdefABCDEF@github.com/a/b", "git clone https://••••@github.com/a/b"],
      ["git clone ssh://git@github.com/a/b", "git clone ssh://git@github.com/a/b"],
      ["git clone https://me:abc@host/x", "git clone https://me:••••@host/x"],
      ["curl -H 'Authorization: Bearer abc'", "curl -H 'Authorization: Bearer ••••"],
      ["--disk 120 --direct -p 8080:8080", "--disk 120 --direct -p 8080:8080"],
    ] as const)
      assert.equal(maskSecrets(text), shown);
    assert.equal(maskAddress("https://ci.example.com/hooks/near-end"), "https://ci.example.com/hooks/near-end");
    assert.equal(maskAddress("https://a.b/hook/9f8e7d6c5b4a3f2e"), "https://a.b/hook/••••");
  });

  test("are masked in addresses without a beginning, and nothing is shown of what is no web address", () => {
    const secret = "T024/B0CANARYinTheAddress";
    for (const [address, shown] of [
      [`hooks.example.com/services/${secret}`, "hooks.example.com/services/T024/••••"],
      [`//hooks.example.com/services/${secret}`, "//hooks.example.com/services/T024/••••"],
      ["localhost:8080/near", "localhost:8080/near"],
      ["slack://xoxb-CANARY", "••••"],
      ["mailto:CANARY", "••••"],
      ["xoxb-CANARY", "••••"],
      ["eyJhbGciOiJIUzI1NiIsInR5cCI6.eyJDQU5BUlkiOjF9.sig", "••••"],
      ["http://", "••••"],
      ["  ", ""],
    ] as const)
      assert.equal(maskAddress(address), shown, address);
    assert.equal(
      maskAddresses(`posts to https://hooks.example.com/${secret}, with TOKEN=abc`),
      "posts to https://hooks.example.com/T024/•••• with TOKEN=••••",
    );
  });

  test("are masked in lists by the item before, and in pairs by their name", () => {
    const read = (value: unknown) => redactForReading(value);
    for (const [given, shown] of [
      [
        ["serve", "--api-key", "CANARY", "--port", "80"],
        ["serve", "--api-key", "••••", "--port", "80"],
      ],
      [
        ["-u", "me", "-p", "CANARY", "reg.io"],
        ["-u", "me", "-p", "••••", "reg.io"],
      ],
      [
        ["-p", "8080:8080", "--disk", "120"],
        ["-p", "8080:8080", "--disk", "120"],
      ],
      [
        ["--api-key=CANARY", "-v"],
        ["--api-key=••••", "-v"],
      ],
      [
        ["HF_TOKEN", "CANARY"],
        ["HF_TOKEN", "••••"],
      ],
      [
        ["a", 1, null, ["--token", "CANARY"]],
        ["a", 1, null, ["--token", "••••"]],
      ],
      [
        { name: "Authorization", value: "CANARY" },
        { name: "Authorization", value: "••••" },
      ],
      [
        { name: "MODE", value: "fast" },
        { name: "MODE", value: "fast" },
      ],
    ] as const)
      assert.deepEqual(read(given), shown);
    assert.doesNotMatch(JSON.stringify(redactValue({ args: ["--password", "CANARY"] })), /CANARY/, "in the log, too");
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
});
test("secrets are masked by name and by value", () => {
  rememberSecret("s3cr3t-value");
  assert.doesNotMatch(redactText("x s3cr3t-value y Bearer abcdef"), /s3cr3t|abcdef/);
  const masked = JSON.stringify(
    redactValue({ api_key: "k", nested: { image_login: "-u a -p b", note: "s3cr3t-value" }, env: { A: "1" } }),
  );
  assert.doesNotMatch(masked, /"k"|-u a|s3cr3t|"1"/);
});
test("a value 100,000 levels deep is cut, not followed", () => {
  const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`);
  assert.ok(JSON.stringify(redactValue(deep)).length < 200);
});

test("a secret that a log's bound cuts in two leaves neither half", () => {
  const secret = `tok_${"Q7z".repeat(20)}`;
  rememberSecret(secret);
  for (let before = 1930; before < 2005; before += 1) {
    const shown = String(redactValue(`${"x".repeat(before)}${secret}${"y".repeat(20_000)}`));
    assert.ok(!shown.includes("Q7z"), `${before} characters before it`);
    assert.ok(shown.length <= 2001);
  }
  const many = String(redactValue(`${secret} `.repeat(1000)));
  assert.ok(!many.includes("Q7z"));
});

describe("what a server calls secret", () => {
  const EXIST = "Instance {0} may still exist and may still cost money. {1}";
  const said = (...values: readonly (string | number)[]) => new AppError("server", t(EXIST, ...values)).message;
  const remember = (...secrets: readonly string[]) => {
    for (const secret of secrets) rememberServedSecret(secret);
  };

  test("never hides what we say ourselves, nor a part of it, nor the numbers in it", () => {
    remember(
      "may still cost money",
      "still exist and",
      "Instance 31000001 may still exist",
      "destroyed",
      "31000001 may s",
    );
    assert.equal(said(31_000_001, ""), "Instance 31000001 may still exist and may still cost money.");
    assert.equal(new AppError("server", t("It was destroyed.")).message, "It was destroyed.");
    assert.equal(redactText(t("destroyed")), "destroyed");
    assert.equal(new AppError("server", t("{0}, or {1}", t("destroyed"), "x")).message, "destroyed, or x");
  });

  test("is masked where it is somebody else's, also next to our words", () => {
    remember("money. tail-of-a-secret", "correct horse battery", "hunter2-hunter2", "exist and and more");
    assert.deepEqual([t("tail"), t("secret")], ["tail", "secret"]);
    assert.equal(said(7, "tail-of-a-secret"), `Instance 7 may still exist and may still cost money. ${MASK}`);
    assert.equal(said("hunter2-hunter2", "correct horse battery"), said(MASK, MASK));
    assert.equal(said(7, "exist and and more"), said(7, MASK));
  });

  test("and is made of words that we use as well, is secret all the same", () => {
    assert.equal(t("running"), "running");
    assert.equal(t("nobody"), "nobody");
    assert.equal(t("is up"), "is up");
    const secrets = ["correct running horse", "nobody-running-7", "runningnobody", "running nobody", "cat is upset"];
    remember(...secrets);
    for (const secret of secrets) assert.equal(redactText(`It said ${secret}.`), `It said ${MASK}.`);
  });

  test("never leaves one of the person's own in sight", () => {
    rememberSecret("still-mine");
    assert.equal(t("You have still-mine words here."), "You have still-mine words here.");
    remember("have still-mine words");
    assert.ok(!redactText(t("You have still-mine words here.")).includes("still-mine"));
  });

  test("leaves nothing of the person's own where it overlaps with it", () => {
    rememberSecret("hf_Own0Pq7Rs2Tu4Vw");
    rememberSecret("Tu4Vw-and-one-more");
    const served = [
      "token=hf_Own0",
      '"key": "hf_Own0Pq',
      "Rs2Tu4Vw trailing",
      "have words here. hf_Own0",
      "hf_Own0Pq7",
    ];
    assert.equal(t("You have words here."), "You have words here.");
    remember(...served);
    const texts = [
      ...["token=", '"key": "', "You have words here. ", "", "a b "].map((before) => `${before}hf_Own0Pq7Rs2Tu4Vw`),
      ...["hf_Own0Pq7Rs2Tu4Vw trailing", "hf_Own0Pq7Rs2Tu4Vw-and-one-more", "token=hf_Own0Pq7Rs2Tu4…"],
    ];
    for (const text of texts) assert.doesNotMatch(redactText(text), /Pq|Rs2|Tu4|Vw|more/, text);
    assert.equal(redactText("a b token=hf_Own0Pq7Rs2Tu4Vw, c"), `a b ${MASK}, c`);
  });

  test("holds in every language", () => {
    setTranslator(
      (message) => (message === EXIST ? "实例 {0} 可能仍然存在，并可能仍在产生费用。{1}" : message),
      "zh-cn",
    );
    try {
      remember("可能仍在产生费用", "存在，并可能仍在产生");
      assert.equal(said(7, ""), "实例 7 可能仍然存在，并可能仍在产生费用。");
    } finally {
      setTranslator((message) => message);
    }
  });

  test("costs little, however often it is there", () => {
    remember("a b c d e");
    const text = "a b c d e ".repeat(100_000);
    const { user } = process.cpuUsage();
    assert.doesNotMatch(redactText(text), /a b c d e/);
    const took = (process.cpuUsage().user - user) / 1000;
    const plain = process.cpuUsage().user;
    remember("x-y-z-token-0");
    redactText("x-y-z-token-0 ".repeat(100_000));
    assert.ok(took < 20 * ((process.cpuUsage().user - plain) / 1000 + 10), `${took} ms`);
  });
});
