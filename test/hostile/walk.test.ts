// A hostile service, host, stranger and workspace, in every view, question, message and form of the real editor.
import assert from "node:assert/strict";
import { account, signingIn } from "./account.ts";
import { controls } from "./controls.ts";
import { instances, launching } from "./machines.ts";
import { step } from "./stage.ts";
import { files, templates } from "./templates.ts";
import { views } from "./views.ts";

/** Milliseconds our code may keep the extension host at a stretch. */
const MOST_MS = 100;

controls();
signingIn();
views();
launching();
instances();
templates();
files();
account();

step("the extension host was never kept, and spoke with the two services alone", "90-end", async (all) => {
  const { probe, service, other, window } = all;
  const stretches = await probe.stretches("/main.cjs");
  console.log(
    `longest stretches of our code: ${stretches.map(({ ms, where }) => `${ms.toFixed(1)} ms ${where}`).join(", ")}`,
  );
  assert.ok(stretches.length > 0 && (stretches[0]?.ms ?? 0) < MOST_MS, JSON.stringify(stretches));
  const { terminals, connected } = await probe.ask<{ terminals: number; connected: string[] }>("state");
  assert.equal(terminals, 0);
  const known = [service, other].map(({ url }) => new URL(url).host);
  assert.deepEqual(
    connected.filter((to) => !known.includes(to)),
    [],
  );
  assert.equal(await window.page.locator(".part.panel .terminal-wrapper").count(), 0);
});
