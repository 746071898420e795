// Where this user's editors keep what all of them must agree on. Each editor, and each installation of one, has a storage folder of its own,
// so that an auto-stop that was put off in one would be carried out by another.
import { posix, win32 } from "node:path";
import { findHome } from "../../../lib/home.ts";

interface System {
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

/** The user's own, as each system has it. `XDG_STATE_HOME` holds on all of them, if it is absolute. */
export function findStateFolder(
  { platform, env, home }: System = { platform: process.platform, env: process.env, home: findHome() },
): string {
  const { isAbsolute, join } = platform === "win32" ? win32 : posix;
  const usual = {
    darwin: join(home, "Library", "Application Support"),
    win32: env.LOCALAPPDATA ?? join(home, "AppData", "Local"),
  };
  const parent = usual[platform as keyof typeof usual] ?? join(home, ".local", "state");
  const named = env.XDG_STATE_HOME;
  return join(named !== undefined && isAbsolute(named) ? named : parent, "cloud-gpu");
}
