import { Result } from "effect"
import { objectAt } from "../Json.ts"
import { type Answer, type Incoming, json } from "../Wire.ts"

/** One step of a call: what it yields, or the answer that ends the call. */
export type Step<A> = Result.Result<A, Answer>

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

/** A refusal of what a call was about to do, in the words that go with every such call. */
export const issue = (code: number, operation: string, reason: string): Step<never> =>
  refuse(code, `${operation} issue seen - ${reason}.`)

export const policyRefused = (operation: string): Step<never> =>
  refuse(403, `${operation} attempt not allowed - please review your user/project privileges`)

/** A body that does not fit its schema. */
export const misfit = (schema: string, reason: string, property: string): Step<never> =>
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
export const bodyOf = (incoming: Incoming, operation: string, schema: string): Step<ReturnType<typeof objectAt>> =>
  Result.gen(function* () {
    yield* contentType(incoming, ["application/json"])
    const { json: body } = incoming
    if (body === undefined) return yield* refuse(400, "Malformed JSON")
    return typeof body === "object" && body !== null && !Array.isArray(body)
      ? objectAt(body)
      : yield* misfit(schema, `${JSON.stringify(body)} is not of type 'object'`, "type")
  })

/** Barbican's times have no zone and, in this world, no fraction of a second. */
export const stamp = (millis: number): string => new Date(millis).toISOString().slice(0, 19)
