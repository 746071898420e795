// How a response is read: what counts as done, as a refusal and of which kind, and what a busy service asks for.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  createRefusal,
  createTransientError,
  createUnconfirmed,
  createUnexpectedReply,
  hasError,
  isQueued,
  listOrNone,
  readReply,
  readRetryAfter,
} from "../../../src/api/reply.ts";
import type { EndpointRow } from "../../../src/api/table/endpoint.ts";
import { type EndpointName, endpoints } from "../../../src/api/table/endpoints.ts";
import { AppError, type ErrorKind } from "../../../src/domain/base/error.ts";
import { rememberSecret } from "../../../src/lib/redact.ts";

type Content = string | object;

function read(name: EndpointName, status: number, body: Content, retryAfter?: string, id = 41): unknown {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const row: EndpointRow = endpoints[name];
  return readReply(name, row, { status, text, retryAfter }, id);
}

function thrown(work: () => unknown): AppError {
  try {
    const value = work();
    return assert.fail(`it should have failed, not answered ${JSON.stringify(value)}`);
  } catch (error) {
    assert.ok(error instanceof AppError, String(error));
    return error;
  }
}

const error = (...args: Parameters<typeof read>) => thrown(() => read(...args));

test("the seconds a busy service asks for are kept where they make sense, and bounded", () => {
  const cases: readonly (readonly [header: string | undefined, text: string, seconds: number])[] = [
    ["1", "", 1],
    ["60", "", 60],
    ["86400", "", 60],
    ["0", "", 0],
    ["-5", "", 5],
    ["soon", "", 5],
    ["Infinity", "", 5],
    ["Wed, 21 Oct 2026 07:28:00 GMT", "", 5],
    ["", "", 5],
    [" ", "", 5],
    [undefined, "", 5],
    [undefined, "API requests too frequent: endpoint threshold=4.5", 4.5],
    [undefined, "threshold=99999", 60],
    [undefined, "threshold=0", 5],
    [undefined, "threshold=.", 5],
    [undefined, "threshold=12 threshold=7", 12],
    [undefined, `${"x".repeat(1987)}threshold=45`, 45],
    [undefined, `${"x".repeat(1990)}threshold=45`, 5],
    ["7", "threshold=4.5", 7],
  ];
  for (const [header, text, seconds] of cases) assert.equal(readRetryAfter(header, text), seconds, `${header} ${text}`);
});

