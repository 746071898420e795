// An image's name: what may be typed, and its parts.
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  findRegistry,
  isTag,
  parseImage,
  readRegistry,
  splitImage,
  startsOnlyShell,
} from "../../../../src/domain/template/image.ts";
import { assertRejected } from "../../support.ts";

test("image", () => {
  for (const good of [
    "ubuntu",
    "ubuntu:24.04",
    "a/b:1",
    `ghcr.io:443/a/b@sha256:${"0".repeat(64)}`,
    "vastai/base-image:@vastai-automatic-tag",
  ])
    assert.equal(parseImage(good), good);
  for (const bad of ["", "A/B", "a b", "a:b:c", "-x", "a/", "x".repeat(1025)])
    assertRejected(() => parseImage(bad), /Image:/);
});

test("an image's name is taken apart as registries write it", () => {
  for (const [image, name, tag, digest, registry] of [
    ["ubuntu", "ubuntu"],
    ["pytorch/pytorch:2.1", "pytorch/pytorch", "2.1"],
    ["localhost:5000/a/b", "localhost:5000/a/b", undefined, undefined, "localhost:5000"],
    ["ghcr.io:443/a/b:1@sha256:ff", "ghcr.io:443/a/b", "1", "sha256:ff", "ghcr.io:443"],
    ["vastai/base-image:@vastai-automatic-tag", "vastai/base-image", "@vastai-automatic-tag"],
    // Whatever is typed has parts.
    ["a:", "a", ""],
    ["a:b:c", "a:b", "c"],
    ["", ""],
    ["a\nb:1", "a\nb", "1"],
  ] as const) {
    assert.deepEqual(splitImage(image), { name, tag, digest });
    assert.equal(findRegistry(image), registry);
  }
  assert.deepEqual(["latest", "-x", "a b", "$(x)", "", "v".repeat(200)].filter(isTag), ["latest"]);
});

test("a registry is a host, without what its clients add themselves", () => {
  for (const [typed, host] of [
    ["", ""],
    [" ", ""],
    [" ghcr.io ", "ghcr.io"],
    ["ghcr.io/", "ghcr.io"],
    ["https://ghcr.io", "ghcr.io"],
    ["HTTPS://ghcr.io/v2", "ghcr.io"],
    ["https://registry.example.com:5000/v2/", "registry.example.com:5000"],
    ["https://index.docker.io/v1/", "index.docker.io"],
    ["v2", "v2"],
    ["ghcr.io/v3"],
    ["ghcr.io/v2/me"],
    ["https://ghcr.io/me"],
    ["ghcr.io//"],
    ["http://ghcr.io"],
    ["oci://ghcr.io"],
    ["https://"],
    ["/v2/"],
    ["/"],
  ] as const)
    assert.equal(readRegistry(typed), host, typed);
});

test("images of systems and languages only start a shell, and those of the same name elsewhere may do anything", () => {
  for (const image of ["ubuntu", "library/python:3.12-slim", "docker.io/library/debian@sha256:0", "nvidia/cuda:12.4"])
    assert.equal(startsOnlyShell(image), true, image);
  for (const image of ["", "me/ubuntu", "ghcr.io/a/python", "localhost:5000/ubuntu", "nginx", "ubuntu/nginx"])
    assert.equal(startsOnlyShell(image), false, image);
});
