// Follows a link as the editor in a browser does: another extension has it translated to an address of the editor, which a second tab opens.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Workbench } from "../../editor/page.ts";
import { jsonFile, ownFolder } from "../support.ts";

const folder = await ownFolder();
const [asked, said] = [join(folder, "asked.txt"), join(folder, "said.json")];
/** An extension that knows links to ours, as any page may. */
export const linker = join(folder, "linker");
await mkdir(linker);
await writeFile(
  join(linker, "package.json"),
  JSON.stringify({
    ...{ name: "linker", publisher: "somebody", version: "0.0.1", engines: { vscode: "^1.106.0" } },
    ...{ main: "./main.cjs", activationEvents: [], extensionKind: ["workspace"] },
    contributes: { commands: [{ command: "linker.translate", title: "Linker: Translate" }] },
  }),
);
await writeFile(
  join(linker, "main.cjs"),
  `const { commands, env, Uri } = require("vscode");
const { readFileSync, writeFileSync } = require("node:fs");
exports.activate = () => commands.registerCommand("linker.translate", async () => {
  const link = Uri.parse(env.uriScheme + "://cloud-gpu.cloud-gpu" + readFileSync(${JSON.stringify(asked)}, "utf8"));
  const address = (await env.asExternalUri(link)).toString(true);
  writeFileSync(${JSON.stringify(said)}, JSON.stringify({ address }));
});
`,
);

/** `link` is what follows the extension's name. */
export async function followLink(window: Workbench, link: string): Promise<void> {
  await writeFile(said, "");
  await writeFile(asked, link);
  await window.command("Linker: Translate");
  const { address } = await jsonFile<{ address: string }>(said);
  const tab = await window.page.context().newPage();
  await tab.goto(address);
  await window.page.bringToFront();
}
