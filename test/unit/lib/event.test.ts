// A listener that fails harms no one: the others run, who fires goes on, and the failure is reported once.
import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { Emitter, setListenerFailureReporter } from "../../../src/lib/event.ts";

afterEach(() => setListenerFailureReporter(() => {}));

function failing(): { emitter: Emitter<string>; heard: string[] } {
  const emitter = new Emitter<string>();
  const heard: string[] = [];
  emitter.event(() => {
    throw new Error("cannot draw");
  });
  emitter.event((value) => void heard.push(value));
  return { emitter, heard };
}

test("the others hear it, and who fires does not notice", () => {
  const { emitter, heard } = failing();
  emitter.fire("rented");
  assert.deepEqual(heard, ["rented"]);
});

test("the failure goes to the reporter", () => {
  const reported: unknown[] = [];
  setListenerFailureReporter((error) => reported.push(error));
  failing().emitter.fire("rented");
  assert.match(String(reported[0]), /cannot draw/);
  assert.equal(reported.length, 1);
});

test("a reporter that fails is not heard of either", () => {
  setListenerFailureReporter(() => {
    throw new Error("the channel is closed");
  });
  const { emitter, heard } = failing();
  emitter.fire("rented");
  assert.deepEqual(heard, ["rented"]);
});