describe("the kind of a refusal", () => {
  type Case = readonly [name: EndpointName, status: number, body: Content, kind: ErrorKind];

  const holds = (cases: readonly Case[]) => {
    for (const [name, status, body, kind] of cases) {
      const { kind: actual, facts } = error(name, status, body);
      assert.equal(actual, kind, `${name} ${status} ${JSON.stringify(body)}`);
      assert.deepEqual([facts.operation, facts.status], [name, status]);
    }
  };

  test("what a failing server says about the rest is not believed", () =>
    holds([
      ["createInstance", 500, { error: "auth_error" }, "server"],
      ["createInstance", 503, { msg: "no_such_ask" }, "server"],
      ["createInstance", 501, "", "server"],
      ["listInstances", 501, "", "unsupported"],
      ["listInstances", 500, "", "server"],
    ]));

  test("words come before the status", () =>
    holds([
      ["createInstance", 404, { error: "AUTH_ERROR" }, "key-refused"],
      ["createInstance", 400, { msg: "Invalid user key" }, "key-refused"],
      ["createInstance", 400, "invalid API key", "key-refused"],
      ["createInstance", 400, { msg: "you lack credit" }, "no-credit"],
      ["createInstance", 400, { msg: "Insufficient credit" }, "no-credit"],
      ["createInstance", 400, { error: "insufficient_credit" }, "no-credit"],
      ["createInstance", 429, { error: "spend_rate_limit" }, "no-credit"],
      ["createInstance", 403, { error: "missing_billing" }, "no-credit"],
      ["createInstance", 400, { msg: "no_such_ask 3" }, "gone"],
      ["createInstance", 400, { error: "NO_SUCH_ASK" }, "gone"],
      ["createInstance", 400, { error: "a", msg: "uth_error" }, "rejected"],
      ["createInstance", 400, { error: "rate_limit_exceeded" }, "too-fast"],
      ["createInstance", 400, { msg: "API requests Too Frequent" }, "too-fast"],
      ["createInstance", 429, "", "too-fast"],
    ]));

  test("but not those that the service only quotes: they are a name that somebody chose", () => {
    for (const name of ["Invalid API key checker", "rate_limit_exceeded", "insufficient_credit"])
      assert.equal(error("createTemplate", 400, { msg: `the name '${name}' is taken` }).kind, "rejected", name);
  });

  test("a 401 for a right the key lacks does not refuse the key", () =>
    holds([
      ["deleteTemplate", 401, "", "key-refused"],
      ["deleteTemplate", 401, { msg: "Please sign in" }, "key-refused"],
      ["deleteTemplate", 401, { error: "owner", msg: "no" }, "key-refused"],
      ["deleteTemplate", 401, { msg: "Two Factor wanted" }, "not-allowed"],
      ["deleteTemplate", 401, { msg: "You lack Permission" }, "not-allowed"],
      ["deleteTemplate", 401, { msg: "the creator only" }, "not-allowed"],
      ["deleteTemplate", 401, { msg: "the owner only" }, "not-allowed"],
      ["deleteTemplate", 403, "", "not-allowed"],
      ["deleteTemplate", 403, { msg: "no" }, "not-allowed"],
    ]));

  test("what is refused without a better word", () =>
    holds([
      ["createInstance", 400, "", "rejected"],
      ["createInstance", 405, "", "rejected"],
      ["listInstances", 405, "", "unsupported"],
      ["listInstances", 400, "", "rejected"],
      ["createInstance", 302, "", "rejected"],
      ["createInstance", 199, {}, "rejected"],
      ["createInstance", 300, {}, "rejected"],
    ]));

  test("absent is what the service says is absent; an extra may be what is absent", () =>
    holds([
      ["createInstance", 404, "", "not-found"],
      ["createInstance", 410, "", "gone"],
      ["deleteApiKey", 404, "", "not-found"],
      ["deleteApiKey", 410, "", "not-found"],
      ["listInstances", 404, "", "unsupported"],
      ["listInstances", 404, { error: "no_such_thing" }, "unsupported"],
      ["rebootInstance", 404, "", "unsupported"],
      ["rebootInstance", 404, { error: "no_such_instance" }, "not-found"],
      ["rebootInstance", 404, { error: "invalid_id" }, "not-found"],
      ["rebootInstance", 404, { error: "no_such_path" }, "unsupported"],
      ["rebootInstance", 410, { error: "no_such_instance" }, "unsupported"],
      ["rebootInstance", 404, { msg: "no_such_instance" }, "unsupported"],
    ]));

  test("of an instance: only the service's own word about exactly this one", () =>
    holds([
      ["getInstance", 404, { error: "no_such_instance", msg: "Instance 41 does not exist." }, "not-found"],
      ["getInstance", 410, { error: "no_such_instance" }, "not-found"],
      ["getInstance", 404, { error: "no_such_contract", msg: "41" }, "not-found"],
      ["getInstance", 404, { error: "invalid_id", msg: "41" }, "not-found"],
      ["getInstance", 404, { error: "invalid_instance_id", msg: "instance 41" }, "not-found"],
      ["getInstance", 404, { error: "invalid_instance", msg: "instance 41" }, "not-found"],
      ["getInstance", 404, { error: "not_found", msg: "7 and 41" }, "not-found"],
      ["getInstance", 404, { error: "not_found", msg: "gone" }, "unexpected-reply"],
      ["getInstance", 404, { error: "invalid_id", msg: "gone" }, "unexpected-reply"],
      ["getInstance", 404, { error: "no_such_instance", msg: "42" }, "unexpected-reply"],
      ["getInstance", 404, { error: "no_such_instance", msg: "410" }, "unexpected-reply"],
      ["getInstance", 404, { error: "not_found_x", msg: "41" }, "unexpected-reply"],
      ["getInstance", 404, { error: "x_not_found", msg: "41" }, "unexpected-reply"],
      ["getInstance", 404, { error: "no_such_", msg: "41" }, "unexpected-reply"],
      ["getInstance", 404, { error: "no_such_path", msg: "41" }, "unexpected-reply"],
      ["getInstance", 404, { error: "not_found", msg: "No such path /41/" }, "unexpected-reply"],
      ["getInstance", 404, "Instance 41 not_found", "unexpected-reply"],
      ["getInstance", 404, "", "unexpected-reply"],
    ]));

  test("of an extra about an instance: a router without the path says that the extra is missing", () =>
    holds([
      ["destroyInstance", 404, { error: "no_such_path" }, "unsupported"],
      ["destroyInstance", 404, { error: "no_such_route" }, "unsupported"],
      ["destroyInstance", 404, { error: "deprecated_endpoint" }, "unsupported"],
      ["destroyInstance", 404, { msg: "No Such Path" }, "unsupported"],
      ["destroyInstance", 404, { msg: "no such route" }, "unsupported"],
      ["destroyInstance", 404, { msg: "no such endpoint" }, "unsupported"],
      ["destroyInstance", 404, { msg: "no such thing" }, "unexpected-reply"],
      ["destroyInstance", 404, "", "unexpected-reply"],
    ]));
});

