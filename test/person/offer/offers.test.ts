// The offer picker and its exceptions: filters, an empty result explained, own image, bids, dead hosts, a service away.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after } from "node:test";
import { type Sandbox, startSandbox } from "../../../src/sandbox/start.ts";
import { eventually } from "../../editor/lists.ts";
import { SOON, stage, step } from "../support.ts";
import { button, field, says } from "../template-form.ts";

/** The two cheapest verified machines ran here before, one well and one not. */
async function writeMemory({ url, apiKey, world }: Sandbox, folder: string): Promise<void> {
  const account = createHash("sha256").update(`${url}\n${apiKey}`).digest("hex").slice(0, 16);
  await mkdir(join(folder, "machines"), { recursive: true });
  const write = async (name: string, text = "") => await writeFile(join(folder, "machines", name), text);
  const machines = [...new Set(world.offers.filter((one) => world.isRentable(one)).map((one) => one.machine.id))];
  for (const [at, machine] of machines.entries()) {
    const name = String(at).padStart(20, "0");
    const common = { version: 1, origin: url, account, machine, since: Date.now() - 2 * 86_400_000 };
    await write(`${name}.rental`, JSON.stringify({ ...common, image: "pytorch/pytorch:latest" }));
    await write(`${name}.${at % 2 === 0 ? "failed" : "ran-32"}`);
    if (at % 2 === 1) await write(`${name}.up-${100 + at}`);
  }
}

const person = stage({
  signedIn: true,
  settings: { "workbench.colorTheme": "Default Light Modern" },
  files: writeMemory,
});
const body = () =>
  person().requests.findLast(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"))
    ?.body as Record<string, unknown>;

step(
  "templates are chosen from while their lists still arrive, and the cursor stays",
  person,
  async ({ window, service }) => {
    service.faults.add("slow@searchTemplates");
    await window.command("Cloud GPU: Launch Instance from Template…");
    const row = (name: string) => window.page.locator(".quick-input-widget .monaco-list-row", { hasText: name });
    await row("Scratch Ubuntu").waitFor({ timeout: SOON });
    assert.equal(await row("PyTorch").count(), 0, "the recommended ones are still to come");
    await window.page.keyboard.press("ArrowDown");
    await row("PyTorch").first().waitFor({ timeout: SOON });
    service.faults.delete("slow@searchTemplates");
    const isBusy = window.page.locator(".quick-input-widget .monaco-progress-container.active");
    await isBusy.waitFor({ state: "hidden", timeout: SOON });
    assert.match((await row("Scratch Ubuntu").getAttribute("class")) ?? "", /\bfocused\b/);
    await window.quickClose();
  },
);

step(
  "the picker lists offers with every price; filters say what they keep out",
  "40-filters",
  person,
  async ({ window }) => {
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^PyTorch/);
    await window.command("Cloud GPU: Launch Instance from Offer…");
    await window.quickPick(/^Filters…/);
    await window.quickTitle("Filters");
    const labels = (await window.quickItems()).map(({ label }) => label);
    for (const name of [
      "GPU",
      "GPUs",
      "VRAM",
      "Price",
      "Location",
      "Reliability",
      "Verified",
      "RAM",
      "Disk",
      "Download",
    ])
      assert.ok(labels.includes(name), name);
    for (const name of ["Rental length", "CUDA", "Host", "Rental type", "Sort by", "Save This Search…"])
      assert.ok(labels.includes(name), name);
  },
);

