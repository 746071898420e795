// What Remote - SSH is told about a machine: that it runs Linux. Otherwise it asks for each one.
import * as vscode from "vscode";
import type { Log } from "../../lib/log.ts";
import { createQueue } from "../../lib/task.ts";

const SECTION = "remote.SSH";
const KEY = "remotePlatform";
/** The setting is changed as a whole, so each change begins with what the one before made of it. */
const inTurn = createQueue();

/** Undefined where no extension has the setting: it couldn't be written. */
function readPlatforms(): Readonly<Record<string, unknown>> | undefined {
  const found = vscode.workspace.getConfiguration(SECTION).inspect<Record<string, unknown>>(KEY);
  return found?.defaultValue === undefined ? undefined : { ...found.globalValue };
}

async function writePlatforms(platforms: Readonly<Record<string, unknown>>, log: Log): Promise<void> {
  const value = Object.keys(platforms).length === 0 ? undefined : platforms;
  try {
    await vscode.workspace.getConfiguration(SECTION).update(KEY, value, vscode.ConfigurationTarget.Global);
  } catch (error) {
    // The extension then asks for the platform itself.
    log.warn("The platform of a machine could not be set.", error);
  }
}

export function setRemotePlatform(alias: string, log: Log): Promise<void> {
  return inTurn(async () => {
    const platforms = readPlatforms();
    if (platforms && platforms[alias] !== "linux") await writePlatforms({ ...platforms, [alias]: "linux" }, log);
  });
}

/** The entry of a machine that ended. */
export function forgetRemotePlatform(alias: string, log: Log): Promise<void> {
  return inTurn(async () => {
    const platforms = readPlatforms();
    if (!platforms || !Object.hasOwn(platforms, alias)) return;
    await writePlatforms(Object.fromEntries(Object.entries(platforms).filter(([name]) => name !== alias)), log);
  });
}
