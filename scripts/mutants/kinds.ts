import { calleeOf, isNode, type Node, nodesOf, parse, walk } from "./syntax.ts"
import { sqlChanges } from "./sql.ts"
import type { Candidate } from "./Mutant.ts"

/** A node and what stands in its place. */
type Change = readonly [kind: string, place: Node, mutated: string]

interface Place {
  readonly node: Node
  readonly parents: ReadonlyArray<Node>
  readonly text: string
  readonly file: string
}

const operators = new Map(
  [
    ["boundary", "< <=", "<= <", "> >=", ">= >"],
    ["equality", "=== !==", "!== ==="],
    ["logic", "&& ||", "|| &&"],
    ["arithmetic", "+ -", "- +", "* /", "/ *", "% *"]
  ].flatMap(([kind = "", ...pairs]) =>
    pairs.map((pair) => {
      const [from = "", to = ""] = pair.split(" ")
      return [from, { kind, to }] as const
    })
  )
)

/** Words of tables: methods, and what the acts do. */
const others: ReadonlyMap<unknown, string> = new Map(
  "GET POST,HEAD POST,POST PUT,PUT PATCH,PATCH PUT,DELETE POST,operates destroys,destroys operates,never destroys"
    .split(",")
    .map((_): [string, string] => [_.split(" ")[0] ?? "", _.split(" ")[1] ?? ""])
)

const removable =
  /^Effect\.(catch\w*|ensuring|filterOr\w*|ignore\w*|interruptible|on[A-Z]\w*|orElse\w*|repeat|retry|tap\w*|timeout\w*|uninterruptible\w*|unless|when)$/

const textOf = ({ text }: Place, node: Node) => text.slice(node.start, node.end)
const isString = (node: Node) => node.type === "TemplateLiteral" || typeof node["value"] === "string"
const hasString = (node: Node): boolean =>
  isString(node) || nodesOf([node["left"], node["right"]]).some((_) => hasString(_))
const isGuarded = (branch: Node): boolean =>
  ["ReturnStatement", "ThrowStatement", "ContinueStatement"].includes(branch.type) ||
  nodesOf(branch["body"]).some((_) => isGuarded(_))

const operator = (_: Place): ReadonlyArray<Change> => {
  const [left, right] = nodesOf([_.node["left"], _.node["right"]])
  if (left === undefined || right === undefined) return []
  if (_.node["operator"] === "??") return [["fallback", _.node, `(${textOf(_, right)})`]]
  const { kind, to } = operators.get(String(_.node["operator"])) ?? {}
  if (kind === undefined || to === undefined || (kind === "arithmetic" && hasString(_.node))) return []
  const between = _.text.slice(left.end, right.start).replace(String(_.node["operator"]), to)
  return [[kind, _.node, _.text.slice(_.node.start, left.end) + between + _.text.slice(right.start, _.node.end)]]
}

const test = (_: Place): ReadonlyArray<Change> => {
  const [test, branch] = nodesOf([_.node["test"], _.node["consequent"]])
  if (test === undefined || branch === undefined) return []
  if (_.node.type === "IfStatement" && isGuarded(branch)) return [["guard", test, "false"]]
  if (/^[!=]==$/.test(String(test["operator"])) || test["operator"] === "!") return []
  return [["negation", test, `!(${textOf(_, test)})`]]
}

