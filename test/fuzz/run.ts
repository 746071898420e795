// Random and mutated answers through the client over real HTTP: it must never crash, hang or fail without a typed error.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type Client, createClient } from "../../src/api/client.ts";
import { AppError } from "../../src/domain/base/error.ts";
import type { InstanceId, OfferId, TemplateHash, TemplateId } from "../../src/domain/base/id.ts";
import { answer, GOOD, type Random, seeded } from "./answers.ts";

const DRAFT = { name: "n", image: "a/b", docker_login_repo: "", docker_login_user: "", docker_login_pass: "" };
const INSTANCE = 41 as InstanceId;

const CALLS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  createBackgroundJobs: (client) =>
    client.createBackgroundJobs({ machine: 7, price_gpu: 1, price_inetu: 0, price_inetd: 0, image: "a/b" }),
  searchOffers: (client) => client.searchOffers({}),
  createInstance: (client) => client.createInstance(7 as OfferId, { image: "a/b" }),
  getInstance: (client) => client.getInstance(INSTANCE),
  searchTemplates: (client) => client.searchTemplates({}),
  createTemplate: (client) => client.createTemplate(DRAFT),
  editTemplate: (client) => client.editTemplate("h" as TemplateHash, { desc: "x" }),
  deleteTemplate: (client) => client.deleteTemplate(5 as TemplateId),
  unlistVolume: (client) => client.unlistVolume(1),
  listWebhooks: (client) => client.listWebhooks(),
  listWorkergroups: (client) => client.listWorkergroups(),
  fetchImageTags: (client) => client.fetchImageTags("a/b"),
  deleteApiKey: (client) => client.deleteApiKey(1),
  listInstances: (client) => client.listInstances(undefined),
  destroyInstance: (client) => client.destroyInstance(INSTANCE),
  destroyInstances: (client) => client.destroyInstances([INSTANCE, 42 as InstanceId]),
  setInstanceState: (client) => client.setInstanceState(INSTANCE, "running"),
  setInstancesState: (client) => client.setInstancesState([INSTANCE, 42 as InstanceId], "running"),
  attachSshKey: (client) => client.attachSshKey(INSTANCE, "ssh-ed25519 AAAA me"),
  listInstanceSshKeys: (client) => client.listInstanceSshKeys(INSTANCE),
  listMachines: (client) => client.listMachines(),
  createVolume: (client) => client.createVolume({ offerId: 7, size: 10 }),
  deleteVolume: (client) => client.deleteVolume(1),
  getCurrentUser: (client) => client.getCurrentUser(),
  listVolumes: (client) => client.listVolumes(),
  listApiKeys: (client) => client.listApiKeys(),
};

export interface FuzzResult {
  readonly answers: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Each a way the client broke its word. */
  readonly violations: readonly string[];
}

/** Serves spoiled answers; the header `x-op` isn't there, so the operation is told by the loop. */
export async function fuzz(count: number, seed: number): Promise<FuzzResult> {
  const random: Random = seeded(seed);
  let operation = "";
  let served = 0;
  const server = createServer((request, response) => {
    request.resume();
    served += 1;
    const { status, body } = answer(GOOD[operation], random);
    response.writeHead(status, {
      "content-type": "application/json",
      ...(status === 302 ? { location: "/elsewhere" } : {}),
    });
    response.end(status === 204 ? undefined : body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  // Waiting between repeats is the client's business in earnest; here it would only take an hour.
  const client = createClient({ baseUrl, apiKey: "fuzz-key-0123456789", pace: 0, patience: 0 });
  const violations: string[] = [];
  const stray = (reason: unknown) => void violations.push(`unhandled rejection: ${String(reason)}`);
  process.on("unhandledRejection", stray);
  const names = Object.keys(CALLS);
  let [succeeded, failed] = [0, 0];
  try {
    while (served < count) {
      operation = names[Math.floor(random() * names.length)] ?? "searchOffers";
      const call = CALLS[operation];
      try {
        const word = misread(operation, await call?.(client));
        if (word !== undefined) violations.push(`seed ${seed}, answer ${served}, ${operation}: ${word}`);
        succeeded += 1;
      } catch (error) {
        failed += 1;
        const word = judge(error, operation);
        if (word !== undefined) violations.push(`seed ${seed}, answer ${served}, ${operation}: ${word}`);
      }
    }
  } finally {
    process.off("unhandledRejection", stray);
    client.close();
    server.closeAllConnections();
    server.close();
  }
  return { answers: served, succeeded, failed, violations };
}

/** What a good answer may not have been read as. */
function misread(operation: string, read: unknown): string | undefined {
  if (operation !== "getInstance" || read === undefined) return undefined;
  const { id } = (read as { value: { id: unknown } }).value;
  return id === INSTANCE ? undefined : `another instance: ${id}`;
}

function judge(error: unknown, operation: string): string | undefined {
  if (!(error instanceof AppError)) return `not a typed error: ${String(error)}`;
  if (error.kind === "defect") return `a defect: ${error.message}`;
  if (error.facts.operation === undefined) return `no operation in ${error.kind}`;
  if (/undefined|NaN|\[object/.test(error.message)) return `a broken sentence: ${error.message}`;
  const named = error.facts.operation
    .replace("updateInstance", "setInstanceState")
    .replace("listInstancesV0", "listInstances");
  return named === operation ? undefined : `named ${error.facts.operation}`;
}

if (process.argv[1] === import.meta.filename) {
  const count = Number(process.argv[2] ?? 1_000_000);
  const seed = Number(process.argv[3] ?? 1);
  const started = performance.now();
  const result = await fuzz(count, seed);
  console.log(
    `${result.answers} answers, ${result.succeeded} read, ${result.failed} refused, ${result.violations.length} violations, ${((performance.now() - started) / 1000).toFixed(0)} s`,
  );
  for (const violation of result.violations.slice(0, 20)) console.log(violation);
  process.exitCode = result.violations.length > 0 ? 1 : 0;
}
