// Dates on a sandbox whose time runs faster than the real clock: what happened is never in the future (interface 2.3, 2.5, 2.6).
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { moveDates } from "../../../src/sandbox/base/dates.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import type { Json } from "../support/sandbox.ts";

const SPEED = 3600;
let sandbox: Sandbox;
let id: number;

async function ask(method: string, path: string, body?: unknown): Promise<Json> {
  const response = await fetch(sandbox.url + path, {
    method,
    headers: { authorization: `Bearer ${sandbox.apiKey}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Json;
}
const now = () => Date.now() / 1000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const instance = async () => (await ask("GET", `/api/v0/instances/${id}/`)).instances as Json;

before(async () => {
  sandbox = await startSandbox({ speed: SPEED });
  const offer = sandbox.world.offers.find((one) => one.fate === "runs" && sandbox.world.isRentable(one));
  await pause(300);
  id = (await ask("PUT", `/api/v0/asks/${offer?.id}/`, { image: "a/b" })).new_contract as number;
  const login = { docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
  await ask("POST", "/api/v0/template/", { name: "new", image: "a/b", ...login });
});
after(() => sandbox.stop());

describe("at a speed of 3600", () => {
  test("start_date is not in the future, and its age is in simulated seconds", async () => {
    const first = await instance();
    assert.ok((first.start_date as number) <= now(), "just created");
    const [asked, before] = [now(), now() - (first.start_date as number)];
    await pause(300);
    const age = now() - ((await instance()).start_date as number);
    assert.ok(age - before > SPEED * 0.25, `${age - before} s of ${SPEED * (now() - asked)}`);
  });

  test("end_date and duration name the same end", async () => {
    const { end_date, duration } = await instance();
    assert.ok(Math.abs((end_date as number) - now() - (duration as number)) < SPEED * 0.2);
    const { offers } = await ask("POST", "/api/v0/bundles/", { limit: 1 });
    const [offer] = offers as [Json];
    assert.ok(Math.abs((offer.end_date as number) - now() - (offer.duration as number)) < SPEED * 0.2);
  });

  for (const [path, list, dates] of [
    ["/api/v1/instances/", "instances", ["start_date"]],
    ["/api/v0/template/", "templates", ["created_at", "recent_create_date"]],
    ["/api/v0/webhooks/", "webhooks", ["created_at", "updated_at"]],
    ["/api/v0/autojobs/", "results", ["created_at"]],
    ["/api/v0/auth/apikeys/", "apikeys", ["created_at"]],
    ["/api/v0/volumes/", "volumes", ["start_date"]],
  ] as const)
    test(`nothing in ${list} was created in the future`, async () => {
      const rows = (await ask("GET", path))[list] as Json[];
      assert.ok(rows.length > 0);
      for (const row of rows) for (const field of dates) assert.ok((row[field] as number) <= now(), field);
    });

  test("filters compare the dates that are shown", async () => {
    const filters = (date: number) => encodeURIComponent(JSON.stringify({ start_date: { lte: date } }));
    const found = async (date: number) =>
      (await ask("GET", `/api/v1/instances/?select_filters=${filters(date)}`)).instances_found;
    assert.deepEqual([await found(now()), await found(now() - 86_400 * 365)], [1, 0]);
    const made = encodeURIComponent(JSON.stringify({ created_at: { gte: now() } }));
    assert.deepEqual((await ask("GET", `/api/v0/template/?select_filters=${made}`)).templates, []);
  });
});

test("never stays never, and a world that is not ahead reports its own dates", () => {
  const record = { start_date: 1000.7, recent_create_date: 0, created_at: null, id: 5 };
  assert.deepEqual(moveDates(record, 100), { ...record, start_date: 900 });
  assert.equal(moveDates(record, 0), record);
});
