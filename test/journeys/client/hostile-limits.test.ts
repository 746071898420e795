// Limits: redirects, floods and drips end within their bound, with their sentence, and leave no memory behind.
import assert from "node:assert/strict";
import type { RequestListener } from "node:http";
import type { Socket } from "node:net";
import { describe, test } from "node:test";
import { gzipSync } from "node:zlib";
import type { EndpointRow } from "../../../src/api/table/endpoint.ts";
import { endpoints } from "../../../src/api/table/endpoints.ts";
import { BODY, failsAs, OFFER, serve, serveBytes } from "./hostile.ts";

/** Bytes by which the process grew at its highest while the work was done. */
async function growth(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss();
  let most = before;
  const looking = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss());
  }, 5);
  await work().finally(() => clearInterval(looking));
  return Math.max(most, process.memoryUsage.rss()) - before;
}

/** On a busy machine waste is collected late, so the work may try three times. @returns the least bytes it took. */
async function leastGrowth(enough: number, work: () => Promise<unknown>): Promise<number> {
  let least = await growth(work);
  for (let time = 1; time < 3 && least >= enough; time += 1) least = Math.min(least, await growth(work));
  return least;
}

const SEARCH_BYTES = 32 * 1024 * 1024;
const MOST_GROWTH = 100 * 1024 * 1024;

describe("what must not be followed, unpacked or swallowed whole", () => {
  test("a redirect to another origin is not followed; the other origin sees nothing", async () => {
    const other = await serve((_, response) => response.end("{}"));
    const { client } = await serve((_, response) =>
      response.writeHead(307, { location: `${other.url}/api/v0/bundles/` }).end(),
    );
    await failsAs(client.searchOffers({}), "unexpected-reply", /redirect to http:\/\/127/);
    await failsAs(client.createInstance(OFFER, BODY), "outcome-unknown", /redirect/);
    assert.equal(other.count(), 0);
  });

  for (const location of ["/api/v0/bundles/", "file:///etc/passwd", "//127.0.0.1:1/", "javascript:1", "", "::"]) {
    test(`a redirect to “${location}” is not followed`, async () => {
      const { client, count } = await serve((_, response) => response.writeHead(308, { location }).end());
      const { message } = await failsAs(
        client.searchOffers({}),
        "unexpected-reply",
        /tried to redirect .*doesn't follow/,
      );
      assert.doesNotMatch(message, /null|undefined|sign in/i);
      assert.equal(count(), 1);
    });
  }
});

describe("an answer larger than it may be", () => {
  const flood =
    (megabytes: number): RequestListener =>
    (_, response) => {
      const chunk = Buffer.alloc(1024 * 1024, 32);
      let left = megabytes;
      const more = () => {
        while (left > 0 && !response.destroyed) {
          left -= 1;
          if (!response.write(chunk)) return response.once("drain", more);
        }
        return response.end();
      };
      more();
    };

  test("50 MB are cut off at 8, and memory stays below 100 MB more", async () => {
    const { client, count } = await serve(flood(50));
    const grown = await leastGrowth(MOST_GROWTH, async () => {
      for (let time = 0; time < 5; time += 1) {
        await failsAs(client.listWebhooks(), "unexpected-reply", /larger than 8 MB/);
      }
      await failsAs(client.createInstance(OFFER, BODY), "outcome-unknown", /larger than 8 MB/);
    });
    assert.equal(count() % 6, 0);
    assert.ok(grown < MOST_GROWTH, `${grown} bytes more`);
  });

  test("8 MB to the byte are read, one more is not", async () => {
    const most = 8 * 1024 * 1024;
    const sized = (bytes: number) => Buffer.from('{"webhooks":[]}'.padEnd(bytes, " "));
    const exact = await serve((_, response) => response.end(sized(most)));
    assert.deepEqual((await exact.client.listWebhooks()).rows, []);
    const more = await serve((_, response) => response.end(sized(most + 1)));
    await failsAs(more.client.listWebhooks(), "unexpected-reply", /larger than 8 MB/);
    const unannounced = await serve((_, response) => {
      response.write(sized(most));
      response.end(" ");
    });
    await failsAs(unannounced.client.listWebhooks(), "unexpected-reply", /larger than 8 MB/);
  });

  test("10,000 offers of real size arrive, at less than three times the limit of a search", async () => {
    const record = JSON.stringify({ gpu_name: "RTX 4090", dph_total: 0.4, filler: "x".repeat(1650) }).slice(1);
    const body = `{"offers":[${Array.from({ length: 10_000 }, (_, at) => `{"id":${at + 1},${record}`).join(",")}]}`;
    assert.ok(body.length > 16_900_000, `${body.length}`);
    const { client } = await serve((_, response) => response.end(body));
    const used = await leastGrowth(3 * SEARCH_BYTES, async () => {
      const { rows, unreadable } = await client.searchOffers({ limit: 10_000 });
      assert.deepEqual([rows.length, unreadable], [10_000, 0]);
    });
    assert.ok(used < 3 * SEARCH_BYTES, `${used} bytes more`);
  });

  test("a search is cut off at its own limit, announced or not, and costs less than three times as much", async () => {
    for (const headers of [{}, { "content-length": String(50 * 1024 * 1024) }]) {
      const { client } = await serve((request, response) => {
        response.writeHead(200, headers);
        flood(50)(request, response);
      });
      const used = await growth(() => failsAs(client.searchOffers({}), "unexpected-reply", /larger than 32 MB/));
      assert.ok(used < 3 * SEARCH_BYTES, `${used} bytes more`);
    }
  });

  test("a gzip bomb is refused by its label, not unpacked", async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const { client } = await serve((request, response) => {
      assert.equal(request.headers["accept-encoding"], "identity");
      response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    });
    const grown = await growth(() => failsAs(client.searchOffers({}), "unexpected-reply", /compressed/));
    assert.ok(grown < MOST_GROWTH, `${grown} bytes more`);
  });

  const labels = [
    "gzip",
    "GZIP",
    "br",
    "deflate",
    "x-unknown",
    Array<string>(40).fill("gzip").join(", "),
    Array<string>(40).fill("gzip"),
  ];
  for (const label of labels) {
    test(`plain JSON labelled ${String(label).slice(0, 30)} is refused`, async () => {
      const { client } = await serve((_, response) =>
        response.setHeader("content-encoding", label).end('{"offers":[]}'),
      );
      await failsAs(client.searchOffers({}), "unexpected-reply", /compressed/);
      await failsAs(client.createInstance(OFFER, BODY), "outcome-unknown", /compressed/);
    });
  }
});

