// What a persistent terminal starts on a machine, by a real shell with programs that only say how they were called.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, test } from "node:test";
import { buildPersistentCommand } from "../../../../src/domain/connection/tmux.ts";

const findSh = (): string => spawnSync("sh", ["-c", "command -v sh"], { encoding: "utf8" }).stdout.trim();

/** What is printed on a machine that has these programs. */
function startOn(programs: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), "cloud-gpu-terminal-"));
  try {
    symlinkSync(findSh(), join(folder, "sh"));
    for (const name of programs) {
      writeFileSync(join(folder, name), `#!${findSh()}\necho ${name} "$@"\n`);
      chmodSync(join(folder, name), 0o755);
    }
    const { stdout, stderr } = spawnSync(findSh(), ["-c", buildPersistentCommand()], {
      env: { PATH: folder, SHELL: join(folder, "shell") },
      encoding: "utf8",
    });
    assert.equal(stderr, "");
    return stdout;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("a persistent terminal", { skip: process.platform === "win32" && "needs a POSIX shell" }, () => {
  for (const [name, programs, printed] of [
    [
      "takes its session of tmux up again, or begins it",
      ["tmux", "screen", "shell"],
      /^tmux new-session -A -s cloud-gpu\n$/,
    ],
    ["does so with screen where there is no tmux", ["screen", "shell"], /^screen -xRR -S cloud-gpu\n$/],
    [
      "says so where there is neither, and is an ordinary one",
      ["shell"],
      /^This machine has neither tmux nor screen, .*\nshell\n$/,
    ],
  ] as const)
    test(name, () => assert.match(startOn(programs), printed));
});
