// Watched prices where files, clocks and answers are odd: a watch goes on, and asks no more often than it was set to.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, test } from "node:test";
import { silentLog } from "../../../src/lib/log.ts";
import { realDisk } from "../../../src/services/core/book/disk.ts";
import { Scheduler } from "../../../src/services/core/scheduler.ts";
import { PriceWatchJournal } from "../../../src/services/offer/price-watch-journal.ts";
import { PriceWatchLeader } from "../../../src/services/offer/price-watch-leader.ts";
import { PriceWatches } from "../../../src/services/offer/price-watches.ts";
import { lifeOf } from "../editor-window.ts";
import { cleanUp, pass as forward, serve } from "../support.ts";
import { withWatchingWindows } from "./price-watch-windows.ts";

const DAY = 86_400_000;
const folderOf = ({ root }: { readonly root: string }) => join(root, "price-watches");

/** A price that was told, and that the service then says otherwise for a while. */
async function assertToldOnceWhile(spoil: (text: string) => string): Promise<void> {
  let isSpoilt = false;
  const { watch, told, setPrice, pass } = await withWatchingWindows({
    through: ({ url }) =>
      serve(async (request, body) => {
        const answer = await forward(url, request, body);
        return isSpoilt && request.url === "/api/v0/bundles/" ? { ...answer, text: spoil(answer.text) } : answer;
      }),
  });
  setPrice(0.2);
  await watch();
  await pass(1);
  isSpoilt = true;
  await pass(30);
  isSpoilt = false;
  await pass(70);
  assert.equal(told.length, 1);
}

