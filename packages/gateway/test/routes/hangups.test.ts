import { sampled } from "@portico/testing/sample/sampled"
import { assert, layer } from "@effect/vitest"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Effect, Layer } from "effect"
import { Cast } from "../harness/Cast.ts"
import { rawClient } from "../harness/RawClient.ts"
import { outcomes } from "./killed.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import type { Write } from "./census.ts"
import { asked, carriedOut, census, destroyed, difference, done, undisturbed } from "./undisturbed.ts"
import type { Success } from "./Success.ts"
import { successes } from "./successes.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { inTime, repeatInTime } from "@portico/testing/clock"

const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(Effect.map(Server, ({ url }) => ({ ...gatewaySettings(url), ACCOUNTS_SECONDS: "1" })))
  ),
  Layer.provideMerge(TestGateway.cloud)
)

/** The cloud answers the call that the client does not wait for after this: more than a step of the clock. */
const late = 1500

/** For all that comes after a hang-up: rollbacks, and searches that show late what is new. */
const patience = "20 seconds"

/** The first calls and the last ones. The domain's tests hang up at each call of the long operations. */
const some = <A>(writes: ReadonlyArray<A>): ReadonlyArray<A> =>
  writes.filter((_, index) => index < 3 || index >= writes.length - 2)

/** The client is gone when the call has reached the cloud, which carries it out a little later. */
const hungUp = Effect.fnUntraced(function* (route: Route, row: Success, write: Write, all: string) {
  const because = `a hang-up at ${write.service} ${write.method} ${write.path}, call ${write.nth}`
  const cloud = yield* SimulatedCloud
  const { bytes, send, url } = yield* inTime(asked(route, row))
  yield* carriedOut
  const before = yield* census
  yield* cloud.clearCalls
  yield* cloud.fault({ ...write, when: "before", as: { delay_ms: late } })
  const client = yield* rawClient(url)
  yield* client.send(bytes)
  const reached = Effect.map(cloud.calls, (calls) =>
    calls
      .filter((_) => _.service === write.service && _.method === write.method && _.route === write.path)
      .at(write.nth - 1)
  )
  const asExpected = {
    duration: patience,
    orElse: () => Effect.sync(() => assert.fail(`${because}: not made`))
  } as const
  const call = yield* repeatInTime(reached, (_) => _ !== undefined).pipe(Effect.timeoutOrElse(asExpected))
  assert.isNull(call?.status, `${because}: too late`)
  client.socket.destroy()
  yield* repeatInTime(reached, (_) => _?.status != null)
  yield* cloud.clearFaults
  yield* carriedOut

  let seen = ""
  const isWhole = Effect.gen(function* () {
    if ((yield* cloud.calls).some((_) => _.status === null)) return false
    seen = difference(before, yield* census)
    return seen === "" || seen === all
  })
  yield* repeatInTime(isWhole, (_) => _).pipe(
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.sync(() => assert.fail(`${because} leaves ${seen}, and not nothing, or ${all}`))
    })
  )
  // What it was for can be had at once, when it was not done.
  const again = yield* inTime(send)
  yield* destroyed
  if (seen === "") assert.include([row.status, ...done(route)], again.status, `${because}, asked again: ${again.text}`)
  else assert.isBelow(again.status, 500, `${because}, asked again: ${again.text}`)
  if (row.after !== undefined) yield* inTime(row.after)
})

layer(Everything)("a client that disconnects", (it) => {
  const changing = routes.filter((_) => !_.proxied && !["GET", "HEAD", "OPTIONS"].includes(_.method))
  for (const route of changing) {
    const row = successes[nameOf(route)]
    it.effect(`during ${nameOf(route)} gets all of it or nothing, and can repeat it at once`, () =>
      Effect.gen(function* () {
        if (row === undefined) return assert.fail("the route has no row among the successes")
        // What only a tenant's first one needs, such as its namespace, is there from then on.
        yield* undisturbed(route, row)
        const { all, atOnce, writes } = yield* undisturbed(route, row)
        if (outcomes[nameOf(route)] === "rows") assert.deepStrictEqual(atOnce, [], "its outcome is another one")
        for (const write of sampled(nameOf(route), 1, some(writes))) yield* hungUp(route, row, write, all)
      })
    )
  }
})
