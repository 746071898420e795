// What a form becomes that is saved.
import assert from "node:assert/strict";
import { test } from "node:test";
import { checkForm } from "../../../../src/domain/template/check-form.ts";
import { NEW_TEMPLATE, toForm } from "../../../../src/domain/template/template-form.ts";
import { assertRejected } from "../../support.ts";

const base = toForm({ ...NEW_TEMPLATE, name: "n", image: "a/b" });

test("a registry is saved as a host, and anything more is refused, unless it is stored like that", () => {
  const save = (before: string, typed: string, isStored: boolean) =>
    checkForm(
      { ...base, docker_login_repo: typed },
      { base: { ...base, docker_login_repo: before }, isStored, withheld: [] },
    ).docker_login_repo;
  assert.equal(save("", "https://ghcr.io/v2/", true), "ghcr.io");
  assert.equal(save("https://ghcr.io/v2/", "https://ghcr.io/v2/", false), "ghcr.io", "a copy is new");
  assert.equal(save("https://ghcr.io/v2/", "https://ghcr.io/v2/", true), "https://ghcr.io/v2/", "nobody changed it");
  assert.equal(save("ghcr.io/me", "ghcr.io/me", true), "ghcr.io/me");
  assertRejected(() => save("", "ghcr.io/me", true), /^Enter the registry as a host only/);
  assertRejected(() => save("ghcr.io/me", "ghcr.io/me", false), /^Enter the registry as a host only/);
});
