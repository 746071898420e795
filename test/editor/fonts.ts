// Gives Chromium fonts on a machine that has none, so that pictures hold readable text.

import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { cacheFolder } from "./cache.ts";
import { serverFolder } from "./install.ts";

const SYSTEM = ["/usr/share/fonts", "/usr/local/share/fonts"];

/** What to add to Chromium's environment: nothing where the system has fonts, else a fontconfig file of our own. */
export async function fontEnvironment(chromiumFolder: string): Promise<Record<string, string>> {
  if (process.platform !== "linux") return {};
  const folders = [...SYSTEM, join(homedir(), ".fonts"), join(homedir(), ".local/share/fonts")];
  const filled = await Promise.all(folders.map(holdsFont));
  if (filled.includes(true) && existsSync("/etc/fonts/fonts.conf")) return {};
  const file = join(chromiumFolder, "cloud-gpu-fonts.conf");
  const formulas = join(serverFolder(), "node_modules", "katex", "dist", "fonts");
  await writeFile(file, configuration([join(chromiumFolder, "fonts"), formulas, ...folders]));
  return { FONTCONFIG_FILE: file };
}

async function holdsFont(folder: string): Promise<boolean> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.some((name) => /\.(ttf|otf|ttc)$/i.test(name));
}

/**
 * Open Sans lies in the Chromium package, and the editor's formula fonts hold a typewriter face for code and terminals. Icons need
 * nothing here: they are web fonts of the workbench. Bound strongly, or the language would count for more than the name.
 */
function configuration(folders: string[]): string {
  const aliases = [
    ["sans-serif", "Open Sans"],
    ["serif", "Open Sans"],
    ["system-ui", "Open Sans"],
    ["monospace", "KaTeX_Typewriter"],
  ];
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
${folders.map((folder) => `  <dir>${folder}</dir>`).join("\n")}
  <cachedir>${cacheFolder("fontconfig")}</cachedir>
${aliases.map(([name, font]) => `  <alias binding="strong"><family>${name}</family><prefer><family>${font}</family></prefer></alias>`).join("\n")}
</fontconfig>
`;
}
