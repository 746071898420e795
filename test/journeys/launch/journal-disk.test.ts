// The launch journal on disks that are not like others.
import assert from "node:assert/strict";
import { mkdtemp, open, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { syncFolder } from "../../../src/services/core/disk.ts";

/** Opens a folder whose sync answers with this code, as some mounts do. */
function answering(code: string): typeof open {
  return async (path, flags) => {
    const handle = await open(path, flags);
    handle.sync = () => Promise.reject(Object.assign(new Error(code), { code }));
    return handle;
  };
}

test("a file system that cannot sync folders does not block launching; a disk that fails does", async () => {
  const folder = await mkdtemp(`${tmpdir()}/cloud-gpu-sync-`);
  try {
    for (const code of ["EINVAL", "ENOTSUP"]) await syncFolder(folder, answering(code));
    await assert.rejects(syncFolder(folder, answering("EIO")), /EIO/);
    await syncFolder(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
