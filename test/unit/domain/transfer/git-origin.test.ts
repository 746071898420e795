// What a repository's files say of where it came from, and which addresses anyone may fetch from.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findPackedCommit,
  formatOrigin,
  readBranch,
  readCommit,
  readOriginUrl,
  toPublicUrl,
} from "../../../../src/domain/transfer/git-origin.ts";

const A = "a".repeat(40);
const B = "b".repeat(40);

test("an address by HTTPS has neither a name nor a password, and no other kind is fetched from", () => {
  for (const [given, url] of [
    ["https://github.com/me/x.git", "https://github.com/me/x.git"],
    ["https://me:token@github.com/me/x", "https://github.com/me/x"],
    ["https://git.example:8443/a/b.git", "https://git.example:8443/a/b.git"],
    ["git@github.com:me/x.git", "https://github.com/me/x.git"],
    ["ssh://git@gitlab.com:22/me/x.git", "https://gitlab.com/me/x.git"],
    ["ssh://git@gitlab.com/me/x.git", "https://gitlab.com/me/x.git"],
    ["http://github.com/me/x.git", undefined],
    ["file:///home/me/x", undefined],
    ["/home/me/x", undefined],
    ["../x", undefined],
    ["ext::sh -c id", undefined],
    ["https://-upload-pack=id/x", undefined],
    ["https://github.com/me/../../x", undefined],
    ["https://github.com/me/x;id", undefined],
    ["https://github.com/$(id)", undefined],
    ["git@github.com:me/x.git --upload-pack=id", undefined],
    ["", undefined],
  ] as const)
    assert.equal(toPublicUrl(given), url, given);
  assert.equal(formatOrigin({ url: "https://github.com/me/x.git" }), "github.com/me/x");
});

test("what only the person's own computer or network knows by that name is no public address", () => {
  for (const host of [
    ...["github-work", "github.com-work", "gitlab", "localhost", "git.localhost", "nas.local", "git.corp", "git.lan"],
    ...[
      "git.internal",
      "code.intranet",
      "git.home.arpa",
      "127.0.0.1",
      "10.0.0.5",
      "192.168.1.2",
      "8.8.8.8",
      "0x7f.0x1",
    ],
    ...[
      "2130706433",
      "[::1]",
      "[fd00::1]",
      "a..com",
      "-a.com",
      "a-.com",
      "com",
      ".com",
      "a.com.",
      `${"a".repeat(64)}.com`,
    ],
  ])
    for (const url of [`https://${host}/me/x`, `ssh://git@${host}/me/x`, `git@${host}:me/x`])
      assert.equal(toPublicUrl(url), undefined, url);
  for (const host of [
    "github.com",
    "git.sr.ht",
    "a-b.example.co.uk",
    "git.xn--p1ai",
    "local.example.com",
    "1.example.com",
  ])
    assert.equal(toPublicUrl(`git@${host}:me/x`), `https://${host}/me/x`);
});

test("a branch has no name that git or a shell could take for something else", () => {
  for (const [head, branch] of [
    ["ref: refs/heads/main\n", "main"],
    ["ref: refs/heads/feat/two-words_3\n", "feat/two-words_3"],
    ["ref: refs/heads/-x\n", undefined],
    ["ref: refs/heads/a..b\n", undefined],
    ["ref: refs/heads/a b\n", undefined],
    ["ref: refs/heads/$(id)\n", undefined],
    ["ref: refs/heads/x.lock\n", undefined],
    ["ref: refs/tags/v1\n", undefined],
    [`${A}\n`, undefined],
    ["", undefined],
  ] as const)
    assert.equal(readBranch(head), branch, head);
});

test("a commit is read from its own file, and from a list", () => {
  assert.equal(readCommit(`${A}\n`), A);
  assert.equal(readCommit("a".repeat(64)), "a".repeat(64));
  for (const text of ["", "ref: refs/heads/main", A.slice(1), `${A} x`]) assert.equal(readCommit(text), undefined);
  const packed = `# pack-refs with: peeled fully-peeled sorted\n${A} refs/heads/main\n${B} refs/remotes/origin/main\n^${A}\n`;
  assert.equal(findPackedCommit(packed, "refs/remotes/origin/main"), B);
  assert.equal(findPackedCommit(packed, "refs/remotes/origin/other"), undefined);
});

test("the address of origin is read, and no other remote's", () => {
  const config = `[core]\n\tbare = false\n[remote "upstream"]\n\turl = https://a.example/up\n[remote "origin"]\n\turl = "https://a.example/x"\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n`;
  assert.equal(readOriginUrl(config), "https://a.example/x");
  assert.equal(readOriginUrl('[remote "upstream"]\n\turl = https://a.example/up\n'), undefined);
  assert.equal(readOriginUrl(""), undefined);
});
