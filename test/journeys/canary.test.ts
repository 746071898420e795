// Secrets through a whole session with every fault: not in the log, in no error, in no note, in no file of the journal.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { inspect } from "node:util";
import { type ClientOptions, createClient } from "../../src/api/client.ts";
import type { OfferId } from "../../src/domain/base/id.ts";
import { createLog } from "../../src/lib/log.ts";
import { FAULTS, type FaultName } from "../../src/sandbox/faults/faults.ts";
import { createIntent } from "../../src/services/launch/intent.ts";
import { fastClock, planFor } from "./editor-window.ts";
import { cheapest, editorWindow, makeUserData, sandbox } from "./support.ts";

const REGISTRY = "canary-registry-token-81";
const VALUE = "canary-env-value-4711";
const PASSWORD = "canary-docker-password-3";
const NOTEBOOK = "canary-notebook-token-92";
/** They hold for a minute or fill the memory; the limits have tests of their own. */
const SLOW = new Set<FaultName>(["silence", "endless-drip", "huge-body", "gzip-bomb", "slow", "late-execution"]);

test("no secret leaves the process but to the service", async () => {
  const said: string[] = [];
  const log = createLog((level, line) => said.push(`${level} ${line}`));
  const at = makeUserData();
  const keep = (error: unknown) => void said.push(inspect(error, { depth: 8 }), JSON.stringify(error));
  const service = await sandbox();
  const connect = (options: ClientOptions) => createClient({ ...options, pace: 0, patience: 0 });
  const window = editorWindow(at, { log, clock: fastClock, connect });
  await window.session.signIn(service.url, service.apiKey);
  const { client } = window.session.requireSignedIn();
  const plan = { ...planFor(await cheapest(window)), runtype: "jupyter_direct" as const };
  const secrets = new Set([service.apiKey, REGISTRY, VALUE, PASSWORD, NOTEBOOK]);
  const other = service.world.offers.find((offer) => service.world.isRentable(offer) && offer.id !== plan.offer.id);
  const calls: (() => Promise<unknown>)[] = [
    () => window.rent(plan, createIntent()),
    () =>
      client.createInstance(1 as OfferId, {
        image: "a/b",
        env: { CANARY_VALUE: VALUE },
        image_login: `-u me -p ${REGISTRY} r.example.com`,
      }),
    () =>
      client.createTemplate({
        name: "n",
        image: "a/b",
        docker_login_repo: "r",
        docker_login_user: "u",
        docker_login_pass: PASSWORD,
        env: `-e CANARY_VALUE=${VALUE}`,
      }),
    () =>
      client.createBackgroundJobs({
        machine: 7,
        price_gpu: 1,
        price_inetu: 0,
        price_inetd: 0,
        image: "a/b",
        env: { CANARY_VALUE: VALUE },
      }),
    () => client.listWorkergroups(),
    () => client.listWebhooks(),
    () => client.listApiKeys(),
    () => client.getCurrentUser(),
    () =>
      client.createInstance((other?.id ?? 0) as OfferId, {
        image: "a/b",
        runtype: "jupyter_direct",
        env: { JUPYTER_TOKEN: NOTEBOOK, CANARY_VALUE: VALUE },
      }),
    async () => log.debug("All instances", await client.listInstances(undefined)),
    () => window.instances.collection.refresh(),
    () => window.session.check(service.url, `${REGISTRY}\u20ac`),
    () => window.session.check(`http://user:${PASSWORD}@127.0.0.1:1`, service.apiKey),
  ];
  const everything = async () => {
    for (const call of calls) await call().then((value) => value, keep);
    for (const instance of service.world.listInstances())
      for (const secret of [service.world.toRecord(instance).jupyter_token])
        if (typeof secret === "string") secrets.add(secret);
  };
  await everything();
  assert.ok(
    said.some((line) => line.includes("extra_env")),
    "a record with an environment was logged",
  );
  for (const group of service.world.workergroups) secrets.add(String(group.api_key));
  for (const fault of Object.keys(FAULTS) as FaultName[]) {
    if (SLOW.has(fault)) continue;
    service.faults.clear();
    service.faults.add(fault);
    await everything();
  }
  const files = await Promise.all((await readdir(at.folder)).map((name) => readFile(join(at.folder, name), "utf8")));
  const notes = [...at.notes.entries()].map((entry) => JSON.stringify(entry));
  assert.ok(
    said.length > 200 && files.length > 3 && secrets.size >= 6,
    `${said.length} ${files.length} ${secrets.size}`,
  );
  const hits = [...said, ...files, ...notes].flatMap((text) =>
    [...secrets]
      .filter((secret) =>
        [secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")].some((form) =>
          text.includes(form),
        ),
      )
      .map((secret) => `${secret.slice(0, 8)}…: ${text.slice(0, 200)}`),
  );
  assert.deepEqual(hits, []);
});
