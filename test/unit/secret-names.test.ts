// One opinion on which names are secret, and secrets kept out of texts whatever the texts and the secrets are made of.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { AppError } from "../../src/domain/base/error.ts";
import { envProblems } from "../../src/domain/template/env-lint.ts";
import { createLog } from "../../src/lib/log.ts";
import {
  MASK,
  maskSecrets,
  redactForReading,
  redactText,
  redactValue,
  rememberSecret,
  rememberServedSecret,
} from "../../src/lib/redact.ts";
import { isSecretName } from "../../src/lib/secret-name.ts";
import { redactLine } from "../../src/sandbox/http/request-line.ts";

const SECRET =
  `OPENAI_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY DB_PASS HF_TOKEN api_key apiKey PGPASSWORD DOCKER_AUTH
  jupyter_token token password passwd secret client_secret webhook_secret instance_api_key docker_login_pass image_login
  private_key ssh-key GITHUB_PAT authorization Authorization cookie credentials MYSQL_ROOT_PASSWORD hftoken APIKEY API_KEYS
  openai.api.key awsSecretAccessKey OPENAI_KEY_2 --api-key DB_PWD ACCESS_TOKENS JWT PGPASS basicAuth`.split(/\s+/);
const OPEN =
  `KEYBOARD MONKEY TOKENIZERS_PARALLELISM COMPASS PASSENGER_COUNT PYTHONPATH AUTHOR max_tokens PATH PWD OLDPWD
  public_key key_type key_name api_key_id num_keys TOKENIZER_PATH PASSWORD_FILE AUTH_URL SECRET_NAME docker_login_user
  docker_login_repo author authority bypass TURKEY tokens hockey gpu_name login_count PATTERN patch -e A 1 _ secretary`.split(
    /\s+/,
  );

describe("names of secrets", () => {
  for (const name of SECRET) test(`${name} is one`, () => assert.equal(isSecretName(name), true));
  for (const name of OPEN) test(`${name} is none`, () => assert.equal(isSecretName(name), false));

  test("are the same for the lint, the log, the page of a record, scripts and the sandbox's request log", () => {
    for (const [name, isSecret] of [
      ...SECRET.map((one) => [one, true] as const),
      ...OPEN.map((one) => [one, false] as const),
    ]) {
      const value = "CANARY-0";
      if (/^[A-Za-z_][A-Za-z0-9_.]*$/.test(name)) {
        const warned = envProblems(`-e ${name}=${value}`, true).length > 0;
        assert.equal(warned, isSecret, `lint: ${name}`);
        assert.equal(maskSecrets(`${name}=${value}`).includes(value), !isSecret, `script: ${name}`);
      }
      const record = { [name]: value };
      assert.equal(JSON.stringify(redactValue(record)).includes(value), !isSecret, `log: ${name}`);
      assert.equal(JSON.stringify(redactForReading(record)).includes(value), !isSecret, `record: ${name}`);
      const line = redactLine({ time: "", method: "PUT", path: "/", query: {}, body: record, status: 200 });
      assert.equal(JSON.stringify(line).includes(value), !isSecret, `request log: ${name}`);
    }
  });
});

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

test("whatever is logged, the log does not throw", () => {
  const lines: string[] = [];
  const log = createLog((_, line) => lines.push(line));
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  const hostile = Object.defineProperty(new Error("x"), "message", {
    get: () => {
      throw new Error("no");
    },
  });
  const throwing = Object.defineProperty({}, "value", {
    enumerable: true,
    get: () => {
      throw new Error("no");
    },
  });
  for (const detail of [
    1n,
    Symbol("s"),
    () => 1,
    cyclic,
    { toJSON: () => 1n },
    "\ud800",
    hostile,
    throwing,
    null,
    Number.NaN,
  ])
    log.error("it happened", detail);
  assert.ok(lines.length >= 9, "only what cannot be read at all is left out");
  const closed = createLog(() => {
    throw new Error("the channel is closed");
  });
  closed.info("still here");
});
