import { sampled } from "@portico/testing/sample/sampled"
import { assert, layer } from "@effect/vitest"
import type { LoggedCall } from "@portico/simulator/SimulatedCloud"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { rawClient } from "../harness/RawClient.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import type { Success } from "./Success.ts"
import { successes } from "./successes.ts"
import { type Plane, TestGateway } from "../harness/TestGateway.ts"
import { inTime, pass, repeatInTime } from "@portico/testing/clock"

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

/** What the services of the cloud carry out after their answers, such as the deletion of a zone, is done. */
const carriedOut = pass(20)

/** What operators of the cluster make by themselves, in their own time. */
const byThemselves = /^kubernetes\.(backups|events|jobs|persistentvolumeclaims|pods|secrets|serviceaccounts|services)\b/

/** How many there are of everything, in what state: what an operation makes, changes or removes shows in it. */
const census = Effect.gen(function* () {
  const state = yield* (yield* SimulatedCloud).state
  const { accounts, credentials, exposures, onboardings, purges, signups, targets, tenants } = yield* Memory
  const kinds = [
    ...Object.entries(state).flatMap(([kind, things]) => (byThemselves.test(kind) ? [] : things.map(() => kind))),
    ...[...tenants.values()].map((_) => `tenant ${_.tier} ${_.pending_tier} ${_.suspended} ${_.closing.join(" ")}`),
    ...[...credentials.values()].map((_) => `${_.kind} ${_.state} ${_.rotated_to !== null}`),
    ...[...accounts.values()].map((_) => `account ${_.state}`),
    ...[...signups.values()].map((_) => `signup ${_.state}`),
    ...[...onboardings.values()].map((_) => `onboarding ${_.state}`),
    ...[...purges.values()].map((_) => `purge ${_.state} ${_.cancelled}`),
    ...[...exposures.values()].map((_) => `exposure ${_.removing}`),
    ...[...targets.values()].map((_) => `target ${_.state}`)
  ]
  return Map.groupBy(kinds, (_) => _)
})
type Census = Effect.Success<typeof census>

const difference = (before: Census, after: Census): string =>
  [...new Set([...before.keys(), ...after.keys()])]
    .map((kind) => [kind, (after.get(kind)?.length ?? 0) - (before.get(kind)?.length ?? 0)] as const)
    .filter(([, count]) => count !== 0)
    .map(([kind, count]) => `${kind}: ${count}`)
    .toSorted()
    .join(", ")

/** A call of the operation, by its ordinal among the calls of its kind since the operation began. */
const writesOf = (calls: ReadonlyArray<LoggedCall>) =>
  calls.flatMap(({ method, route, service }, index) => {
    const nth = calls
      .slice(0, index + 1)
      .filter((_) => _.service === service && _.method === method && _.route === route).length
    const isRead = method === "GET" || method === "HEAD" || /_search$|\/auth\/tokens$|\/oauth\/v2\//.test(route)
    return isRead ? [] : [{ service, method, path: route, nth }]
  })

/** One that is allowed to. */
const tokenFor = Effect.fnUntraced(function* (route: Route, { roles }: Success) {
  const cast = yield* Cast
  if (route.platformAdmin) return operator
  return roles === undefined ? cast.acme.tokens[2] : cast.customerOwner
})

const asked = Effect.fnUntraced(function* (route: Route, row: Success) {
  const { body, headers, path } = yield* row.prepare
  const plane: Plane = route.planes.has("customer") ? "customer" : "operator"
  const token = row.ownLogin ? undefined : yield* tokenFor(route, row)
  const { call, url } = yield* TestGateway
  const text = body === undefined ? "" : JSON.stringify(body)
  const head = [
    `${route.method} ${path} HTTP/1.1`,
    "Host: gateway",
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
    ...Object.entries(headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    ...(text === "" ? [] : ["Content-Type: application/json"]),
    `Content-Length: ${Buffer.byteLength(text)}`
  ]
  return {
    url: url[plane],
    bytes: `${head.join("\r\n")}\r\n\r\n${text}`,
    send: call(plane, route.method, path, { token, body, headers })
  }
})

/** The destruction of an account goes on after the answer. */
const destroyed = Effect.gen(function* () {
  const { accounts } = yield* Memory
  const isUnderWay = () => [...accounts.values()].some((_) => _.state === "closing" && _.destroyer !== null)
  yield* repeatInTime(Effect.sync(isUnderWay), (_) => !_)
})

/** What the operation does when nobody disturbs it. */
const undisturbed = Effect.fnUntraced(function* (route: Route, row: Success) {
  const cloud = yield* SimulatedCloud
  const { send } = yield* inTime(asked(route, row))
  yield* carriedOut
  const before = yield* census
  yield* cloud.clearCalls
  const answer = yield* inTime(send)
  assert.strictEqual(answer.status, row.status, answer.text)
  yield* destroyed
  yield* carriedOut
  const writes = writesOf(yield* cloud.calls)
  const all = difference(before, yield* census)
  if (row.after !== undefined) yield* inTime(row.after)
  return { all, writes }
})

/** What is answered when it was done already, though no census shows it: the thing is gone, or is as it was to be. */
const done = (route: Route): ReadonlyArray<number> => [
  ...(route.method === "DELETE" ? [404] : []),
  ...(nameOf(route) === "PATCH /v1/databases/:engine/:name" ? [409] : [])
]

/** The first calls and the last ones. The domain's tests hang up at each call of the long operations. */
const some = <A>(writes: ReadonlyArray<A>): ReadonlyArray<A> =>
  writes.filter((_, index) => index < 3 || index >= writes.length - 2)

type Write = ReturnType<typeof writesOf>[number]

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

layer(Everything)("a client that hangs up", (it) => {
  const changing = routes.filter((_) => !_.proxied && !["GET", "HEAD", "OPTIONS"].includes(_.method))
  for (const route of changing) {
    const row = successes[nameOf(route)]
    it.effect(`during ${nameOf(route)} gets all of it or nothing, and can ask again at once`, () =>
      Effect.gen(function* () {
        if (row === undefined) return assert.fail("the route has no row among the successes")
        // What only a tenant's first one needs, such as its namespace, is there from then on.
        yield* undisturbed(route, row)
        const { all, writes } = yield* undisturbed(route, row)
        for (const write of sampled(nameOf(route), 1, some(writes))) yield* hungUp(route, row, write, all)
      })
    )
  }
})
