import { assert } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import type { Server } from "node:net"
import { arrivals } from "./arrivals.ts"
import { bearer, Fibers } from "../harness/Loner.ts"
import { RawUpstream } from "../harness/RawUpstream.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { settle, until } from "@portico/testing/clock"

/** Each of them is seen if it is left, and the eleventh listener on one thing sets off a warning of Node. */
export const times = 30
/** At once. */
const few = 10

/** The gateway under test as a server, once it has served somebody: what it opens once for all is open. */
export class Warm extends Context.Service<Warm, { readonly server: Server }>()("portico/gateway/test/Warm") {
  static readonly layer = Layer.effect(
    Warm,
    Effect.gen(function* () {
      const arrived = yield* arrivals
      yield* Effect.all(
        Array.from({ length: few }, () => served),
        { concurrency: few }
      )
      return Warm.of({ server: yield* Effect.fromNullishOr(arrived[0]?.server) })
    }).pipe(Effect.scoped)
  )
}

/** An ordinary call, whose connections end with it. */
const served = Effect.gen(function* () {
  const { call } = yield* TestGateway
  const headers = { connection: "close" }
  const { status, text } = yield* call("customer", "GET", "/v1/iaas/dns/zones", { token: bearer, headers })
  assert.deepStrictEqual([status, text], [200, "fine"])
})

/** What is open and running just now. */
const census = Effect.gen(function* () {
  const { server } = yield* Warm
  return {
    "fibers of the gateway": yield* (yield* Fibers).running,
    "its clients": yield* Effect.callback<number>(
      (resume) => void server.getConnections((_, count) => resume(Effect.succeed(count)))
    ),
    "its connections to the service": yield* (yield* RawUpstream).open,
    "sockets of the process": process.getActiveResourcesInfo().filter((_) => _ === "TCPSocketWrap").length
  }
})

/** What Node warns of from now on: too many listeners, above all. */
const heardWarnings = Effect.acquireRelease(
  Effect.sync(() => {
    const warnings: Array<string> = []
    const warn = ({ message }: Error) => void warnings.push(message)
    process.on("warning", warn)
    return { warnings, warn }
  }),
  ({ warn }) => Effect.sync(() => void process.off("warning", warn))
).pipe(Effect.map(({ warnings }): ReadonlyArray<string> => warnings))

/** Does something often, a few at a time, after which nothing is open or running that was not before. */
export const often = Effect.fnUntraced(function* <E, R>(
  once: (index: number) => Effect.Effect<void, E, R>,
  concurrency: number = few
) {
  const quiet = Effect.map(census, (_) => _["its clients"] === 0 && _["its connections to the service"] === 0)
  yield* until(quiet)
  yield* settle
  const before = yield* census
  const warnings = yield* heardWarnings
  yield* Effect.forEach(Array.from({ length: times }).keys(), once, { concurrency, discard: true })
  const left = Effect.map(census, (now) =>
    Object.entries(now).filter(([what, count]) => count > (Object.entries(before).find(([_]) => _ === what)?.[1] ?? 0))
  )
  yield* Effect.ignore(Effect.timeout(until(Effect.map(left, (_) => _.length === 0)), "2 minutes"))
  assert.deepStrictEqual(yield* left, [])
  yield* served
  assert.deepStrictEqual(warnings, [])
})
