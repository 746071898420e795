// Which extension opens windows on other computers.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { findRemoteExtension, getRemoteExtension } from "../../../../src/domain/connection/remote-extension.ts";

describe("each editor has its own", () => {
  const cases: readonly [appName: string, id: string][] = [
    ["Visual Studio Code", "ms-vscode-remote.remote-ssh"],
    ["Visual Studio Code - Insiders", "ms-vscode-remote.remote-ssh"],
    ["Cursor", "anysphere.remote-ssh"],
    ["Windsurf - Next", "codeium.windsurf-remote-openssh"],
    ["Antigravity", "google.antigravity-remote-openssh"],
    ["VSCodium", "jeanp413.open-remote-ssh"],
    ["Code - OSS", "jeanp413.open-remote-ssh"],
    ["code-server", "jeanp413.open-remote-ssh"],
    ["", "jeanp413.open-remote-ssh"],
  ];
  for (const [appName, id] of cases) test(appName, () => assert.equal(getRemoteExtension(appName).id, id));
});

test("whichever is there is taken", () => {
  assert.equal(findRemoteExtension((id) => id === "jeanp413.open-remote-ssh")?.name, "Open Remote - SSH");
  assert.equal(
    findRemoteExtension(() => false),
    undefined,
  );
});
