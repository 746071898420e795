// Starts a headless Chromium that comes from npm, on machines that have none and may lack its libraries and fonts.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, chromium } from "playwright-core";
import { cacheFolder, prepareOnce, say, stage } from "./cache.ts";
import { fontEnvironment } from "./fonts.ts";

const run = promisify(execFile);

const FLAGS = [
  "--no-sandbox",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--font-render-hinting=none",
  // Whatever a page asks for, this browser knows loopback only.
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost, EXCLUDE *.localhost",
];

/** A browser to drive the workbench with; the caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  try {
    const folder = await unpacked();
    const executablePath = join(folder, "chromium");
    const env = { ...process.env, ...(await libraryEnvironment(folder)), ...(await fontEnvironment(folder)) };
    return await chromium.launch({ executablePath, args: FLAGS, env });
  } catch (error) {
    const installed = systemBrowser();
    if (installed === undefined) throw error;
    say(`the packaged Chromium did not start, taking ${installed}: ${String(error).split("\n")[0]}`);
    return chromium.launch({ executablePath: installed, args: FLAGS });
  }
}

/** The package's archives, unpacked into the cache once per version. */
async function unpacked(): Promise<string> {
  const module = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const manifest = JSON.parse(await readFile(join(dirname(module), "..", "package.json"), "utf8")) as {
    version: string;
  };
  return prepareOnce(cacheFolder("chromium", `${manifest.version}-${process.arch}`), (staging) =>
    stage(`Chromium ${manifest.version} unpacked`, async () => {
      // The package unpacks into the temp folder and adds its libraries only where it believes itself in a cloud function:
      // a process of its own lets us say both without changing our own environment.
      const script = `const { default: chromium } = await import(${JSON.stringify(import.meta.resolve("@sparticuz/chromium"))});
        await chromium.executablePath();`;
      const env = { ...process.env, TMPDIR: staging, AWS_LAMBDA_JS_RUNTIME: "nodejs24.x" };
      await run(process.execPath, ["--input-type=module", "--eval", script], { env });
    }),
  );
}

/** Points the loader at the package's libraries only where the system lacks some: the system's own are the better match. */
async function libraryEnvironment(folder: string): Promise<Record<string, string>> {
  const { stdout } = await run("ldd", [join(folder, "chromium")]).catch(() => ({ stdout: "not found" }));
  if (!stdout.includes("not found")) return {};
  const own = join(folder, "al2023", "lib");
  const given = process.env.LD_LIBRARY_PATH;
  return { LD_LIBRARY_PATH: given ? `${own}${delimiter}${given}` : own };
}

function systemBrowser(): string | undefined {
  const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
  const folders = (process.env.PATH ?? "").split(delimiter);
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find((path) => existsSync(path));
  const mac = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";
  return found ?? (existsSync(mac) ? mac : undefined);
}
