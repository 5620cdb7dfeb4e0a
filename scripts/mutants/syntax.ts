import { parseAst } from "rolldown/parseAst"

/** A node of the syntax tree, as ESTree has it. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

/** The child nodes of a member. */
export const nodesOf = (value: unknown): ReadonlyArray<Node> => [value].flat().filter(isNode)

export const parse = (text: string): Node => parseAst(text, { lang: "ts" }) as unknown as Node

/** Values of these properties and arguments of these calls are for readers. */
const wordKeys =
  /^(cause|description|detail|documentation|examples|fix|help|identifier|message|source|summary|text|title|what|why)$/
const wordCalls =
  /(^|\.)(annotate\w*|counter|describe|gauge|histogram|log[A-Z]?\w*|meanings|summary|withSpan|annotateLogs)$/
const wordNodes = /^(Import|ExportAll|TS(?!AsExpression|SatisfiesExpression|NonNullExpression))/

export const calleeOf = (node: Node, text: string): string =>
  isNode(node["callee"]) ? text.slice(node["callee"].start, node["callee"].end) : ""

/** The children in which a change can change behaviour. */
const childrenOf = (node: Node, text: string): ReadonlyArray<Node> => {
  if (node.type === "CallExpression" && wordCalls.test(calleeOf(node, text))) return []
  const key = isNode(node["key"]) ? text.slice(node["key"].start, node["key"].end) : ""
  if (node.type === "Property" && wordKeys.test(key)) return []
  return Object.entries(node)
    .filter(([name]) => name !== "key" || node["computed"] === true)
    .flatMap(([, value]) => nodesOf(value))
    .filter((_) => !wordNodes.test(_.type))
}

/** Calls back for every node, with its ancestors, the nearest first. */
export const walk = (
  node: Node,
  text: string,
  visit: (node: Node, ancestors: ReadonlyArray<Node>) => void,
  ancestors: ReadonlyArray<Node> = []
): void => {
  visit(node, ancestors)
  for (const child of childrenOf(node, text)) walk(child, text, visit, [node, ...ancestors])
}
