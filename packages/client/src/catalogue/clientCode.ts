import { isObject } from "@portico/contract/isObject"
import { type Call, type OperationCall, type PathCall, resolved, terminalJson } from "./Call.ts"
import type { Field, Plane, Shape } from "./Catalogue.ts"
import { camelCase } from "./names.ts"
import { fileOf, hasSecrets, withStandIns } from "./standIns.ts"

/** An expression in the place of a value. */
class Expression {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** A longer line is broken. */
const width = 80

/** `__proto__: …` would set the prototype. */
const keyOf = (key: string): string =>
  key === "__proto__" ? `["__proto__"]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : terminalJson(key)

const partsOf = (
  value: unknown
): readonly [open: string, parts: ReadonlyArray<readonly [string, unknown]>, close: string] =>
  Array.isArray(value)
    ? ["[", value.map((_) => ["", _] as const), "]"]
    : [
        "{",
        Object.entries(Object(value)).flatMap(([key, one]) =>
          one === undefined ? [] : [[`${keyOf(key)}: `, one] as const]
        ),
        "}"
      ]

/** A value as it is written in a program. */
const literal = (value: unknown, indent = ""): string => {
  if (value instanceof Expression) return value.text
  if (!isObject(value) && !Array.isArray(value)) return value === undefined ? "undefined" : terminalJson(value)
  const [open, parts, close] = partsOf(value)
  if (parts.length === 0) return `${open}${close}`
  const flat = parts.map(([key, one]) => `${key}${literal(one)}`).join(", ")
  const line = open === "{" ? `{ ${flat} }` : `[${flat}]`
  if (line.length + indent.length <= width && !line.includes("\n")) return line
  const inner = `${indent}  `
  const lines = parts.map(([key, one]) => `${inner}${key}${literal(one, inner)}`)
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`
}

const factories: Readonly<Record<Plane, readonly [name: string, module: string]>> = {
  customer: ["createClient", "@portico/client"],
  operator: ["createOperatorClient", "@portico/client/operator"]
}

const program = ({ base, plane }: Call, statements: string, readsFiles = false): string => {
  const [factory, module] = factories[plane]
  return [
    ...(readsFiles ? [`import { readFile } from "node:fs/promises"`] : []),
    `import { ${factory} } from "${module}"`,
    "",
    `const portico = ${factory}({ url: ${JSON.stringify(base)}, token: process.env.PORTICO_TOKEN })`,
    statements,
    ""
  ].join("\n")
}

/** From the files that the command has them from; an editor leaves a line break at their end. */
const readingOf = (field: Field): Expression => {
  const text = `await readFile(${JSON.stringify(fileOf(field))}, "utf8")`
  return new Expression(field.type === "string" ? `(${text}).trim()` : `JSON.parse(${text})`)
}

const givenTo = (operation: Shape, input: OperationCall["input"]): string => {
  // A restore has the fields of its body apart, without secrets.
  const shown = withStandIns(operation.body, input, readingOf)
  if (operation.takes === "form") return `{}, { body: new URLSearchParams(${literal(shown)}) }`
  const isEmpty = Object.values(Object(shown)).every((_) => _ === undefined)
  return isEmpty ? "" : literal(shown)
}

const ofOperation = (call: OperationCall): string => {
  const { input, operation } = call
  const [group = "", name = ""] = operation.id.split(".")
  const asked = `portico.${camelCase(group)}.${name}(${givenTo(operation, input)})`
  const statements =
    operation.stream === undefined
      ? `const result = await ${asked}\nconsole.log(result)`
      : `for await (const item of ${asked}) console.log(item)`
  return program(call, statements, hasSecrets(operation.body, input))
}

const ofPath = (call: PathCall): string => {
  const { body, contentType = "application/json", method, path } = call
  const sent =
    body === undefined
      ? {}
      : {
          headers: { "content-type": contentType },
          body: new Expression(`JSON.stringify(${literal(body, "  ")})`)
        }
  const init = method === "GET" && body === undefined ? "" : `, ${literal({ method, ...sent })}`
  const asked = `portico.fetch(${JSON.stringify(path)}${init})`
  return program(call, `const response = await ${asked}\nconsole.log(response.status, await response.text())`)
}

/** A call as a program of the client. It reads secrets of the caller's from files with the names of their fields. */
export const asClientCode = (call: Call): string => {
  const given = resolved(call)
  return "operation" in given ? ofOperation(given) : ofPath(given)
}
