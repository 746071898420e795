// A search of 10,000 offers, read and checked by the client, to the plain request and JSON.parse of the same bytes.
import assert from "node:assert/strict";
import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Agent, request } from "undici";
import { createClient } from "../../src/api/client.ts";
import { median, type Row } from "./measure.ts";

const COUNT = 10_000;
const WARM_UP = 10;
const ROUNDS = 101;
const BODY = { limit: COUNT };

async function timed(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** What it costs to have the bytes and to parse them, and no more. */
async function plain(url: string, dispatcher: Agent): Promise<number> {
  const { body } = await request(`${url}/api/v0/bundles/`, { dispatcher, method: "POST", body: JSON.stringify(BODY) });
  return (JSON.parse(await body.text()) as { offers: unknown[] }).offers.length;
}

async function compare(url: string): Promise<number> {
  const client = createClient({ baseUrl: url, apiKey: "bench-key-0123456789", pace: 0 });
  const dispatcher = new Agent({ connections: 1 });
  const ways = {
    plain: async () => assert.equal(await plain(url, dispatcher), COUNT),
    ours: async () => {
      const { rows, unreadable } = await client.searchOffers(BODY);
      assert.deepEqual([rows.length, unreadable], [COUNT, 0]);
    },
  };
  const times: Record<keyof typeof ways, number[]> = { plain: [], ours: [] };
  try {
    for (let round = 0; round < WARM_UP + ROUNDS; round += 1) {
      // In turns, and each first as often, so that neither always clears up after the other.
      const order = round % 2 === 0 ? (["plain", "ours"] as const) : (["ours", "plain"] as const);
      for (const way of order) {
        const time = await timed(ways[way]);
        if (round >= WARM_UP) times[way].push(time);
      }
    }
  } finally {
    client.close();
    await dispatcher.close();
  }
  return median(times.ours) / median(times.plain);
}

export async function search(): Promise<Row[]> {
  const server = fork(join(import.meta.dirname, "offers-server.ts"));
  try {
    const [port] = await once(server, "message");
    const value = await compare(`http://127.0.0.1:${port}`);
    return [{ what: "10,000 offers read, to plain request + JSON.parse", value, unit: "×", goal: 1.15 }];
  } finally {
    server.disconnect();
  }
}
