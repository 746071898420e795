// What an instance is called where people type its name.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { findFreeName, formatReadableName, isReadableName } from "../../../../src/domain/connection/readable-name.ts";

const id = InstanceId.parse(7);
const nameOf = (gpu?: string, count?: number, place?: string) =>
  formatReadableName({ id, gpu_name: gpu, num_gpus: count, geolocation: place });

describe("a name says what the service says", () => {
  const cases: readonly [
    gpu: string | undefined,
    count: number | undefined,
    place: string | undefined,
    name?: string | undefined,
  ][] = [
    ["RTX 4090", 1, "France, FR", "1xrtx4090-fr-7"],
    ["H100 SXM", 8, "Texas, US", "8xh100sxm-us-7"],
    ["RTX_4090", 2, "SE", "2xrtx4090-se-7"],
    ["RTX 4090", 1, undefined, "1xrtx4090-7"],
    ["RTX 4090", 1, "Nowhere", "1xrtx4090-7"],
    ["RTX 4090", 1, "x, fr; rm -rf ~", "1xrtx4090-7"],
    ["A100\nProxyCommand x", 1, "FR", "1xa100proxycommandx-fr-7"],
    ["../../x *", 1, "$(id), FR", "1xx-fr-7"],
    ["x".repeat(9999), 1, "FR", `1x${"x".repeat(24)}-fr-7`],
    ["прод", 1, "FR", undefined],
    ["", 1, "FR", undefined],
    [undefined, 1, "FR", undefined],
    ["RTX 4090", undefined, "FR", undefined],
    ["RTX 4090", 0, "FR", undefined],
    ["RTX 4090", -1, "FR", undefined],
    ["RTX 4090", 1e9, "FR", undefined],
  ];
  for (const [gpu, count, place, name] of cases)
    test(`${count}, ${gpu?.slice(0, 20)}, ${place}`, () => assert.equal(nameOf(gpu, count, place), name));
});

test("no name is one that a person gives to a host", () => {
  for (const name of ["prod-7", "work", "x1-7", "1x-7", "1xa", "1xA-7", "1xa-7.b", "1xa-7 b", "1xa-7*", "-1xa-7", ""])
    assert.ok(!isReadableName(name), name);
});

test("a name that is taken gets a number behind it, up to a limit", () => {
  assert.equal(findFreeName("1xa-7", new Set()), "1xa-7");
  assert.equal(findFreeName("1xa-7", new Set(["1xa-7", "1xa-7-2"])), "1xa-7-3");
  const all = [2, 3, 4, 5, 6, 7, 8, 9].map((turn) => `1xa-7-${turn}`);
  assert.equal(findFreeName("1xa-7", new Set(["1xa-7", ...all])), undefined);
});
