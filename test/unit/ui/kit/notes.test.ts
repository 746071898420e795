// Notes outlive the editor's habit of reading back an older state: what was set last is what is kept.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type * as vscode from "vscode";
import { silentLog } from "../../../../src/lib/log.ts";
import { createNotes } from "../../../../src/ui/kit/notes.ts";

/**
 * State as the editor keeps it: `update` changes a copy in this process, all of which is stored a moment later; and
 * whatever was stored, by any window, becomes the copy a moment after that.
 */
class EditorState implements vscode.Memento {
  stored: Record<string, unknown> = {};
  writes = 0;
  #copy: Record<string, unknown> = {};
  #storing: Promise<void> | undefined;

  keys = () => Object.keys(this.#copy).filter((key) => this.#copy[key] !== undefined);
  get = (key: string) => this.#copy[key];
  update(key: string, value: unknown): Promise<void> {
    this.#copy[key] = value === undefined ? undefined : JSON.parse(JSON.stringify(value));
    this.#storing ??= this.#store();
    return this.#storing;
  }

  /** Another window stores a value. */
  storeElsewhere(key: string, value: unknown): void {
    this.stored = { ...this.stored, [key]: value };
    this.#copy = structuredClone(this.stored);
  }

  async #store(): Promise<void> {
    await turn();
    this.#storing = undefined;
    this.stored = structuredClone(this.#copy);
    this.writes += 1;
    await turn();
    this.#copy = structuredClone(this.stored);
  }
}

async function settle(): Promise<void> {
  for (let at = 0; at < 40; at += 1) await turn();
}

test("what is set while the editor reads back an earlier change is kept", async () => {
  const state = new EditorState();
  const notes = createNotes(state, silentLog);
  for (let wait = 0; wait < 6; wait += 1) {
    notes.set("width", 96);
    for (let at = 0; at < wait; at += 1) await turn();
    notes.set("width", 106);
    assert.equal(notes.get("width"), 106);
    for (let at = 0; at < 20; at += 1) {
      await turn();
      assert.equal(notes.get("width"), 106, `${wait} turns between, ${at} after`);
    }
    assert.equal(state.stored.width, 106, `${wait} turns between`);
  }
});

test("what is set while another window's change arrives is kept, and so is that change", async () => {
  const state = new EditorState();
  const notes = createNotes(state, silentLog);
  notes.set("profile", { name: "mine" });
  state.storeElsewhere("other", 1);
  await settle();
  assert.deepEqual(state.stored, { profile: { name: "mine" }, other: 1 });
  state.storeElsewhere("profile", { name: "renamed elsewhere" });
  assert.deepEqual(notes.get("profile"), { name: "renamed elsewhere" });
});

test("what is removed is gone at once, and stays gone", async () => {
  const state = new EditorState();
  const notes = createNotes(state, silentLog);
  notes.set("kept", 1);
  notes.set("removed", 1);
  await settle();
  notes.set("kept", 2);
  await turn();
  notes.set("removed", undefined);
  assert.deepEqual(notes.keys(), ["kept"]);
  await settle();
  assert.deepEqual(notes.keys(), ["kept"]);
  assert.deepEqual([notes.get("kept"), notes.get("removed")], [2, undefined]);
});

test("nothing is stored twice without need", async () => {
  const state = new EditorState();
  const notes = createNotes(state, silentLog);
  notes.set("one", { list: [1, undefined], none: undefined });
  await settle();
  assert.equal(state.writes, 1);
});

test("what can't be stored is still known here, and goes along with the next change", async () => {
  const state = new EditorState();
  const update = state.update.bind(state);
  let isFull = true;
  state.update = (key, value) => (isFull ? Promise.reject(new Error("The disk is full.")) : update(key, value));
  const notes = createNotes(state, silentLog);
  notes.set("one", 1);
  await settle();
  assert.equal(notes.get("one"), 1);
  isFull = false;
  notes.set("two", 2);
  await settle();
  assert.deepEqual(state.stored, { one: 1, two: 2 });
});

test("what is set while another change fails is stored by itself", async () => {
  const state = new EditorState();
  const update = state.update.bind(state);
  let isFirst = true;
  state.update = async (key, value) => {
    const fails = isFirst;
    isFirst = false;
    await turn();
    if (fails) throw new Error("Busy for a moment.");
    await update(key, value);
  };
  const notes = createNotes(state, silentLog);
  notes.set("one", 1);
  notes.set("two", 2);
  await settle();
  assert.deepEqual(state.stored, { one: 1, two: 2 });
});
