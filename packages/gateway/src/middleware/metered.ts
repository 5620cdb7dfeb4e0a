import { bearerToken } from "@portico/domain/access/PresentedToken"
import type { Plane } from "@portico/domain/health/readiness"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { admission } from "../limits/admission.ts"
import { CurrentMeter, limitHeaders, Meter } from "../limits/Meter.ts"
import { meterOf } from "../limits/paid.ts"
import { IncomingMessage } from "node:http"
import { doubtfulHead } from "./headers.ts"
import { respond } from "./respond.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"

/** Statuses that the router answers without authentication: unknown path, wrong method, malformed path. */
const unrouted: ReadonlySet<number> = new Set([400, 404, 405])

/**
 * Gives every request a meter, and every answer to a known tenant the rate-limit headers. When the request reached no
 * route that authenticates, the caller is looked up for the count alone: an unknown path answers 404 to every caller,
 * and counts against the tenant's allowance.
 */
export const metered = Effect.fnUntraced(function* (plane: Plane) {
  const admitted = yield* admission
  const sources = yield* SourceAddresses

  const countLate = Effect.fnUntraced(
    function* (answer: HttpServerResponse.HttpServerResponse, meter: Meter) {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (doubtfulHead(NodeHttpServerRequest.toIncomingMessage(request)) !== undefined) return answer
      const token = yield* bearerToken(request.headers["authorization"])
      yield* admitted(token, {
        plane,
        source: () => sources.of(arrivalOf(request)),
        draft: undefined,
        meter
      })
      return answer
    },
    (counted, answer) =>
      Effect.catch(counted, (failure) =>
        failure._tag === "TooManyRequests" ? respond(failure) : Effect.succeed(answer)
      )
  )

  return <E, R>(httpEffect: Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, (request) => {
      const from = NodeHttpServerRequest.toIncomingMessage(request)
      const meter = from instanceof IncomingMessage ? meterOf(from) : new Meter()
      return httpEffect.pipe(
        Effect.provideService(CurrentMeter, meter),
        Effect.flatMap((answer) =>
          meter.reachedAuthentication || !unrouted.has(answer.status)
            ? Effect.succeed(answer)
            : countLate(answer, meter)
        ),
        Effect.map((answer) => {
          const limits = limitHeaders(meter)
          return limits.length === 0 ? answer : HttpServerResponse.setHeaders(answer, recordOf(limits))
        })
      )
    })
})

const recordOf = (headers: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), headers[i + 1] ?? ""]] : [])))