step(
  "any field can be a filter, as many offers as wanted are listed, and what the service refuses is said in its words",
  "40-another-field",
  person,
  async ({ window, requests }) => {
    const sent = () => requests.findLast(({ path }) => path === "/api/v0/bundles/")?.body as Record<string, unknown>;
    const described = async (label: string) =>
      (await window.quickItems()).find((item) => item.label === label)?.description;
    await window.quickPick(/^Another Field…/);
    await window.quickPick(/^Type a Name…/);
    await window.quickRefused("made up", /can't be a field's name/);
    await window.quickRefused("limit", /Number of offers/);
    await window.quickAnswer("made_up");
    await window.quickPick(/^is at least/);
    await window.quickRefused("true", /no order/);
    await window.quickAnswer("5");
    await window.quickTitle("Filters");
    assert.equal(await described("Made_up"), "≥ 5");
    await window.quickPick(/^Number of offers/);
    await window.quickRefused("0", /from 1 to 15,000/);
    await window.quickAnswer("3");
    await window.quickTitle("Filters");
    assert.equal(await described("Number of offers"), "only the 3 cheapest");
    await window.screenshot("40-another-field-set");
    await window.quickPick(/^Show /);
    await window.quickSays(/made_up is not a valid search key/);
    assert.deepEqual([sent().made_up, sent().limit], [{ gte: 5 }, 3]);
    await window.quickPick(/^Filters…/);
    await window.quickPick(/^Made_up/);
    await window.quickPick(/^Made_up ≥ 5|^made_up ≥ 5/);
    await window.quickAnswer("");
    await window.quickTitle("Filters");
    assert.equal(await described("Made_up"), undefined, "it was taken away");
    await window.quickPick(/^Show 3 offers/);
    await window.quickTitle(/ · first 3 offers/);
    await window.quickPick(/^Filters….*only the 3 cheapest/);
    await window.quickPick(/^Reset Filters/);
    assert.equal(await described("Number of offers"), "as many as usual");
  },
);

step("offers say how their machine served before, and a filter goes by that", person, async ({ window }) => {
  await window.quickPick(/^Machine any/);
  await window.quickTitle("Machine");
  await window.screenshot("40-machines");
  await window.quickPick(/^Only Machines That Ran for You/);
  await window.quickTitle("Filters");
  await window.quickPick(/^Show \d+ offers/);
  await window.quickTitle(/ · \d+ offers/);
  await window.screenshot("40-served");
  const offers = (await window.quickItems()).filter(({ label }) => /^\d+× /.test(label));
  assert.ok(offers.length > 0 && offers.every(({ detail }) => /you rented it once: 32 h/.test(detail)));
  await window.quickPick(/^Filters…/);
});

step("what one typed wins: in the ticks of a filter, in the list, and in the summary", person, async ({ window }) => {
  await window.quickPick(/^GPU /);
  await window.quickTitle("GPU");
  await window.quickType("4090");
  await window.quickAccept();
  await window.quickTitle("Filters");
  const gpu = (await window.quickItems()).find(({ label }) => label === "GPU");
  assert.match(gpu?.description ?? "", /4090/, "the match was taken, not any");
  await window.quickPick(/^Location/);
  await window.quickPick(/^Europe/);
  await window.quickAccept();
  await window.quickTitle("Filters");
  await window.screenshot("40-filters-chosen");
  const place = (await window.quickItems()).find(({ label }) => label === "Location");
  assert.equal(place?.description, "Europe");
  await window.quickPick(/^Reset Filters/);
  await window.quickPick(/^Show \d+ offers/);
  await window.quickTitle(/ · \d+ offers/);
  await window.quickType("4090");
  await window.quickTitle(/ · \d+ of \d+ offers/);
  await window.screenshot("40-typed");
  await window.quickAccept();
  await window.quickTitle(/2\/[45]/);
  await window.quickBack();
  await window.quickTitle(/ · \d+ offers/);
  await window.quickType("4090");
  await window.page.locator(".quick-input-widget a.action-label.codicon-filter").click();
  await window.quickTitle("Filters");
  await window.quickPick(/^Show \d+ offers/);
  await window.quickTitle(/ · \d+ of \d+ offers/);
  assert.equal(await window.page.locator(".quick-input-widget .quick-input-box input").inputValue(), "4090");
  await window.quickType("");
  await window.quickPick(/^Filters…/);
  await window.quickTitle("Filters");
});

