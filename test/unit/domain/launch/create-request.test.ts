// The strict body of create instance: what could be read in two ways is never sent.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { CreateInstanceBody, ImageLogin } from "../../../../src/domain/launch/create-request.ts";

/** The message for a body and the field it names, or undefined if the body may be sent. */
function flaw(fields: Readonly<Record<string, unknown>>): string | undefined {
  const parsed = CreateInstanceBody.safeParse({ image: "a/b", ...fields });
  const [first] = parsed.error?.issues ?? [];
  if (first?.code === "invalid_key") return `${first.path.join(".")}: ${first.issues[0]?.message}`;
  return first && `${first.path.join(".")}: ${first.message}`;
}

const isSent = (fields: Readonly<Record<string, unknown>>) =>
  assert.equal(flaw(fields), undefined, JSON.stringify(fields));
const isRefused = (fields: Readonly<Record<string, unknown>>, shape: RegExp) =>
  assert.match(flaw(fields) ?? "nothing", shape, JSON.stringify(fields));

test("a body with every field is sent as it stands", () => {
  const whole = {
    image: "a/b",
    template_hash_id: "abc",
    label: "mine",
    disk: 8,
    runtype: "args",
    target_state: "stopped",
    price: 0.001,
    env: { A: "1" },
    onstart: "echo",
    args_str: "a 'b c'",
    use_jupyter_lab: true,
    jupyter_dir: "/",
    python_utf8: true,
    lang_utf8: true,
    image_login: "-u me -p token registry",
    cancel_unavail: true,
    vm: false,
    volume_info: { create_new: true, volume_id: 1, size: 5, mount_path: "/data" },
  };
  assert.deepEqual(CreateInstanceBody.parse(whole), whole);
  isRefused({ unknown: 1 }, /unknown/i);
});

describe("what runs", () => {
  test("an image or a template, and neither is too little", () => {
    isSent({ image: undefined, template_hash_id: "abc" });
    isRefused({ image: undefined }, /^image: an image or a template/);
    isRefused({ image: "" }, /^image:/);
    isSent({ image: "x".repeat(1024) });
    isRefused({ image: "x".repeat(1025) }, /^image:/);
  });

  test("arguments only where they have an effect", () => {
    isSent({ args_str: "a" });
    isSent({ args_str: "a", runtype: "args" });
    isSent({ runtype: "ssh" });
    isRefused({ args_str: "a", runtype: "ssh" }, /^args_str: only the runtype args/);
    isRefused({ args_str: "'a" }, /^args_str: A quote/);
  });

  test("a script up to what the service takes, without NUL", () => {
    isSent({ onstart: "x".repeat(4048) });
    isRefused({ onstart: "x".repeat(4049) }, /^onstart: the script can't be longer than 4048/);
    isRefused({ onstart: "😀".repeat(2025) }, /^onstart: the script can't be longer/);
    isRefused({ onstart: "a\0b" }, /^onstart: the script can't contain NUL/);
  });
});

test("numbers stay within what the service takes", () => {
  isSent({ disk: 8, price: 128, label: "x".repeat(256) });
  isRefused({ disk: 7.9 }, /^disk:/);
  isRefused({ price: 0.0009 }, /^price:/);
  isRefused({ price: 128.1 }, /^price:/);
  isRefused({ label: "x".repeat(257) }, /^label:/);
});

describe("environment", () => {
  test("names, ports and options", () => {
    for (const key of ["A", "_a", "Ab9_.x", "-p 80:8080", "-p 70000:70000", "-p 1:1/udp", "-h", "-v ab:/cd", "-n net"])
      isSent({ env: { [key]: "1" } });
    for (const key of ["", "9a", "a b", "a-b", "1A", " A", "A ", "-h x", "x-h", "-hh", "-v a", "-v a: b", "-v :b"])
      isRefused({ env: { [key]: "1" } }, /isn't a variable name or an option/);
    for (const key of ["-v", "-v a:", "-v a :b", "x-v a:b", "-n", "-n a b", "x-n a", "-p", "-p ", "-p a b", "x-p 1:1"])
      isRefused({ env: { [key]: "1" } }, /isn't a variable name or an option/);
    for (const key of ["-p 80", "-p 0:80", "-p 80:65536", "-p 8080:8080:8080"])
      isRefused({ env: { [key]: "1" } }, /ports must have the form host:container/);
  });

  test("no NUL in a value", () => isRefused({ env: { A: "a\0" } }, /values can't contain NUL/));
});

test("a registry login is three plain words behind their options", () => {
  assert.equal(ImageLogin.parse("-u me -p to-ken reg.io/x"), "-u me -p to-ken reg.io/x");
  assert.equal(ImageLogin.parse("-u m -p t r"), "-u m -p t r");
  for (const login of [
    "me token registry",
    "-u me -p token",
    "-u  -p token registry",
    "-u me -p  registry",
    "-u -me -p token registry",
    "-u me -p -token registry",
    "-u me -p token -registry",
    "-u m'e -p token registry",
    '-u me -p to"ken registry',
    "-u me -p token regi'stry",
    "-u 'me -p token registry",
    "-u me -p 'token registry",
    "-u me -p token 'registry",
    "-u me -p token reg istry",
    " -u me -p token registry",
    "x-u me -p token registry",
    "-u me -p token registry ",
    "-u me -p token registry\n",
    "-u m\te -p token registry",
    "-u me -p to ken registry",
  ])
    assert.match(ImageLogin.safeParse(login).error?.message ?? "", /must have the form -u user/, login);
});

describe("volumes", () => {
  const volume = (fields: Readonly<Record<string, unknown>>) => ({
    volume_info: { volume_id: 1, mount_path: "/data", ...fields },
  });

  test("a new one has a size, an existing one has none", () => {
    isSent(volume({}));
    isSent(volume({ create_new: false }));
    isSent(volume({ create_new: true, size: 0.5 }));
    isRefused(volume({ create_new: true }), /^volume_info.size: a new volume needs a size/);
    isRefused(volume({ size: 5 }), /^volume_info.size: only a new volume/);
    isRefused(volume({ create_new: false, size: 5 }), /^volume_info.size: only a new volume/);
    isRefused(volume({ create_new: true, size: 0 }), /^volume_info.size:/);
    isRefused(volume({ volume_id: 0 }), /^volume_info.volume_id:/);
    isRefused(volume({ extra: 1 }), /extra/);
  });

  test("it is mounted below /, without ..", () => {
    for (const path of ["/data", "/a/b", "/..a", "/a..", "/a/..b/c", "/...", "/d"])
      isSent(volume({ mount_path: path }));
    for (const path of ["/", "data", "", "/..", "/../a", "/a/..", "/a/../b", "x/a", "/a/b/../c", "/a\n/.."])
      isRefused(volume({ mount_path: path }), /absolute path below \/, without/);
  });
});
