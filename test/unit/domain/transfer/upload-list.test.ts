// What of a folder is uploaded: what looks secret, which rules are followed, and when the person is asked again.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import {
  findLargest,
  hasOutgrown,
  isPrivateKeyText,
  isQuickPattern,
  isSecretPath,
  mayBePrivateKey,
  type UploadList,
} from "../../../../src/domain/transfer/upload-list.ts";

const SECRET = [
  ...[
    ".env",
    "app/.env",
    ".env.local",
    ".env.production",
    "prod.env",
    ".envrc",
    ".netrc",
    "_netrc",
    ".npmrc",
    ".pypirc",
  ],
  ...["server.pem", "tls.key", "me.p12", "me.PFX", "putty.ppk", "vault.kdbx", "store.jks", "office.ovpn"],
  ...["id_rsa", "id_ed25519", "id_ed25519_sk", "ID_DSA", "a/b/id_rsa"],
  ...["credentials", "aws-credentials.json", "Credentials.csv", "client_secret_12.json", "service-account.json"],
  ...["service_account_prod.json", "secrets.yaml", "secret.toml", ".git-credentials", "kubeconfig", "kaggle.json"],
  ...[".ssh", ".aws", "home/.gnupg", ".kube", ".docker", ".config/gcloud", ".pgpass", ".htpasswd"],
];
const PLAIN = [
  ...[".env.example", ".env.sample", "prod.env.template", "config.dist", "environment.yml", "env.py", "monkey.py"],
  ...["id_rsa.pub", "id_ed25519.pub", "id_map.json", "id_to_label.csv", "hidden.txt", "keys.py", "keyboard.txt"],
  ...["secretary.txt", "secrets.py", "train.py", "README.md", "my.pem.txt", "Dockerfile", ".gitignore", "aws", "ssh"],
];

/** Folders in which programs keep keys stay as they are; those that are only named like a key go. */
const SECRET_AS_FOLDER = [".ssh", ".aws", "a/.gnupg", ".env", ".env.d", "kubeconfig", "credentials", "aws-credentials"];
const PLAIN_AS_FOLDER = [
  ...["data/id_val", "data/id_rsa_images", "id_ecdsa", "lunar_lander.env", "answers.key", "scans.pem"],
  ...["credentials_images", "service_account.json", "secrets.yaml", "aws", "id_train.old"],
];

describe("looks secret", () => {
  for (const path of SECRET) test(path, () => assert.ok(isSecretPath(path, false)));
  for (const path of SECRET_AS_FOLDER) test(`${path}/`, () => assert.ok(isSecretPath(path, true)));
});
describe("doesn't look secret", () => {
  for (const path of PLAIN) test(path, () => assert.ok(!isSecretPath(path, false)));
  for (const path of PLAIN_AS_FOLDER) test(`${path}/`, () => assert.ok(!isSecretPath(path, true)));
});

test("a file that may be a key by its name is told by what it begins with", () => {
  for (const path of ["id_work", "a/id_rsa.old", "id_ed25519-prod", "id_val", "id_rsa_images.csv"])
    assert.ok(mayBePrivateKey(path), path);
  for (const path of ["id_rsa.pub", "id_work-cert.pub", "id_map.json", "ids", "valid_rsa"])
    assert.ok(!mayBePrivateKey(path), path);
  for (const text of [
    "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blbn",
    "-----BEGIN PRIVATE KEY-----\r\n",
    "Bag Attributes\n    friendlyName: me\n-----BEGIN ENCRYPTED PRIVATE KEY-----\n",
    "-----BEGIN RSA PRIVATE KEY-----",
    "PuTTY-User-Key-File-3: ssh-ed25519",
    "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
    "# created: 2025-01-01\nAGE-SECRET-KEY-1QQ",
  ])
    assert.ok(isPrivateKeyText(text), text);
  for (const text of ["", "0001 cat\n0002 dog\n", "ssh-ed25519 AAAA me@here", "-----BEGIN CERTIFICATE-----\n"])
    assert.ok(!isPrivateKeyText(text), text);
});

test("a pattern that takes long to match is told from those that people write", () => {
  for (const line of [
    "*.py[cod]",
    "**/node_modules/**",
    "/build/",
    "!keep",
    "# ****** a comment",
    "a/*/b/*/c*.*",
    "**/a/**/b/**",
  ])
    assert.ok(isQuickPattern(line), line);
  for (const line of ["*a*a*a*a*a*b", "**/a/**/b/**/c/**/d", "x".repeat(1001)]) assert.ok(!isQuickPattern(line), line);
});

const listOf = (sizes: readonly number[]): UploadList => ({
  files: sizes.map((size, at) => ({ path: `${at}`, size, isExecutable: false })),
  ...{ folders: [], bytes: sizes.reduce((sum, size) => sum + size, 0), secrets: [], links: 0, specials: 0 },
  unreadable: [],
});

test("the largest files come first, and none that is larger is missing", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(50), { maxLength: 40 }), fc.integer({ min: 1, max: 6 }), (sizes, most) => {
      const expected = [...sizes].sort((a, b) => b - a).slice(0, most);
      assert.deepEqual(
        findLargest(listOf(sizes), most).map(({ size }) => size),
        expected,
      );
    }),
  );
});

test("the person is asked again for more than twice the files or bytes", () => {
  const agreed = { files: 2, bytes: 100 };
  assert.ok(!hasOutgrown(listOf([50, 50, 50, 50]), agreed));
  assert.ok(hasOutgrown(listOf([1, 1, 1, 1, 1]), agreed));
  assert.ok(hasOutgrown(listOf([201]), agreed));
  assert.ok(!hasOutgrown(listOf([]), agreed));
});
