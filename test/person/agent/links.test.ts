// Links from outside the editor: at most the summary of a launch, and nothing before the person said so.
import assert from "node:assert/strict";
import { OfferId } from "../../../src/domain/base/id.ts";
import { createInstance } from "../../../src/sandbox/handlers/create-instance.ts";
import type { Workbench } from "../../editor/page.ts";
import { SOON, stage, step, storedTemplate, until } from "../support.ts";
import { followLink, linker, readAnswer, useExported } from "./follow-links.ts";

const person = stage({ signedIn: false, beside: linker });
const NAME = "Scratch Ubuntu";
const writes = () => person().requests.filter(({ method }) => method === "PUT" || method === "DELETE");
const hash = () => storedTemplate(person(), NAME).hash_id;

const notice = ({ page }: Workbench, text: RegExp) =>
  page.locator(".notification-list-item-message", { hasText: text }).first();

step("signed out, a link asks for an account first and reads nothing", person, async ({ window, requests }) => {
  await followLink(window, `/launch?template=${hash()}&max=1`);
  await window.quickTitle(/Sign In/);
  await window.page.keyboard.press("Escape");
  await until("the question is gone", async () => !(await window.page.locator(".quick-input-widget").isVisible()));
  assert.deepEqual(requests, []);
});

step("what a link may not say is refused by name, and nobody is asked to sign in", person, async ({ window }) => {
  await followLink(window, `/launch?template=${hash()}&onstart=curl`);
  await notice(window, /doesn't know its parameter “onstart”/).waitFor({ timeout: SOON });
  assert.ok(!(await window.page.locator(".quick-input-widget").isVisible()));
});

step("a link leads to the offers that it asks for", person, async ({ window, service }) => {
  await window.openContainer("Cloud GPU");
  await window.command("Cloud GPU: Sign In…");
  await window.quickPick(/^Another Address/);
  await window.quickAnswer(service.url);
  await window.quickAnswer(service.apiKey);
  await window.waitForRow(/^Scratch Ubuntu/);
  await followLink(window, `/launch?template=${hash()}&gpu=RTX_3090&gpus=4&disk=64`);
  await window.quickTitle(/Launch Instance from Template/);
  await window.quickPick(/^4× RTX 3090/);
});

step("its summary says that a link asked for it", "280-link", person, async ({ window }) => {
  await window.quickSays(/A link asked for this launch/);
});

step("and who created its template", person, async ({ window }) => {
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  for (const shape of [/Its template was created by user \d+/, /^Disk… 64 GB/])
    assert.ok(
      lines.some((line) => shape.test(line)),
      `${shape} in\n${lines.join("\n")}`,
    );
  assert.deepEqual(writes(), []);
});

step("leaving it has sent nothing", person, async ({ window, service }) => {
  await window.page.keyboard.press("Escape");
  assert.deepEqual(writes(), []);
  assert.equal(service.world.listInstances().length, 0);
});

step("a summary says that another extension asked for it", "283-extension", person, async ({ window }) => {
  await useExported(window, "openSummary", { template: hash(), gpu: "RTX_3090", gpus: 4, disk: 64 });
  await window.quickTitle(/Launch Instance from Template/);
  await window.quickPick(/^4× RTX 3090/);
  await window.quickSays(/Another extension asked for this launch/);
});

step("which is told no more than that the person is done", person, async ({ window, service }) => {
  await window.page.keyboard.press("Escape");
  assert.deepEqual(await readAnswer(), { answer: '"done"' });
  assert.deepEqual(writes(), []);
  assert.equal(service.world.listInstances().length, 0);
});

step("a link to offers opens their page with its filters", "281-link-offers", person, async ({ window }) => {
  await followLink(window, "/explore?gpu=RTX_3090&max=2&disk=40");
  await notice(window, /A link asked for this search/).waitFor({ timeout: SOON });
  const page = window.page.frameLocator("iframe.webview.ready").frameLocator("iframe#active-frame");
  await page.getByText("GPU RTX 3090").first().waitFor({ timeout: SOON });
  await page.getByText("Reading all offers…").first().waitFor({ state: "hidden", timeout: SOON });
});

step("a link to an instance selects its row", "282-link-instance", person, async ({ window, service }) => {
  const offer = service.world.offers[0];
  assert.ok(offer);
  const { id } = createInstance(service.world, OfferId.parse(offer.id), { image: "a/b", label: "linked" });
  await window.command("Cloud GPU: Refresh");
  await window.waitForRow(/^linked/);
  await followLink(window, `/instance/${id}`);
  await window.page
    .locator('.monaco-list-row.selected[aria-label*="linked"]')
    .or(window.page.locator(".monaco-list-row.selected", { hasText: "linked" }))
    .first()
    .waitFor({ timeout: SOON });
});

step("a link that is copied leads to its template", person, async ({ window }) => {
  await window.rowMenu(/^Scratch Ubuntu/, "Copy Launch Link");
  await window.page.context().grantPermissions(["clipboard-read"]);
  const read = () => window.page.evaluate("navigator.clipboard.readText()") as Promise<string>;
  const link = new RegExp(`^[\\w-]+://cloud-gpu\\.cloud-gpu/launch\\?template=${hash()}$`);
  await until("the link is copied", async () => link.test(await read()));
});
