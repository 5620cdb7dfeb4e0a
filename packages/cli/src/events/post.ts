import { bodyOf, headersOf } from "@portico/client/webhooks"
import type { Event } from "@portico/contract/Events"
import { Clock, Effect } from "effect"

/** What came of one attempt to deliver an event, as the list of a webhook's deliveries has it. */
export interface Attempted {
  readonly at: string
  readonly status: number | null
  readonly duration_ms: number
  /** Null when the receiver accepted the event. */
  readonly error: string | null
}

/** Of one attempt, in seconds, as the gateway has it by default. */
export const attemptSeconds = 5

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: "the connection was refused",
  ECONNRESET: "the connection was broken off",
  EPIPE: "the connection was broken off",
  ENOTFOUND: "its name cannot be found",
  EAI_AGAIN: "its name cannot be found",
  ETIMEDOUT: "there was no connection in time"
}

const codeOf = (error: Error): string => {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  return inner instanceof Error && "code" in inner && typeof inner.code === "string" ? inner.code : ""
}

const reasonOf = (error: Error): string => {
  const code = codeOf(error)
  return reasons[code] ?? (code === "" ? "there was no answer" : `there was no answer (${code})`)
}

type Answer = number | Error

/**
 * Posts bytes on a connection of its own, as the gateway does: its status counts as soon as it is there, the body is
 * not read, and a redirect is not followed. (`fetch` would add headers of a browser.)
 */
const posted = (url: URL, headers: Readonly<Record<string, string>>, body: string) =>
  Effect.gen(function* () {
    const { request } = yield* Effect.promise(() =>
      url.protocol === "https:" ? import("node:https") : import("node:http")
    )
    return yield* Effect.callback<Answer>((resume) => {
      const bytes = new TextEncoder().encode(body)
      const all = { ...headers, "content-length": String(bytes.length) }
      const outgoing = request(url, { method: "POST", headers: all, agent: false }, (answer) => {
        answer.on("error", () => undefined)
        answer.destroy()
        resume(Effect.succeed(answer.statusCode ?? 0))
      })
      outgoing.on("error", (error) => resume(Effect.succeed(error)))
      outgoing.end(bytes)
      return Effect.sync(() => outgoing.destroy())
    })
  })

const errorOf = (answer: Answer | undefined, seconds: number): string | null => {
  if (answer === undefined) return `there was no answer within ${seconds} s`
  if (typeof answer !== "number") return reasonOf(answer)
  return answer >= 200 && answer < 300 ? null : `it answered ${answer}`
}

/** Makes one attempt to deliver an event, signed now. */
export const attempt = Effect.fnUntraced(function* (url: URL, secret: string, event: Event, seconds: number) {
  const began = yield* Clock.currentTimeMillis
  const body = bodyOf(event)
  const given = { id: event.id, timestamp: Math.floor(began / 1000), body }
  const headers = yield* Effect.promise(() => headersOf(given, [secret]))
  const answer = yield* posted(url, headers, body).pipe(
    Effect.timeoutOrElse({ duration: `${seconds} seconds`, orElse: () => Effect.succeed(undefined) })
  )
  return {
    at: new Date(began).toISOString(),
    status: typeof answer === "number" ? answer : null,
    duration_ms: (yield* Clock.currentTimeMillis) - began,
    error: errorOf(answer, seconds)
  } satisfies Attempted
})