describe("the sentence of a refusal", () => {
  const holds = (cases: readonly (readonly [args: Parameters<typeof read>, sentence: string])[]) => {
    for (const [args, sentence] of cases) assert.equal(error(...args).message, sentence);
  };

  test("with what the service said, where that helps", () =>
    holds([
      [
        ["createInstance", 401, { msg: "secret words" }],
        "The service doesn't accept the API key. Sign in with another key.",
      ],
      [["createInstance", 403, { msg: "Not yours." }], "The API key doesn't have permission to do this. Not yours."],
      [["createInstance", 403, ""], "The API key doesn't have permission to do this."],
      [["createInstance", 400, { msg: "no_such_ask 3" }], "That offer was just taken."],
      [
        ["createInstance", 400, { msg: "You lack credit" }],
        "The account doesn't have enough credit or a payment method. You lack credit",
      ],
      [["createInstance", 429, { msg: "Stop it" }], "Too many requests. Wait a moment, then try again."],
      [["createInstance", 502, "boom"], "The service reported an internal error (502). boom"],
      [["listInstances", 404, { msg: "boom" }], "This service doesn't support that (404)."],
      [["getInstance", 404, "x"], "Unexpected response (status 404). The service may be temporarily unavailable."],
      [["deleteApiKey", 404, ""], "This no longer exists on the service."],
      [["deleteApiKey", 404, { msg: "API Key not found." }], "API Key not found."],
      [["createInstance", 400, ""], "The service refused the request (400) and gave no reason."],
      [["createInstance", 400, { msg: "No." }], "No."],
    ]));

  test("from the first envelope that holds one, without its status prefix", () =>
    holds([
      [["createInstance", 400, { msg: "a", message: "b" }], "a"],
      [["createInstance", 400, { msg: " ", message: "b", detail: "c" }], "b"],
      [["createInstance", 400, { msg: 5, detail: "c", error_msg: "d" }], "c"],
      [["createInstance", 400, { error_msg: "d", error: "e" }], "d"],
      [["createInstance", 400, { error: "E" }], "E"],
      [["createInstance", 400, '"text"'], "text"],
      [["createInstance", 400, "plain"], "plain"],
      [["createInstance", 400, { msg: "error 400/3603: why" }], "why"],
      [["createInstance", 400, { msg: "Error 400: why" }], "why"],
      [["createInstance", 400, { msg: "an error 400: why" }], "an error 400: why"],
      [["createInstance", 400, { msg: "error 40: why" }], "error 40: why"],
      [["createInstance", 400, { msg: "error 400/: why" }], "error 400/: why"],
      [["createInstance", 400, "<html>a</html>"], "The service refused the request (400) and gave no reason."],
      [["createInstance", 400, "null"], "The service refused the request (400) and gave no reason."],
      [["createInstance", 400, "5"], "The service refused the request (400) and gave no reason."],
    ]));

  test("and at most 300 characters of it, however it is wrapped", () => {
    for (const body of ["x".repeat(400), `"${"x".repeat(400)}"`, { msg: "x".repeat(400) }])
      assert.equal(error("createInstance", 400, body).message.length, 300);
  });

  test("without any part of a key that the service repeats, also where its text is cut", () => {
    const key = "3f9a7c5e1b2d4f6a8c0e9d7b5a3c1e2f4d6b8a0c3f9a7c5e1b2d4f6a8c0e9d7b";
    rememberSecret(key);
    const text = `${"Refused by the gateway. ".repeat(10)}api_key=${key}`;
    for (const status of [200, 400, 403, 500])
      for (const body of [{ error: "refused", msg: text }, JSON.stringify(text), text]) {
        const { message } = error("searchOffers", status, body);
        assert.ok(!message.includes(key.slice(0, 16)), `${status}: ${message}`);
      }
  });
});

