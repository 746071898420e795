// The extension in each language it is translated to, in the real editor; the workbench's own words stay English here.
import assert from "node:assert/strict";
import { Workbench } from "../editor/page.ts";
import { bundle, LANGUAGES, manifestTexts } from "../texts.ts";
import { SOON, stage, step } from "./support.ts";

const person = stage({ signedIn: true });

const filled = (text: string | undefined, ...values: readonly (string | number)[]): string =>
  (text ?? "?").replace(/\{(\d+)\}/g, (_, index) => String(values[Number(index)] ?? ""));

for (const [index, language] of LANGUAGES.entries()) {
  const [texts, manifest] = [bundle(language), manifestTexts(language)];
  step(`${language}: rows, commands, welcome texts, a summary and a page speak it`, person, async (all) => {
    const window = new Workbench(await all.window.page.context().newPage());
    try {
      await window.open({ ...all.editor, locale: language });
      await window.openContainer("Cloud GPU");
      await window.waitForRow(/^PyTorch/);
      const rows = await window.treeRows(manifest["view.templates"] ?? "");
      assert.ok(
        rows.includes(filled(texts["{0}, {1}"], texts.Mine ?? "?", filled(texts["{0} templates"], 2))),
        rows.join("\n"),
      );
      const welcome = (manifest["welcome.instances.empty"] ?? "?").split("\n")[0] ?? "?";
      await window.page.getByText(welcome).first().waitFor({ timeout: SOON });
      await window.screenshot(`11${index}-${language}-sidebar`);
      await window.command(`Cloud GPU: ${manifest["command.launchFromTemplate"]}`);
      await window.quickPick(/^PyTorch/);
      await window.quickTitle(/2\/3/);
      await window.quickPick(/^1× RTX 3090/);
      await window.quickTitle(/3\/3/);
      const labels = (await window.quickItems()).map(({ label }) => label);
      assert.ok(labels.includes(texts["24 hours"] ?? "?"), labels.join("\n"));
      await window.screenshot(`11${index}-${language}-summary`);
      await window.quickClose();
      await window.rowMenu(/^My nightly/, manifest["command.template.edit"] ?? "?");
      await window
        .webview()
        .getByRole("heading", { name: texts.Environment ?? "?" })
        .first()
        .waitFor({ timeout: SOON });
      await window.screenshot(`11${index}-${language}-page`);
      await window.command(`Cloud GPU: ${manifest["command.offers.explore"]}`);
      const offers = window.webview().getByRole("grid", { name: texts.Offers ?? "?" });
      await offers.getByRole("columnheader", { name: texts["Your job"] ?? "?" }).waitFor({ timeout: SOON });
      await offers.locator(".body .line").first().waitFor({ timeout: SOON });
      await window.screenshot(`62${index + 7}-${language}-offers`);
    } finally {
      await window.page.close();
    }
  });
}
