import { assert } from "@effect/vitest"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, pass, repeatInTime } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Effect } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { type Plane, TestGateway } from "../harness/TestGateway.ts"
import { type Census, censusOf, contentsOf, differenceOf, textOf, writesOf } from "./census.ts"
import { nameOf, type Route } from "./routes.ts"
import type { Success } from "./Success.ts"

/** What the services of the cloud carry out after their answers, such as the deletion of a zone, is done. */
export const carriedOut = pass(20)

const rows = Effect.map(Memory, (memory) => ({
  accounts: [...memory.accounts.values()],
  credentials: [...memory.credentials.values()],
  exposures: [...memory.exposures.values()],
  onboardings: [...memory.onboardings.values()],
  purges: [...memory.purges.values()],
  signups: [...memory.signups.values()],
  targets: [...memory.targets.values()],
  tenants: [...memory.tenants.values()]
}))

const state = Effect.flatMap(SimulatedCloud, (_) => _.state)

export const census = Effect.map(Effect.all([state, rows]), (_) => censusOf(..._))

export const contents = Effect.map(Effect.all([state, rows]), (_) => contentsOf(..._))

export const difference = (before: Census, after: Census): string => textOf(differenceOf(before, after))

/** One that is allowed to. */
const tokenFor = Effect.fnUntraced(function* (route: Route, { roles }: Success) {
  const cast = yield* Cast
  if (route.platformAdmin) return operator
  return roles === undefined ? cast.acme.tokens[2] : cast.customerOwner
})

/** The request as it is sent, and in bytes for whoever does not wait for its answer. */
export const asked = Effect.fnUntraced(function* (route: Route, row: Success) {
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
    plane,
    url: url[plane],
    bytes: `${head.join("\r\n")}\r\n\r\n${text}`,
    send: call(plane, route.method, path, { token, body, headers })
  }
})

/** The destruction of an account goes on after the answer. */
export const destroyed = Effect.gen(function* () {
  const { accounts } = yield* Memory
  const isUnderWay = () => [...accounts.values()].some((_) => _.state === "closing" && _.destroyer !== null)
  yield* repeatInTime(Effect.sync(isUnderWay), (_) => !_)
})

/** What the operation does when nobody disturbs it. */
export const undisturbed = Effect.fnUntraced(function* (route: Route, row: Success) {
  const cloud = yield* SimulatedCloud
  const { send } = yield* inTime(asked(route, row))
  yield* carriedOut
  const before = yield* census
  const inside = yield* contents
  yield* cloud.clearCalls
  const answer = yield* inTime(send)
  assert.strictEqual(answer.status, row.status, answer.text)
  const atOnce = writesOf(yield* cloud.calls)
  yield* destroyed
  yield* carriedOut
  const writes = writesOf(yield* cloud.calls)
  const all = difference(before, yield* census)
  const whole = difference(inside, yield* contents)
  if (row.after !== undefined) yield* inTime(row.after)
  return { all, whole, writes, atOnce }
})

/** What is answered when it was done already, though no census shows it: the thing is gone, or is as it was to be. */
export const done = (route: Route): ReadonlyArray<number> => [
  ...(route.method === "DELETE" ? [404] : []),
  ...(nameOf(route) === "PATCH /v1/databases/:engine/:name" ? [409] : [])
]
