// Webhooks and workergroups, and then a host at work: background jobs as a form, every refusal of interface section 7 in words, volumes off the market.
import assert from "node:assert/strict";
import { Refusal } from "../../../src/sandbox/base/refusal.ts";
import type { Workbench } from "../../editor/page.ts";
import { leaveRows } from "../../editor/trees.ts";
import { fillJobs, openJobs, REQUIRED, reviewJobs } from "../jobs-form.ts";
import { focusedName, frameOf, lookAtPage } from "../page-look.ts";
import { filesWith, SOON, stage, step, until } from "../support.ts";
import { button, descriptionOf, field, form, says, tells } from "../template-form.ts";
import { prepareLists, walkLists, walkListsEmpty } from "./account-lists.ts";

const person = stage({ signedIn: true, prepare: prepareLists });
walkLists(person);

const sent = () => person().requests.filter(({ path }) => path === "/api/v0/machines/create_bids/");
const CANARY = "hf_CANARYofTheHost";
const own = () => String(person().service.world.ownMachine.id);

/** A button beside the view's name, which shows up under the pointer. */
async function pressInTitle({ page }: Workbench, name: string): Promise<void> {
  // A tooltip of a row below lies over the heading.
  await leaveRows(page);
  const pane = page.locator(".pane", { has: page.locator('.pane-header[aria-label^="Host"]') });
  await pane.locator(".pane-header").hover();
  await pane.locator(`.pane-header a.action-label[aria-label^="${name}"]`).click();
}

step(
  "the host view: what a host can do, and what is let and rented",
  "70-host",
  person,
  async ({ window, service }) => {
    await window.openContainer("Cloud GPU");
    // Only when the last row is there is a list read that doesn't grow under the reading.
    await window.waitForRowIn("Host", /^datasets, volume /);
    const rows = await window.treeRows("Host");
    assert.match(rows[0] ?? "", /^Listed volumes: \d$/, "a command is a button, not a row");
    for (const id of service.world.volumes.listOwnOffers())
      assert.ok(
        rows.some((row) => new RegExp(`^(Listed volume|Rented-out volume) ${id}, `).test(row)),
        String(id),
      );
    assert.ok(rows.some((row) => row.startsWith("datasets, volume ")));
  },
);

const tabs = ({ page }: Workbench) => page.locator(".tab", { hasText: "Create Background Jobs" });
const summary = (window: Workbench) => form(window).locator("#summary");
/** What closed a moment ago, such as the palette, gives the focus back a moment later: until then, keys go astray. */
const enter = async (window: Workbench, label: string): Promise<void> => {
  await field(window, label).click();
  const frame = await frameOf(window);
  await until("the page has the focus", () => frame.evaluate<boolean>("document.hasFocus()"));
};
const fill = async (window: Workbench, label: string, text: string): Promise<void> => {
  await enter(window, label);
  await field(window, label).fill(text);
  await field(window, label).blur();
};

