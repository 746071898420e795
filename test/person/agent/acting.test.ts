// An agent rents, runs, and ends something: each is asked in a dialog that keys answer, and nothing is sent before.
import assert from "node:assert/strict";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AGENT_TOOLS, type AgentTool } from "../../../src/domain/agent/tools.ts";
import type { Workbench } from "../../editor/page.ts";
import { HAS_SSH, makeLaptop } from "../laptop.ts";
import { ownFolder, SOON, stage, step, until } from "../support.ts";
import { askTool, callTool, linker, readAnswer } from "./follow-links.ts";

const folder = await ownFolder();
const laptop = await makeLaptop(folder, { usesKey: true });
const project = join(folder, "project");
await mkdir(project);
await writeFile(join(project, "train.sh"), "echo trained > out.txt\n");
// It leads to a file outside of the project.
await writeFile(join(folder, "outside.sh"), "echo outside\n");
await symlink(folder, join(project, "linked"), "junction");
// What a person's own run of it would propose is nothing to an agent's.
const run = { command: "bash train.sh", maxAttempts: 20 };
await writeFile(join(project, "train.gpu-template.json"), JSON.stringify({ name: "Train", image: "a/b", run }));

const person = stage({
  ...{ signedIn: true, beside: linker, folder: project, sandbox: { ssh: true } },
  ...{ env: laptop.env, settings: laptop.settings },
  prepare: ({ world }) => {
    laptop.addKey(world);
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  },
});
const writes = () => person().requests.filter(({ method, path }) => method !== "GET" && !path.includes("/bundles"));

type Answer = Readonly<Record<string, unknown>>;
const call = async (window: Workbench, tool: AgentTool, input: object): Promise<Answer> => {
  const { answer = "{}", refused } = await callTool(window, AGENT_TOOLS[tool].name, input);
  assert.equal(refused, undefined);
  return JSON.parse(answer);
};
/** It asks the person first. */
const ask = (window: Workbench, tool: AgentTool, input: object) => askTool(window, AGENT_TOOLS[tool].name, input);
const answered = async (): Promise<Answer> => JSON.parse((await readAnswer()).answer ?? "{}");

async function quote(window: Workbench): Promise<Answer> {
  const found = await call(window, "searchOffers", { most: 1 });
  const [offer] = found.offers as readonly Answer[];
  return await call(window, "quoteLaunch", {
    offer: offer?.offer,
    hours: 2,
    image: "pytorch/pytorch:latest",
    diskGb: 16,
  });
}

const press = async ({ page }: Workbench, ...keys: readonly string[]) => {
  // Whoever reads takes longer.
  await page.waitForTimeout(500);
  for (const key of keys) await page.keyboard.press(key);
  await page.locator(".monaco-dialog-box").waitFor({ state: "hidden", timeout: SOON });
};
const focused = ({ page }: Workbench) => page.locator(".monaco-dialog-box .monaco-button:focus").innerText();
/** Moves to a button with Tab, and presses it. */
async function choose(window: Workbench, button: string): Promise<void> {
  for (let tabs = 0; tabs < 6 && (await focused(window).catch(() => "")) !== button; tabs += 1)
    await window.page.keyboard.press("Tab");
  assert.equal(await focused(window), button);
  await press(window, "Enter");
}

let instance = 0;
let second: Answer = {};

step("a launch is asked about, and Escape rents nothing", "290-agent-launch", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^Scratch Ubuntu/);
  const { quote: id, cost_until_auto_stop: cost } = await quote(window);
  assert.equal(typeof cost, "number");
  await ask(window, "launch", { quote: id });
  const { message, detail } = await window.dialog();
  assert.match(message, /^Rent .* for \$/);
  for (const said of [
    /^An agent asked for this\./,
    /Runs pytorch\/pytorch:latest/,
    /Destroys itself|destroys it/,
    /Until then, it costs about/,
  ])
    assert.match(detail, said);
});

step("a stray Enter would say no", person, async ({ window }) => {
  assert.equal(await focused(window), "Not Now");
});

step("Escape is no, which the agent is told, also the next time", person, async ({ window }) => {
  await press(window, "Escape");
  assert.equal((await answered()).outcome, "declined");
  assert.deepEqual(writes(), []);
});

step("another quote is asked about", person, async ({ window }) => {
  second = await quote(window);
  await ask(window, "launch", { quote: second.quote });
  await window.dialog();
});

step(
  "the key on Rent rents, and the agent has the instance at once",
  "291-agent-rented",
  person,
  async ({ window, service }) => {
    await choose(window, "Rent");
    const answer = await answered();
    assert.equal(answer.outcome, "rented");
    const [rented, ...more] = service.world.listInstances();
    assert.deepEqual([rented?.id, more.length], [answer.instance, 0]);
    instance = rented?.id ?? 0;
    const again = await call(window, "launch", { quote: second.quote });
    assert.deepEqual([again.instance, service.world.listInstances().length], [instance, 1]);
  },
);