step("VRAM is chosen in GB and sent in MB", "41-vram", person, async ({ window, requests }) => {
  await window.quickPick(/^VRAM/);
  await window.quickPick("≥ 24 GB");
  await window.quickPick(/^Price/);
  await window.quickRefused("0,5", /decimal point/);
  await window.quickAnswer("0.5");
  await window.quickPick(/^Show \d+ offers?/);
  await window.quickTitle(/1\/4|1\/5/);
  await window.quickPick(/^Filters….*VRAM ≥ 24 GB/);
  const last = requests.findLast(({ path }) => path === "/api/v0/bundles/")?.body as Record<
    string,
    { gte?: number; lte?: number }
  >;
  assert.equal(last.dph_total?.lte, 0.5);
  assert.ok((last.gpu_ram?.gte ?? 0) > 22_528 && (last.gpu_ram?.gte ?? 0) <= 24_564);
});

step(
  "when nothing matches it says which filter to remove, and loosening gives what was said",
  person,
  async ({ window }) => {
    await window.quickPick(/^Price/);
    await window.quickAnswer("0.01");
    await window.quickPick(/^Show 0 offers/);
    await window.page.getByText("No offers match").waitFor({ timeout: SOON });
    const items = await window.quickItems();
    assert.match(items[0]?.label ?? "", /“price ≤ \$0\.01\/h” alone would show [1-9]\d* of \d+\.$/);
    await window.screenshot("42-empty-explained");
    const way = items.find(({ label }) => label === "Any price");
    const promised = Number(/^(\d+) offers?$/.exec(way?.description ?? "")?.[1]);
    assert.ok(promised > 0);
    await window.quickPick(/^Any price/);
    await window.quickTitle(new RegExp(` · ${promised} offers `));
  },
);

step("typed words find offers in any order, also where no text has them together", person, async ({ window }) => {
  const [offer] = (await window.quickItems()).filter(({ label }) => label.startsWith("1× "));
  const name = /^1× .*?(\S+), \d+ GB$/.exec(offer?.label ?? "")?.[1] ?? assert.fail(offer?.label);
  const place = offer?.description?.split("·").at(-1)?.trim() ?? "";
  await window.quickType(`${place.toLowerCase()} ${name}`);
  await window.quickTitle(/ · [1-9]\d* of \d+ offers/);
  const found = (await window.quickItems()).filter(({ label }) => label.startsWith("1× "));
  await window.screenshot("42-words");
  assert.ok(found.length > 0);
  for (const { label, description } of found) assert.ok(label.includes(name) && description.includes(place), label);
  await window.quickType("");
});

step(
  "typed words that the filters leave out lead to the filter, and what nobody offers is said",
  person,
  async ({ window }) => {
    const typed = "GTX 1080";
    await window.quickType(typed);
    await window.quickSays(/Removing “VRAM ≥ 24 GB” alone would show \d+ of \d+/);
    await window.screenshot("42-typed-nothing");
    await window.quickType("GTX 9999");
    await window.quickSays("No offers of this rental type match “GTX 9999”.");
    await window.quickType(typed);
    await window.quickPick(/^Any VRAM/);
    await window.quickTitle(/ · \d+ of \d+ offers/);
    assert.ok((await window.quickItems()).some(({ label }) => label.includes(typed)));
    await window.quickType("");
    await window.quickPick(/^Filters…/);
    await window.quickPick(/^VRAM/);
    await window.quickPick("≥ 24 GB");
    await window.quickPick(/^Show \d+ offers?/);
  },
);

