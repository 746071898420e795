// Runs npm from inside an npm script, with the user's own configuration and nothing of the script that called it.

import { spawn } from "node:child_process";
import { delimiter, dirname } from "node:path";

/** What of the outer npm's environment says how to reach a registry; the rest says what that npm was asked to do. */
const REACH =
  /^npm_config_(registry|userconfig|globalconfig|cache|proxy|http_proxy|https_proxy|noproxy|ca|cafile|cert|key|strict_ssl|maxsockets|fetch_\w+|offline|prefer_offline|.*[:/].*)$/i;

function npmEnvironment(): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const [name, value] of Object.entries(process.env)) {
    if (!/^npm_/i.test(name) || REACH.test(name)) env[name] = value;
  }
  delete env.INIT_CWD;
  // npm's first line is `#!/usr/bin/env node`: let it find the Node that runs us.
  env.PATH = [dirname(process.execPath), env.PATH ?? ""].join(delimiter);
  return env;
}

/** Runs `npm <args>` in `cwd`, silently; when it fails, the error carries the end of what npm said. */
export async function runNpm(args: string[], cwd: string): Promise<void> {
  const cli = process.env.npm_execpath;
  const viaNode = cli !== undefined && /npm-cli\.c?js$/.test(cli);
  const quiet = ["--no-audit", "--no-fund", "--no-progress", "--no-update-notifier", "--loglevel=error"];
  const child = spawn(viaNode ? process.execPath : "npm", [...(viaNode ? [cli] : []), ...args, ...quiet], {
    cwd,
    env: npmEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
    shell: !viaNode && process.platform === "win32",
  });
  let said = "";
  const keep = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000);
  };
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", resolve);
  });
  if (code !== 0) throw new Error(`npm ${args.join(" ")} ended with ${code}:\n${said.trim()}`);
}