describe("a server that never ends", () => {
  const drip = (socket: Socket, start: string, drop: (index: number) => string): void => {
    let index = 0;
    socket.write(start);
    const dripping = setInterval(() => socket.write(drop(index++)), 20);
    socket.on("close", () => clearInterval(dripping));
  };
  const chunked = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
  const ways: Readonly<Record<string, (socket: Socket) => void>> = {
    "says nothing": () => {},
    "drips a status line": (socket) => drip(socket, "HTTP/1.1 200 ", () => "O"),
    "drips headers": (socket) => drip(socket, "HTTP/1.1 200 OK\r\n", (index) => `x-${index}: y\r\n`),
    "drips 103 after 103": (socket) => drip(socket, "", () => "HTTP/1.1 103 Early Hints\r\n\r\n"),
    "drips a body in chunks": (socket) => drip(socket, chunked, () => "1\r\n \r\n"),
    "drips a chunk's size": (socket) => drip(socket, chunked, () => "0"),
    "drips a body of known length": (socket) =>
      drip(socket, "HTTP/1.1 200 OK\r\ncontent-length: 7999999\r\n\r\n", () => " "),
  };
  // 30 s of a read and 150 s of a create become 0.6 s.
  const READ = { within: 0.02 };
  const CREATE = { within: 0.004 };

  for (const [way, answer] of Object.entries(ways)) {
    test(`${way}: a read and a create end in their time, and the connection with them`, async () => {
      let closed = 0;
      const onSocket = (socket: Socket) => {
        socket.on("close", () => (closed += 1)).on("data", () => {});
        socket.once("data", () => answer(socket));
      };
      const [reading, creating] = [await serveBytes(onSocket, READ), await serveBytes(onSocket, CREATE)];
      const started = performance.now();
      await Promise.all([
        failsAs(reading.client.searchOffers({}), "timeout", /didn't respond within/),
        failsAs(
          creating.client.createInstance(OFFER, BODY),
          "outcome-unknown",
          /confirm whether.*didn't respond within/,
        ),
      ]);
      const took = performance.now() - started;
      assert.ok(took > 500 && took < 3000, `${took} ms`);
      assert.equal(creating.count(), 1, "one connection, one request");
      for (let wait = 0; closed < reading.count() + creating.count() && wait < 100; wait += 1) {
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      assert.equal(closed, reading.count() + creating.count());
    });
  }

  test("a call may take 30 s at the most, one that spends or destroys 60 s, a rental 150 s", () => {
    // For an image's tags the service asks a registry in turn.
    const mostOf: Readonly<Record<string, number>> = { createInstance: 150, fetchImageTags: 60 };
    for (const [name, { repeat, within }] of Object.entries<EndpointRow>(endpoints)) {
      const most = mostOf[name] ?? (repeat === "once" ? 60 : 30);
      assert.ok(within > 0 && within <= most, `${name}: ${within} s`);
    }
  });
});