step("an own image is configured on a page; closing it leads back to what should run", person, async ({ window }) => {
  await window.quickPick(/^1× /);
  await window.quickPick(/^A Docker Image…/);
  await field(window, "Image").fill("Not An Image");
  await says(window, /isn't a valid Docker image name/);
  await window.closeAllEditors();
  await window.quickPick(/^A Docker Image…/);
  await says(window, /Your earlier entries have been restored/);
  assert.equal(await field(window, "Image").inputValue(), "Not An Image");
  await field(window, "Image").fill("pytorch/pytorch:latest");
});

step("disk and name are checked; the summary shows them", "44-summary", person, async ({ window }) => {
  for (const [typed, message] of [
    ["7.9", /At least 8 GB is required/],
    ["-8", /isn't a number/],
    ["999999", /is too large\. This machine/],
  ] as const) {
    await field(window, "Disk (GB)").fill(typed);
    await says(window, message);
  }
  await field(window, "Disk (GB)").fill("40");
  await field(window, "Label").fill("vsc-mine");
  await says(window, /Choose another name/);
  await field(window, "Label").fill("night run");
  await button(window, "Review").click();
  await window.quickTitle(/Launch Instance from Offer/);
  const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
  for (const shape of [
    /^Disk… 40 GB for/,
    /^Label… night run/,
    /^image pytorch\/pytorch:latest.*\(this launch\)/,
    /^runtype ssh_direct/,
  ]) {
    assert.ok(
      lines.some((line) => shape.test(line)),
      `${shape} in\n${lines.join("\n")}`,
    );
  }
});

step(
  "the summary is read in full without the list in the way, and Escape leads back to it",
  person,
  async ({ window }) => {
    await window.quickPick(/^Show Full Summary…/);
    await window.page.getByText("Press Escape or close this tab").waitFor({ timeout: SOON });
    await window.page.locator(".quick-input-widget").waitFor({ state: "hidden", timeout: SOON });
    await window.screenshot("44-summary-in-full");
    await window.page.locator(".editor-instance .view-lines").first().click();
    await window.page.keyboard.press("Escape");
    await window.quickType("disk");
    await window.quickAccept();
    await window.quickSays(/Disk size in GB/);
    await window.quickBack();
    await window.quickTitle(/4\/4/);
  },
);

step(
  "a host that dies while we wait is said to be dead and may be replaced in one confirmation",
  person,
  async ({ window, service }) => {
    for (const offer of service.world.offers) if (offer.fate !== "gone") service.world.setFate(offer.id, "exited");
    await window.quickPick(/^Rent 1× /);
    await window.dialogButton("Rent");
    await window.waitForRow(/night run, instance \d+/);
    await window.waitForNotification(
      /failed: Error: container exited with code 1 before it was ready\. It will never run, but you may still be billed/,
      60_000,
    );
    assert.equal(
      body()
        .label?.toString()
        .replace(/^vsc-[a-z2-7]{16} /, ""),
      "night run",
    );
    assert.equal(body().disk, 40);
    await window.screenshot("45-dead-told");
    for (const offer of service.world.offers) service.world.setFate(offer.id, "runs");
    const [dead] = service.world.listInstances();
    await window.notificationButton("Destroy and Replace…");
    const question = await window.dialog();
    assert.match(question.message, /Destroy instance \d+ and rent another 1× .* for \$/);
    await window.screenshot("45-replace-question");
    await window.dialogButton("Destroy and Rent");
    await window.waitForRow(/night run, instance \d+, running/, 60_000);
    const [alive] = service.world.listInstances();
    assert.equal(service.world.listInstances().length, 1);
    assert.notEqual(alive?.offer.id, dead?.offer.id);
  },
);

let returned: Sandbox | undefined;
after(async () => await returned?.stop());

step(
  "with the service away the rows stay, marked with their age, and nothing pops up",
  "46-away",
  person,
  async ({ window, service }) => {
    await window.clearNotifications();
    await service.stop();
    await window.waitForRow(/night run, instance \d+, as of \d\d:\d\d/, 60_000);
    const said = async () =>
      /Couldn't reach.*Showing data from \d\d:\d\d/.test(await window.viewMessage("Instances")) || undefined;
    assert.ok(await eventually(window.page, said, SOON), "the line above the rows says why and since when");
    assert.deepEqual(await window.notifications(), []);
  },
);

step("when it is back they live again", person, async ({ window, service }) => {
  returned = await startSandbox({ world: service.world, port: service.port });
  await window.waitForRow(/night run, instance \d+, running/, 90_000);
});

step(
  "an interruptible launch asks for a bid, sends it, and costs what the summary said",
  "48-bid",
  person,
  async ({ window, service }) => {
    const demanding = service.world.templates.list().find(({ name }) => name?.startsWith("PyTorch (CUDA"));
    assert.ok(demanding);
    Object.assign(demanding, { extra_filters: { cuda_max_good: { gte: 99 } } });
    await window.command("Cloud GPU: Refresh");
    await window.command("Cloud GPU: Launch Instance from Offer…");
    await window.quickPick(/^Filters…/);
    await window.quickPick(/^Rental type/);
    await window.quickPick(/^Interruptible/);
    await window.quickPick(/^Show \d+ offers?/);
    await window.quickPick(/^1× /);
    await window.page.getByText("Your bid in dollars per hour").waitFor({ timeout: SOON });
    await window.quickRefused("0.001", /wouldn't start/);
    await window.quickAnswer("0.5");
    await window.quickTitle(/2\/4/);
    const pytorch = (await window.quickItems()).find(({ label }) => label.startsWith("PyTorch (CUDA"));
    assert.match(pytorch?.detail ?? "", /^⚠ asks for CUDA ≥ 99/);
    await window.screenshot("48-templates");
    await window.quickPick(/^PyTorch \(CUDA/);
    await window.page.getByText("Disk size in GB").waitFor({ timeout: SOON });
    await window.quickAnswer("100");
    await window.quickAnswer("");
    await window.quickPick(/^Bid… ⚠ \$0\.50\/h/);
    await window.page.getByText("Your bid in dollars per hour").waitFor({ timeout: SOON });
    await window.quickAnswer("0.52");
    await window.quickTitle(/Launch Instance from Offer/);
    await window.screenshot("48-summary");
    const lines = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`.trim());
    for (const shape of [
      /^Bid… ⚠ \$0\.52\/h, but on demand costs only \$[\d.]+\/h with the disk, and no one can outbid you/,
      /^The template asks for CUDA ≥ 99\. This machine: 1\d(\.\d)?\./,
      /^Balance \$[\d.]+, enough .*for \d+ (h|days)/,
      /^CUDA up to 1\d/,
    ])
      assert.ok(
        lines.some((line) => shape.test(line)),
        `${shape} in\n${lines.join("\n")}`,
      );
    // The disk comes on top of a bid, so the summary is dearer than the bid.
    const running = Number(
      /^While running \$([\d.]+)\/h/.exec(lines.find((line) => line.startsWith("While running")) ?? "")?.[1],
    );
    assert.ok(running > 0.52);
    await window.quickPick(/^Rent 1× /);
    await window.dialogButton("Rent");
    await window.waitForRow(/^1× .*, instance \d+, running, /, 60_000);
    const rented = service.world.listInstances().at(-1);
    assert.ok(rented?.type === "bid" && rented.gpuPrice === 0.52);
    assert.equal(Number(service.world.toRecord(rented).dph_total).toFixed(2), running.toFixed(2));
  },
);

step("a filter the service refuses can be dropped where it is refused", person, async ({ window, service }) => {
  const [template] = service.world.templates.list().filter(({ name }) => name === "ComfyUI");
  assert.ok(template);
  Object.assign(template, { name: "Odd filters", extra_filters: { made_up: { eq: 1 } } });
  await window.command("Cloud GPU: Refresh");
  await window.waitForRow(/^Odd filters/);
  await window.command("Cloud GPU: Launch Instance from Template…");
  await window.quickPick(/^Odd filters/);
  await window.quickSays(/made_up is not a valid search key/);
  await window.screenshot("49-refused-said");
  await window.quickPick(/^Filters…/);
  await window.quickPick(/^Made_up/i);
  await window.quickPick(/^Any/);
  await window.quickPick(/^Show \d+ offers?/);
  await window.quickPick(/^1× /);
  await window.quickClose();
});
