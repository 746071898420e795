// Asks from outside, as links and agents do. A link is followed as the editor in a browser does: another extension has it translated to an
// address of the editor, which a second tab opens.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { CloudGpuApi } from "../../../docs/cloud-gpu-api.d.ts";
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
    contributes: {
      commands: [
        { command: "linker.translate", title: "Linker: Translate" },
        { command: "linker.call", title: "Linker: Call" },
        { command: "linker.cancel", title: "Linker: Cancel" },
        { command: "linker.use", title: "Linker: Use" },
      ],
    },
    capabilities: { untrustedWorkspaces: { supported: true } },
  }),
);
await writeFile(
  join(linker, "main.cjs"),
  `const { CancellationTokenSource, commands, env, extensions, lm, Uri } = require("vscode");
const { readFileSync, writeFileSync } = require("node:fs");
const read = () => readFileSync(${JSON.stringify(asked)}, "utf8");
const say = (what) => writeFileSync(${JSON.stringify(said)}, JSON.stringify(what));
let source;
exports.activate = () => {
  commands.registerCommand("linker.cancel", () => source.cancel());
  commands.registerCommand("linker.use", async () => {
    const { member, given } = JSON.parse(read());
    try {
      const api = await extensions.getExtension("cloud-gpu.cloud-gpu").activate();
      const found = api[member];
      say({ answer: JSON.stringify(typeof found === "function" ? (await found(given)) ?? "done" : found) });
    } catch (error) {
      say({ refused: String(error.message) });
    }
  });
  commands.registerCommand("linker.translate", async () => {
    const link = Uri.parse(env.uriScheme + "://cloud-gpu.cloud-gpu" + read());
    say({ address: (await env.asExternalUri(link)).toString(true) });
  });
  commands.registerCommand("linker.call", async () => {
    const { name, input } = JSON.parse(read());
    try {
      source = new CancellationTokenSource();
      const { content } = await lm.invokeTool(name, { input, toolInvocationToken: undefined }, source.token);
      say({ answer: content[0].value });
    } catch (error) {
      say({ refused: String(error.message) });
    }
  });
};
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

/** Uses what is exported to other extensions: a value of it, or what it opens. */
export async function useExported(window: Workbench, member: keyof CloudGpuApi, given?: object): Promise<void> {
  await writeFile(said, "");
  await writeFile(asked, JSON.stringify({ member, given }));
  await window.command("Linker: Use");
}

/** Calls a tool, which may ask the person first. */
export async function askTool(window: Workbench, name: string, input: object): Promise<void> {
  await writeFile(said, "");
  await writeFile(asked, JSON.stringify({ name, input }));
  await window.command("Linker: Call");
}

interface Said {
  readonly answer?: string;
  readonly refused?: string;
}

/** What the tool that was called last answers. */
export const readAnswer = (): Promise<Said> => jsonFile<Said & Record<string, unknown>>(said);

/** What a tool answers an agent, or why it refuses. */
export async function callTool(window: Workbench, name: string, input: object): Promise<Said> {
  await askTool(window, name, input);
  return await readAnswer();
}
