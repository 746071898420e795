// Which requests to the shared tools are read: those of a program with the token, and of no page in a browser.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { judgeRequest, type RequestHead } from "../../../../../src/services/agent/mcp/judge-request.ts";

const PORT = 40123;
const TOKEN = "t0ken".repeat(8);
const RIGHT: RequestHead = {
  method: "POST",
  url: "/mcp",
  headersDistinct: {
    host: [`127.0.0.1:${PORT}`],
    authorization: [`Bearer ${TOKEN}`],
    "content-type": ["application/json"],
    "content-length": ["100"],
  },
};
const judge = (head: RequestHead) => judgeRequest(head, { port: PORT, token: TOKEN });
const withHeaders = (headers: Readonly<Record<string, string[] | undefined>>): RequestHead => ({
  ...RIGHT,
  headersDistinct: { ...RIGHT.headersDistinct, ...headers },
});

describe("read is", () => {
  for (const [what, head] of Object.entries({
    "what names this computer by its address": RIGHT,
    "or by its name": withHeaders({ host: [`localhost:${PORT}`] }),
    "a type with its charset": withHeaders({ "content-type": ["application/json; charset=utf-8"] }),
    "a type in capitals": withHeaders({ "content-type": ["Application/JSON"] }),
    "a scheme in small letters": withHeaders({ authorization: [`bearer  ${TOKEN}`] }),
    "what doesn't say how long it is": withHeaders({ "content-length": undefined }),
    "the longest that is allowed": withHeaders({ "content-length": ["1000000"] }),
  }))
    test(what, () => assert.equal(judge(head), undefined));
});

describe("refused is", () => {
  const hosts = [
    "example.com",
    `example.com:${PORT}`,
    "127.0.0.1",
    "localhost",
    `127.0.0.1:${PORT + 1}`,
    `127.0.0.1:${PORT}0`,
    `LOCALHOST:${PORT}`,
    `127.0.0.1.example.com:${PORT}`,
    `localhost.:${PORT}`,
    `[::1]:${PORT}`,
    `0.0.0.0:${PORT}`,
    `127.1:${PORT}`,
    `user@127.0.0.1:${PORT}`,
    ` 127.0.0.1:${PORT}`,
    "",
  ];
  for (const host of hosts) test(`the host “${host}”`, () => assert.equal(judge(withHeaders({ host: [host] })), 403));
  test("no host, and two of them", () => {
    assert.equal(judge(withHeaders({ host: undefined })), 403);
    assert.equal(judge(withHeaders({ host: [`127.0.0.1:${PORT}`, `127.0.0.1:${PORT}`] })), 403);
  });

  for (const origin of ["https://example.com", "null", "", `http://127.0.0.1:${PORT}`, `http://localhost:${PORT}`])
    test(`the origin “${origin}”`, () => assert.equal(judge(withHeaders({ origin: [origin] })), 403));

  for (const url of ["/", "/mcp/", "/mcp?a", "//mcp", "/MCP", "/mcp/..", "/.well-known/oauth-protected-resource", "*"])
    test(`the path ${url}, with the token or without`, () => {
      assert.equal(judge({ ...RIGHT, url }), 404);
      assert.equal(judge({ ...withHeaders({ authorization: undefined }), url }), 404);
    });

  const wrong = [
    "",
    "Bearer",
    "Bearer ",
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(0, -1)}`,
    `Bearer ${TOKEN.toUpperCase()}`,
    `Bearer ${TOKEN} ${TOKEN}`,
    `Bearer ${"x".repeat(100_000)}`,
  ];
  for (const authorization of wrong)
    test(`“${authorization.slice(0, 60)}” for a token, whatever the method`, () => {
      const head = withHeaders({ authorization: [authorization] });
      assert.equal(judge(head), 401);
      assert.equal(judge({ ...head, method: "GET" }), 401);
    });
  test("no token, and two", () => {
    assert.equal(judge(withHeaders({ authorization: undefined })), 401);
    assert.equal(judge(withHeaders({ authorization: [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`] })), 401);
  });

  for (const method of ["GET", "DELETE", "HEAD", "PUT", "OPTIONS", "post", undefined])
    test(`the method ${method}`, () => assert.equal(judge({ ...RIGHT, method }), 405));

  for (const type of ["text/plain", "", "application/jsonp", "multipart/form-data", "text/plain;application/json"])
    test(`the type “${type}”`, () => assert.equal(judge(withHeaders({ "content-type": [type] })), 415));
  test("no type, and one that is packed", () => {
    assert.equal(judge(withHeaders({ "content-type": undefined })), 415);
    assert.equal(judge(withHeaders({ "content-encoding": ["gzip"] })), 415);
  });

  test("what says that it is longer", () => {
    assert.equal(judge(withHeaders({ "content-length": ["1000001"] })), 413);
    assert.equal(judge(withHeaders({ "content-length": ["1e99"] })), 413);
  });
});
