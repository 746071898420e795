// Secrets through everything that connects to a machine: they are in no argument and no environment of a program, in no file, no log,
// no message, and no request but the one that they are for.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, test } from "node:test";
import { findForms, formsOf } from "../secret-forms.ts";
import { LISTED, PASSPHRASE, VARIABLE, type Walked, walk } from "./connection-walk.ts";

const HAS_SSH = ["ssh", "ssh-keygen"].every((name) => spawnSync(name, ["-?"], { stdio: "ignore" }).error === undefined);
const skip = (!HAS_SSH || process.platform === "win32") && "needs OpenSSH and a POSIX shell";

let walked: Walked;

/** By the names that a failure calls them. */
function secretsOf({ service, token, started, ownKeys, requests }: Walked): ReadonlyMap<string, readonly string[]> {
  const log = requests.logs[0]?.split("/").at(-1) ?? "";
  const texts = {
    ...{ "the API key": service.apiKey, "a variable": VARIABLE, "a passphrase": PASSPHRASE },
    ...{ "the service's token": token, "a listed token": LISTED, "a new token": started, "a log's address": log },
  };
  for (const [name, secret] of Object.entries(texts)) assert.ok(secret.length >= 16, `${name} is known`);
  const forms = Object.entries(texts).map(([name, secret]) => [name, formsOf(secret)] as const);
  return new Map([...forms, ["a private key", ownKeys.forms.open], ["a locked key", ownKeys.forms.locked]]);
}

const find = (texts: Iterable<string>) => findForms(texts, secretsOf(walked));

/** A list may be replaced by the next one at any time. */
const goneSince = () => "";

/** Every file of the person's folder, with its name. */
async function readFiles(root: string, without: readonly string[]): Promise<readonly string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const meant = files.filter((file) => !without.includes(file));
  return await Promise.all(meant.map(async (file) => `${file}\n${await readFile(file, "latin1").catch(goneSince)}`));
}

/** What was looked through holds what is sure to be there. */
function assertHolds(texts: Iterable<string>, parts: readonly RegExp[]): void {
  const all = [...texts];
  for (const part of parts)
    assert.ok(
      all.some((text) => part.test(text)),
      `${part} is there`,
    );
}

describe("a secret of a connection", { skip }, () => {
  before(async () => {
    walked = await walk();
  });

  test("is found in each of its forms where it is", () => {
    for (const [name, forms] of secretsOf(walked))
      for (const form of forms) {
        assert.ok(form.length >= 12, name);
        assert.ok(
          find([`before ${form} after`]).some((hit) => hit.startsWith(`${name}: `)),
          name,
        );
      }
  });

  test("is in no argument and no environment of a program, here or on the machine", () => {
    const { ours, there } = walked.programs;
    assertHolds(ours, [
      /ssh-keyscan/,
      /ssh-add/,
      /BatchMode=yes/,
      /ExitOnForwardFailure=yes/,
      /ClearAllForwardings=yes/,
    ]);
    assertHolds(ours, [/(?:^|\0)HOME=/]);
    assertHolds(there, [/read -r JUPYTER_TOKEN/]);
    assert.deepEqual(find([...ours, ...there]), []);
  });

  test("is in no file and no setting", async () => {
    const { userData, ownKeys } = walked;
    const files = await readFiles(userData.root, [ownKeys.open, ownKeys.locked]);
    const lines = files.map((file) => file.split("\n", 1)[0] ?? "");
    assertHolds(lines, [/known_hosts$/, /\/terminal$/, /\/machines\//, /\/ssh\/config$/, /\/downloads\//]);
    const { baseUrl, notes, workspaceNotes, profiles } = userData;
    const kept = [notes, workspaceNotes, profiles].map((map) => JSON.stringify([...map]));
    assert.deepEqual(find([baseUrl, ...kept, ...files]), []);
  });

  test("is in no log line, no error and nothing that is shown", () => {
    const { said } = walked;
    assertHolds(said, [
      /^debug /,
      /jupyter_token/,
      /Port 6006 of instance/,
      /add the key to your agent/,
      /no longer in/,
    ]);
    assertHolds(said, [/^x{100}/, /reported an error/]);
    assert.deepEqual(find(said), []);
  });

  test("is in no address that is asked for, and nothing else that is sent to the service", () => {
    const { addresses, sent } = walked.requests;
    assertHolds(addresses, [/\/ssh\//, /\/request_logs\//]);
    assertHolds(sent, [/ssh-ed25519 /]);
    assert.deepEqual(find([...addresses, ...sent]), []);
  });

  test("is not read from the file of a private key, which `ssh` alone opens", () => {
    const { opened, ownKeys } = walked;
    assert.ok(opened.has(`${ownKeys.open}.pub`), "files that are opened are seen");
    const read = [ownKeys.open, ownKeys.locked].filter((file) => opened.has(file));
    assert.deepEqual(read, []);
  });
});
