// The guard that keeps keys off rented machines knows every way to one.
import assert from "node:assert/strict";
import { test } from "node:test";
import { isOnForeignMachine } from "../../../src/lib/remote.ts";

test("behind ssh, a tunnel, an attached or a cluster's container it is somebody else's machine", () => {
  for (const name of ["ssh-remote", "tunnel", "attached-container", "k8s-container"]) {
    assert.equal(isOnForeignMachine(name, true), true, name);
    assert.equal(isOnForeignMachine(name, false), false, `${name}: the near end is one's own`);
  }
});

test("one's own machine stays one's own", () => {
  for (const name of [undefined, "wsl", "dev-container", "127.0.0.1:8080"])
    assert.equal(isOnForeignMachine(name, true), false);
});