describe("the facts of a refusal", () => {
  test("the service's own word in lower case, if it has one", () => {
    assert.equal(error("createInstance", 400, { error: "Invalid_Args" }).facts.code, "invalid_args");
    assert.ok(!("code" in error("createInstance", 400, { msg: "no" }).facts));
    assert.ok(!("code" in error("createInstance", 400, { error: { a: 1 } }).facts));
    assert.equal(error("createInstance", 400, { error: "x".repeat(400) }).facts.code?.length, 300);
  });

  test("how long to wait, where the service is busy", () => {
    assert.equal(error("createInstance", 429, "threshold=3").facts.retryAfter, 3);
    assert.equal(error("createInstance", 503, "", "7").facts.retryAfter, 7);
    assert.ok(!("retryAfter" in error("createInstance", 502, "", "7").facts));
    assert.ok(!("retryAfter" in error("createInstance", 400, "", "7").facts));
  });

  test("whether it may pass: a page on the way does, a refusal doesn't", () => {
    assert.equal(error("getInstance", 404, "").facts.passing, true);
    assert.ok(!("passing" in error("createInstance", 400, "").facts));
    const missing = createTransientError("listInstances", error("listInstances", 404, { error: "x" }));
    assert.deepEqual(missing.facts, { operation: "listInstances", status: 404, code: "x", passing: true });
    assert.match(missing.message, /^Unexpected response \(status 404\)/);
    assert.match(createTransientError("listInstances", new AppError("unsupported", "x")).message, /\(status 0\)/);
  });
});

describe("a success", () => {
  test("is read by its schema, also behind a byte order mark and blanks", () => {
    assert.deepEqual(read("deleteTemplate", 200, { success: true }), { success: true });
    assert.deepEqual(read("deleteTemplate", 299, '\uFEFF{"success": true}\n'), { success: true });
    assert.deepEqual(read("deleteTemplate", 200, '\uFEFF {"success": true} '), { success: true });
  });

  test("of a call without a body may hold text or nothing, but no page", () => {
    for (const body of ["", "  ", "Deleted", "<3 deleted", "< deleted"])
      assert.equal(read("deleteApiKey", 200, body), undefined, body);
    for (const page of [
      "<!doctype html>",
      "<?xml?>",
      "<html>",
      "<BODY class='x'>",
      "<x-y/>",
      "<h1\n>",
      `<a${"b".repeat(40)}>`,
    ])
      assert.equal(error("deleteApiKey", 200, page).kind, "unexpected-reply", page);
    assert.equal(read("deleteApiKey", 200, `<a${"b".repeat(41)}>`), undefined);
    assert.equal(read("deleteApiKey", 200, "a <html>"), undefined);
  });

  test("is none with a refusal or an error in it", () => {
    assert.equal(error("deleteTemplate", 200, { success: false, msg: "no way" }).message, "no way");
    assert.equal(error("deleteApiKey", 200, { success: false, msg: "no way" }).kind, "rejected");
    const half = error("deleteTemplate", 200, { success: true, error: "half", msg: "of it" });
    assert.deepEqual([half.kind, half.message], ["unexpected-reply", "The service reported an error: of it"]);
    assert.equal(error("deleteTemplate", 200, { error: true }).message, "The service reported an error: ?");
  });

  test("is none unless the service confirms it, where it must", () => {
    for (const body of [{}, { success: 1 }, "null", "5", "[]"]) {
      const { kind, message, facts } = error("deleteTemplate", 200, body);
      assert.deepEqual([kind, message], ["unexpected-reply", "The service didn't confirm the request."]);
      assert.deepEqual(facts, { operation: "deleteTemplate" });
    }
  });

  test("is none in another format: that may pass where it isn't JSON at all", () => {
    for (const [body, message, passing] of [
      ["", "The service's response was empty. Check the service address.", true],
      ["hello", "The service's response isn't JSON. Check the service address.", true],
      ["<html>", "The service responded with a web page. Check the service address.", false],
      ["{}", "The service's response isn't in the expected format.", false],
    ] as const) {
      const flaw = error("searchOffers", 200, body);
      assert.deepEqual([flaw.kind, flaw.message, flaw.facts.passing], ["unexpected-reply", message, passing]);
      assert.deepEqual([flaw.facts.operation, flaw.facts.status], ["searchOffers", 200]);
    }
  });

  test("may say false where that is an answer", () => {
    assert.deepEqual(read("updateInstance", 200, { success: false, error: "x" }), { success: false, error: "x" });
  });
});

