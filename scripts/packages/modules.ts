import { parseSync, Visitor } from "rolldown/utils"

/** What a built file refers to outside of itself. */
export interface References {
  /** Module specifiers of imports, exports, types and `createRequire`. A template counts with what precedes its first hole. */
  readonly modules: ReadonlySet<string>
  /** The text with relative specifiers of TypeScript files as those of the built files beside it. It has the same length. */
  readonly text: string
}

interface Literal {
  readonly value: string
  readonly end: number
}

/** The compiler leaves `.ts` in declarations, and in URLs below `import.meta.url`. */
export const referencesOf = (file: string, text: string): References => {
  const { errors, program } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const modules = new Set<string>()
  const ends: Array<number> = []

  const refer = (node: unknown): void => {
    const found = literalOf(node)
    if (found === undefined) return
    if (!found.value.startsWith(".")) modules.add(found.value)
    else if (/\.m?ts$/.test(found.value) && !/\.d\.m?ts$/.test(found.value)) ends.push(found.end - 1)
  }

  new Visitor({
    ImportDeclaration: ({ source }) => refer(source),
    ExportNamedDeclaration: ({ source }) => refer(source),
    ExportAllDeclaration: ({ source }) => refer(source),
    ImportExpression: ({ source }) => refer(source),
    TSImportType: ({ source }) => refer(source),
    // `declare module "vitest"`
    TSModuleDeclaration: ({ id }) => refer(id),
    NewExpression: ({ arguments: [first, second], callee }) => {
      const isUrl = callee.type === "Identifier" && callee.name === "URL"
      if (isUrl && isImportMetaUrl(second) && literalOf(first)?.value.startsWith(".") === true) refer(first)
    },
    CallExpression: ({ arguments: [first], callee }) => {
      if (!isRequire(callee)) return
      // A name in its place would hide a dependency.
      if (literalOf(first) === undefined) throw new Error(`${file}: what is required must be a literal`)
      refer(first)
    }
  }).visit(program)

  return { modules, text: ends.reduce((text, end) => `${text.slice(0, end - 2)}js${text.slice(end)}`, text) }
}

const isNode = (node: unknown): node is Readonly<Record<string, unknown>> => typeof node === "object" && node !== null

const literalOf = (node: unknown): Literal | undefined => {
  if (!isNode(node) || typeof node["end"] !== "number") return undefined
  if (node["type"] === "Literal" && typeof node["value"] === "string") return { value: node["value"], end: node["end"] }
  if (node["type"] !== "TemplateLiteral" || !Array.isArray(node["quasis"])) return undefined
  const value: unknown = node["quasis"][0]?.value?.cooked
  return typeof value === "string" ? { value, end: node["end"] } : undefined
}

const isImportMetaUrl = (node: unknown): boolean =>
  isNode(node) &&
  node["type"] === "MemberExpression" &&
  isNode(node["object"]) &&
  node["object"]["type"] === "MetaProperty"

/** `require(…)`, `createRequire(…)(…)`, `….resolve(…)` of either, and `import.meta.resolve(…)`. */
const isRequire = (callee: unknown): boolean => {
  if (!isNode(callee)) return false
  if (callee["type"] === "Identifier") return callee["name"] === "require"
  if (callee["type"] === "CallExpression")
    return isNode(callee["callee"]) && callee["callee"]["name"] === "createRequire"
  if (callee["type"] !== "MemberExpression" || !isNode(callee["property"])) return false
  if (callee["property"]["name"] !== "resolve" || !isNode(callee["object"])) return false
  return callee["object"]["type"] === "MetaProperty" || isRequire(callee["object"])
}
