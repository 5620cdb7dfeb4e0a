import type { Failure } from "@portico/contract/Failures"
import { Effect, Stream } from "effect"
import { HttpBody, HttpServerResponse } from "effect/http"
import { type OpenCall, reasonOf } from "../streams/OpenCall.ts"

/** These forbid proxies to store, transform or buffer a stream, so that each message arrives when it is sent. */
const streamHeaders = { "cache-control": "no-store, no-transform", "x-accel-buffering": "no" }

/**
 * Ends a request when its caller loses the right to it. A request without an answer yet is refused, and a stream ends
 * with a comment that names the reason. In both cases the work for the request is interrupted, as when the client
 * disconnects.
 */
export const untilRefused = <E, R>(
  call: OpenCall,
  httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
): Effect.Effect<HttpServerResponse.HttpServerResponse, E | Failure, R> =>
  Effect.map(Effect.raceFirst(httpEffect, Effect.flatMap(refusalOf(call), Effect.fail)), (answer) => {
    const { body } = answer
    if (body._tag !== "Stream") return answer
    const refused = refusalOf(call)
    const reason = Stream.suspend(() =>
      call.refusal === undefined
        ? Stream.empty
        : Stream.succeed(encoder.encode(`: ended: ${reasonOf(call.refusal)}\n\n`))
    )
    const ending = Stream.concat(Stream.interruptWhen(body.stream, refused), reason)
    return HttpServerResponse.setHeaders(
      HttpServerResponse.setBody(answer, HttpBody.stream(ending, body.contentType)),
      streamHeaders
    )
  })

const refusalOf = (call: OpenCall): Effect.Effect<Failure> =>
  Effect.callback((resume) => {
    if (call.refusal !== undefined) return resume(Effect.succeed(call.refusal))
    call.endWithReason = (refusal) => {
      resume(Effect.succeed(refusal))
      // A client that reads nothing would otherwise keep the connection open.
      setTimeout(() => call.slot >= 0 && call.breakOff(), reasonTimeout).unref()
    }
  })

/** The time in which a client can read why its request ended, in milliseconds. */
const reasonTimeout = 1_000

const encoder = new TextEncoder()
