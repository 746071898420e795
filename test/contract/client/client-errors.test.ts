// Every error the document names, and the ways public services say it, as the sentence a person reads.
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Client } from "../../../src/api/client.ts";
import { AppError, type ErrorKind } from "../../../src/domain/base/error.ts";
import type { InstanceId, OfferId, TemplateHash, TemplateId } from "../../../src/domain/base/id.ts";
import { type Recorder, recorder } from "../support/recorder.ts";

type Row = readonly [
  what: string,
  call: (client: Client) => Promise<unknown>,
  status: number,
  body: string | object,
  kind: ErrorKind,
  says: RegExp,
];

const jobs = (client: Client) =>
  client.createBackgroundJobs({ machine: 7, price_gpu: 1, price_inetu: 0, price_inetd: 0, image: "a/b" });
const rent = (client: Client) => client.createInstance(3 as OfferId, { image: "a/b" });
const edit = (client: Client) => client.editTemplate("h" as TemplateHash, { desc: "x" });
const remove = (client: Client) => client.deleteTemplate(5 as TemplateId);
const create = (client: Client) =>
  client.createTemplate({
    name: "n",
    image: "a/b",
    docker_login_repo: "",
    docker_login_user: "",
    docker_login_pass: "",
  });
const unlist = (client: Client) => client.unlistVolume(12);
const deleteKey = (client: Client) => client.deleteApiKey(9);
const tags = (client: Client) => client.fetchImageTags("a/b");
const destroy = (client: Client) => client.destroyInstance(4 as InstanceId);
const start = (client: Client) => client.setInstanceState(4 as InstanceId, "running");

