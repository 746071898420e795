// Finds out which commands ask for something before they act.
import type { CallExpression, Expression, Node } from "typescript/unstable/ast";
import {
  isArrowFunction,
  isCallExpression,
  isComputedPropertyName,
  isFunctionDeclaration,
  isMethodDeclaration,
  isPropertyAssignment,
  isVariableDeclaration,
} from "typescript/unstable/ast/is";
import { type Project, SymbolFlags } from "typescript/unstable/sync";
import { nameOf, type Source, walk } from "./syntax.ts";

/** Other things have the same names: what asks is known by the file it is declared in. */
const ASKS = new Map<string, readonly string[]>(
  Object.entries({
    askText: ["/src/ui/kit/ask/steps.ts"],
    askModally: ["/src/ui/kit/messages.ts"],
    // Use cases ask through a port.
    chooseDraft: ["/src/services/template/template-edits.ts"],
    confirm: [
      "/src/services/account/sign-out.ts",
      "/src/services/group/prepare-job.ts",
      "/src/services/launch/review-launch.ts",
      "/src/services/launch/launch-steps.ts",
      "/src/services/run/prepare-run.ts",
      "/src/services/template/template-person.ts",
    ],
    findAsYouType: ["/src/ui/kit/ask/find.ts"],
    pickOne: ["/src/ui/kit/ask/pick.ts"],
    pickMany: ["/src/ui/kit/ask/pick.ts"],
    pickTicked: ["/src/ui/kit/ask/tick-list.ts"],
    showOpenDialog: ["/@types/vscode/index.d.ts"],
    showSaveDialog: ["/@types/vscode/index.d.ts"],
  }),
);
/** From a row a command is called on a thing; which one is asked in the palette only, and so doesn't count. */
const CHOOSES = new Set(["findTarget", "findTargets", "findTemplateTarget", "target"]);

/** The commands of the modules, by their names in `ids.ts`, each with the way to its question if it has one. */
export function findQuestions(modules: readonly Source[]): ReadonlyMap<string, string | undefined> {
  const handlers = new Map(modules.flatMap(({ file }) => [...handlersIn(file)]));
  return new Map(
    modules.flatMap(({ file, project }) =>
      [...handlersIn(file)].map(([name, handler]) => [name, findQuestion(project, handlers, handler)] as const),
    ),
  );
}

function handlersIn(module: Node): ReadonlyMap<string, Expression> {
  const found = new Map<string, Expression>();
  walk(module, (node) => {
    if (isPropertyAssignment(node) && isComputedPropertyName(node.name))
      found.set(nameOf(node.name.expression), node.initializer);
  });
  return found;
}

function findQuestion(
  project: Project,
  handlers: ReadonlyMap<string, Expression>,
  handler: Expression,
): string | undefined {
  const seen = new Set<Node>();
  const enter = (body: Node | undefined, way: string): string | undefined => {
    if (!body || seen.has(body)) return undefined;
    seen.add(body);
    let found: string | undefined;
    walk(body, (node) => {
      if (isCallExpression(node)) found ??= follow(node, way);
      return found === undefined;
    });
    return found;
  };
  const follow = ({ expression, arguments: [first] }: CallExpression, way: string): string | undefined => {
    const name = nameOf(expression);
    if (CHOOSES.has(name)) return undefined;
    const other = name === "runCommand" && first ? handlers.get(nameOf(first)) : undefined;
    if (other) return enter(bodyOf(project, other), `${way} → ${nameOf(first ?? other)}`);
    const declared = declarationOf(project, expression);
    const asks = ASKS.get(name)?.some((file) => declared?.getSourceFile().fileName.endsWith(file)) === true;
    return asks ? `${way} → ${name}` : enter(bodyOf(project, expression), `${way} → ${name}`);
  };
  return enter(bodyOf(project, handler), "handler");
}

/** What is run when this is called; undefined for what isn't ours, or is known by its type alone. */
function bodyOf(project: Project, called: Expression): Node | undefined {
  if (isArrowFunction(called)) return called.body;
  const declared = declarationOf(project, called);
  if (!declared?.getSourceFile().fileName.includes("/src/")) return undefined;
  if (isFunctionDeclaration(declared) || isMethodDeclaration(declared)) return declared.body;
  return isVariableDeclaration(declared) ? declared.initializer : undefined;
}

/** Where each call leads: many commands come by the same ones, and the compiler answers in another process. */
const declarations = new Map<Expression, Node | undefined>();

function declarationOf(project: Project, called: Expression): Node | undefined {
  if (!declarations.has(called)) declarations.set(called, findDeclaration(project, called));
  return declarations.get(called);
}

function findDeclaration({ checker }: Project, called: Expression): Node | undefined {
  const symbol = checker.getSymbolAtLocation(called);
  const own = symbol && symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
  return own?.valueDeclaration?.resolve();
}
