// How often a window with 50 instances asks the service when nothing changes: with its view open, and with the sidebar closed.
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createInstance } from "../../src/sandbox/handlers/create-instance.ts";
import type { RequestLine } from "../../src/sandbox/http/request-line.ts";
import { startSandbox } from "../../src/sandbox/start.ts";
import { Workbench } from "../editor/page.ts";
import { launchWarm } from "../editor/warm.ts";
import { startWorkbench } from "../editor/workbench.ts";
import type { Row } from "./measure.ts";

const VSIX = join(resolve(import.meta.dirname, "../.."), "dist", "cloud-gpu.vsix");
const INSTANCES = 50;
/** Minutes that are counted, after a first one in which the window gets to know what there is. */
const MINUTES = 4;

export async function calls(): Promise<Row[]> {
  const lines: RequestLine[] = [];
  const service = await startSandbox({ seed: 1, speed: 60, ssh: false, requests: (line) => void lines.push(line) });
  const { world } = service;
  world.account.credit = 1e6;
  rentMany(service.world);
  const started = await startWorkbench({
    vsix: VSIX,
    onlyNeeded: true,
    env: { CLOUD_GPU_SANDBOX_URL: service.url, CLOUD_GPU_SANDBOX_KEY: service.apiKey },
  });
  try {
    const { context, url, close } = await launchWarm(started);
    const window = new Workbench(await context.newPage());
    await window.open({ ...started, url });
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/instance \d+, running/, 120_000);
    const count = async () => {
      await sleep(60_000);
      const before = lines.length;
      await sleep(MINUTES * 60_000);
      const asked = Map.groupBy(lines.slice(before), ({ method, path }) => `${method} ${path}`);
      for (const [what, { length }] of asked) console.log(`  ${length} × ${what}`);
      return (lines.length - before) / MINUTES;
    };
    const seen = await count();
    await window.command("View: Toggle Primary Side Bar Visibility");
    const unseen = await count();
    await close();
    return [
      { what: "requests a minute with 50 instances, their view open", value: seen, unit: "", goal: 2 },
      { what: "the same with the sidebar closed", value: unseen, unit: "", goal: 1 },
    ];
  } finally {
    await started.stop();
    await service.stop();
  }
}

function rentMany(world: Awaited<ReturnType<typeof startSandbox>>["world"]): void {
  let rented = 0;
  for (const offer of world.offers) {
    if (rented === INSTANCES) return;
    if (!world.isRentable(offer)) continue;
    world.setFate(offer.id, "runs");
    createInstance(world, offer.id, { image: "pytorch/pytorch:latest", runtype: "ssh_direct" });
    rented += 1;
  }
}
