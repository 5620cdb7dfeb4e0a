import { Predicate, Schema } from "effect"
import type { Argument } from "./arguments.ts"
import { type Json, objectOf } from "../document.ts"
import { type Operation, resolved } from "./operation.ts"
import { firstSentence, plain } from "./sentences.ts"
import type { InputSchema } from "./Tool.ts"

/** The input schema of a tool: short, closed, and without references. */
export const inputOf = (operation: Operation, arguments_: ReadonlyArray<Argument>, document: Json): InputSchema => {
  const required = arguments_.filter((_) => _.required).map((_) => _.name)
  return {
    type: "object",
    properties: Object.fromEntries(arguments_.map((_) => [_.name, propertyOf(document, _)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
    ...exampleOf(operation, arguments_)
  }
}

/** An example of the arguments, for an operation with a body: the request that the contract's example records. */
const exampleOf = ({ body, id, parameters }: Operation, arguments_: ReadonlyArray<Argument>) => {
  const fields = ofAgents[id] ?? objectOf(body?.example)
  const inPath = Object.fromEntries(parameters.filter((_) => _.place === "path").map((_) => [_.name, _.example]))
  const example = Object.fromEntries(
    arguments_.flatMap(({ field, name, place }) => {
      const value = place === "path" ? inPath[field] : place === "body" ? fields[field] : undefined
      return isJson(value) ? [[name, value]] : []
    })
  )
  return body?.example === undefined ? {} : { examples: [example] }
}

const propertyOf = (document: Json, { default: sent, description, name, schema }: Argument): Schema.Json => {
  const said = description === "" ? schema : { ...schema, description }
  const short = shortened(document, name, said)
  return sent === undefined ? short : { ...short, default: sent }
}

/** Other examples, where a person made the recorded request and an agent's would be refused. */
const ofAgents: Readonly<Record<string, Json>> = {
  "credentials.mint": { kind: "mcp", tier: 0, label: "nightly report" },
  "agents.mint": { tier: 0, label: "nightly report" }
}

/**
 * Keywords that are left out, because every token of a list costs. A model that breaks such a rule gets a refusal that
 * names the argument and the rule.
 */
const left: ReadonlySet<string> = new Set([
  "$ref",
  "description",
  "pattern",
  "title",
  "examples",
  "example",
  "minLength",
  "maxLength",
  "minItems",
  "maxItems",
  "uniqueItems",
  "contentEncoding"
])

/** The most characters of a description in a schema. */
const longest = 110

const shortened = (document: Json, name: string, schema: Json): Readonly<Record<string, Schema.Json>> => {
  const whole = resolved(document, schema)
  const short: Record<string, Schema.Json> = {}
  for (const [keyword, value] of Object.entries(whole)) {
    if (left.has(keyword)) continue
    if (keyword === "properties") short[keyword] = each(document, objectOf(value))
    else if (keyword === "additionalProperties") {
      // `false` is left out, because the API refuses unknown fields in any case. A schema of further fields stays.
      if (Predicate.isReadonlyObject(value)) short[keyword] = shortened(document, name, value)
    } else if (keyword === "items") short[keyword] = shortened(document, name, objectOf(value))
    else if (Array.isArray(value) && value.some(Predicate.isReadonlyObject))
      short[keyword] = value.map((_) => shortened(document, name, objectOf(_)))
    else if (isJson(value)) short[keyword] = value
  }
  const description = Predicate.isString(whole["description"]) ? wordsOf(name, whole["description"]) : ""
  return description === "" ? short : { ...short, description }
}

const each = (document: Json, properties: Json): Schema.Json =>
  Object.fromEntries(Object.entries(properties).map(([name, _]) => [name, shortened(document, name, objectOf(_))]))

/**
 * The first sentence of a description. It is left out when it only repeats the name: `The id of the zone` of `zone_id`.
 */
const wordsOf = (name: string, description: string): string => {
  const sentence = plain(firstSentence(description))
  const says = new Set(name.toLowerCase().split("_"))
  const isNews = sentence
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((_) => _ !== "" && !says.has(_) && !says.has(_.replace(/s$/, "")) && !empty.has(_))
  return isNews && sentence.length <= longest ? sentence : isNews ? `${sentence.slice(0, longest - 1).trimEnd()}…` : ""
}

/** Words that add nothing to a name. */
const empty: ReadonlySet<string> = new Set(
  "a an the of to in its it is are one for with this that which s identifier uuid id name only new".split(" ")
)

const isJson = Schema.is(Schema.Json)
