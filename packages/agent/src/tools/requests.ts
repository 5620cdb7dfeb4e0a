import { Invalid } from "@portico/contract/Failures"
import { Predicate, Result } from "effect"
import type { ApiRequest } from "../Api.ts"
import type { Argument } from "./arguments.ts"
import { objectOf } from "../document.ts"
import type { Operation } from "./operation.ts"
import type { Arguments } from "./Tool.ts"

type Issue = Invalid["detail"][number]

/** The first part of the `loc` of an error in the arguments. */
const place = "arguments"

/**
 * The API call of a tool with these arguments, or the errors in them. The tool refuses only unknown arguments, and
 * values that no path or query can carry, because they would lead to another call. The API checks everything else.
 *
 * @param key the `Idempotency-Key`, for an operation that takes one
 */
export const requestOf = (
  operation: Operation,
  known: ReadonlyArray<Argument>,
  given: Arguments,
  key: string | undefined
): Result.Result<ApiRequest, Invalid> => {
  const issues = [...unknownOf(known, given), ...known.flatMap((_) => issueOf(_, given[_.name]))]
  if (issues.length > 0) return Result.fail(Invalid.issues(issues))
  const { body, endpoint } = operation
  const path = endpoint.path
    .split("/")
    .map((_) => (_.startsWith(":") ? segmentOf(given, known, _.slice(1)) : _))
    .join("/")
  const fields = known.flatMap(({ default: sent, field, name, place }) => {
    const value = given[name] === undefined ? sent : given[name]
    return place !== "body" || value === undefined ? [] : [[field, value] as const]
  })
  const sent = body === undefined || (!body.required && fields.length === 0) ? undefined : Object.fromEntries(fields)
  return Result.succeed({
    method: endpoint.method,
    path: `${path}${queryOf(known, given)}`,
    headers: {
      ...(sent === undefined ? {} : { "content-type": "application/json" }),
      ...(key === undefined ? {} : { "idempotency-key": key })
    },
    ...(sent === undefined ? {} : { body: JSON.stringify(sent) })
  })
}

const unknownOf = (known: ReadonlyArray<Argument>, given: Arguments): ReadonlyArray<Issue> => {
  const names = known.map((_) => _.name)
  const offered = known.filter((_) => _.offered).map((_) => _.name)
  const has = offered.length === 0 ? "this tool takes no arguments" : `the arguments are ${offered.join(", ")}`
  return Object.keys(given)
    .filter((_) => !names.includes(_))
    .map((_) => ({ loc: [place, _], msg: `Extra inputs are not permitted: ${has}`, type: "extra_forbidden" }))
}

const issueOf = ({ name, place: at, required, schema }: Argument, value: unknown): ReadonlyArray<Issue> => {
  const issue = (msg: string, type: string) => [{ loc: [place, name], msg, type }]
  if (at === "path") {
    if (value === undefined) return issue("Field required", "missing")
    if (!Predicate.isString(value)) return issue("Input should be a string", "string_type")
    if (value === "") return issue("Input should not be empty", "value_error")
    return value.isWellFormed() ? [] : issue("Input should be Unicode text", "value_error")
  }
  if (value === undefined) return required && at === "query" ? issue("Field required", "missing") : []
  if (at === "query") {
    const fits = schema["type"] === "array" ? Array.isArray(value) && value.every(isPlain) : isPlain(value)
    return fits ? [] : issue(`Input should be ${nounOf(schema)}`, "value_error")
  }
  if (at === "idempotency-key") {
    const fits = Predicate.isString(value) && /^[!-~]{1,255}$/.test(value)
    return fits ? [] : issue("Input should be 1 to 255 visible ASCII characters", "value_error")
  }
  return []
}

const isPlain = (value: unknown): boolean =>
  Predicate.isString(value) ? value.isWellFormed() : Predicate.isNumber(value) || Predicate.isBoolean(value)

const nounOf = (schema: Argument["schema"]): string =>
  schema["type"] === "array" ? `a list of ${String(objectOf(schema["items"])["type"])}s` : `a ${String(schema["type"])}`

/** A value as one segment of a path. A value of dots alone is encoded, because a proxy could take it for a step up; the API refuses it. */
const segmentOf = (given: Arguments, known: ReadonlyArray<Argument>, field: string): string => {
  const name = known.find((_) => _.place === "path" && _.field === field)?.name ?? field
  const encoded = encodeURIComponent(String(given[name]))
  return /^\.+$/.test(encoded) ? encoded.replaceAll(".", "%2E") : encoded
}

const queryOf = (known: ReadonlyArray<Argument>, given: Arguments): string => {
  const query = new URLSearchParams()
  for (const { default: sent, field, name, place: at } of known) {
    const value = given[name] ?? sent
    if (at !== "query" || value === undefined) continue
    for (const one of Array.isArray(value) ? value : [value]) query.append(field, String(one))
  }
  return query.size === 0 ? "" : `?${query.toString()}`
}
