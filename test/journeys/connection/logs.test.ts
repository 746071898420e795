// The log of a machine: followed as it grows, through failures and to its end, and fetched from an address that gets nothing
// but the request for it.
import assert from "node:assert/strict";
import { createServer, type IncomingHttpHeaders, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, test } from "node:test";
import type { AppError } from "../../../src/domain/base/error.ts";
import type { LogEvent } from "../../../src/domain/connection/log-event.ts";
import { createLog } from "../../../src/lib/log.ts";
import type { SandboxOptions } from "../../../src/sandbox/start.ts";
import type { LogRequest } from "../../../src/services/connection/logs.ts";
import { clockAt } from "../editor-window.ts";
import { cleanUp, editorWindow, eventually, makeUserData, middleman, sandbox, signedIn } from "../support.ts";
import { rentElsewhere } from "../written.ts";

/** A reading every sixth of a second; a connection still has time. */
const quick = clockAt(30);
const NEVER = new AbortController().signal;
const CONTAINER: LogRequest = { source: "container", lines: 2000 };

async function machine(options: SandboxOptions = {}) {
  const window = await signedIn(options, { clock: quick });
  return { ...window, id: await rentElsewhere(window) };
}
type Machine = Pick<Awaited<ReturnType<typeof machine>>, "logs" | "me" | "id">;

/** Follows a log while a test looks at what there is to show. */
function follow({ logs, me, id }: Machine, request = CONTAINER) {
  const events: LogEvent[] = [];
  const stop = new AbortController();
  cleanUp(() => stop.abort());
  const ended = (async () => {
    for await (const event of logs.follow(me(), id, request, stop.signal)) events.push(event);
  })();
  const count = (kind: LogEvent["kind"]) => events.filter((event) => event.kind === kind).length;
  return {
    events,
    ended,
    count,
    stop: () => stop.abort(),
    text: () => events.map((event) => (event.kind === "text" ? event.text : "")).join(""),
    kinds: () => events.map(({ kind }) => kind),
    sees: (kind: LogEvent["kind"], times = 1) => eventually(() => count(kind) >= times, `${times} × ${kind}`),
  };
}

const asked = (lines: readonly { readonly path: string }[]) =>
  lines.filter(({ path }) => path.includes("/request_logs/")).length;

