import { bearerToken } from "@portico/domain/access/PresentedToken"
import { NodeHttpServerRequest } from "@effect/platform-node"
import { Effect } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { admission } from "../limits/admission.ts"
import { CurrentMeter, limitHeaders, Meter } from "../limits/Meter.ts"
import { doubtfulHeaders } from "./headers.ts"
import { respond } from "./respond.ts"
import { arrivalOf, SourceAddresses } from "../requests/sourceAddress.ts"

/** What the router answers itself, without asking who calls: nothing is at the path, or not with this method. */
const unrouted: ReadonlySet<number> = new Set([400, 404, 405])

/**
 * Gives every request a meter, and every answer to a known tenant the headers
 * of it. Where no route was reached that knows its callers, the caller is
 * looked up for the count alone: a path that is not there says 404 to
 * everybody, and a tenant whose allowance is used up has none left for it.
 */
export const metered = Effect.gen(function* () {
  const admitted = yield* admission
  const sources = yield* SourceAddresses

  const late = Effect.fnUntraced(
    function* (answer: HttpServerResponse.HttpServerResponse, meter: Meter) {
      const request = yield* HttpServerRequest.HttpServerRequest
      if (doubtfulHeaders(NodeHttpServerRequest.toIncomingMessage(request)) !== undefined) return answer
      const token = yield* bearerToken(request.headers["authorization"])
      yield* admitted(token, {
        plane: "customer",
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
    Effect.suspend(() => {
      const meter = new Meter()
      return httpEffect.pipe(
        Effect.provideService(CurrentMeter, meter),
        Effect.flatMap((answer) =>
          meter.asked || !unrouted.has(answer.status) ? Effect.succeed(answer) : late(answer, meter)
        ),
        Effect.map((answer) => {
          const told = limitHeaders(meter)
          return told.length === 0 ? answer : HttpServerResponse.setHeaders(answer, recordOf(told))
        })
      )
    })
})

const recordOf = (headers: ReadonlyArray<string>): Readonly<Record<string, string>> =>
  Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name.toLowerCase(), headers[i + 1] ?? ""]] : [])))
