// In a workspace that isn't trusted: agents may search offers and nothing else, and links work as commands do.
import assert from "node:assert/strict";
import { AGENT_TOOLS } from "../../../src/domain/agent/tools.ts";
import { OfferId } from "../../../src/domain/base/id.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import { ownFolder, stage, step } from "../support.ts";
import { callTool, followLink, linker, readAnswer, useExported } from "./follow-links.ts";

const person = stage({
  signedIn: true,
  beside: linker,
  folder: await ownFolder(),
  settings: {
    "cloudGpu.limits.totalPerHour": 0.0001,
    "security.workspace.trust.enabled": true,
    "security.workspace.trust.startupPrompt": "never",
  },
});

step("agents may search offers, and see nothing of the account", person, async ({ window, requests }) => {
  await window.openContainer("Cloud GPU");
  await window.waitForRow(/^Scratch Ubuntu/);
  await window.page.locator(".statusbar-item", { hasText: "Restricted Mode" }).waitFor();
  const { answer = "{}" } = await callTool(window, AGENT_TOOLS.searchOffers.name, { most: 1 });
  assert.equal(JSON.parse(answer).offers.length, 1);
  assert.doesNotMatch(answer, /forbidden_by_limit/, "a limit says what all rentals cost");
  const { length } = requests;
  for (const { name, input } of [
    { ...AGENT_TOOLS.quoteLaunch, input: { offer: 7, hours: 1 } },
    { ...AGENT_TOOLS.getInstances, input: {} },
    { ...AGENT_TOOLS.getRun, input: {} },
    { ...AGENT_TOOLS.launch, input: { quote: "quote-a" } },
    { ...AGENT_TOOLS.run, input: { instance: 7, command: "nvidia-smi", maxHours: 1 } },
    { ...AGENT_TOOLS.endInstance, input: { instance: 7, action: "destroy" } },
  ]) {
    const { refused = "" } = await callTool(window, name, input);
    assert.match(refused, /only offers can be searched/, name);
  }
  assert.deepEqual(
    requests.slice(length).filter(({ path }) => path.startsWith("/api/v0/bundles")),
    [],
  );
});

step("the tools can't be shared with other agents", person, async ({ window }) => {
  await window.page.keyboard.press("F1");
  await window.quickType(">Cloud GPU: S");
  const labels = (await window.quickItems()).map(({ label }) => label);
  assert.ok(labels.includes("Cloud GPU: Sign Out"));
  assert.ok(!labels.some((label) => /Share Tools/.test(label)));
  await window.quickClose();
});

step("other extensions see no instance, and can open offers only", person, async ({ window, service }) => {
  const offer = service.world.offers[0];
  assert.ok(offer);
  createInstance(service.world, OfferId.parse(offer.id), { image: "a/b", label: "unseen" });
  await window.command("Cloud GPU: Refresh");
  await window.waitForRow(/^unseen/);
  await useExported(window, "instances");
  assert.deepEqual(await readAnswer(), { answer: "[]" });
  const template = service.world.templates.list()[0]?.hash_id;
  await useExported(window, "openSummary", { template });
  assert.match((await readAnswer()).refused ?? "", /other extensions can only open offers/);
  await useExported(window, "exploreOffers", { max: 2 });
  assert.deepEqual(await readAnswer(), { answer: '"done"' });
  await window.page.locator(".tab", { hasText: "Offers" }).waitFor();
});

step("a link opens the launch prompts", person, async ({ window, service }) => {
  const template = service.world.templates.list().find(({ name }) => name === "Scratch Ubuntu");
  await followLink(window, `/launch?template=${template?.hash_id}`);
  await window.quickTitle(/Launch Instance from Template/);
});
