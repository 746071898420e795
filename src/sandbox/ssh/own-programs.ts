// Programs of a machine that stand before those of this computer: its clock may be ahead, and what it installs stays in its folder.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { quoteWord } from "../../lib/shell-words.ts";
import { findProgram } from "./tools.ts";

/** In the machine's folder: the seconds by which its clock is ahead. */
const AHEAD = join(".local", "ahead");

const writeDate = (date: string, folder: string): string => `#!/bin/sh
# Made by the sandbox: this machine's clock is ahead by the hours that were skipped.
ahead=$(cat ${quoteWord(join(folder, AHEAD))} 2>/dev/null)
case "\${ahead:-0} $*" in "0 "* | *" "[!+]*) exec ${quoteWord(date)} "$@" ;; esac
now=$(($(${quoteWord(date)} +%s) + ahead))
${quoteWord(date)} -d "@$now" "$@" 2>/dev/null || exec ${quoteWord(date)} -r "$now" "$@"
`;

/**
 * Pip of this computer's Python would install for the whole computer where it may, and refuses where the system manages that Python. In
 * the machine's home, it does no harm to either. An environment of its own stays as it is: there, pip knows no home.
 */
const writePython = (python: string): string => `#!/bin/sh
# Made by the sandbox: what pip installs stays in this machine's folder.
case "\${0##*/}" in pip*) set -- -m pip "$@" ;; esac
if [ "$1 $2 $3" = "-m pip install" ] && ${quoteWord(python)} -c 'import sys; sys.exit(sys.prefix != sys.base_prefix)'; then
  shift 3
  set -- -m pip install --user "$@"
  export PIP_BREAK_SYSTEM_PACKAGES=1
fi
exec ${quoteWord(python)} "$@"
`;

/** Each, and the program of this computer that does its work. */
const PYTHONS = { python: "python", python3: "python3", pip: "python3", pip3: "python3" };

/** Writes those whose counterpart this computer has. `programs` is a folder in `folder`, the machine's; `path` leads to the counterparts. */
export async function writeOwnPrograms(programs: string, folder: string, path: string): Promise<void> {
  const write = (name: string, script: string) => writeFile(join(programs, name), script, { mode: 0o755 });
  const date = findProgram(path, "date");
  if (date !== undefined) await write("date", writeDate(date, folder));
  for (const [name, counterpart] of Object.entries(PYTHONS)) {
    const python = findProgram(path, counterpart);
    if (python !== undefined) await write(name, writePython(python));
  }
}

/** Puts the machine's clock ahead. */
export async function noteAhead(folder: string, seconds: number): Promise<void> {
  await mkdir(join(folder, ".local"), { recursive: true });
  await writeFile(join(folder, AHEAD), String(Math.round(seconds)));
}