test("an error is one that says something", () => {
  for (const value of ["x", true, 0, {}, []]) assert.ok(hasError({ error: value }), JSON.stringify(value));
  for (const value of [undefined, null, false, ""]) assert.ok(!hasError({ error: value }), String(value));
  for (const value of [undefined, null, "error", {}]) assert.ok(!hasError(value));
});

test("a start that waits for its GPU is queued, by code or by words", () => {
  assert.ok(isQueued({ error: "resources_unavailable" }));
  assert.ok(isQueued({ error: "x", msg: "state change Queued." }));
  assert.ok(!isQueued({ error: "resources", msg: "_unavailable" }));
});

describe("a search without results", () => {
  const find = (reply: object, list?: unknown, name: "searchTemplates" | "fetchImageTags" = "searchTemplates") =>
    listOrNone(name, reply, list);

  test("is empty in the documented words only", () => {
    assert.deepEqual(find({ success: false, msg: "No templates found." }), []);
    assert.deepEqual(find({ success: false, msg: "no templates found" }, null), []);
    assert.deepEqual(find({ success: false, msg: "No templates found" }, []), []);
    assert.deepEqual(find({ success: false, error: "No tags found" }, [], "fetchImageTags"), []);
    for (const [reply, list] of [
      [{ success: false, msg: "No templates found" }, [1]],
      [{ success: false, msg: "No templates found" }, {}],
      [{ success: false, msg: "No templates founded" }, []],
      [{ success: false, msg: "Sorry. No templates found" }, []],
      [{ success: false, msg: "no" }, []],
    ] as const)
      assert.equal(thrown(() => find(reply, list)).kind, "rejected", JSON.stringify([reply, list]));
    assert.equal(
      thrown(() => find({ success: false, msg: "Sorry. No tags found" }, [], "fetchImageTags")).kind,
      "rejected",
    );
    assert.equal(thrown(() => find({ success: false, msg: "No tags foundx" }, [], "fetchImageTags")).kind, "rejected");
  });

  test("and a list is one, if there is no error beside it", () => {
    assert.deepEqual(find({ success: true }, [1]), [1]);
    assert.equal(thrown(() => find({ success: true })).kind, "unexpected-reply");
    assert.equal(thrown(() => find({ success: true }, {})).kind, "unexpected-reply");
    const half = thrown(() => find({ error: "half" }, [1]));
    assert.equal(half.message, "The service reported an error: half");
  });
});

describe("errors that operations make themselves", () => {
  test("a success that lacks what it promises", () => {
    const lacks = createUnexpectedReply("createTemplate");
    assert.equal(lacks.message, "The service's response isn't in the expected format.");
    assert.deepEqual(lacks.facts, { operation: "createTemplate", status: 200 });
    assert.equal(lacks.kind, "unexpected-reply");
  });

  test("a refusal in a 200", () => {
    const no = createRefusal("createInstance", { success: false, error: "no_such_ask" });
    assert.deepEqual([no.kind, no.facts], ["gone", { operation: "createInstance", status: 200, code: "no_such_ask" }]);
  });

  test("neither yes nor no", () => {
    const nobody = createUnconfirmed("rebootInstance");
    assert.equal(nobody.kind, "outcome-unknown");
    assert.match(nobody.message, /couldn't confirm whether this succeeded. The service didn't confirm the request\.$/);
    assert.deepEqual(nobody.facts, { operation: "rebootInstance" });
  });
});

test("a failing server is not taken at its word", () => {
  for (const [status, text] of [
    [500, "error while loading the creator"],
    [502, "upstream creator-service timed out"],
    [429, "too frequent: still using quota"],
  ] as const)
    assert.equal(thrown(() => read("deleteTemplate", status, { msg: text })).facts.code, undefined, text);
  assert.equal(thrown(() => read("deleteTemplate", 401, { msg: "Only the creator may" })).facts.code, "not_creator");
});
