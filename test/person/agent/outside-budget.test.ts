// An agent outside of the editor rents, runs, and ends by the shared tools within a budget of a dollar, and not for a cent more.
import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import type { Workbench } from "../../editor/page.ts";
import { connectAgent } from "../../outside-agent.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, stage, step, until } from "../support.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "project");
await mkdir(project);
await writeFile(join(project, "train.sh"), "echo trained > out.txt\n");

const person = stage({
  ...{ signedIn: true, folder: project, sandbox: { ssh: true } },
  ...{ env: laptop.env, settings: { ...laptop.settings, "security.workspace.trust.enabled": false } },
  prepare: ({ world }) => {
    laptop.addKey(world);
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  },
});

type Answer = Readonly<Record<string, unknown>>;
let agent: Awaited<ReturnType<typeof connectAgent>> | undefined;
after(() => agent?.client.close());
const ask = (name: string, input: object): Promise<Answer> => {
  assert.ok(agent);
  return agent.ask(name, input);
};
const creates = () => person().requests.filter(({ method, path }) => method === "PUT" && path.includes("/asks/"));
const hasDialog = async ({ page }: Workbench) => (await page.locator(".monaco-dialog-box").count()) > 0;

/** A quote for an hour of a machine at a price, to which its disk adds half a cent. */
async function quoteAt(price: number): Promise<Answer> {
  const { world } = person().service;
  const { offers } = await ask("cloudGpu_searchOffers", { most: 1 });
  const [{ offer } = { offer: 0 }] = offers as readonly { readonly offer: number }[];
  world.setPrice(offer, price);
  return await ask("cloudGpu_quoteLaunch", { offer, hours: 1, image: "pytorch/pytorch:latest", diskGb: 16 });
}

step("a person gives agents a dollar, and shares the tools", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^Scratch Ubuntu/);
  await window.command("Cloud GPU: Let Agents Rent…");
  for (const answer of ["1", "2", "5", "2"]) await window.quickAnswer(answer);
  await window.dialog();
  // Whoever reads takes longer.
  await window.page.waitForTimeout(500);
  await window.dialogButton("Let Agents Rent");
  await window.command("Cloud GPU: Share Tools with Other Agents…");
  assert.match((await window.dialog()).detail, /Within your budget for agents, they rent without that/);
  await window.page.waitForTimeout(500);
  await window.dialogButton("Share");
  await window.page.context().grantPermissions(["clipboard-read"]);
  await window.quickPick(/^Copy for Cursor/);
  const read = () => window.page.evaluate<string>("navigator.clipboard.readText()");
  await until("it is copied", async () => (await read()).includes("mcpServers"));
  const { url, headers } = JSON.parse(await read()).mcpServers["cloud-gpu"];
  agent = await connectAgent({ url, token: headers.Authorization.replace("Bearer ", "") });
});

step("a cent above the dollar is asked about, and Escape rents nothing", "305-cent", person, async ({ window }) => {
  const quote = await quoteAt(0.803);
  assert.match(String((quote.budget as Answer).why_not), /may cost \$1\.01 until its auto-stop, and \$1\.00 is left/);
  const launching = ask("cloudGpu_launch", { quote: quote.quote });
  assert.match((await window.dialog()).detail, /Your budget for agents doesn't cover it\. This may cost \$1\.01/);
  await window.page.keyboard.press("Escape");
  assert.equal((await launching).outcome, "declined");
  assert.deepEqual(creates(), []);
});

let instance = 0;

step(
  "within the dollar it is rented at once, and nothing is asked",
  "306-dollar",
  person,
  async ({ window, service }) => {
    const quote = await quoteAt(0.6);
    assert.equal((quote.budget as Answer).pays_for_this, true);
    const answer = await ask("cloudGpu_launch", { quote: quote.quote });
    assert.equal(answer.outcome, "rented");
    assert.equal(await hasDialog(window), false);
    assert.deepEqual([service.world.listInstances().map(({ id }) => id), creates().length], [[answer.instance], 1]);
    instance = Number(answer.instance);
  },
);

if (HAS_SSH)
  step("what it runs there is asked about, and its results come here", person, async ({ window }) => {
    await window.waitForRow(new RegExp(`instance ${instance}, running`), 90_000);
    let begun: Answer = {};
    await until(
      "it can be logged in to",
      async () => {
        const asking = ask("cloudGpu_run", { instance, command: "bash train.sh", maxHours: 1 });
        const isAsked = await Promise.race([
          window.dialog().then(() => true),
          asking.then(
            () => false,
            () => false,
          ),
        ]);
        if (!isAsked) return false;
        await window.page.waitForTimeout(500);
        await window.dialogButton("Run");
        begun = await asking;
        return true;
      },
      90_000,
    );
    assert.equal(begun.outcome, "begun");
    await until(
      "the run is over",
      async () => {
        const told = await ask("cloudGpu_getRun", { run: begun.run });
        return told.state === "ended" && told.exit_code === 0 && (told.results as Answer).complete === true;
      },
      90_000,
    );
  });

step("it destroys what the budget paid for without a question", "307-ended", person, async ({ window, service }) => {
  assert.equal((await ask("cloudGpu_endInstance", { instance, action: "destroy" })).outcome, "done");
  assert.deepEqual([await hasDialog(window), service.world.listInstances()], [false, []]);
  const { budget } = await quoteAt(0.6);
  assert.match(String((budget as Answer).why_not), /and \$0\.24\d is left/, "nothing is given back");
  await window.page.locator(".statusbar-item", { hasText: /Agents: \$0\.75\d of \$1\.00/ }).waitFor({ timeout: SOON });
});
