// A package of Python that can be installed without a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

export const WHEEL = "sandbox_probe-1.0-py3-none-any.whl";

const MAKE = `
import sys, zipfile
info = "sandbox_probe-1.0.dist-info"
files = {
    "sandbox_probe.py": "where = __file__\\n",
    info + "/METADATA": "Metadata-Version: 2.1\\nName: sandbox-probe\\nVersion: 1.0\\n",
    info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
record = info + "/RECORD"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
    wheel.writestr(record, "".join(name + ",,\\n" for name in [*files, record]))
`;

export function makeWheel(path: string): void {
  const { status, stderr } = spawnSync("python3", ["-c", MAKE, path], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

/** Whether a Python of this computer has pip. */
export const hasPip = (python = "python3"): boolean =>
  process.platform !== "win32" && spawnSync(python, ["-m", "pip", "--version"], { stdio: "ignore" }).status === 0;