step("Create Background Jobs is a form that begins at the machine", "71-jobs-empty", person, async ({ window }) => {
  await pressInTitle(window, "Create Background Jobs");
  await says(window, /^Replaces the machine's default jobs\. Nothing is sent until you confirm\.$/);
  await until("the focus is in the machine", async () => (await focusedName(await frameOf(window))) === "Machine ID");
  for (const label of Object.keys(REQUIRED)) {
    assert.equal(await field(window, label).getAttribute("aria-required"), "true", label);
    // The interface names no default, and a price is nothing to guess.
    assert.equal(await field(window, label).inputValue(), "", label);
  }
  assert.equal(await field(window, "Arguments").getAttribute("aria-required"), null);
  assert.equal(await form(window).locator(".problem").count(), 0);
});

step(
  "creating what is not complete says all of it at once, and leads there",
  "72-jobs-missing",
  person,
  async (all) => {
    const { window } = all;
    await reviewJobs(window);
    await says(window, /^Nothing was sent yet:$/);
    const frame = await frameOf(window);
    assert.equal(await frame.evaluate("document.activeElement.id"), "summary");
    assert.deepEqual(await summary(window).getByRole("button").allInnerTexts(), Object.keys(REQUIRED));
    await summary(window).getByRole("button", { name: "GPU Price" }).click();
    assert.equal(await focusedName(frame), "GPU Price");
    assert.equal(sent().length, 0);
  },
);

/** A field, what is typed into it, and what is said. What stood there is put back afterwards. */
const MISTAKES: readonly [label: string, typed: string, said: RegExp][] = [
  ["Machine ID", "12.5", /a whole number, such as 12345/],
  ["Image", "Not An Image", /isn't a valid Docker image name/],
  ["GPU Price", "4,80", /Use a decimal point/],
  ["Upload Price", "-1", /0 or more/],
  ["Download Price", "99999999", /too high/],
  ["Arguments", "serve --name 'my model", /Column 14: the quote ' isn't closed/],
  ["Arguments", "serve \\", /Column 7: nothing follows the backslash/],
  ["Name of row 1", "1A", /Variable names can contain only letters/],
];

step("each field says what is wrong with it, until it is put right", "73-jobs-mistakes", person, async ({ window }) => {
  await fillJobs(window, "123");
  await button(window, "Add Variable").click();
  await until(
    "the focus is in the new row",
    async () => (await focusedName(await frameOf(window))) === "Name of row 1",
  );
  await summary(window).waitFor({ state: "detached", timeout: SOON });
  for (const [label, typed, said] of MISTAKES) {
    const was = await field(window, label).inputValue();
    assert.doesNotMatch(await descriptionOf(field(window, label)), said);
    await fill(window, label, typed);
    await says(window, said);
    await tells(field(window, label), said);
    assert.equal(await field(window, label).getAttribute("aria-invalid"), "true");
    await fill(window, label, was);
    await until(`${label} is content`, async () => !said.test(await descriptionOf(field(window, label))));
  }
  await button(window, "Remove row 1").click();
  assert.equal(sent().length, 0);
});

step(
  "a machine is chosen among one's own, and every field is filled in",
  "74-jobs-filled",
  person,
  async ({ window }) => {
    await button(window, "Choose…").click();
    await window.quickPick(new RegExp(`^${own()}.*×`));
    await until("it is in the form", async () => (await field(window, "Machine ID").inputValue()) === own());
    await says(window, /× .* · host-/);
    await says(window, /^\$0\.20\/h per GPU$/);
    await fill(window, "Arguments", "serve --name 'my model'");
    await says(window, /^Sends 3 arguments:/);
    await form(window)
      .getByRole("radio", { name: /^One string/ })
      .check();
    await form(window)
      .getByText(/^Sends 3/)
      .waitFor({ state: "detached", timeout: SOON });
    await form(window)
      .getByRole("radio", { name: /^A list/ })
      .check();
    await button(window, "Add Variable").click();
    await enter(window, "Name of row 1");
    await field(window, "Name of row 1").pressSequentially("MODE=fast");
    await field(window, "Value of row 1").click();
    await until(
      "name and value are apart",
      async () => (await field(window, "Value of row 1").inputValue()) === "fast",
    );
    assert.equal(await field(window, "Name of row 1").inputValue(), "MODE");
    await button(window, "Add Variable").click();
    await fill(window, "Name of row 2", "HF_TOKEN");
    await fill(window, "Value of row 2", CANARY);
    await form(window)
      .getByRole("radio", { name: /^On Containers/ })
      .check();
    await fill(window, "Start Command", "cd /workspace && ./start.sh");
    assert.equal(await form(window).locator(".problem").count(), 0);
  },
);

step(
  "a key where it does not belong is refused at its field, without a question",
  person,
  async ({ window, service }) => {
    await fill(window, "Start Command", `login ${service.apiKey}`);
    await reviewJobs(window);
    await summary(window)
      .getByText(/Remove the API key or other secret/)
      .waitFor({ timeout: SOON });
    await form(window).locator("#field-onstart .problem").waitFor({ timeout: SOON });
    assert.equal(sent().length, 0);
    await fill(window, "Start Command", "cd /workspace && ./start.sh");
  },
);

step("the question says that jobs are replaced; keeping them sends nothing", person, async ({ window }) => {
  await reviewJobs(window);
  const question = await window.dialog();
  assert.equal(question.message, `Replace the background jobs of machine ${own()}?`);
  assert.match(question.detail, /can't be restored.*\$4\.80 per GPU per day \(\$0\.20\/h\).*\$0\.01 per GB up/s);
  assert.match(
    question.detail,
    /Arguments: serve --name 'my model'\s*Variables: MODE, HF_TOKEN\s*Start command: cd \/workspace/,
  );
  assert.doesNotMatch(question.detail, new RegExp(CANARY));
  assert.deepEqual([...question.buttons].sort(), ["Cancel", "Keep Current Jobs", "Replace"]);
  await window.screenshot("77-question-asked");
  await window.dialogButton("Keep Current Jobs");
  await says(window, /^Replaces the machine's default jobs/);
  assert.equal(await field(window, "Value of row 2").inputValue(), CANARY);
  assert.equal(sent().length, 0);
});

step(
  "not the owner: a 200 that says no is told as a failure, and the form stays",
  "78-not-owner",
  person,
  async ({ window }) => {
    await fill(window, "Machine ID", "123");
    await reviewJobs(window);
    await window.dialogButton("Replace");
    await says(window, /^Nothing was created\.$/);
    await says(window, /only the owner can create default bid contracts for a machine\./);
    await window.waitForRow(/^Last response: refused · .*Couldn't create background jobs on machine 123: /);
    assert.equal(await (await frameOf(window)).evaluate("document.activeElement.id"), "summary");
    assert.equal(await field(window, "Value of row 2").inputValue(), CANARY);
    assert.equal(sent().length, 1);
  },
);

// The other reasons a service may have are said the same way: test/journeys/host/hosts.test.ts holds each.
step("the service refuses with 400: its words, and the form stays", person, async ({ window, service }) => {
  const { set } = service.world.jobs;
  const reason = "args_str cannot be parsed: No closing quotation";
  // Nothing the form sends can be refused so; a service of another mind may do it all the same.
  service.world.jobs.set = () => {
    throw new Refusal(400, "invalid_args", reason);
  };
  try {
    await fill(window, "Machine ID", own());
    await reviewJobs(window);
    await window.dialogButton("Replace");
    await says(window, new RegExp(reason));
  } finally {
    service.world.jobs.set = set;
  }
});

step(
  "an answer that is lost is not known, and nothing is sent again",
  "80-unknown",
  person,
  async ({ window, service }) => {
    const before = sent().length;
    service.faults.add("reset-after@createBackgroundJobs");
    await reviewJobs(window);
    await window.dialogButton("Replace");
    await window.waitForNotification(
      /^Cloud GPU couldn't confirm whether this succeeded.*Check machine \d+ on the service/,
      SOON,
    );
    service.faults.clear();
    await summary(window)
      .getByText(/^Cloud GPU couldn't confirm whether this succeeded/)
      .waitFor({ timeout: SOON });
    assert.equal(await form(window).getByText("Nothing was created.").count(), 0, "nobody knows that");
    await window.waitForRow(/^Last response: unconfirmed/);
    assert.equal(sent().length, before + 1);
    await window.clearNotifications();
  },
);

step(
  "there is one form: asked for again, it comes to the front; closed, its text is kept",
  person,
  async ({ window }) => {
    await fill(window, "Start Command", "");
    await window.command("Cloud GPU: Create Background Jobs");
    assert.equal(await tabs(window).count(), 1);
    const command = field(window, "Start Command");
    await until("the keys arrive in the field", async () => {
      await command.fill("");
      await enter(window, "Start Command");
      await window.page.keyboard.type("./start.sh");
      return (await command.inputValue()) === "./start.sh";
    });
    // Sooner than what was typed is sent on its own.
    await window.page.keyboard.press("Control+w");
    await window.waitForNotification(/^The background jobs form was closed\. Your entries are kept/);
    await window.notificationButton("Reopen");
    await says(window, /^Your earlier entries have been restored\.$/);
    assert.equal(await field(window, "Start Command").inputValue(), "./start.sh");
    assert.equal(await field(window, "Value of row 2").inputValue(), CANARY);
    await window.command("View: Close Editor");
    await window.waitForNotification(/^The background jobs form was closed/);
    await window.clearNotifications();
    await window.command("Cloud GPU: Create Background Jobs");
    await says(window, /^Your earlier entries have been restored\.$/);
    assert.equal(await field(window, "Machine ID").inputValue(), own());
  },
);

step("axe finds nothing against the form, in any theme and at any width", person, async ({ window }) => {
  await fill(window, "GPU Price", "4,80");
  await fill(window, "Name of row 2", "1A");
  await reviewJobs(window);
  await summary(window).waitFor({ timeout: SOON });
  await summary(window).getByRole("button", { name: "Variables" }).click();
  await until("the focus is in its row", async () => (await focusedName(await frameOf(window))) === "Name of row 2");
  const invalid = ["Name", "Value"].map((part) => field(window, `${part} of row 2`).getAttribute("aria-invalid"));
  assert.deepEqual(await Promise.all(invalid), ["true", "false"]);
  await lookAtPage(window, [1024, 600], async (frame, theme, width) => {
    await frame.evaluate("scrollTo(0, 0)");
    await window.screenshot(`jobs-${theme}-${width}-top`);
    await frame.evaluate("scrollTo(0, document.documentElement.scrollHeight)");
    await window.screenshot(`jobs-${theme}-${width}-end`);
  });
  await window.command("View: Toggle Primary Side Bar Visibility");
});

step("the owner's jobs are created by one request with every field", "81-jobs-created", person, async ({ window }) => {
  await fillJobs(window, own());
  await fill(window, "Name of row 2", "HF_TOKEN");
  await summary(window).waitFor({ state: "detached", timeout: SOON });
  const before = sent().length;
  await reviewJobs(window);
  await window.dialogButton("Replace");
  await window.waitForNotification(new RegExp(`^Created background jobs on machine ${own()}\\.$`));
  await tabs(window).waitFor({ state: "detached", timeout: SOON });
  assert.equal(sent().length, before + 1);
  assert.deepEqual(sent().at(-1)?.body, {
    machine: Number(own()),
    image: "pytorch/pytorch:latest",
    price_gpu: 4.8,
    price_inetu: 0.01,
    price_inetd: 0.02,
    args: ["serve", "--name", "my model"],
    // The sandbox's log of requests masks it.
    env: { MODE: "fast", HF_TOKEN: "••••" },
    use_ssh: true,
    onstart: "./start.sh",
  });
  assert.match(
    JSON.stringify(person().service.world.jobs.get(Number(own()) as never)),
    new RegExp(CANARY),
    "it was sent as it was typed",
  );
});

step("the answer can be read, without what is secret in it", person, async ({ window }) => {
  await window.notificationButton("Show Response");
  await window.page.locator(".tab.active", { hasText: /Last Response/ }).waitFor({ timeout: SOON });
  await window.page.locator(".view-line", { hasText: /price_gpu/ }).waitFor({ timeout: SOON });
  const text = await window.page.locator(".editor-instance .view-lines").first().innerText();
  assert.match(text, /HF_TOKEN/);
  assert.doesNotMatch(await window.page.content(), /CANARYofTheHost/);
  await window.screenshot("82-answer-page");
  await window.command("View: Close Editor");
});

step("Unlist Volume: picked, typed again, told in words", person, async ({ window, service }) => {
  const { volumes } = service.world;
  const [id = 0] = volumes.listOwnOffers();
  await pressInTitle(window, "Unlist Volume");
  await window.quickTitle(/^Unlist Volume/);
  await window.screenshot("83-unlist-which");
  await window.quickPick(String(id));
  await window.quickSays(`Type ${id} to confirm`);
  await window.quickRefused("26", /That ID doesn't match/);
  await window.screenshot("83-unlist-again");
  await window.quickAnswer(String(id));
  await window.waitForNotification(`Unlisted Volume ${id}.`);
  assert.ok(!volumes.listOwnOffers().includes(id));
});

step(
  "a volume that is rented, and one that is not there, stay as they are, with the reason",
  person,
  async ({ window, service }) => {
    const rented = service.world.volumes.listOffers().find(({ active }) => active)?.id;
    for (const [id, reason] of [
      [rented, "Unable to delete active volume listing"],
      [77, "Volume listing does not exist"],
    ] as const) {
      await window.command("Cloud GPU: Unlist Volume…");
      await window.quickPick(/^Another ID…/);
      await window.quickSays("ID of the volume's listing");
      await window.quickAnswer(String(id));
      await window.quickSays(`Type ${id} to confirm`);
      await window.quickAnswer(String(id));
      await window.waitForNotification(new RegExp(`^Couldn't unlist volume ${id}: ${reason}`));
    }
  },
);

walkListsEmpty(person);

step(
  "after a reload the form is gone, and nothing that was typed lies in a file",
  person,
  async ({ window, editor }) => {
    await openJobs(window);
    await fillJobs(window, own());
    await fill(window, "Start Command", `login ${CANARY}`);
    await window.reload();
    await window.openContainer("Cloud GPU");
    await window.waitForRow(/^My nightly/);
    assert.equal(await tabs(window).count(), 0);
    assert.deepEqual(filesWith(editor.userDataDir, CANARY), []);
  },
);
