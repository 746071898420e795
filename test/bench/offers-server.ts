// A process of its own that answers every request with the same offers, so that serving them costs the measured one nothing.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { MOST_BYTES } from "../../src/api/transport.ts";

const COUNT = 10_000;
const PLACES = ["Sweden, SE", "Québec, CA", "Japan, JP", "Utah, US"];
const CARDS = ["RTX 4090", "RTX 3090", "A100 SXM4", "H100 NVL", "RTX 6000 Ada"];

/** All fields that are read, and some that are not; as long as 10,000 may be within the client's limit. */
function offer(index: number): Record<string, unknown> {
  const share = (index % 997) / 997;
  return {
    id: 9_000_000 + index,
    ask_contract_id: 9_000_000 + index,
    machine_id: 20_000 + (index % 4000),
    host_id: 1000 + (index % 900),
    hostname: null,
    gpu_name: CARDS[index % CARDS.length],
    num_gpus: 1 + (index % 8),
    gpu_ram: 24_564,
    gpu_arch: "nvidia",
    gpu_frac: 0.5,
    dph_base: 0.2 + share,
    dph_total: 0.21 + share,
    min_bid: index % 3 === 0 ? null : 0.1 + share,
    reliability2: 0.99 - share / 10,
    verification: index % 4 === 0 ? "unverified" : "verified",
    rentable: true,
    cuda_max_good: 12.8,
    driver_version: "570.86.15",
    cpu_name: "AMD EPYC 7763 64-Core Processor",
    cpu_cores_effective: 32,
    cpu_ram: 257_000,
    disk_space: 812.5,
    disk_name: "SAMSUNG MZQL23T8HCLS",
    storage_cost: 0.15,
    inet_up: 812.1,
    inet_down: 934.2,
    inet_up_cost: 0.003,
    inet_down_cost: 0.002,
    geolocation: PLACES[index % PLACES.length],
    duration: 2_592_000,
    direct_port_count: 99,
    dlperf: 123.456,
    static_ip: true,
    webpage: null,
  };
}

const body = Buffer.from(JSON.stringify({ offers: Array.from({ length: COUNT }, (_, index) => offer(index)) }));
if (body.length > MOST_BYTES) throw new Error(`${body.length} bytes are more than the client takes.`);

const server = createServer((request, response) => {
  request.resume();
  response.writeHead(200, { "content-type": "application/json", "content-length": body.length }).end(body);
});
server.listen(0, "127.0.0.1", () => process.send?.((server.address() as AddressInfo).port));
// Whoever measures is gone.
process.on("disconnect", () => process.exit());