describe("a log that is followed", () => {
  test("shows every new line once", async () => {
    const window = await machine();
    const log = follow(window);
    await log.sees("text", 4);
    log.stop();
    await log.ended;
    const { text } = await window.logs.read(window.me(), window.id, CONTAINER, NEVER);
    assert.ok(text.startsWith(log.text()), "the pieces make the log");
    assert.deepEqual(new Set(log.kinds()), new Set(["text"]));
  });

  test("goes on past the lines that are asked for", async () => {
    const window = await machine({ speed: 4000 });
    const log = follow(window, { ...CONTAINER, lines: 200 });
    await eventually(() => log.text().split("\n").length > 400, "twice as many lines");
    log.stop();
    await log.ended;
    const steps = [...log.text().matchAll(/ step (\d+) /g)].map(([, step]) => Number(step));
    const first = steps[0] ?? 0;
    assert.deepEqual(
      steps,
      steps.map((_, index) => first + index * 10),
    );
    assert.equal(log.count("gap"), 0);
  });

  test("of the daemon is another one", async () => {
    const window = await machine();
    const log = follow(window, { ...CONTAINER, source: "daemon" });
    await eventually(() => /daemon: C\.\d+ running/.test(log.text()), "the machine runs");
    assert.doesNotMatch(log.text(), / step /);
    log.stop();
  });

  test("ends when its machine is destroyed", async () => {
    const window = await machine();
    const log = follow(window);
    await log.sees("text");
    window.service.world.destroy(window.id);
    await log.ended;
    assert.equal(log.events.at(-1)?.kind, "gone");
    assert.equal(log.count("failed"), 0);
  });

  for (const [how, leave] of [
    ["signs out", ({ session }) => session.signOut()],
    ["switches accounts", ({ session, service }) => session.enterSandbox(service.url, service.apiKey)],
  ] as const satisfies readonly (readonly [string, (window: Awaited<ReturnType<typeof machine>>) => Promise<void>])[])
    test(`ends at once when the person ${how}`, async () => {
      const window = await machine();
      const log = follow(window);
      await log.sees("text");
      await leave(window);
      await log.ended;
      assert.equal(log.events.at(-1)?.kind, "left-account");
      assert.equal(log.count("left-account"), 1);
    });

  test("in an account that was left before is not asked for", async () => {
    const window = await machine();
    const me = window.me();
    await window.session.signOut();
    const log = follow({ ...window, me: () => me });
    await log.ended;
    assert.deepEqual(log.kinds(), ["left-account"]);
    assert.equal(asked(window.lines), 0);
  });

  test("says nothing more once its terminal is closed, and asks for nothing", async () => {
    const window = await machine();
    const log = follow(window);
    await log.sees("text");
    log.stop();
    await log.ended;
    const [events, requests] = [log.events.length, asked(window.lines)];
    await quick.sleep(20_000);
    assert.deepEqual([log.events.length, asked(window.lines)], [events, requests]);
  });

  test("says a failure once, goes on, and says when it is over", async () => {
    const window = await machine();
    const log = follow(window);
    await log.sees("text");
    const before = asked(window.lines);
    window.service.faults.add("500@requestLogs");
    await eventually(() => asked(window.lines) > before + 8, "it asked several times in vain");
    window.service.faults.clear();
    await log.sees("recovered");
    const { length } = log.text();
    await eventually(() => log.text().length > length, "new lines");
    log.stop();
    await log.ended;
    assert.deepEqual([log.count("failed"), log.count("recovered")], [1, 1]);
    const { text } = await window.logs.read(window.me(), window.id, CONTAINER, NEVER);
    assert.ok(text.startsWith(log.text()), "what was logged meanwhile is there");
  });

  for (const fault of ["401", "403"] as const)
    test(`ends where the service refuses it (${fault})`, async () => {
      const window = await machine();
      window.service.faults.add(`${fault}@requestLogs`);
      const log = follow(window);
      await log.ended;
      assert.deepEqual(log.kinds(), ["refused"]);
    });

  test("is refused by a service without logs, in a sentence", async () => {
    const window = await machine({ onlyDocumented: true });
    const log = follow(window);
    await log.ended;
    const [event] = log.events;
    assert.equal(event?.kind === "refused" && event.error.kind, "unsupported");
  });
});

interface Store {
  readonly url: string;
  readonly headers: IncomingHttpHeaders[];
}

