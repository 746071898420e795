// A process of its own that answers every request with the same offers, so that serving them costs the measured one nothing.
// The records are the sandbox's own: as long as a public service's.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { endpoints } from "../../src/api/table/endpoints.ts";
import { drawMarket } from "../../src/sandbox/market/market.ts";
import { toOfferRecord } from "../../src/sandbox/market/offer-record.ts";

const COUNT = 10_000;
const NOW = 1_790_000_000;

/** Markets of many seeds, one after the other, each offer with an ID of its own. */
function records(): Record<string, unknown>[] {
  const all: Record<string, unknown>[] = [];
  for (let seed = 1; all.length < COUNT; seed += 1) {
    for (const offer of drawMarket(seed, NOW)) {
      const id = 9_000_000 + all.length;
      const record = toOfferRecord(offer, {
        type: "ondemand",
        storage: 10,
        rentable: true,
        minBid: offer.minBid,
        now: NOW,
      });
      all.push({ ...record, id, ask_contract_id: id });
    }
  }
  return all.slice(0, COUNT);
}

const body = Buffer.from(JSON.stringify({ success: true, offers: records() }));
if (body.length > endpoints.searchOffers.maxBytes)
  throw new Error(`${body.length} bytes are more than the client takes.`);

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
// Whoever measures is gone.
process.on("disconnect", () => process.exit());
