// What is known of a machine's notebook servers.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { readJupyterList, readJupyterServer } from "../../../../src/domain/port/jupyter-server.ts";

const line = (more: object) => JSON.stringify({ base_url: "/", password: false, port: 8888, token: "abc", ...more });

describe("the list that a machine prints", () => {
  test("names the servers that a token opens, among whatever a profile prints", () =>
    assert.deepEqual(readJupyterList(`welcome\n${line({})}\n${line({ port: 8889, token: "" })}\n`), [
      { port: 8888, token: "abc" },
      { port: 8889, token: "" },
    ]));
  const useless: readonly [what: string, printed: string][] = [
    ["a server behind a password", line({ password: true })],
    ["one that isn't at the root", line({ base_url: "/hub/" })],
    ["one whose port isn't known yet", line({ port: 0 })],
    ["a token that would end an address", line({ token: "a&b=c\n" })],
    ["nothing", ""],
    ["no list", "[1, 2]\nnull\n{"],
  ];
  for (const [what, printed] of useless)
    test(`passes over ${what}`, () => assert.deepEqual(readJupyterList(printed), []));
  test("says that there is no Jupyter", () => assert.equal(readJupyterList("hello\nno jupyter\n"), "missing"));
});

describe("the server that an image is started with", () => {
  const image_runtype = "jupyter_direc ssh_direc ssh_proxy";
  const env = (...pairs: readonly (readonly [string, string])[]) => new Map(pairs);
  test("is on 8080 with the token that the service lists", () =>
    assert.deepEqual(readJupyterServer({ image_runtype, jupyter_token: "abc", extra_env: undefined }), {
      port: 8080,
      token: "abc",
    }));
  test("is where its environment says", () => {
    const extra_env = env(["JUPYTER_PORT", "9000"], ["JUPYTER_TOKEN", "mine"]);
    assert.deepEqual(readJupyterServer({ image_runtype, jupyter_token: "abc", extra_env }), {
      port: 9000,
      token: "mine",
    });
  });
  test("may have a token in base64", () => {
    for (const token of ["dGVzdA==", "a+b/c="])
      assert.equal(
        readJupyterServer({ image_runtype, jupyter_token: "abc", extra_env: env(["JUPYTER_TOKEN", token]) })?.token,
        token,
      );
  });
  test("keeps its port if the environment names none", () => {
    const extra_env = env(["JUPYTER_PORT", "70000"]);
    assert.equal(readJupyterServer({ image_runtype, jupyter_token: "abc", extra_env })?.port, 8080);
  });
  for (const [what, instance] of [
    ["of a machine with SSH only", { image_runtype: "ssh_direct", jupyter_token: "abc" }],
    ["without a token", { image_runtype, jupyter_token: "" }],
    ["with a token that is none", { image_runtype, jupyter_token: "a b" }],
  ] as const)
    test(`is unknown ${what}`, () => assert.equal(readJupyterServer({ extra_env: undefined, ...instance }), undefined));
});
