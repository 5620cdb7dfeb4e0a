import type { Taken, UpstreamError } from "@portico/upstream/UpstreamError"
import { Effect } from "effect"
import { type Answer, seen } from "./Answer.ts"
import { Systems } from "./Systems.ts"

/** What a client's call came to: its value, or what it failed with. */
export const attempt = <A, R>(effect: Effect.Effect<A, UpstreamError | Taken, R>): Effect.Effect<unknown, never, R> =>
  Effect.match(effect, {
    onSuccess: (value): unknown => value ?? "nothing",
    onFailure: (error) => {
      if (error._tag === "Taken") return { taken: error.summary }
      const { call, detail: words, status, transient } = error
      return { refused: { call, status, words, transient } }
    }
  })

/** What each call of a list was answered, in this order. */
export const answers = <R>(
  calls: Readonly<Record<string, Effect.Effect<Answer, never, R>>>,
  show: (answer: Answer) => unknown = seen
): Effect.Effect<Readonly<Record<string, unknown>>, never, R> =>
  Effect.map(
    Effect.forEach(Object.entries(calls), ([name, call]) => Effect.map(call, (_) => [name, show(_)] as const)),
    Object.fromEntries
  )

/** Asks until an answer is as wanted; the last one, when it never is. */
export const until = Effect.fnUntraced(function* <R>(
  call: Effect.Effect<Answer, never, R>,
  wanted: (answer: Answer) => boolean
) {
  const { pause } = yield* Systems
  let answer = yield* call
  for (let turn = 0; turn < 60 && !wanted(answer); turn++) {
    yield* pause
    answer = yield* call
  }
  return answer
})

/** What never existed, in both forms of ids. */
export const absent = { uuid: "00000000-0000-4000-8000-00000000dead", hex: "0000000000004000800000000000dead" } as const

/**
 * An outcome in which nothing is left that differs from run to run: ids are
 * numbered by their first appearance, times show their form alone.
 */
export const normal = (outcome: unknown, known: ReadonlyArray<readonly [string, string]>): unknown => {
  const text = known.reduce(
    (text, [found, shown]) => text.replaceAll(found, shown),
    JSON.stringify(sorted(outcome) ?? null)
  )
  const numbers = new Map<string, number>()
  const numbered = (kind: string) => (id: string) => {
    const number = numbers.get(id) ?? numbers.size + 1
    numbers.set(id, number)
    return `<${kind} ${number}>`
  }
  return JSON.parse(
    text
      .replaceAll(/req-[0-9a-f-]{36}/g, "<request>")
      .replaceAll(absent.uuid, "<absent>")
      .replaceAll(absent.hex, "<absent>")
      .replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, numbered("uuid"))
      .replaceAll(/\b[0-9a-f]{32}\b/g, numbered("id"))
      .replaceAll(/\d{4}-\d\d-\d\d([T ])\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)?/g, timeForm)
      .replaceAll(/fa:16:3e(:[0-9a-f]{2}){3}/g, "<mac>")
      .replaceAll(/203\.0\.113\.\d+/g, "<external address>")
      .replaceAll(/gAAAA[\w-]+=*/g, "<token>")
      .replaceAll(/tx0[0-9a-f]+-[0-9a-f-]+-default/g, "<request>")
      .replaceAll(/(?<=VersionId(?:Marker)?>|"x-amz-version-id":")[\w.-]{31}(?=[<"])/g, numbered("version"))
      .replaceAll(/(?<=UploadId(?:Marker)?>)2~[\w.-]+/g, numbered("upload"))
      .replaceAll(/[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT/g, "<date>")
      .replaceAll(/\b[0-9a-f]+-default-default\b/g, "<host>")
  )
}

const timeForm = (_: string, between: string, fraction: string | undefined, zone: string | undefined): string =>
  `<time${between === " " ? " " : ""}${fraction === undefined ? "" : `.${"f".repeat(fraction.length - 1)}`}${zone ?? ""}>`

/** A service tells what it takes in an order of its process. */
const choices = (_: string, before: string, list: string): string => before + list.split(", ").toSorted().join(", ")

/** Keys in one order, so that ids are met in one order, and texts without what validators print of their schema. */
const sorted = (value: unknown): unknown => {
  if (typeof value === "string") {
    return value.replace(/\s+Failed validating .*$/s, "").replace(/(Value should be one of: )(.*)$/s, choices)
  }
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, _]) => [key, sorted(_)])
  )
}
