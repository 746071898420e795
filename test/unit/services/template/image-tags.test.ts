// What a registry that lets no one in lacks.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findLoginGap } from "../../../../src/services/template/image-tags.ts";

test("a refused login leads to the first part that isn't entered, and a whole one to its token", () => {
  const gap = (server: string, user: string, token: string) => findLoginGap({ server, user, token });
  assert.equal(gap("", "", "").field, "docker_login_repo");
  assert.equal(gap("ghcr.io", " ", "x").field, "docker_login_user");
  assert.equal(gap("ghcr.io", "me", "").field, "docker_login_pass");
  assert.match(gap("ghcr.io", "me", "").message, /^Enter the registry, user, and token/);
  assert.deepEqual(gap("ghcr.io", "me", "wrong"), {
    field: "docker_login_pass",
    message: "The registry refused this user and token.",
  });
});
