// A listing is complete only where nothing is missing: tokens that are lost, empty or come again end it, and say nothing.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { serve } from "./hostile.ts";

interface Page {
  readonly ids: readonly number[];
  readonly next?: string | null;
  readonly total?: number;
  readonly found?: number;
}

const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
const body = ({ ids, next, total, found }: Page) =>
  JSON.stringify({
    success: true,
    instances: ids.map((id) => ({ id })),
    instances_found: found ?? ids.length,
    ...(total === undefined ? {} : { total_instances: total }),
    ...(next === undefined ? {} : { next_token: next }),
  });

/** Serves the pages in turn, the last one again and again. */
async function listing(pages: readonly Page[]) {
  let at = 0;
  const { client, count } = await serve((_, response) => {
    const page = pages[Math.min(at, pages.length - 1)];
    at += 1;
    response.end(page && body(page));
  });
  const list = await client.listInstances(undefined);
  return { rows: list.rows.length, complete: list.complete, requests: count() };
}

describe("a listing in pages", () => {
  const cases: readonly (readonly [
    what: string,
    pages: readonly Page[],
    rows: number,
    complete: boolean,
    requests: number,
  ])[] = [
    ["one page", [{ ids: [1, 2], next: null, total: 2 }], 2, true, 1],
    [
      "two pages",
      [
        { ids: range(1, 25), next: "a", total: 26 },
        { ids: [26], next: null, total: 26 },
      ],
      26,
      true,
      2,
    ],
    ["none", [{ ids: [], next: null, total: 0 }], 0, true, 1],
    ["no total, a token that is null", [{ ids: range(1, 25), next: null }], 25, true, 1],
    ["no total and no token, a page that is not full", [{ ids: [1] }], 1, false, 1],
    ["no total and no token, a full page", [{ ids: range(1, 25) }], 25, false, 1],
    ["the token is missing and rows, too", [{ ids: range(1, 25), total: 26 }], 25, false, 1],
    ["the token is null and rows are missing", [{ ids: range(1, 25), next: null, total: 26 }], 25, false, 1],
    ["the token is missing and no row is", [{ ids: range(1, 25), total: 25 }], 25, true, 1],
    ["an empty token", [{ ids: range(1, 25), next: "", total: 26 }], 25, false, 1],
    ["an empty token and no total", [{ ids: [1], next: "" }], 1, false, 1],
    ["a token that comes again", [{ ids: range(1, 25), next: "a", total: 100 }], 25, false, 2],
    [
      "the same rows twice",
      [
        { ids: range(1, 25), next: "a", total: 50 },
        { ids: range(1, 25), next: null, total: 50 },
      ],
      25,
      false,
      2,
    ],
    ["fewer rows than it says", [{ ids: [1], next: null, total: 1, found: 2 }], 1, false, 1],
    [
      "one was added between two pages",
      [
        { ids: range(2, 25), next: "a", total: 25 },
        { ids: [27, 28], next: null, total: 27 },
        { ids: range(2, 25), next: "a", total: 27 },
        { ids: [27, 28], next: null, total: 27 },
      ],
      27,
      true,
      4,
    ],
    [
      "one of the first page ended before the second: what moved up is on neither, and all are read again",
      [
        { ids: range(1, 25), next: "a", total: 30 },
        { ids: range(27, 4), next: null, total: 29 },
        { ids: range(2, 25), next: "a", total: 29 },
        { ids: range(27, 4), next: null, total: 29 },
      ],
      29,
      true,
      4,
    ],
    [
      "one ends each time that a page is read",
      [
        { ids: range(1, 25), next: "a", total: 30 },
        { ids: range(27, 4), next: null, total: 29 },
        { ids: range(2, 25), next: "a", total: 29 },
        { ids: range(28, 3), next: null, total: 28 },
      ],
      28,
      false,
      4,
    ],
    [
      "a total that a later page doesn't give",
      [
        { ids: range(1, 25), next: "a", total: 26 },
        { ids: [26], next: null },
      ],
      26,
      true,
      2,
    ],
    [
      "a total that only a later page gives",
      [
        { ids: range(1, 25), next: "a" },
        { ids: [26], next: null, total: 26 },
      ],
      26,
      true,
      2,
    ],
  ];
  for (const [what, pages, rows, complete, requests] of cases)
    test(`${what}: ${complete ? "complete" : "incomplete"}`, async () => {
      assert.deepEqual(await listing(pages), { rows, complete, requests });
    });

  test("tokens without end stop after 400 pages, incomplete", async () => {
    let at = 0;
    const { client, count } = await serve((_, response) => {
      at += 1;
      response.end(body({ ids: [at], next: `token-${at}`, total: 10_000 }));
    });
    assert.equal((await client.listInstances(undefined)).complete, false);
    assert.equal(count(), 400);
  });

  test("the older list counts what it says it found", async () => {
    const older = async (text: string) => {
      const answer = { patience: 0.01 };
      const { client } = await serve(
        (request, response) => (request.url?.includes("/v1/") ? response.writeHead(404).end("") : response.end(text)),
        answer,
      );
      return (await client.listInstances(undefined)).complete;
    };
    assert.equal(await older('{"instances":[{"id":1}],"instances_found":1}'), true);
    assert.equal(await older('{"instances":[{"id":1}],"instances_found":2}'), false);
  });
});
