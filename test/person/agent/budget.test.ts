// A person gives agents a budget, sees what is committed, and ends it with one click. An agent rents within it, and is asked about beyond it.
import assert from "node:assert/strict";
import { AGENT_TOOLS, type AgentTool } from "../../../src/domain/agent/tools.ts";
import type { Workbench } from "../../editor/page.ts";
import { SOON, stage, step, until } from "../support.ts";
import { askTool, callTool, linker, readAnswer } from "./follow-links.ts";

const person = stage({
  ...{ signedIn: true, beside: linker },
  prepare: ({ world }) => {
    for (const { id, fate } of world.offers) if (fate !== "gone") world.setFate(id, "runs");
  },
});

type Answer = Readonly<Record<string, unknown>>;
const call = async (window: Workbench, tool: AgentTool, input: object): Promise<Answer> => {
  const { answer = "{}", refused } = await callTool(window, AGENT_TOOLS[tool].name, input);
  assert.equal(refused, undefined);
  return JSON.parse(answer);
};

async function quote(window: Workbench, hours: number): Promise<Answer> {
  const found = await call(window, "searchOffers", { most: 1 });
  const [offer] = found.offers as readonly Answer[];
  return await call(window, "quoteLaunch", {
    ...{ offer: offer?.offer, hours, image: "pytorch/pytorch:latest", diskGb: 16 },
  });
}

/** Keeps what is proposed, up to the dialog. */
async function acceptAll(window: Workbench): Promise<void> {
  await window.command("Cloud GPU: Let Agents Rent…");
  for (const question of [/How many dollars may agents/, /For how many hours/, /per hour may/, /How many instances/]) {
    await window.quickSays(question);
    await window.quickAccept();
  }
  await window.dialog();
}

const creates = () => person().requests.filter(({ method, path }) => method === "PUT" && path.includes("/asks/"));
const budget = (window: Workbench) => window.page.locator(".statusbar-item", { hasText: "Agents: " });
const rented = () => person().service.world.listInstances();

step("Escape at any question gives no budget", person, async ({ window }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^Scratch Ubuntu/);
  await window.command("Cloud GPU: Let Agents Rent…");
  await window.quickSays(/How many dollars may agents spend in all/);
  await window.quickClose();
  await acceptAll(window);
  await window.leaveQuestions();
  assert.equal(await budget(window).count(), 0);
});

step("what can't be meant is refused under its box", "296-budget-asked", person, async ({ window }) => {
  await window.command("Cloud GPU: Let Agents Rent…");
  await window.quickRefused("1,5", /Budget: use a decimal point/);
  await window.quickRefused("0", /Budget: enter more than \$0/);
  await window.quickAnswer("1");
  await window.quickRefused("25", /Hours: enter 0\.25 to 24 hours/);
  await window.quickAnswer("2");
  await window.quickAnswer("$0.9");
  await window.quickAnswer("2");
  const { message, detail } = await window.dialog();
  assert.match(message, /^Let agents rent for up to \$1\.00 without asking you\?/);
  assert.match(detail, /2 instances, on demand, for at most \$0\.90\/h each/);
  assert.match(detail, /Network traffic isn't included/);
});

step("once it is confirmed, the status bar says so", "297-budget-open", person, async ({ window }) => {
  // Whoever reads takes longer.
  await window.page.waitForTimeout(500);
  await window.dialogButton("Let Agents Rent");
  await budget(window).waitFor({ timeout: SOON });
  assert.match(await budget(window).innerText(), /\$0\.000? of \$1\.00 · (2 h|1\d\d min)/);
});

step("an agent rents within it without a question", "298-budget-rented", person, async ({ window }) => {
  const { quote: id, budget: told } = await quote(window, 1);
  assert.equal((told as Answer).pays_for_this, true);
  const answer = await call(window, "launch", { quote: id });
  assert.equal(answer.outcome, "rented");
  assert.equal(await window.page.locator(".monaco-dialog-box").count(), 0);
  assert.deepEqual([rented().length, creates().length], [1, 1]);
  await window.waitForRow(/by an agent/);
  await until("the budget counts it", async () => /\$0\.0*[1-9]/.test(await budget(window).innerText()));
});

step("beyond it, the person is asked, and told why", "299-budget-beyond", person, async ({ window }) => {
  const { quote: id, budget: told } = await quote(window, 8);
  assert.match(String((told as Answer).why_not), /after the end of the budget/);
  await askTool(window, AGENT_TOOLS.launch.name, { quote: id });
  const { detail } = await window.dialog();
  assert.match(
    detail,
    /^An agent asked for this\.\s*Your budget for agents doesn't cover it\. Its auto-stop comes after/,
  );
  await window.leaveQuestions();
  assert.equal(JSON.parse((await readAnswer()).answer ?? "{}").outcome, "declined");
  assert.equal(creates().length, 1);
});

step("a click ends it, and says what keeps running", "300-budget-closed", person, async ({ window }) => {
  await budget(window).click();
  await window.waitForNotification(/keeps running until its auto-stop: 1 of your instances/);
  await budget(window).waitFor({ state: "detached", timeout: SOON });
  await window.clearNotifications();
  assert.equal((await quote(window, 1)).budget, undefined);
});

step(
  "in a new one, an agent destroys what it paid for, and asks for what another one did",
  person,
  async ({ window }) => {
    const [before] = rented();
    await acceptAll(window);
    await window.page.waitForTimeout(500);
    await window.dialogButton("Let Agents Rent");
    await budget(window).waitFor({ timeout: SOON });
    const { quote: id } = await quote(window, 1);
    const { instance } = await call(window, "launch", { quote: id });
    assert.equal(rented().length, 2);
    const end = await call(window, "endInstance", { instance, action: "destroy" });
    assert.equal(end.outcome, "done");
    assert.deepEqual(
      rented().map((one) => one.id),
      [before?.id],
    );
    await askTool(window, AGENT_TOOLS.endInstance.name, { instance: before?.id, action: "destroy" });
    assert.match((await window.dialog()).message, /Destroy instance/);
    await window.leaveQuestions();
    await readAnswer();
    assert.equal(rented().length, 1);
  },
);
