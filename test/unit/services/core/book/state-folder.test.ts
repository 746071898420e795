// Where each system keeps what all editors of a user share.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findStateFolder } from "../../../../../src/services/core/book/state-folder.ts";

type System = Parameters<typeof findStateFolder>[0] & object;

const SYSTEMS: readonly [title: string, system: System, folder: string][] = [
  ["Linux", { platform: "linux", env: {}, home: "/home/me" }, "/home/me/.local/state/cloud-gpu"],
  [
    "Linux with a state folder of its own",
    { platform: "linux", env: { XDG_STATE_HOME: "/state" }, home: "/home/me" },
    "/state/cloud-gpu",
  ],
  // The specification: relative paths are invalid, and ignored.
  [
    "Linux with a relative one",
    { platform: "linux", env: { XDG_STATE_HOME: "state" }, home: "/home/me" },
    "/home/me/.local/state/cloud-gpu",
  ],
  [
    "Linux with an empty one",
    { platform: "linux", env: { XDG_STATE_HOME: "" }, home: "/home/me" },
    "/home/me/.local/state/cloud-gpu",
  ],
  ["macOS", { platform: "darwin", env: {}, home: "/Users/me" }, "/Users/me/Library/Application Support/cloud-gpu"],
  ["Windows", { platform: "win32", env: { LOCALAPPDATA: "D:\\Local" }, home: "C:\\Users\\me" }, "D:\\Local\\cloud-gpu"],
  [
    "Windows without its variable",
    { platform: "win32", env: {}, home: "C:\\Users\\me" },
    "C:\\Users\\me\\AppData\\Local\\cloud-gpu",
  ],
  ["any other system", { platform: "freebsd", env: {}, home: "/usr/home/me" }, "/usr/home/me/.local/state/cloud-gpu"],
];
for (const [title, system, folder] of SYSTEMS)
  test(`${title}: ${folder}`, () => assert.equal(findStateFolder(system), folder));