describe("a watch", () => {
  test("is snoozed also after it was snoozed while the clock was ahead", async () => {
    const { watch, told, setPrice, pass, first, sleepFor } = await withWatchingWindows();
    const name = await watch();
    await pass(1);
    sleepFor(2 * DAY);
    await first.priceWatches.snooze(first.me(), name);
    sleepFor(-2 * DAY);
    await first.priceWatches.snooze(first.me(), name);
    setPrice(0.2);
    await pass(30);
    assert.equal(told.length, 0);
  });

  test("tells also beside a file with a large number", async () => {
    const { watch, told, setPrice, pass, userData } = await withWatchingWindows();
    const name = await watch();
    await pass(1);
    await writeFile(join(folderOf(userData), `${name}.told-900000`), "");
    await writeFile(join(folderOf(userData), `${name}.armed-900000`), "");
    setPrice(0.2);
    await pass(12);
    assert.equal(told.length, 1);
  });

  test("isn't looked at more often on a full disk, whose clock was set back", async () => {
    let isFull = false;
    const create = async (path: string, text: string) => {
      if (isFull) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
      return await realDisk.create(path, text);
    };
    const { watch, looks, pass, sleepFor } = await withWatchingWindows({ parts: { disk: { ...realDisk, create } } });
    await watch();
    await pass(1);
    isFull = true;
    sleepFor(-DAY / 8);
    await pass(10);
    assert.ok(looks.length <= 4, `${looks.length} looks in ten minutes`);
  });

  test("goes on although a file says that the next look is in years", async () => {
    const { watch, looks, pass, userData, first, clock, open } = await withWatchingWindows();
    const name = await watch();
    await pass(1);
    first.kill();
    const at = Math.floor(clock.now());
    const look = { version: 1, at, next: 8.64e15, refusals: 0, isMet: false };
    await writeFile(join(folderOf(userData), `${name}.look-${at}`), JSON.stringify(look));
    const before = looks.length;
    await open("window-1");
    await pass(40);
    assert.ok(looks.length > before);
  });

  test("follows the setting once that is shorter", async () => {
    const { first, search, looks, pass, clock, userData } = await withWatchingWindows();
    let minutes = 1440;
    const own = new PriceWatches({
      ...{ session: first.session, offers: first.offers, scheduler: new Scheduler(clock, silentLog), log: silentLog },
      ...{ minutes: () => minutes, folder: join(userData.root, "own-watches"), liveness: lifeOf("own-window") },
    });
    cleanUp(() => own.dispose());
    await own.add(first.me(), { search, goal: { kind: "price", most: 0.3 }, template: undefined });
    await pass(1);
    assert.equal(looks.length, 1);
    minutes = 10;
    await pass(40);
    assert.ok(looks.length >= 3, `${looks.length} looks`);
  });

  test("is looked at by another window if the one that takes over is signed out at that moment", async () => {
    const left = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<void>();
    let reads = Number.NaN;
    const names = async (folder: string) => {
      const found = await realDisk.names(folder);
      reads += folder.endsWith("price-watches") ? 1 : 0;
      // The first one finds the watches, and the second one who looks at them.
      if (reads === 2) {
        reached.resolve();
        await left.promise;
      }
      return found;
    };
    const { watch, first, open, pass, looks, url, service } = await withWatchingWindows({
      parts: { disk: { ...realDisk, names } },
    });
    await watch();
    reads = 0;
    await Promise.all([pass(0.1), reached.promise]);
    await first.session.signOut();
    left.resolve();
    const second = await open("window-1", { disk: realDisk });
    await second.session.signIn(url, service.apiKey);
    await pass(15);
    assert.ok(looks.length > 0);
  });

  test("that was stopped never comes back, wherever a window dies while it tidies up", async () => {
    const { watch, first, list, userData } = await withWatchingWindows();
    const name = await watch();
    await first.priceWatches.stop(first.me(), name);
    const files = await realDisk.names(folderOf(userData));
    for (let lives = 0; lives <= files.length; lives += 1) {
      let left = lives;
      const remove = async (path: string) => {
        if (left === 0) throw new Error("killed");
        left -= 1;
        await realDisk.remove(path);
      };
      const names = async (folder: string) => (await realDisk.names(folder)).toSorted();
      const tidying = new PriceWatchJournal(folderOf(userData), { ...realDisk, names, remove });
      await tidying.tidy(Date.now()).catch(() => undefined);
      assert.deepEqual(await list(), [], `after ${lives}`);
    }
    assert.deepEqual(
      (await realDisk.names(folderOf(userData))).filter((file) => file.startsWith(name)),
      [],
    );
  });

  test("stays with the window that was faster to take over, when the other one is signed out at that moment", async () => {
    const { first, clock, userData } = await withWatchingWindows();
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const create = async (path: string, text: string) => {
      reached.resolve();
      await released.promise;
      return await realDisk.create(path, text);
    };
    const journal = new PriceWatchJournal(folderOf(userData));
    const slow = new PriceWatchJournal(folderOf(userData), { ...realDisk, create });
    const [late, early] = [
      new PriceWatchLeader({ journal: slow, clock, liveness: lifeOf("late-window") }),
      new PriceWatchLeader({ journal, clock, liveness: lifeOf("early-window") }),
    ];
    const taking = late.lead(first.me());
    await reached.promise;
    assert.equal(await early.lead(first.me()), true);
    released.resolve();
    await late.resign();
    assert.equal(await taking, false);
    assert.equal((await journal.readLeader(first.me().tag))?.window, "early-window");
  });

  for (const spoilt of ['{"offers":[{"id":3},{"id":4,"dph_total":null}]}', '{"offers":[null,{"id":"x"}]}'])
    test(`isn't told twice because the service answers ${spoilt} for a while`, () => assertToldOnceWhile(() => spoilt));

  test("isn't told twice because its machine says no price for a while, and dearer ones do", () =>
    assertToldOnceWhile((text) => {
      const [first, ...others] = (JSON.parse(text) as { readonly offers: readonly object[] }).offers;
      return JSON.stringify({ offers: [{ ...first, dph_total: null }, ...others] });
    }));

  for (const { when, mustWait } of [
    { when: "and the window dies while it does", mustWait: false },
    { when: "while another window tells it", mustWait: true },
  ])
    test(`is told anew after it was changed, ${when}`, async () => {
      const { watch, told, setPrice, pass, list, userData } = await withWatchingWindows();
      setPrice(mustWait ? 0.5 : 0.2);
      await watch();
      await pass(1);
      const [entry] = await list();
      assert.ok(entry);
      setPrice(0.2);
      await pass(15);
      assert.equal(told.length, 1);
      const create = async (path: string, text: string) => {
        assert.match(path, /watch-2$/, "it is dead by now");
        return await realDisk.create(path, text);
      };
      const changing = new PriceWatchJournal(folderOf(userData), { ...realDisk, create });
      const goal = { kind: "price", most: 0.4 } as const;
      await changing.change(entry, { ...entry.watch, goal }).catch(() => undefined);
      await pass(80);
      assert.equal(told.length, 2);
    });

  for (const { what, odd } of [
    { what: "a machine that the person blocked, in many parts", odd: { machine_id: 777, dph_total: 0.1 } },
    { what: "offers whose price can't be meant", odd: { dph_total: -1 } },
    {
      what: "hosts that say they are reliable for 9,950 %",
      odd: { dph_total: 0.1, reliability: 99.5, reliability2: 99.5 },
    },
  ])
    test(`tells of the offer behind ${what}`, async () => {
      const { watch, told, setPrice, pass, offer } = await withWatchingWindows({
        parts: { limits: { blockedMachines: [777] } },
        through: ({ url }) =>
          serve(async (request, body) => {
            const answer = await forward(url, request, body);
            if (request.url !== "/api/v0/bundles/") return answer;
            const { offers } = JSON.parse(answer.text) as { readonly offers: readonly object[] };
            const { limit } = JSON.parse(body) as { readonly limit: number };
            const hiding = Array.from({ length: 8 }, (_, at) => ({ ...offers[0], id: 1 + at, ...odd }));
            return { ...answer, text: JSON.stringify({ offers: [...hiding, ...offers].slice(0, limit) }) };
          }),
      });
      setPrice(0.2);
      await watch({ kind: "reliability", most: 0.3, least: 0.5 });
      await pass(30);
      assert.deepEqual(
        told.map((one) => one.offer.id),
        [offer.id],
      );
    });
});
