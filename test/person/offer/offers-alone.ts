// The built page of offers in a browser without the editor: its host answers at once, with offers of the sandbox's market.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, resolve } from "node:path";
import { readOffer } from "../../../src/domain/offer/offer.ts";
import { NUMBER_FIELDS, toOfferTable } from "../../../src/domain/offer/table/offer-table.ts";
import { DEFAULT_LAYOUT } from "../../../src/domain/offer/table/offers-layout.ts";
import { drawMarket } from "../../../src/sandbox/market/market.ts";
import { toOfferRecord } from "../../../src/sandbox/market/offer-record.ts";

const PAGES = join(resolve(import.meta.dirname, "../../.."), "dist", "webview");
const NOW = 1_790_000_000;

/** As the host sends them; typed arrays as lists, which is how they reach the browser. */
function listOffers(count: number) {
  const offers = drawMarket(1, NOW, count).map((offer) =>
    readOffer(toOfferRecord(offer, { type: "ondemand", storage: 8, rentable: true, minBid: offer.minBid, now: NOW })),
  );
  const { numbers, texts, trust, ...rest } = toOfferTable(offers.filter((offer) => offer !== undefined));
  const nulls = (values: Float64Array) => Array.from(values, (value) => (Number.isNaN(value) ? null : value));
  return {
    count: rest.count,
    numbers: Object.fromEntries(NUMBER_FIELDS.map((field) => [field, nulls(numbers[field])])),
    texts: Object.fromEntries(Object.entries(texts).map(([name, { words, at }]) => [name, { words, at: [...at] }])),
    trust: nulls(trust),
  };
}

/** What the page talks to, inside the browser. `host` has what it answers next. */
const HOST = `
const given = GIVEN;
const floats = (values) => Float64Array.from(values, (value) => value ?? NaN);
const table = {
  count: given.count,
  numbers: Object.fromEntries(Object.entries(given.numbers).map(([name, values]) => [name, floats(values)])),
  texts: Object.fromEntries(Object.entries(given.texts).map(([name, { words, at }]) => [name, { words, at: Uint16Array.from(at) }])),
  trust: floats(given.trust),
};
window.host = { filters: {}, table, asked: [], answered: 0 };
const answers = {
  open: () => ({ search: { filters: {}, type: "ondemand" }, layout: LAYOUT, language: "en", dictionary: {} }),
  read: () => ({ table: host.table, unreadable: 0, isCut: false, at: 0, type: "ondemand", diskGb: 8 }),
  filter: () => ({ search: { filters: host.filters, type: "ondemand" }, mustRead: false }),
};
window.acquireVsCodeApi = () => ({
  getState() {}, setState() {},
  postMessage({ id, ask, question }) {
    host.asked.push({ ask, question });
    if (ask === "read") host.answered = performance.now();
    window.dispatchEvent(new MessageEvent("message", { data: { answer: id, value: answers[ask]?.() ?? null } }));
  },
});
`;

const HTML = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>offers</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'; img-src data:; script-src 'self'">
<link rel="stylesheet" href="/theme.css"><link rel="stylesheet" href="/pages.css"></head>
<body class="vscode-dark"><div id="root" data-page="offers"></div>
<script src="/host.js"></script><script type="module" src="/pages.js"></script></body></html>`;

/** What the editor gives its pages: a margin, its font and a few colors of its dark theme. */
const THEME = `html {
  --vscode-font-family: system-ui, "Ubuntu", "Droid Sans", sans-serif; --vscode-font-size: 13px;
  --vscode-foreground: #cccccc; --vscode-descriptionForeground: #9d9d9d; --vscode-editor-background: #1f1f1f;
  --vscode-sideBar-background: #181818; --vscode-panel-border: #2b2b2b; --vscode-focusBorder: #0078d4;
  --vscode-button-background: #0078d4; --vscode-button-foreground: #ffffff; --vscode-button-border: #ffffff1a;
  --vscode-button-secondaryBackground: #313131; --vscode-button-secondaryForeground: #cccccc;
  --vscode-textLink-foreground: #4daafc; --vscode-badge-background: #616161; --vscode-badge-foreground: #f8f8f8;
  --vscode-input-background: #313131; --vscode-input-foreground: #cccccc; --vscode-input-border: #3c3c3c;
  --vscode-list-hoverBackground: #2a2d2e; --vscode-list-activeSelectionBackground: #04395e;
  --vscode-list-activeSelectionForeground: #ffffff; --vscode-toolbar-hoverBackground: #5a5d5e50;
}
body { margin: 0; }`;

/** `script` runs in the browser before the page does. The caller closes it. */
export async function serveOffers(count: number, script = "") {
  const host = HOST.replace("GIVEN", () => JSON.stringify(listOffers(count))).replace("LAYOUT", () =>
    JSON.stringify(DEFAULT_LAYOUT),
  );
  const made: Readonly<Record<string, string>> = { "": HTML, "host.js": host + script, "theme.css": THEME };
  const kinds: Readonly<Record<string, string>> = { "": "text/html", ".css": "text/css", ".js": "text/javascript" };
  const server = createServer(async (request, response) => {
    const name = (request.url ?? "/").slice(1);
    const file = made[name] ?? (await readFile(join(PAGES, name.replaceAll(/[^\w.-]/g, ""))).catch(() => undefined));
    return response.writeHead(file === undefined ? 404 : 200, { "content-type": kinds[extname(name)] }).end(file);
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}
