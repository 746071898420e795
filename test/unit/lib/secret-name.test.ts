// One opinion on which names are secret.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findEnvProblems } from "../../../src/domain/template/environment/env-lint.ts";
import { maskSecrets, redactForReading, redactValue } from "../../../src/lib/redact.ts";
import { isSecretName } from "../../../src/lib/secret-name.ts";
import { redactLine } from "../../../src/sandbox/http/request-line.ts";

const SECRET =
  `OPENAI_KEY AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY DB_PASS HF_TOKEN api_key apiKey PGPASSWORD DOCKER_AUTH
  jupyter_token token password passwd secret client_secret webhook_secret instance_api_key docker_login_pass image_login
  private_key ssh-key GITHUB_PAT authorization Authorization cookie credentials MYSQL_ROOT_PASSWORD hftoken APIKEY API_KEYS
  openai.api.key awsSecretAccessKey OPENAI_KEY_2 --api-key DB_PWD ACCESS_TOKENS JWT PGPASS basicAuth
  API_KEY_VALUE ssh_key_value STOP_TOKEN_SECRET`.split(/\s+/);
const OPEN =
  `KEYBOARD MONKEY TOKENIZERS_PARALLELISM COMPASS PASSENGER_COUNT PYTHONPATH AUTHOR max_tokens PATH PWD OLDPWD
  public_key key_type key_name api_key_id num_keys TOKENIZER_PATH PASSWORD_FILE AUTH_URL SECRET_NAME docker_login_user
  PAD_TOKEN EOS_TOKEN image_token NUM_KEY_VALUE_HEADS KEY_FRAMES n_key_value_heads key_point keyCode
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
        const warned = findEnvProblems(`-e ${name}=${value}`, "public").length > 0;
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
