// A hostile service, host, stranger and workspace, in every view, question, message and form of the real editor.
import assert from "node:assert/strict";
import { account, signingIn } from "./account.ts";
import { connections, logs } from "./connections.ts";
import { controls } from "./controls.ts";
import { instances, launching } from "./machines.ts";
import { step } from "./stage.ts";
import { files, templates } from "./templates.ts";
import { views } from "./views.ts";

/** How long our code may keep the extension host at a stretch, in readings of the largest list. */
const MOST_READINGS = 3;

controls();
signingIn();
connections();
views();
launching();
instances();
templates();
files();
account();
logs();

step("the extension host was never kept", "90-kept", async ({ probe }) => {
  const { file, probe: own } = await probe.stretches("/cloud-gpu.cloud-gpu-");
  const said = (all: typeof file) => all.map(({ ms, where }) => `${ms.toFixed(1)} ms ${where}`).join(", ");
  console.log(`longest stretches of our code: ${said(file)}; of the yardstick: ${said(own)}`);
  const [longest, reading] = [file[0], own.find(({ where }) => where === "readYardstick")];
  assert.ok(longest && reading && longest.ms < MOST_READINGS * reading.ms, `${said(file)}; ${said(own)}`);
});

interface State {
  readonly terminals: readonly string[];
  readonly programs: readonly string[];
  readonly connected: readonly string[];
}

step("the extension host spoke with the two services alone", "91-end", async ({ probe, service, other, window }) => {
  const { terminals, programs, connected } = await probe.ask<State>("state");
  // The one with the log, which was closed again.
  assert.equal(terminals.length, 1, terminals.join(", "));
  assert.match(terminals[0] ?? "", /^Log: \d+ · runner /);
  // It was asked how old `ssh` is, where keys are and which ones the agent has, and no one was connected to. The editor starts programs of
  // its own.
  const ssh = programs.filter((program) => /^\S*\bssh/.test(program));
  assert.ok(ssh.length > 0);
  assert.deepEqual(
    ssh.filter((program) => !/\/ssh -V$|\/ssh -G -- root@192\.0\.2\.1$|\/ssh-add -L$/.test(program)),
    [],
  );
  const known = [service, other].map(({ url }) => new URL(url).host);
  assert.deepEqual(
    connected.filter((to) => !known.includes(to)),
    [],
  );
  assert.equal(await window.page.locator(".part.panel .terminal-wrapper").count(), 0);
});
