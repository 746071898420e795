// Template files with the sidebar never opened: what a file tells and does must not hang on lists that no one has read.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TemplateHash, TemplateId } from "../../../src/domain/base/id.ts";
import { toDraft } from "../../../src/domain/template/template-form.ts";
import { completeContent } from "../../../src/sandbox/world/template-content.ts";
import { toTemplateFile } from "../../../src/services/template/template-file-sync.ts";
import {
  changeElsewhere,
  openFile,
  type Person,
  SOON,
  step,
  storedTemplate,
  templateRequests,
  until,
} from "../support.ts";
import { field, says } from "../template-form.ts";

const MINE = "My nightly fine-tune";
const THEIRS = "Of a colleague";
const COLLEAGUE = 99;
/** The walk of a window on this folder whose sidebar was never opened. */
export function walkFileAlone(person: () => Person, folder: string): void {
  const stored = (name: string) => storedTemplate(person(), name);
  const pathOf = (file: string) => join(folder, `${file}.gpu-template.json`);
  const creates = () =>
    person().requests.filter(({ method, path }) => method === "PUT" && path.startsWith("/api/v0/asks/"));

  /** As *Save Template to File…* would have written it. */
  async function saveToFile(name: string, file: string): Promise<void> {
    const record = stored(name);
    const [id, hash] = [TemplateId.parse(record.id), TemplateHash.parse(record.hash_id)];
    await writeFile(pathOf(file), toTemplateFile({ id, hash, draft: toDraft({ ...record }) }, {}));
  }

  step("a file whose template was changed elsewhere says so when it is opened", "130-outdated", person, async (all) => {
    const { window, requests } = all;
    await saveToFile(MINE, "mine");
    changeElsewhere(all, MINE, { desc: "Theirs." });
    await openFile(window, "mine.gpu-template.json");
    await window.codeLens("Changed on the Service: Re-pin").waitFor({ timeout: SOON });
    assert.equal(await window.page.getByText("Nothing is rented").count(), 0, "the sidebar shows something else");
    assert.equal(templateRequests(all, "GET").length, 1, requests.map(({ path }) => path).join("\n"));
    await window.pressCodeLens("Changed on the Service: Re-pin");
    await until("the lock is moved", async () =>
      (await readFile(pathOf("mine"), "utf8")).includes(stored(MINE).hash_id),
    );
  });

  step(
    "a file of another account says whose it is, and a GPU that nobody has",
    "130-other-account",
    person,
    async (all) => {
      const { window } = all;
      await saveToFile(MINE, "other");
      const file = JSON.parse(await readFile(pathOf("other"), "utf8"));
      const lock = { ...file.$sync, base: "https://gpus.example", user: 5 };
      const changed = { ...file, extra_filters: { gpu_name: { eq: "9090" } }, $sync: lock };
      await writeFile(pathOf("other"), `${JSON.stringify(changed, null, 2)}\n`);
      await openFile(window, "other.gpu-template.json");
      await window.codeLens("Create Here…").waitFor({ timeout: SOON });
      await window.codeLens("Belongs to Another Account: Switch Account…").waitFor({ timeout: SOON });
      assert.equal(await window.codeLens("Pull").count(), 0);
      await until("both problems are shown", async () => (await window.page.locator(".squiggly-warning").count()) >= 2);
    },
  );

  step("Launch above a file launches its template, though no list has it", person, async (all) => {
    const { window, service } = all;
    const content = completeContent({ name: THEIRS, image: "pytorch/pytorch", tag: "2.6.0-cuda12.4-cudnn9-devel" });
    service.world.templates.create(content, COLLEAGUE, Math.round(service.world.getNow()));
    await saveToFile(THEIRS, "theirs");
    // What it says to launch with is the file's alone, and no change of its template.
    const launch = {
      env: { MODE: "nightly", "-p 8000:8000": "1" },
      disk: 40,
      onstart: ["cd /workspace", "./train.sh"],
    };
    const file = JSON.parse(await readFile(pathOf("theirs"), "utf8"));
    await writeFile(pathOf("theirs"), `${JSON.stringify({ ...file, launch }, null, 2)}\n`);
    await openFile(window, "theirs.gpu-template.json");
    await window.pressCodeLens("Launch");
    assert.match(await window.quickTitle(/Launch Instance from Template/), /1\/2/);
    // Its creator goes on working on it while the offers are looked through.
    service.world.templates.edit(stored(THEIRS).hash_id, { tag: "2.7.1-cuda12.8-cudnn9-devel" }, COLLEAGUE);
    await window.quickPick(/^1× /);
    await window.quickTitle(/2\/2/);
    await window.waitForNotification(`The template “${THEIRS}” has changed. The summary shows the current version.`);
    const sent = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.ok(
      sent.some((line) => line.startsWith(`template_hash_id ${stored(THEIRS).hash_id}`)),
      sent.join("\n"),
    );
    for (const line of [
      /^Disk… 40 GB/,
      /^Configuration… 3 changes: MODE, port 8000, start script/,
      /^variable MODE nightly/,
      /^onstart cd \/workspace ⏎ \.\/train\.sh/,
    ])
      assert.ok(
        sent.some((one) => line.test(one)),
        `${line} in\n${sent.join("\n")}`,
      );
    await window.screenshot("131-summary");
    await window.quickClose();
  });

  step("a file of somebody else's template is pushed as a private copy", person, async (all) => {
    const { window } = all;
    await window.clearNotifications();
    const file = JSON.parse(await readFile(pathOf("theirs"), "utf8"));
    await writeFile(pathOf("theirs"), JSON.stringify({ ...file, desc: "Mine now." }, null, 2));
    await window.page
      .locator(".editor-instance .view-line", { hasText: "Mine now." })
      .first()
      .waitFor({ timeout: SOON });
    await window.pressCodeLens("Push");
    const { message, detail } = await window.dialog();
    assert.equal(message, `Create the template “${THEIRS}” from this file?`);
    assert.match(
      detail,
      /belongs to someone else\. Only the creator can change it\. Only you will see this template\.$/,
    );
    await window.screenshot("132-question");
    await window.dialogButton("Create");
    await window.waitForNotification(new RegExp(`^Pushed “${THEIRS}”`));
    const copies = person()
      .service.world.templates.list()
      .filter(({ name, creator_id }) => name === THEIRS && creator_id !== COLLEAGUE);
    assert.deepEqual(
      copies.map(({ desc, private: own }) => [desc, own]),
      [["Mine now.", true]],
    );
    assert.equal(templateRequests(all, "PUT").length, 0);
    await until("the file is in step with the copy", async () =>
      (await readFile(pathOf("theirs"), "utf8")).includes(copies[0]?.hash_id ?? "?"),
    );
  });

  step("a template saved while its summary is open is not launched as it was", "133-meanwhile", person, async (all) => {
    const { window } = all;
    await window.closeAllEditors();
    await window.command("Cloud GPU: Edit Template");
    await window.quickPick(new RegExp(`^${MINE}`));
    await says(window, /^Saved · hash/);
    const before = stored(MINE).hash_id;
    await window.command("Cloud GPU: Launch Instance from Template…");
    await window.quickPick(new RegExp(`^${MINE}`));
    await window.quickPick(/^1× /);
    await window.quickTitle(/3\/3/);
    await field(window, "Description").fill("Edited beside its summary.");
    await field(window, "Description").press("Control+s");
    await until("saved", () => stored(MINE).hash_id !== before);
    await says(window, /^Saved · hash/);
    await window.quickPick(/^Rent 1× /);
    await window.waitForNotification(/has changed\. The summary shows the current version\.$/);
    const sent = (await window.quickItems()).map(({ label, description }) => `${label} ${description}`);
    assert.ok(
      sent.some((line) => line.startsWith(`template_hash_id ${stored(MINE).hash_id}`)),
      sent.join("\n"),
    );
    await window.quickPick(/^Rent 1× /);
    await window.dialog();
    await window.dialogButton("Cancel");
    await window.quickClose();
    assert.equal(creates().length, 0);
  });
}
