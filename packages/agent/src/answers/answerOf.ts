import { decodeJson } from "@portico/contract/decodeJson"
import { Option, Predicate } from "effect"
import type { ApiResponse } from "../Api.ts"
import type { Answer } from "../tools/Tool.ts"

/**
 * Turns the API's answer into a tool's. A JSON object stays as it is, any other JSON value stands under `result`,
 * records with one on each line become a list, and other text stands under `text`. `presented` adds what a model needs
 * to know.
 */
export const answerOf = ({ body, cut, headers, status }: ApiResponse): Answer => ({
  status,
  headers,
  failed: status === null || status >= 400,
  ...(cut ? { incomplete: true } : {}),
  body: cut ? {} : bodyOf(body, headers["content-type"] ?? "")
})

const bodyOf = (text: string, type: string): Readonly<Record<string, unknown>> => {
  if (text === "") return {}
  if (/^application\/(?:x-ndjson|jsonl)\b/.test(type)) return { result: recordsOf(text) }
  const value = Option.getOrUndefined(decodeJson(text))
  if (value === undefined) return { text }
  return Predicate.isReadonlyObject(value) && !Array.isArray(value) ? value : { result: value }
}

const recordsOf = (text: string): ReadonlyArray<unknown> =>
  text
    .split("\n")
    .filter((_) => _ !== "")
    .map((line) => Option.getOrElse(decodeJson(line), () => line))
