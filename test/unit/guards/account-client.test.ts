// Requests are the business of the services: they check the account, write down what costs, and read again what was said.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Node } from "typescript/unstable/ast";
import {
  isBindingElement,
  isElementAccessExpression,
  isIdentifier,
  isPropertyAccessExpression,
  isStringLiteral,
} from "typescript/unstable/ast/is";
import { lineOf, parseTexts, readSources, type Source, walk } from "./syntax.ts";

const SESSION = "services/core/session.ts";

/** What is read of something by this name, in any of the ways there are. */
function readsClient(node: Node): Node | undefined {
  if (isPropertyAccessExpression(node)) return node.name.text === "client" ? node.name : undefined;
  if (isElementAccessExpression(node)) {
    const { argumentExpression: name } = node;
    return isStringLiteral(name) && name.text === "client" ? name : undefined;
  }
  if (!isBindingElement(node)) return undefined;
  const name = node.propertyName ?? node.name;
  return name && (isIdentifier(name) || isStringLiteral(name)) && name.text === "client" ? name : undefined;
}

/** Where a file takes the client of an account. Other things may be called so. */
function findClients({ path, file, project: { checker } }: Source): string[] {
  const found: string[] = [];
  walk(file, (node) => {
    const name = readsClient(node);
    if (!name) return;
    const whole = isElementAccessExpression(node) ? node.expression : node.parent;
    const type = isPropertyAccessExpression(node) ? undefined : checker.getTypeAtLocation(whole);
    const symbol = type ? checker.getPropertyOfType(type, "client") : checker.getSymbolAtLocation(name);
    const declared = symbol?.valueDeclaration?.resolve();
    if (declared?.getSourceFile().fileName.endsWith(`/src/${SESSION}`)) found.push(`${path} line ${lineOf(node)}`);
  });
  return found;
}

describe("the guard itself finds", () => {
  const session = "export interface SignedIn { readonly client: { send(): void }; readonly tag: string }";
  const head = 'import type { SignedIn } from "../services/core/session.ts";\n';
  const planted = {
    "function a(account: SignedIn) { account.client.send(); }": 1,
    "function a(account: SignedIn | undefined) { account?.client.send(); }": 1,
    "function a({ client }: SignedIn) { client.send(); }": 1,
    "function a(account: SignedIn) { const { client: other } = account; other.send(); }": 1,
    'function a(account: SignedIn) { account["client"].send(); }': 1,
    "function a(account: SignedIn) { return account.tag; }": 0,
    "function a(socket: { readonly client: string }) { return socket.client; }": 0,
    "function a({ client }: { readonly client: string }) { return client; }": 0,
  };
  for (const [text, count] of Object.entries(planted))
    test(text, () => {
      const sources = parseTexts({ [`src/${SESSION}`]: session, "src/ui/a.ts": head + text });
      assert.equal(sources.flatMap(findClients).length, count);
    });
});

test("nothing in ui reaches for the client of an account", () => {
  const inUi = readSources().filter(({ path }) => path.startsWith("ui/"));
  assert.ok(inUi.length > 100, "the files were found");
  assert.deepEqual(inUi.flatMap(findClients), []);
  const others = readSources().filter(({ path }) => path.startsWith("services/instance/"));
  assert.ok(others.flatMap(findClients).length > 5, "where services do, it is seen");
});
