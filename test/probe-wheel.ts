// A package of Python that can be installed without a network.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";

export const WHEEL = "sandbox_probe-1.0-py3-none-any.whl";

const MAKE = `
import sys, zipfile
version = sys.argv[2]
info = f"sandbox_probe-{version}.dist-info"
files = {
    "sandbox_probe.py": "where = __file__\\n",
    info + "/METADATA": f"Metadata-Version: 2.1\\nName: sandbox-probe\\nVersion: {version}\\n",
    info + "/WHEEL": "Wheel-Version: 1.0\\nGenerator: test\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n",
}
record = info + "/RECORD"
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    for name, text in files.items():
        wheel.writestr(name, text)
    wheel.writestr(record, "".join(name + ",,\\n" for name in [*files, record]))
`;

/** The version has to be the one that the file name says. */
export function makeWheel(path: string, version = "1.0"): void {
  const { status, stderr } = spawnSync("python3", ["-c", MAKE, path, version], { encoding: "utf8" });
  assert.equal(status, 0, stderr);
}

/** Whether a Python of this computer has pip. */
export const hasPip = (python = "python3"): boolean =>
  process.platform !== "win32" && spawnSync(python, ["-m", "pip", "--version"], { stdio: "ignore" }).status === 0;
