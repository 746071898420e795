// Starts a headless Chromium that comes from npm, on machines that have none and may lack its libraries and fonts.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { cacheFolder, prepareOnce, say, stage } from "./cache.ts";
import { fontEnvironment } from "./fonts.ts";

const run = promisify(execFile);

/** The last list that a browser is given counts, so what Playwright switches off, as far as an editor's page uses it, is here too. */
const DISABLED = [
  // With it, a script's compiled code is found only the third time that a browser opens it, and 19 MB are compiled again.
  "BackgroundResourceFetch",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsFirstBalancedModeAutoEnable",
  "HttpsUpgrades",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
];
const FLAGS = [
  "--no-sandbox",
  // Where there is no graphics card, one that is only emulated costs more than drawing without.
  "--disable-gpu",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--no-first-run",
  "--font-render-hinting=none",
  `--disable-features=${DISABLED.join(",")}`,
];
/** Whatever a page asks for, these browsers know loopback only. */
const LOOPBACK = "MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost";

interface Launch {
  readonly executablePath: string;
  readonly args: string[];
  readonly env?: Record<string, string | undefined>;
}

/** A browser to drive the workbench with; the caller closes it. */
export function launchBrowser(): Promise<Browser> {
  return launched(`${LOOPBACK}, EXCLUDE *.localhost`, (launch) => chromium.launch(launch));
}

/** A profile on the disk: where it lies, the size of its windows, and a name of ours for a port of this machine. */
export interface Profile {
  readonly folder: string;
  readonly viewport: { readonly width: number; readonly height: number };
  /** A name that ends in `.localhost`, on the port every address has that names none. */
  readonly host: string;
  readonly port: string;
}

/** A browser with this profile; the caller closes it. */
export function launchProfile({ folder, viewport, host, port }: Profile): Promise<BrowserContext> {
  // Every browser leads the other names of this kind to its own computer; an exclusion would count for ours as well.
  return launched(`MAP ${host}:80 127.0.0.1:${port}, MAP *.localhost 127.0.0.1, ${LOOPBACK}`, (launch) =>
    chromium.launchPersistentContext(folder, { ...launch, viewport }),
  );
}

async function launched<T>(hosts: string, launch: (options: Launch) => Promise<T>): Promise<T> {
  const args = [...FLAGS, `--host-resolver-rules=${hosts}`];
  try {
    const folder = await unpacked();
    const executablePath = join(folder, "chromium");
    const env = { ...process.env, ...(await libraryEnvironment(folder)), ...(await fontEnvironment(folder)) };
    return await launch({ executablePath, args, env });
  } catch (error) {
    const installed = systemBrowser();
    if (installed === undefined) throw error;
    say(`the packaged Chromium did not start, taking ${installed}: ${String(error).split("\n")[0]}`);
    return launch({ executablePath: installed, args });
  }
}

export async function chromiumVersion(): Promise<string> {
  const module = fileURLToPath(import.meta.resolve("@sparticuz/chromium"));
  const manifest = await readFile(join(dirname(module), "..", "package.json"), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** The package's archives, unpacked into the cache once per version. */
async function unpacked(): Promise<string> {
  const version = await chromiumVersion();
  return prepareOnce(cacheFolder("chromium", `${version}-${process.arch}`), (staging) =>
    stage(`Chromium ${version} unpacked`, async () => {
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
