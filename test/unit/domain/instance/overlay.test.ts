// Overlay networks: what the service says of them, and names that can be typed and sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { findOverlay, Overlay, parseOverlayName, toOverlayKey } from "../../../../src/domain/instance/overlay.ts";

test("a network is read with whatever of it can be", () => {
  const read = Overlay.parse({
    overlay_id: 7,
    name: "net",
    cluster_id: 1,
    internal_subnet: null,
    instances: [5, 6],
  });
  assert.deepEqual(read, { overlay_id: 7, name: "net", cluster_id: 1, internal_subnet: undefined, instances: [5, 6] });
  for (const instances of ["none", [5, "x"], [{ id: 5 }], [-1]])
    assert.equal(
      Overlay.parse({ overlay_id: 7, name: "net", instances }).instances,
      undefined,
      "a list with gaps is none",
    );
  for (const broken of [{}, { overlay_id: 0, name: "a" }, { overlay_id: 1 }, null])
    assert.equal(Overlay.safeParse(broken).success, false);
});

test("the network of an instance is that of its environment, and nothing else", () => {
  assert.equal(findOverlay(new Map([[toOverlayKey("net-1"), "1"]])), "net-1");
  for (const key of ["-n", "-n a b", "name", "-p 1:1", "x -n net"])
    assert.equal(findOverlay(new Map([[key, "1"]])), undefined, key);
  assert.equal(findOverlay(undefined), undefined);
});

test("a name that would end the option, or can't be typed, is refused with what it may be", () => {
  assert.equal(parseOverlayName(" ring-1.a_b "), "ring-1.a_b");
  for (const name of ["", "-net", "a b", "a/b", "é", "a\u202eb", "x".repeat(65), ".", "a\n"])
    if (name.trim() !== "a")
      assert.throws(() => parseOverlayName(name), /use up to 64 letters, digits, dots, hyphens/, name);
});
