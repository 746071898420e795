// Finds texts for people that don't go through `t`.
import type {
  CallExpression,
  NewExpression,
  Node,
  SourceFile,
  TaggedTemplateExpression,
  TemplateExpression,
} from "typescript/unstable/ast";
import {
  isArrayLiteralExpression,
  isBinaryExpression,
  isCallExpression,
  isConditionalExpression,
  isLiteralTypeNode,
  isNewExpression,
  isNoSubstitutionTemplateLiteral,
  isParenthesizedExpression,
  isPropertyAccessExpression,
  isPropertyAssignment,
  isRegularExpressionLiteral,
  isSpreadElement,
  isStringLiteral,
  isTaggedTemplateExpression,
  isTemplateExpression,
  isTemplateHead,
  isTemplateMiddle,
  isTemplateSpan,
  isTemplateTail,
} from "typescript/unstable/ast/is";
import { lineOf, nameOf, walk } from "./syntax.ts";

/** Properties whose value is read by people: of rows, lists, boxes, questions and problems. */
const SHOWN_AS = new Set([
  "accessible",
  "description",
  "detail",
  "go",
  "help",
  "keep",
  "label",
  "message",
  "name",
  "none",
  "placeholder",
  "prompt",
  "title",
  "tooltip",
]);
/** Functions that show their texts, and from which argument on. */
const SHOWS: ReadonlyMap<string, number> = new Map([
  ["AppError", 1],
  ["askModally", 0],
  ["buildDetailRow", 1],
  ["documents.compare", 0],
  ["documents.put", 0],
  ["documents.show", 0],
  ["createFileNotFoundError", 0],
  ["flashStatus", 0],
  ["buildGroupRow", 1],
  ["report", 0],
  ["createSeparator", 0],
  ["setListMessage", 1],
  ["setPrompt", 1],
  ["setValidation", 1],
  ["tellError", 0],
  ["tellInfo", 0],
  ["tellWarning", 0],
  ["createUnavailableError", 0],
  ["withNotification", 0],
  ["withStatusProgress", 0],
]);
/** Functions whose texts no person reads. */
const UNSEEN = new Set([
  "Error",
  "RangeError",
  "SyntaxError",
  "TypeError",
  "closest",
  "matches",
  "querySelector",
  "querySelectorAll",
]);
/** The methods of a log, which is for whoever mends the extension. */
const LOGGING = new Set(["debug", "error", "info", "warn"]);
/** Properties with words for the program. */
const FOR_PROGRAM = new Set(["context", "icon", "id"]);

const WORD = /\p{L}{2,}/u;
const WORDS = /\p{L}{2,}[,:;.!?]? +\p{L}{2,}/u;

function textsOf(node: Node): Node[] {
  if (isStringLiteral(node) || isNoSubstitutionTemplateLiteral(node)) return [node];
  if (isTemplateExpression(node)) return [...chunksOf(node), ...spansOf(node).flatMap(textsOf)];
  if (isParenthesizedExpression(node) || isSpreadElement(node)) return textsOf(node.expression);
  if (isConditionalExpression(node)) return [node.whenTrue, node.whenFalse].flatMap(textsOf);
  if (isBinaryExpression(node) && /^(\?\?|\|\||&&|\+)$/.test(node.operatorToken.getText()))
    return [node.left, node.right].flatMap(textsOf);
  if (isArrayLiteralExpression(node)) return node.elements.flatMap(textsOf);
  // `[…].filter(Boolean).join(" · ")`
  if (isCallExpression(node) && isPropertyAccessExpression(node.expression)) return textsOf(node.expression.expression);
  return [];
}

const chunksOf = ({ head, templateSpans }: TemplateExpression): Node[] => [
  head,
  ...templateSpans.map(({ literal }) => literal),
];

/** What is put between the chunks, but for names of icons and classes. */
function spansOf(node: TemplateExpression): Node[] {
  const chunks = chunksOf(node).map(textOf);
  return node.templateSpans
    .map(({ expression }) => expression)
    .filter((_, at) => !/(\$\(|class=)$/.test(chunks[at] ?? ""));
}

const textOf = (node: Node): string => ("text" in node ? String(node.text) : "");

/** A text without icons and addresses, which are no words. */
const wordsOf = (text: string): string => text.replace(/\$\([\w~-]+\)|https?:\/\/\S*/g, "\n");

/** What stands between the tags of markup, and what is read aloud or shown in a box. */
function markupWords({ template }: TaggedTemplateExpression): string {
  const chunks = isTemplateExpression(template) ? chunksOf(template) : [template];
  const markup = chunks.map(textOf).join("\0");
  const spoken = [...markup.matchAll(/\b(?:aria-\w+|alt|label|placeholder|title)="([^"\0]*)"/g)].map(
    ([, text]) => text,
  );
  return [markup.replace(/<[^>]*>/g, "\n"), ...spoken.filter((text) => text !== "true" && text !== "false")].join("\n");
}

export interface Finding {
  readonly line: number;
  readonly text: string;
}

export function findEnglish(file: SourceFile): Finding[] {
  const found = new Map<Node, Finding>();
  const note = (node: Node, text: string, shape: RegExp) => {
    if (shape.test(wordsOf(text)))
      found.set(node, { line: lineOf(node), text: text.replace(/[\s\0]*\n[\s\0]*/g, " ") });
  };
  const noteAll = (nodes: readonly Node[]) => {
    for (const text of nodes.flatMap(textsOf)) note(text, textOf(text), WORD);
  };
  walk(file, (node) => {
    if (isLiteralTypeNode(node) || isRegularExpressionLiteral(node)) return false;
    if (isTaggedTemplateExpression(node)) note(node, markupWords(node), WORD);
    if (isCallExpression(node) || isNewExpression(node)) {
      const name = nameOf(node.expression);
      if (name === "t" || UNSEEN.has(name) || logs(node.expression)) return false;
      noteAll(shownBy(node));
    }
    if (isPropertyAssignment(node)) {
      const name = node.name.getText();
      if (FOR_PROGRAM.has(name)) return false;
      if (SHOWN_AS.has(name)) noteAll([node.initializer]);
    }
    if (isText(node) && !isInMarkup(node)) note(node, textOf(node), WORDS);
    return true;
  });
  return [...found.values()];
}

/** `log.warn`, `this.#log.warn` and `console.error`. */
function logs(called: Node): boolean {
  if (!isPropertyAccessExpression(called) || !LOGGING.has(nameOf(called))) return false;
  return /^(#?log|console)$/.test(nameOf(called.expression));
}

function shownBy({ expression, arguments: given }: CallExpression | NewExpression): readonly Node[] {
  const from = SHOWS.get(nameOf(expression)) ?? SHOWS.get(expression.getText().split(".").slice(-2).join("."));
  return from === undefined ? [] : (given ?? []).slice(from, from + 2);
}

function isText(node: Node): boolean {
  return (
    isStringLiteral(node) ||
    isNoSubstitutionTemplateLiteral(node) ||
    isTemplateHead(node) ||
    isTemplateMiddle(node) ||
    isTemplateTail(node)
  );
}

function isInMarkup({ parent }: Node): boolean {
  const template = isTemplateSpan(parent) ? parent.parent : parent;
  return isTaggedTemplateExpression(template) || isTaggedTemplateExpression(template.parent ?? template);
}
