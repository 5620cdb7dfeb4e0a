import { Result } from "effect"
import { type JsonObject, objectAt } from "../Json.ts"
import { type Incoming, json, type Step } from "../Wire.ts"

const titles: Readonly<Record<number, string>> = {
  400: "Bad Request",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  406: "Not Acceptable",
  409: "Conflict",
  413: "Request Entity Too Large",
  415: "Unsupported Media Type"
}

export const refuse = (code: number, description: string): Step<never> =>
  Result.fail(json(code, { code, title: titles[code], description }))

/** A refusal with the operation's message ("Secret creation", ...) in front of the reason. */
export const issue = (code: number, operation: string, reason: string): Step<never> =>
  refuse(code, `${operation} issue seen - ${reason}.`)

export const policyRefused = (operation: string): Step<never> =>
  refuse(403, `${operation} attempt not allowed - please review your user/project privileges`)

/** A body that does not fit its schema. */
export const schemaViolation = (schema: string, reason: string, property: string): Step<never> =>
  refuse(400, `Provided object does not match schema '${schema}': ${reason}. Invalid property: '${property}'`)

const typeOf = ({ headers }: Incoming): string =>
  (headers["content-type"] ?? "").split(";")[0]?.trim().toLowerCase() ?? ""

/** The media type of a body that must have one of these. */
export const contentType = (incoming: Incoming, types: ReadonlyArray<string>): Step<string> => {
  const type = typeOf(incoming)
  const expected = `[${types.map((_) => `'${_}'`).join(", ")}]`
  return types.includes(type)
    ? Result.succeed(type)
    : refuse(415, `Unexpected content type. Expected content types are: ${expected}`)
}

/** The JSON object of the body. */
export const bodyOf = (incoming: Incoming, operation: string, schema: string): Step<JsonObject> =>
  Result.gen(function* () {
    yield* contentType(incoming, ["application/json"])
    const { json: body } = incoming
    if (body === undefined) return yield* refuse(400, "Malformed JSON")
    return typeof body === "object" && body !== null && !Array.isArray(body)
      ? objectAt(body)
      : yield* schemaViolation(schema, `${JSON.stringify(body)} is not of type 'object'`, "type")
  })
