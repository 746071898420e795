// Where a browser is sent for a forwarded port, by what an editor makes of its address.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { InstanceId } from "../../../../src/domain/base/id.ts";
import { chooseBrowserAddress, formatBrowserHost } from "../../../../src/domain/port/browser-address.ts";

const host = formatBrowserHost("0123456789abcdef", InstanceId.parse(31_000_001));
const LOCAL = "http://127.0.0.1:8888/";
const choose = (external: string, editor: string | undefined, asked = LOCAL) =>
  chooseBrowserAddress({ asked, external, editor, host });

/** What the editor makes of the port's address, and where its own pages are. */
const opened: readonly [name: string, external: string, editor: string | undefined, address: string][] = [
  ["a desktop", LOCAL, "vscode://cloud-gpu.cloud-gpu", `http://${host}:8888/`],
  ["a desktop that forwards from its remote", "http://127.0.0.1:51000/", undefined, `http://${host}:51000/`],
  ["a desktop that says localhost", "http://localhost:8888/", undefined, `http://${host}:8888/`],
  ["IPv6", "http://[::1]:8888/", undefined, `http://${host}:8888/`],
  ["an editor on another port of this computer", LOCAL, "http://127.0.0.1:8080/", `http://${host}:8888/`],
  ["a proxy domain elsewhere", "http://8888.ports.example/", "http://dev.example/", "http://8888.ports.example/"],
  ["one with a folder", "https://8888.ports.example/x/", "https://dev.example/", "https://8888.ports.example/x/"],
  ["Codespaces", "https://n-8888.app.github.dev/", "https://n.github.dev/", "https://n-8888.app.github.dev/"],
  ["a tunnel", "https://a1b2-8888.euw.devtunnels.ms/", "https://vscode.dev/", "https://a1b2-8888.euw.devtunnels.ms/"],
  [
    "a host of a port without its number",
    "https://a1b2.ports.example/",
    "https://e.example/",
    "https://a1b2.ports.example/",
  ],
  ["TLS on this computer", "https://localhost:8888/", "vscode://a.b", "https://localhost:8888/"],
];

for (const [name, external, editor, address] of opened)
  test(`${name}: ${external} is opened`, () => {
    assert.deepEqual(choose(external, editor), { kind: "open", address });
  });

const shared: readonly [name: string, external: string, editor: string | undefined][] = [
  ["code-server", "https://dev.example/proxy/8888/", "https://dev.example/?folder=/"],
  ["code-server in a folder", "https://dev.example/me/proxy/8888/", "https://dev.example/me/"],
  ["an editor that isn't known", "https://dev.example/proxy/8888/", undefined],
  ["one whose own address is no web address", "https://dev.example/proxy/8888/", "code-oss://a.b"],
  ["an absolute proxy", "https://dev.example/absproxy/8888/", "https://dev.example/"],
  ["a proxy beside the editor", "https://ports.example/8888/", "https://dev.example/"],
  ["a proxy by a query", "https://ports.example/?port=8888", "https://dev.example/"],
  ["upper case", "HTTPS://DEV.Example/", "https://dev.example/"],
  ["a default port", "https://dev.example:443/", "https://dev.example/callback"],
  ["another port of the editor's host, which gets its cookies", "https://dev.example:8888/", "https://dev.example/"],
  ["another scheme of it", "http://dev.example:8888/", "https://dev.example:8443/"],
  ["IPv6", "http://[2001:db8::1]/proxy/8888/", "http://[2001:DB8:0::1]/"],
  ["code-server with a proxy domain, which its cookie is for", "http://8888.dev.example/", "http://dev.example/"],
  ["one with a folder", "https://8888.dev.example/x/", "https://dev.example/vscode"],
  ["one that the editor itself is a port of", "https://8888.dev.example/", "https://8080.dev.example/"],
  ["one with the number in a longer name", "https://p-8888.dev.example/", "https://8080.dev.example/"],
  ["one whose names are beside the editor's", "https://8888.dev.example/", "https://code.dev.example/"],
  ["a name below the editor's without the number", "https://a1b2.dev.example/", "https://dev.example/"],
  ["a dot at the end", "https://dev.example./", "https://dev.example/"],
  ["a name below it with a dot at the end", "https://8888.dev.example./", "https://dev.example/"],
  ["a port of a host that may be an unknown editor's", "https://dev.example:8888/", undefined],
  ["a name that may be below an unknown editor's", "https://8888.dev.example/", undefined],
  ["what is no web address", "vscode://dev.example:8888/", "https://dev.example/"],
  ["what is no address", "", "https://dev.example/"],
];

