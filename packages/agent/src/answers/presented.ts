import { spelledOut } from "@portico/contract/spelledOut"
import type { Answer, Tool } from "../tools/Tool.ts"
import type { ToolOf } from "./advice.ts"
import { bounded, type Cut } from "./bounded.ts"
import { failureOf } from "./failure.ts"
import { selected } from "./fields.ts"
import { declaredFields } from "./operations.ts"
import type { ToolCode } from "./toolCodes.ts"
import { visible } from "./visible.ts"
import { type Work, workOf } from "./work.ts"

type Json = Readonly<Record<string, unknown>>

/** The call that is answered. */
export interface Call {
  readonly tool: Tool
  readonly given: Json
  readonly fields: ReadonlyArray<string> | undefined
  readonly requestId: string
  readonly toolOf: ToolOf
}

export interface Presented extends Answer {
  /** The work that the call began and that goes on. */
  readonly work?: Work
}

/**
 * Prepares an answer for a model. The answer has only the fields that the model asked for, is cut when it is too long,
 * has no invisible characters, and has notes from the headers of HTTP.
 */
export const presented = (answer: Answer, call: Call): Presented => {
  const { fields, requestId, tool, toolOf } = call
  if (answer.failed) {
    const shown = cutDown({ ...answer, body: failureOf(answer, { requestId, writes: tool.writes, toolOf }) }, call)
    // The API's `detail` stays byte for byte: invisible characters in it can only come from the call itself.
    const { code, detail } = answer.body
    const isOwn = typeof code === "string" && code === shown.body["code"] && typeof detail === "string"
    return isOwn ? { ...shown, body: { ...shown.body, detail } } : shown
  }
  if (answer.incomplete === true) return tooLarge(answer, {}, call)
  // A call with an outcome of its own, such as a plan, was not carried out and began no work.
  const work = answer.outcome === undefined ? workOf(tool.operation, call.given, answer.body, toolOf) : undefined
  if (fields === undefined) return { ...cutDown(answer, call), ...(work === undefined ? {} : { work }) }
  const declared = tool.operation === undefined ? undefined : declaredFields(tool.operation)
  const chosen = selected(answer.body, fields, declared)
  return "selected" in chosen
    ? cutDown({ ...answer, body: chosen.selected }, call)
    : unknownFields(answer, chosen, call)
}

const unknownFields = (
  { status }: Answer,
  { known, unknown }: { readonly known: ReadonlyArray<string>; readonly unknown: ReadonlyArray<string> },
  { requestId }: Call
): Presented => ({
  status,
  failed: true,
  body: visible({
    status,
    detail: `The answer has no field ${unknown.map((_) => `'${_}'`).join(", ")}`,
    code: "unknown_field" satisfies ToolCode,
    cause: "`fields` names a field that the answer does not have.",
    fix: "Name fields of `known_fields`; a dot leads into an object.",
    known_fields: known,
    request_id: requestId
  })
})

const cutDown = (answer: Answer, call: Call): Presented => {
  const { body, failed, headers = {} } = answer
  // Spelled out, a character may become eight: what cannot be shown is cut before.
  const rough = bounded(body)
  if ("sizes" in rough) return tooLarge(answer, rough.sizes, call)
  const found = bounded(visible(rough.body))
  if ("sizes" in found) return tooLarge(answer, found.sizes, call)
  const cut = cutOf(rough.cut && { ...rough.cut, field: spelledOut(rough.cut.field) }, found.cut)
  const about = failed ? cutNote(cut, call) : { ...cutNote(cut, call), ...notesOf(found.body, headers, call) }
  const said = Object.keys(about).length === 0 ? {} : { about }
  const empty = !failed && Object.keys(found.body).length === 0 ? { result: null } : {}
  // The answer of a platform service may have a field `about` itself.
  const whole = "about" in found.body && "about" in said ? { result: found.body } : found.body
  return { ...answer, body: { ...whole, ...empty, ...said } }
}

/** What was cut in all, of which the second found less than the first. */
const cutOf = (first: Cut | undefined, second: Cut | undefined): Cut | undefined => {
  if (first === undefined || second === undefined) return second ?? first
  return first.field === second.field ? { ...second, of: first.of } : second
}

const cutNote = (cut: Cut | undefined, { tool }: Call): Json => {
  if (cut === undefined) return {}
  const { field, of, shown } = cut
  const limit = "limit" in tool.input.properties ? `, or page with limit ${shown}` : ""
  const next = tool.writes
    ? "The call was carried out; only its answer is cut."
    : `Name the fields that you need with fields${limit}.`
  return { cut: { field, shown, of, next: `${shown} of ${of} are shown, because all are too much text. ${next}` } }
}

const tooLarge = ({ headers, status }: Answer, sizes: Json, { requestId, tool }: Call): Presented => ({
  status,
  ...(headers === undefined ? {} : { headers }),
  failed: !tool.writes,
  body: visible({
    status,
    detail: "The answer is too long to show",
    code: "answer_too_large" satisfies ToolCode,
    cause: tool.writes
      ? "The call was carried out. Its answer is longer than a model should get."
      : "The answer is longer than a model should get, and cannot be cut at a row.",
    fix:
      "limit" in tool.input.properties
        ? "Call a reading tool with a smaller limit, or with fields."
        : "path" in tool.input.properties
          ? "Ask for fewer rows with a limit in the query of the path, or for one thing by its id."
          : "Call a reading tool with fields, or ask for one thing by its id.",
    ...(Object.keys(sizes).length === 0 ? {} : { field_bytes: Object.fromEntries(Object.entries(sizes).slice(0, 80)) }),
    request_id: requestId
  })
})

/** Notes from the headers that help a model with its next call. */
const notesOf = (body: Json, headers: Readonly<Record<string, string>>, { tool }: Call): Json => {
  const { location } = headers
  const remaining = Number(headers["ratelimit-remaining"])
  const scarce = headers["ratelimit-remaining"] !== undefined && remaining * 10 < Number(headers["ratelimit-limit"])
  const redacted = headers["idempotency-redacted"]
  return {
    ...(typeof body["next_cursor"] === "string"
      ? { next: `There are more rows: call ${tool.name} again with the same arguments and cursor set to next_cursor.` }
      : {}),
    ...(location === undefined ? {} : { location }),
    ...(headers["idempotent-replayed"] === "true"
      ? {
          replayed: `The answer of the earlier call with this key; nothing was done now.${redacted === undefined ? "" : ` Null, because they are shown once: ${redacted}.`}`
        }
      : {}),
    ...(scarce
      ? { rate_limit: { remaining, resets_in_seconds: Number(headers["ratelimit-reset"]), of: "the whole tenant" } }
      : {})
  }
}
