// Where keys are, by what `ssh -G` prints.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type KeyPlaces, readKeyPlaces } from "../../../../src/domain/connection/key-places.ts";

const DEFAULTS = "identityfile ~/.ssh/id_rsa\nidentityfile ~/.ssh/id_ed25519\n";

const ME = { d: "/home/me", u: "me", i: "7", l: "box.lan", L: "box" };

describe("keys are where the configuration says", () => {
  const cases: readonly [what: string, printed: string, places: KeyPlaces][] = [
    ["nothing", DEFAULTS, { agent: "usual", files: [] }],
    ["could not be printed", "", { agent: "usual", files: [] }],
    [
      "another agent",
      "identityagent /home/a b/.1password/agent.sock\r\n",
      { agent: "/home/a b/.1password/agent.sock", files: [] },
    ],
    ["an agent below the home folder", "identityagent ~/agent.sock\n", { agent: "/home/me/agent.sock", files: [] }],
    ["no agent", "identityagent none\n", { agent: undefined, files: [] }],
    ["the usual agent", "identityagent SSH_AUTH_SOCK\n", { agent: "usual", files: [] }],
    ["a variable", "identityagent $MY_SOCK\n", { agent: "/run/my.sock", files: [] }],
    ["a variable in a path", `identityagent \${MY_SOCK}.2\n`, { agent: "/run/my.sock.2", files: [] }],
    ["a variable that isn't there", "identityagent $NONE\n", { agent: undefined, files: [] }],
    ["a path with one that isn't there", `identityagent /run/\${NONE}/s\n`, { agent: undefined, files: [] }],
    [
      "files",
      `${DEFAULTS}identityfile ~/keys/work\nidentityfile /k/100%%\nidentityfile %d/x\n`,
      { agent: "usual", files: ["/home/me/keys/work", "/k/100%", "/home/me/x"] },
    ],
    [
      "files by the person",
      "identityfile ~/keys/%u_%i\nidentityfile %d/%%u\nidentityagent /run/user/%i/agent\n",
      { agent: "/run/user/7/agent", files: ["/home/me/keys/me_7", "/home/me/%u"] },
    ],
    ["a variable with signs", `identityfile \${ODD}/%d\n`, { agent: "usual", files: ["/a%d/$x//home/me"] }],
    [
      "a file by this computer",
      "identityfile ~/keys/%L\nidentityfile ~/k%\nidentityfile %l\n",
      { agent: "usual", files: ["/home/me/keys/box", "/home/me/k%", "box.lan"] },
    ],
    [
      "a file of a person by name",
      "identityfile ~me/work\nidentityfile ~you/work\nidentityagent ~me/a.sock\n",
      { agent: "/home/me/a.sock", files: ["/home/me/work"] },
    ],
    ["a file by host", "identityfile ~/keys/%h\nidentityfile none\n", { agent: "usual", files: [] }],
  ];
  for (const [what, printed, places] of cases)
    test(what, () => assert.deepEqual(readKeyPlaces(printed, ME, { MY_SOCK: "/run/my.sock", ODD: "/a%d/$x" }), places));
});