/** A server that isn't the service. */
async function store(answer: RequestListener): Promise<Store> {
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanUp(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-capability`, headers };
}

const said: string[] = [];

/** A machine at a service that puts its logs at this address. */
async function loggedAt(address: string, isSandbox = false) {
  const service = await sandbox();
  const url = await middleman(service.url, (path, status, text) => {
    if (!path.includes("/request_logs/") || status !== 200) return { status, text };
    return { status, text: JSON.stringify({ ...JSON.parse(text), result_url: address }) };
  });
  const log = createLog((level, line) => void said.push(`${level} ${line}`));
  const window = editorWindow(makeUserData(), { clock: quick, log });
  if (isSandbox) await window.session.enterSandbox(url, service.apiKey);
  else await window.session.signIn(url, service.apiKey);
  const id = await rentElsewhere({ ...window, service });
  return { ...window, service, id, read: () => window.logs.read(window.me(), id, CONTAINER, NEVER) };
}

/** Answers one after another; the last one stays. */
function inTurn(...answers: readonly (readonly [status: number, body: string | Buffer])[]): RequestListener {
  let turn = 0;
  return (_, response) => {
    const [status, body] = answers[Math.min(turn, answers.length - 1)] ?? [500, ""];
    turn += 1;
    response.writeHead(status, { "content-type": "application/octet-stream" }).end(body);
  };
}

const kinds = (kind: string, words: RegExp) => (error: AppError) => error.kind === kind && words.test(error.message);

describe("the address of a log", () => {
  test("gets no key, and its redirect is not followed", async () => {
    const other = await store(inTurn([200, "stolen"]));
    const redirecting = await store((_, response) => void response.writeHead(302, { location: other.url }).end());
    const plain = await store(inTurn([404, ""], [200, "a\n"]));
    const window = await loggedAt(plain.url);
    assert.deepEqual(await window.read(), { text: "a\n", isCut: false });
    const redirected = await loggedAt(redirecting.url);
    await assert.rejects(redirected.read(), kinds("unexpected-reply", /redirect/));
    assert.equal(other.headers.length, 0);
    const seen = [...plain.headers, ...redirecting.headers];
    assert.ok(seen.length >= 3);
    for (const headers of seen) {
      assert.deepEqual(Object.keys(headers).sort(), ["accept", "accept-encoding", "connection", "host"]);
      for (const { service } of [window, redirected])
        assert.ok(!JSON.stringify(headers).includes(service.apiKey), "no key in any header");
    }
  });

  test("is in no log of ours: whoever has it can read the machine's", () => {
    assert.ok(said.some((line) => /GET from 127\.0\.0\.1/.test(line)));
    assert.deepEqual(
      said.filter((line) => line.includes("secret-capability")),
      [],
    );
  });

  test("is asked again until the log is there", async () => {
    const late = await store(inTurn([403, "<Error>"], [404, "<Error>"], [503, "busy"], [200, "there\n"]));
    assert.equal((await (await loggedAt(late.url)).read()).text, "there\n");
    const never = await store(inTurn([403, "<Error>"]));
    await assert.rejects((await loggedAt(never.url)).read(), kinds("timeout", /within 15 s/));
    assert.ok(never.headers.length > 2, `${never.headers.length} requests`);
    const odd = await store(inTurn([400, "?"]));
    await assert.rejects((await loggedAt(odd.url)).read(), kinds("unexpected-reply", /status 400/));
  });

  test("is opened by HTTPS or on this computer only, and for the sandbox on this computer only", async () => {
    const refused = kinds("unexpected-reply", /address that Cloud GPU doesn't open: https?:\/\/logs\.example\.com/);
    await assert.rejects((await loggedAt("http://logs.example.com/x")).read(), refused);
    await assert.rejects((await loggedAt("https://me:pw@logs.example.com/x")).read(), refused);
    await assert.rejects((await loggedAt("https://logs.example.com/x", true)).read(), refused);
    await assert.rejects(
      (await loggedAt("file:///etc/passwd")).read(),
      kinds("unexpected-reply", /address of the log/),
    );
  });
});

describe("the text of a log", () => {
  test("that is too long is shown from a line near its end", async () => {
    const line = `${"x".repeat(999)}\n`;
    const long = await store(inTurn([200, line.repeat(20_000)]));
    const window = await loggedAt(long.url);
    const { text, isCut } = await window.read();
    assert.equal(isCut, true);
    assert.ok(text.length > 8_380_000 && text.length <= 8 * 1024 * 1024, `${text.length}`);
    assert.ok(text.startsWith(line) && text.length % line.length === 0);
    const log = follow(window);
    await log.sees("text");
    log.stop();
    assert.deepEqual(log.kinds(), ["cut", "text"]);
    const endless = await store(inTurn([200, Buffer.alloc(70 * 1024 * 1024, "x")]));
    await assert.rejects((await loggedAt(endless.url)).read(), kinds("unexpected-reply", /larger than 64 MB/));
  });

  test("obeys no terminal, and need not be UTF-8", async () => {
    const bytes = Buffer.concat([
      Buffer.from("\u001b[31mred\u001b[0m\u001b]52;c;eA==\u0007\u001b[2J\u202e\n"),
      Buffer.from([0x61, 0xff, 0x62, 0x0a, 0xe2, 0x82]),
    ]);
    const window = await loggedAt((await store(inTurn([200, bytes]))).url);
    assert.equal((await window.read()).text, "\u001b[31mred\u001b[0m\na\ufffdb\n");
  });

  test("that has nothing in common with what was shown says so", async () => {
    const texts = ["", "a\nb\n", "b\nc\n", "c\n", "x\ny\n"].map((text) => [200, text] as const);
    const log = follow(await loggedAt((await store(inTurn(...texts))).url));
    await log.sees("gap");
    await log.sees("text", 3);
    log.stop();
    await log.ended;
    assert.deepEqual(log.kinds(), ["empty", "text", "text", "gap", "text"]);
    assert.equal(log.text(), "a\nb\nc\nx\ny\n");
  });
});
