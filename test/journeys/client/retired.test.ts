// A client whose account was left: what spends or destroys is called back as long as no byte has left; reads go on.
import assert from "node:assert/strict";
import { createServer, type Socket } from "node:net";
import { describe, test } from "node:test";
import { createClient } from "../../../src/api/client.ts";
import { sleep } from "../../../src/lib/clock.ts";
import { BODY, failsAs, ID, OFFER, serve } from "./hostile.ts";

const SWITCHED = /switched accounts, so nothing was sent/;

const good = (text: string) => serve((_, response) => response.end(text));

describe("after an account was left", () => {
  test("nothing that spends or destroys is sent", async () => {
    const { client, count } = await good('{"success":true,"new_contract":41}');
    client.close();
    for (const call of [
      () => client.createInstance(OFFER, BODY),
      () => client.destroyInstance(ID),
      () => client.setInstanceState(ID, "running"),
      () => client.changeBid(ID, 1),
      () => client.deleteApiKey(9),
    ]) {
      const error = await failsAs(call(), "rejected", SWITCHED);
      assert.equal(error.facts.notSent, true);
    }
    assert.equal(count(), 0);
  });

  test("a rental that was just made is still verified", async () => {
    const { client } = await good('{"instances":{"id":7,"label":"x"}}');
    assert.equal((await client.getInstance(ID))?.value.label, "x");
    client.close();
    assert.equal((await client.getInstance(ID))?.value.label, "x");
    const reading = client.getInstance(ID);
    client.close();
    assert.equal((await reading)?.value.label, "x");
  });

  test("a call that waits for its turn does not leave", async () => {
    const { client, count } = await serve((_, response) => response.end('{"success":true}'), { pace: 0.3 });
    await client.destroyInstance(ID);
    const waiting = client.destroyInstance(ID);
    await sleep(100);
    client.close();
    const error = await failsAs(waiting, "rejected", SWITCHED);
    assert.equal(error.facts.notSent, true);
    await sleep(1000);
    assert.equal(count(), 1);
  });

  test("a call made while undici is loaded or the request is put together does not leave", async () => {
    const { client, count } = await good('{"success":true}');
    const calling = client.destroyInstance(ID);
    client.close();
    await failsAs(calling, "rejected", SWITCHED);
    await sleep(100);
    assert.equal(count(), 0);
  });

  test("a call whose TLS connection hangs does not leave, and ends at once", async () => {
    const sockets: Socket[] = [];
    let bytes = 0;
    // It takes connections and never says hello: nothing of the request can leave.
    const server = createServer((socket) => {
      sockets.push(socket.on("error", () => {}).on("data", (chunk) => (bytes += chunk.length)));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    assert.ok(typeof address === "object" && address !== null);
    const client = createClient({
      baseUrl: `https://127.0.0.1:${address.port}`,
      apiKey: "test-key-0123456789",
      pace: 0,
    });
    try {
      const renting = client.createInstance(OFFER, BODY);
      while (bytes === 0) await sleep(5);
      const started = performance.now();
      client.close();
      const error = await failsAs(renting, "rejected", SWITCHED);
      assert.equal(error.facts.notSent, true);
      assert.ok(performance.now() - started < 2000);
    } finally {
      for (const socket of sockets) socket.destroy();
      server.close();
    }
  });

  test("a request that has left is waited for: its answer is worth more", async () => {
    let close = () => {};
    const { client } = await serve((_, response) => {
      close();
      setTimeout(() => response.end('{"success":true,"new_contract":41}'), 200);
    });
    close = () => client.close();
    assert.equal((await client.createInstance(OFFER, BODY)).instanceId, 41);
  });
});
