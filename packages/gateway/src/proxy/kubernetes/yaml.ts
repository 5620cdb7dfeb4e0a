import { BadRequest, TooLarge } from "@portico/contract/Failures"
import { Option, Predicate, Result } from "effect"
import { isUtf8 } from "node:buffer"
import { isAlias, isNode, isScalar, parseAllDocuments, visit } from "yaml"
import { jsonOf } from "../requestBody.ts"
import { reasonAgainstJson } from "./strictJson.ts"

/** Size limit for YAML that is not JSON, which takes a thousand times as long to parse. In bytes. */
const limit = 8 * 1024

const ambiguous = (why: string) => Result.fail(BadRequest.clusterBody(why))

/**
 * Parses a YAML body (JSON is a subset) to the JSON on which all readers agree. It rejects a stream of documents, an
 * anchor, a tag, a repeated name, and a word that YAML 1.1 and 1.2 read as different values (`yes`, `010`, `1_000`).
 */
export const readYaml = (body: Buffer): Result.Result<unknown, BadRequest | TooLarge> => {
  if (!isUtf8(body)) return ambiguous("it is not UTF-8")
  const text = body.toString()
  const deep = reasonAgainstJson(text)
  const json = jsonOf(body)
  if (Option.isSome(json)) return deep === undefined ? withExactNumbers(json.value) : ambiguous(deep)
  if (body.length > limit) return Result.fail(TooLarge.body(limit))
  if (opensMany(text)) return ambiguous("it nests too deeply")
  const as = (version: "1.1" | "1.2") =>
    Result.try({
      try: () => readAs(text, version),
      // Very deep nesting overflows the parser's stack.
      catch: () => BadRequest.clusterBody("it is not readable YAML")
    })
  return Result.gen(function* () {
    const one = yield* as("1.2")
    if (typeof one === "string") return yield* ambiguous(one)
    const other = yield* as("1.1")
    if (typeof other === "string") return yield* ambiguous(other)
    return yield* JSON.stringify(one.json) === JSON.stringify(other.json)
      ? withExactNumbers(one.json)
      : ambiguous("YAML 1.1 and 1.2 read a value of it differently: put it in quotation marks")
  })
}

/** Whether a hundred brackets are open at a time, also in texts. The parser takes a tenth of a second for them. */
const opensMany = (text: string): boolean => {
  let open = 0
  for (const sign of text) {
    if (sign === "[" || sign === "{") open += 1
    else if ((sign === "]" || sign === "}") && open > 0) open -= 1
    if (open > maxOpen) return true
  }
  return false
}

/** As deep as JSON may be. */
const maxOpen = 100

/** The JSON of a document, or the reason for its rejection. */
const readAs = (text: string, version: "1.1" | "1.2"): { readonly json: unknown } | string => {
  const documents = parseAllDocuments(text, { version, uniqueKeys: false, strict: true, logLevel: "silent" })
  if (!Array.isArray(documents) || documents.length !== 1) return "it is not one YAML document"
  const [document] = documents
  if (document === undefined || document.errors.length > 0 || document.warnings.length > 0) {
    return "it is not readable YAML"
  }
  if (document.directives?.docStart === true && /^%/m.test(text)) return "it has a directive"
  let against: string | undefined
  visit(document, (_, node) => {
    if (isAlias(node) || (isNode(node) && "anchor" in node && node.anchor !== undefined)) against = "it has an anchor"
    else if (isNode(node) && "tag" in node && isTagged(node.tag)) against = "it has a tag"
    return against === undefined ? undefined : visit.BREAK
  })
  visit(document, {
    Map: (_, { items }) => {
      // The library's own check for repeated names takes quadratic time.
      const names = new Set<string>()
      for (const { key } of items) {
        if (!isScalar(key) || typeof key.value !== "string" || key.value === "<<")
          against ??= "a name in it is not a text"
        else if (names.has(key.value)) against ??= `the name '${key.value.slice(0, 100)}' is there twice in one object`
        else names.add(key.value)
      }
      return against === undefined ? undefined : visit.BREAK
    }
  })
  return against ?? { json: document.toJS() }
}

/** The parser gives plain collections and scalars an empty tag. */
const isTagged = (tag: unknown): boolean => typeof tag === "string" && tag !== ""

/** Rejects numbers that this parser cannot represent exactly, while another might. */
const withExactNumbers = (json: unknown): Result.Result<unknown, BadRequest> => {
  const open: Array<unknown> = [json]
  while (open.length > 0) {
    const value = open.pop()
    if (typeof value === "number" && !(Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER)) {
      return ambiguous("a number in it is too large to be exact")
    }
    if (Array.isArray(value)) for (const item of value) open.push(item)
    else if (Predicate.isObject(value)) for (const item of Object.values(value)) open.push(item)
  }
  return Result.succeed(json)
}