const literal = (_: Place): ReadonlyArray<Change> => {
  const { value } = _.node
  const [parent] = _.parents
  if (typeof value === "boolean") return [["boolean", _.node, String(!value)]]
  if (typeof value === "number") return [["number", _.node, String(value + 1)]]
  if (typeof value !== "string" || parent === undefined) return []
  const other = others.get(value)
  if (other !== undefined) return [["word", _.node, JSON.stringify(other)]]
  const isType = nodesOf([parent["left"], parent["right"]]).some((_) => _["operator"] === "typeof")
  const isKey = /^(BinaryExpression|SwitchCase|ArrayExpression)$/.test(parent.type) && !isType && !value.includes(" ")
  const isPath = parent.type === "CallExpression" && _.file.includes("/acts/") && /[/*]/.test(value)
  return isKey || (isPath && !value.startsWith("http")) ? [["word", _.node, JSON.stringify(`${value}x`)]] : []
}

const call = (_: Place): ReadonlyArray<Change> => {
  const callee = calleeOf(_.node, _.text)
  const [name = "", subject = ""] = [/\w+$/.exec(callee)?.[0], /^(.*?)\s*\??\.\s*\w+$/s.exec(callee)?.[1]]
  const first = nodesOf(_.node["arguments"])[0]
  if (/^(Option|Result|Effect|Exit)\.is\w+$/.test(callee)) return [["negation", _.node, `!${textOf(_, _.node)}`]]
  if (_.parents.some((parent) => parent.type === "ChainExpression" && parent.start === _.node.start)) return []
  const inner = _.text.slice(_.node.start, isNode(_.node["callee"]) ? _.node["callee"].end : 0)
  const rest = _.text.slice(_.node.start + inner.length, _.node.end)
  if (name === "filter" && !/^[A-Z]\w*$/.test(subject))
    return [["filter", _.node, `(${inner.replace(/\s*\.\s*filter$/, "")})`]]
  if (name === "some") return [["some", _.node, inner.replace(/some$/, "every") + rest]]
  if (name === "every") return [["some", _.node, inner.replace(/every$/, "some") + rest]]
  const isPiped = _.parents[0] !== undefined && /(^|\.)pipe$/.test(calleeOf(_.parents[0], _.text))
  if (!removable.test(callee) || first === undefined) return []
  return [["effect", _.node, isPiped ? "((_) => _)" : `(${textOf(_, first)})`]]
}

const list = (_: Place): ReadonlyArray<Change> => {
  const elements = nodesOf(_.node["elements"])
  const [parent] = _.parents
  // Without its elements such a list cannot be taken apart, which every test sees.
  const isTuple =
    parent === undefined ||
    parent.type === "ArrayExpression" ||
    nodesOf(parent["id"]).some((_) => _.type === "ArrayPattern") ||
    /(^|\.)all$/.test(calleeOf(parent, _.text))
  if (elements.length === 0 || isTuple) return []
  return [
    ["list", _.node, "[]"],
    ...elements.flatMap((element): ReadonlyArray<Change> => {
      const [spread] = element.type === "SpreadElement" ? nodesOf(element["argument"]) : []
      if (spread !== undefined) return [["element", spread, "[]"]]
      return /^(CallExpression|ObjectExpression|Identifier|ArrayExpression)$/.test(element.type)
        ? [["element", element, ""]]
        : []
    })
  ]
}

const statement = (_: Place): ReadonlyArray<Change> => {
  const [expression] = nodesOf(_.node["expression"])
  const [delegated] = expression?.type === "YieldExpression" ? nodesOf(expression["argument"]) : [expression]
  if (expression === undefined || delegated?.type !== "CallExpression") return []
  return /^Effect\.(log|annotate)|Metric/.test(calleeOf(delegated, _.text))
    ? []
    : [["statement", expression, "undefined"]]
}

const statementOf = (_: Place): ReadonlyArray<Change> => {
  const [quasi] = nodesOf(_.node["quasi"])
  const [tag] = nodesOf(_.node["tag"])
  if (quasi === undefined || tag === undefined || !/^sql\b/.test(textOf(_, tag))) return []
  const [start, end] = [quasi.start + 1, quasi.end - 1]
  const holes = nodesOf(quasi["expressions"]).map((hole) => {
    const opened = _.text.lastIndexOf("${", hole.start)
    return [opened - start, _.text.indexOf("}", hole.end) + 1 - start] as const
  })
  const head = _.text.slice(_.node.start, start)
  return sqlChanges(_.text.slice(start, end), holes).map(([kind, mutated]): Change => [
    kind,
    _.node,
    `${head}${mutated}\``
  ])
}

const rules: Readonly<Record<string, (_: Place) => ReadonlyArray<Change>>> = {
  ArrayExpression: list,
  BinaryExpression: operator,
  CallExpression: call,
  ConditionalExpression: test,
  ExpressionStatement: statement,
  IfStatement: test,
  Literal: literal,
  LogicalExpression: operator,
  TaggedTemplateExpression: statementOf,
  UnaryExpression: (_) => (_.node["operator"] === "!" ? [["negation", _.node, `(${textOf(_, _.node).slice(1)})`]] : [])
}

/** Every change that there is in a file. */
export const candidatesOf = (area: string, file: string, text: string): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  const seen = new Map<string, number>()
  walk(parse(text), text, (node, parents) => {
    for (const [kind, { end, start }, mutated] of rules[node.type]?.({ node, parents, text, file }) ?? []) {
      // A parenthesis at the beginning of a statement would continue the line before it.
      const opens = parents.some((_) => _.type === "ExpressionStatement" && _.start === start)
      if (opens && kind !== "statement") continue
      const line = (/.*/.exec(text.slice(text.lastIndexOf("\n", start) + 1))?.[0] ?? "").trim()
      const original = text.slice(start, end)
      const key = [kind, original, mutated, line].join("\n")
      seen.set(key, (seen.get(key) ?? -1) + 1)
      found.push({ area, file, kind, original, mutated, line, ordinal: seen.get(key) ?? 0, start, end })
    }
  })
  return found
}