for (const [name, external, editor] of shared)
  test(`${name}: ${external || "nothing"} is not opened`, () => {
    const { kind, ...way } = choose(external, editor);
    assert.equal(kind, "shared");
    assert.ok("plain" in way && !way.isHere, "it would lead to whatever is on the computer of the browser");
    assert.equal(way.plain, `http://${host}:8888/`);
  });

for (const [editor, external] of [
  ["http://127.0.0.1:8080/", "http://127.0.0.1:8080/proxy/8888/"],
  ["http://localhost:8080/", "http://localhost:8080/proxy/8888/"],
  ["http://LOCALHOST:80/", "http://localhost/proxy/8888/"],
  ["http://[::1]:8080/", "http://[::1]:8080/proxy/8888/"],
  ["http://code.localhost:8080/", "http://code.localhost:8080/proxy/8888/"],
  ["http://code.localhost:8080/", "http://8888.code.localhost:8080/"],
  ["http://localhost:8080/", "http://8888.localhost:8080/"],
  ["http://localhost:8888/", "http://127.0.0.1:8888/"],
  ["https://localhost:8443/", "https://localhost:8888/"],
] as const)
  test(`the port of an editor at ${editor} may be opened on the same computer`, () => {
    const way = choose(external, editor);
    assert.deepEqual(way, { kind: "shared", host: new URL(editor).host, plain: `http://${host}:8888/`, isHere: true });
  });

test("a name that says the port stays as it is, because the port of the address is the editor's", () => {
  const address = "http://8888.localhost:8080/";
  assert.deepEqual(choose(address, "vscode://a.b"), { kind: "open", address });
});

test("a folder is not taken for a port that addresses leave out", () => {
  const way = choose("https://ports.example/80/", "https://dev.example/", "http://127.0.0.1:80/");
  assert.equal(way.kind, "shared");
});

describe("an address with a token in it", () => {
  const asked = `${LOCAL}?token=abc`;
  test("is opened with it", () => {
    assert.deepEqual(choose(asked, undefined, asked), { kind: "open", address: `http://${host}:8888/?token=abc` });
  });
  test("never gets to the editor's pages", () => {
    const way = choose("https://dev.example/proxy/8888/?token=abc", "https://dev.example/", asked);
    assert.ok(way.kind === "shared" && way.plain === `http://${host}:8888/?token=abc`);
  });
});

test("a public address stays as it is, unless it is the editor's host", () => {
  const asked = "http://198.51.100.7:40001/";
  assert.deepEqual(choose(asked, "http://127.0.0.1:8080/", asked), { kind: "open", address: asked });
  assert.equal(choose(asked, "http://198.51.100.7:8080/", asked).kind, "shared");
});

test("no two instances have the same name, whoever rents them, and each is a name that browsers know", () => {
  const [one, other] = [InstanceId.parse(1), InstanceId.parse(2)];
  const names = [
    ...[formatBrowserHost("0123456789abcdef", one), formatBrowserHost("0123456789abcdef", other)],
    formatBrowserHost("fedcba9876543210", one),
  ];
  assert.equal(new Set(names).size, 3);
  for (const name of names) assert.equal(new URL(`http://${name}:1/`).hostname, name);
});
