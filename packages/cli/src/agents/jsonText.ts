import { createScanner, findNodeAtLocation, type Node, parseTree } from "jsonc-parser"

// Edits of a JSON text with comments that leave every other character as it is. The library's own edits lay
// neighbours out anew, and drop comments behind them.

type Path = ReadonlyArray<string>

const objectAt = (text: string, path: Path): Node | undefined => {
  const root = parseTree(text, [], { allowTrailingComma: true })
  const found = root === undefined ? undefined : findNodeAtLocation(root, [...path])
  return found?.type === "object" ? found : undefined
}

const propertyOf = (object: Node, name: string): Node | undefined =>
  object.children?.find((_) => _.children?.[0]?.value === name)

const lineIndent = (text: string, at: number): string =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf("\n", at - 1) + 1))?.[0] ?? ""

const eolOf = (text: string): string => (text.includes("\r\n") ? "\r\n" : "\n")

/** One step of the file's own indentation. */
const stepOf = (text: string): string => /^([ \t]+)\S/m.exec(text)?.[1] ?? "  "

const spliced = (text: string, from: number, to: number, inner: string): string =>
  `${text.slice(0, from)}${inner}${text.slice(to)}`

const rendered = (text: string, value: unknown, indent: string): string =>
  JSON.stringify(value, undefined, stepOf(text)).replaceAll("\n", `${eolOf(text)}${indent}`)

/** Where the comma stands that comes next, if nothing else comes before it. */
const commaBehind = (text: string, at: number): number | undefined => {
  const scanner = createScanner(text, true)
  scanner.setPosition(at)
  scanner.scan()
  const offset = scanner.getTokenOffset()
  return text[offset] === "," ? offset : undefined
}

/** Puts a field first: behind the others could be a comma, or a comment. */
const inserted = (text: string, object: Node, name: string, value: unknown): string => {
  const outer = lineIndent(text, object.offset)
  const indent = `${outer}${stepOf(text)}`
  const field = `${eolOf(text)}${indent}${JSON.stringify(name)}: ${rendered(text, value, indent)}`
  const isEmpty = object.children?.length === 0
  const rest = text.slice(object.offset + 1)
  const end = isEmpty && /^[ \t]*\}/.test(rest) ? `${eolOf(text)}${outer}` : isEmpty ? "" : ","
  const blanks = isEmpty ? (/^[ \t]*(?=\})/.exec(rest)?.[0].length ?? 0) : 0
  return spliced(text, object.offset + 1, object.offset + 1 + blanks, `${field}${end}`)
}

/** The text with a field of the object at a path: in place of its value, or as a new one. */
export const withField = (text: string, path: Path, name: string, value: unknown): string => {
  const object = objectAt(text, path)
  if (object === undefined) return text
  const [, old] = propertyOf(object, name)?.children ?? []
  if (old === undefined) return inserted(text, object, name, value)
  return spliced(text, old.offset, old.offset + old.length, rendered(text, value, lineIndent(text, old.offset)))
}

/** The text without a field of the object at a path. */
export const withoutField = (text: string, path: Path, name: string): string => {
  const object = objectAt(text, path)
  const property = object === undefined ? undefined : propertyOf(object, name)
  if (object?.children === undefined || property === undefined) return text
  const before = object.children[object.children.indexOf(property) - 1]
  const end = property.offset + property.length
  const behind = commaBehind(text, end)
  const from = text.slice(0, property.offset).trimEnd().length
  const cut = spliced(text, from, behind === undefined ? end : behind + 1, "")
  const comma = before === undefined ? undefined : commaBehind(text, before.offset + before.length)
  const whole = behind !== undefined || comma === undefined ? cut : spliced(cut, comma, comma + 1, "")
  const left = objectAt(whole, path)
  const isBlank =
    left?.children?.length === 0 && whole.slice(left.offset + 1, left.offset + left.length - 1).trim() === ""
  return left !== undefined && isBlank ? spliced(whole, left.offset, left.offset + left.length, "{}") : whole
}