const table: readonly Row[] = [
  [
    "7 create_bids: machine",
    jobs,
    400,
    { error: "invalid_args", msg: "Missing or invalid machine id, must be integer" },
    "rejected",
    /machine id, must be integer/,
  ],
  [
    "7 create_bids: image",
    jobs,
    400,
    { error: "invalid_args", msg: "Missing or invalid image, must be string" },
    "rejected",
    /image, must be string/,
  ],
  [
    "7 create_bids: args",
    jobs,
    400,
    { error: "invalid_args", msg: "Please only use args or args_str" },
    "rejected",
    /only use args or args_str/,
  ],
  [
    "7 create_bids: args_str",
    jobs,
    400,
    { error: "invalid_args", msg: "No closing quotation" },
    "rejected",
    /No closing quotation/,
  ],
  [
    "7 create_bids: not the owner, in a 200",
    jobs,
    200,
    { success: false, msg: "only the owner can create default bid contracts for a machine." },
    "rejected",
    /only the owner can create/,
  ],
  [
    "7 create instance: numeric template id",
    rent,
    400,
    { error: "invalid_args", msg: "template_hash_id must be a hash" },
    "rejected",
    /must be a hash/,
  ],
  [
    "4.3 create instance: offer gone",
    rent,
    404,
    { error: "invalid_args", msg: "error 404/3603: no_such_ask Instance type by id 3 is not available." },
    "gone",
    /just taken/,
  ],
  [
    "4.3 create instance: offer gone at once",
    rent,
    410,
    { error: "no_such_ask", msg: "Ask by id 3 is no longer available." },
    "gone",
    /just taken/,
  ],
  [
    "create instance: no credit",
    rent,
    400,
    { error: "insufficient_credit", msg: "You lack credit." },
    "no-credit",
    /credit/,
  ],
  [
    "create instance: a host's own account",
    rent,
    403,
    { error: "forbidden", msg: "error 403/3586: Offer 3 is not your own. Hosts can only rent their own machines." },
    "not-allowed",
    /Hosts can only rent their own machines/,
  ],
  [
    "5 no valid key",
    jobs,
    401,
    { error: "auth_error", msg: "Invalid user key" },
    "key-refused",
    /doesn't accept the API key/,
  ],
  [
    "5 no valid key, as a 404",
    jobs,
    404,
    { error: "auth_error", msg: "Invalid user key" },
    "key-refused",
    /doesn't accept the API key/,
  ],
  [
    "5 no permission",
    (client) => client.searchTemplates({}),
    403,
    { error: "not_authorized", msg: "This key lacks the permission user_read" },
    "not-allowed",
    /user_read/,
  ],
  [
    "two-factor session wanted",
    deleteKey,
    401,
    { msg: "Two Factor Authentication is required" },
    "not-allowed",
    /Two Factor/,
  ],
  [
    "edit template: hash unknown",
    edit,
    400,
    { success: false, error: "x", msg: "Unable to Update Template. None found for given Hash ID: h" },
    "rejected",
    /None found for given Hash/,
  ],
  [
    "edit template: not the creator",
    edit,
    400,
    { success: false, msg: "Only the Template Creator may Update Existing Template." },
    "rejected",
    /Only the Template Creator/,
  ],
  [
    "delete template: not the creator, as a 401",
    remove,
    401,
    { success: false, msg: "Templates can ONLY be Deleted by their Creator" },
    "not-allowed",
    /ONLY be Deleted by their Creator/,
  ],
  [
    "delete template: in use",
    remove,
    400,
    { success: false, msg: "Cannot Delete Template. Other Users are still using it." },
    "rejected",
    /Other Users/,
  ],
  [
    "create template: refused in a 200",
    create,
    200,
    { success: false, msg: "Bad docker credentials" },
    "rejected",
    /Bad docker credentials/,
  ],
  ["4.9 unlist: no such listing", unlist, 400, { msg: "Volume listing does not exist" }, "rejected", /does not exist/],
  [
    "4.13 delete key: primary",
    deleteKey,
    400,
    { msg: "You cannot delete your primary key." },
    "rejected",
    /primary key/,
  ],
  [
    "4.13 delete key: not user-created",
    deleteKey,
    400,
    { msg: "Only user-created API keys can be deleted." },
    "rejected",
    /user-created/,
  ],
  [
    "4.13 delete key: somebody else's, as a 401",
    deleteKey,
    401,
    { msg: "You do not have permission to delete this API Key." },
    "not-allowed",
    /do not have permission/,
  ],
  ["4.13 delete key: unknown", deleteKey, 404, { msg: "API Key not found." }, "not-found", /API Key not found/],
  [
    "4.12 tags: arguments",
    tags,
    400,
    { success: false, error: "invalid_args", msg: "image is required" },
    "rejected",
    /image is required/,
  ],
  [
    "4.12 tags: registry",
    tags,
    400,
    { success: false, error: "registry_error", msg: "upstream said no" },
    "rejected",
    /upstream said no/,
  ],
  ["start: no credit", start, 400, { error: "missing_billing", msg: "You lack credit" }, "no-credit", /credit/],
  ["start: refused in a 200", start, 200, { success: false, error: "x", msg: "cannot" }, "rejected", /^cannot$/],
  ["start: a server without it", start, 405, "", "unsupported", /doesn't support/],
  [
    "destroy: a router without that path is not a rental that is gone",
    destroy,
    404,
    { error: "not_found", msg: "No such path" },
    "unsupported",
    /doesn't support/,
  ],
  ["too fast, plain text", jobs, 429, "API requests too frequent", "too-fast", /Too many requests/],
  [
    "too fast, detail",
    jobs,
    429,
    { detail: "API requests too frequent endpoint threshold=2.0" },
    "too-fast",
    /Too many requests/,
  ],
  ["too fast, as a word", jobs, 429, { error: "rate_limit_exceeded", msg: "x" }, "too-fast", /Too many requests/],
  ["a bare string", jobs, 400, '"no"', "rejected", /^no$/],
  ["autoscaler envelope", jobs, 400, { error_msg: "worker trouble" }, "rejected", /worker trouble/],
  ["team envelope", jobs, 400, { status: 400, message: "team trouble" }, "rejected", /team trouble/],
  [
    "control characters and 2,000 letters",
    jobs,
    400,
    { msg: `a\u0000\u202e${"b".repeat(2000)}` },
    "rejected",
    /^ab{298}…$/,
  ],
  [
    "a write's 500",
    jobs,
    500,
    { error: "oops", msg: "boom" },
    "outcome-unknown",
    /couldn't confirm whether this succeeded.*boom/,
  ],
  ["a write's 502 page", jobs, 502, "<html>x</html>", "outcome-unknown", /confirm whether/],
];

let server: Recorder;
before(async () => {
  server = await recorder();
});
after(() => server.stop());

describe("errors become sentences", () => {
  for (const [what, call, status, body, kind, says] of table) {
    test(what, async () => {
      server.answer(status, body);
      const error = await call(server.client).then(
        () => assert.fail("it should have failed"),
        (thrown) => thrown,
      );
      assert.ok(error instanceof AppError, String(error));
      assert.equal(error.kind, kind, error.message);
      assert.match(error.message, says);
      assert.ok(error.facts.operation);
    });
  }
});

describe("a 200 that says no may be an answer", () => {
  test("an identical template exists already", async () => {
    server.answer(200, {
      success: false,
      msg: "Existing Template Found: 5. User relationship added.",
      template: { id: 5, hash_id: "h" },
    });
    assert.deepEqual(await create(server.client), { id: 5, hash: "h", existing: true });
  });
  test("no templates were found", async () => {
    server.answer(200, { success: false, msg: "No templates found" });
    assert.deepEqual((await server.client.searchTemplates({})).rows, []);
  });
  test("a registry lists no tags", async () => {
    server.answer(200, { success: false, tags: [], error: "No tags found" });
    assert.deepEqual(await tags(server.client), []);
  });
  test("a start is queued", async () => {
    server.answer(200, {
      success: false,
      error: "resources_unavailable",
      msg: "Required resources are currently unavailable, state change queued.",
    });
    assert.equal(await start(server.client), "queued");
  });
});