if (HAS_SSH) {
  step("a list that is still read when the agent gives up keeps nobody waiting", person, async ({ window }) => {
    await window.waitForRow(new RegExp(`instance ${instance}, running`), 90_000);
    await ask(window, "run", { instance, command: "bash train.sh", maxHours: 1 });
    await window.dialogButton("Show List");
    await window.waitForNotification("Nothing has been uploaded yet. Continue after you've read the list.");
    await window.command("Linker: Cancel");
    await readAnswer();
    await window.notificationButton("Continue…");
    await window.waitForNotification(/^The agent had stopped waiting for you, so nothing was done/);
    await window.clearNotifications();
    await window.closeAllEditors();
  });

  step(
    "a file behind a link is none of the folder, and nothing is asked",
    "292-agent-link",
    person,
    async ({ window }) => {
      for (const file of ["linked/outside.sh", "linked/none.sh"]) {
        const answer = await call(window, "run", { instance, file, maxHours: 1 });
        assert.match(JSON.stringify(answer), new RegExp(`The open folder has no file ${file}`));
      }
      const answer = await call(window, "run", { instance, file: `${"long-name/".repeat(45)}a.ipynb`, maxHours: 1 });
      assert.match(JSON.stringify(answer), /The open folder has no file/);
    },
  );

  step("a run is asked about with its whole command", "292-agent-run", person, async ({ window }) => {
    const command = `bash train.sh ${"--a-long-word-of-options 1 ".repeat(14)}; echo the-end`;
    await ask(window, "run", { instance, command, maxHours: 1 });
    const { detail } = await window.dialog();
    assert.match(detail, /^An agent asked for this\..*Instance \d+.*Command: bash train\.sh/s);
    assert.ok(detail.includes(command.replaceAll(/ {2,}/g, " ")), detail);
    assert.match(detail, /The command is stopped after 1 h/);
    assert.match(detail, /Auto-stop: destroys (?:itself )?at/);
    assert.doesNotMatch(detail, /attempt|another|keeps running/i);
  });

  step("the key on Run runs it, and its results come here", "293-agent-ran", person, async ({ window }) => {
    await choose(window, "Run");
    const begun = await answered();
    assert.equal(begun.outcome, "begun");
    let told: Answer = {};
    await until(
      "the run is over",
      async () => {
        told = await call(window, "getRun", { run: begun.run });
        return told.state === "ended" && (told.results as Answer).complete === true;
      },
      90_000,
    );
    assert.equal(told.exit_code, 0);
    assert.match(JSON.stringify(told.untrusted_text), /the-end/);
  });
}

step("a later end is refused, and a sooner one is asked about", "294-agent-sooner", person, async ({ window }) => {
  const later = await call(window, "endInstance", { instance, action: "destroy", hours: 50 });
  assert.equal(later.failed, "rejected");
  await ask(window, "endInstance", { instance, action: "destroy", hours: 1 });
  const { message, detail } = await window.dialog();
  assert.match(message, /Set an auto-stop for instance/);
  assert.match(detail, /^An agent asked for this\..*will be deleted/s);
});

step("which Escape leaves as it is", person, async ({ window }) => {
  await press(window, "Escape");
  assert.equal((await answered()).outcome, "declined");
});

step("and its key sets", person, async ({ window }) => {
  await ask(window, "endInstance", { instance, action: "destroy", hours: 1 });
  await window.dialog();
  await choose(window, "Set Auto-Stop");
  const { outcome, auto_stop_at: at } = await answered();
  assert.equal(outcome, "set");
  const { instances } = await call(window, "getInstances", { instance });
  const [one] = instances as readonly Answer[];
  assert.ok(one);
  const { at: shown, does } = one.auto_stop as Answer;
  assert.equal(does, "destroy");
  assert.ok(Math.abs(Date.parse(String(shown)) - Date.parse(String(at))) < 60_000, `${shown}, asked for ${at}`);
});

step(
  "an end says what is lost, and destroys only with its key",
  "295-agent-destroy",
  person,
  async ({ window, service }) => {
    await ask(window, "endInstance", { instance, action: "destroy" });
    const { message, detail } = await window.dialog();
    assert.match(message, new RegExp(`Destroy instance ${instance}`));
    assert.match(detail, /^An agent asked for this\..*will be deleted/s);
    assert.equal(await focused(window), "Keep");
    assert.equal(service.world.listInstances().length, 1);
  },
);

step("then it is gone", person, async ({ window, service }) => {
  await choose(window, "Destroy");
  assert.equal((await answered()).outcome, "done");
  assert.equal(service.world.listInstances().length, 0);
  assert.equal(writes().filter(({ path }) => path.startsWith("/api/v0/asks/")).length, 1);
});
