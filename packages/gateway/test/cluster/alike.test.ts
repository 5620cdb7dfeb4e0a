import { assert, describe, it } from "@effect/vitest"
import { Effect, Predicate } from "effect"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { Clustered } from "../kubernetes/ClusterTap.ts"
import { isHere, title } from "./RealCluster.ts"
import { OnRealCluster } from "./stage.ts"
import { type Step, steps } from "./steps.ts"

/** What no two clusters have in common. */
const own: ReadonlySet<string> = new Set([
  "uid",
  "resourceVersion",
  "creationTimestamp",
  "deletionTimestamp",
  "time",
  "continue",
  "clusterIP",
  "clusterIPs",
  "serverAddressByClientCIDRs"
])

const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, own.has(key) ? `(${typeof inner})` : plain(inner)])
  )
}

/** What was answered to each step, without what no two clusters have in common. */
const told = Effect.gen(function* () {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const named = (_: string) => _.replaceAll("{ns}", `db-${acme.projectId}`)
  const anonymous = (_: string) => _.replaceAll(acme.projectId, "{project}")
  const answer = Effect.fnUntraced(function* ({ body, call: line, headers, tier = 2 }: Step) {
    const [method = "", path = ""] = line.split(" ")
    const sent = Predicate.isString(body) || body === undefined ? body : JSON.parse(named(JSON.stringify(body)))
    const { status, text } = yield* call("customer", method, `/v1/kubernetes${named(path)}`, {
      token: acme.tokens[tier],
      headers,
      body: sent
    })
    const parsed: unknown = /^[[{]/.test(text) ? JSON.parse(anonymous(text)) : text
    return { step: line, status, body: plain(parsed) }
  })
  const all: Record<string, ReadonlyArray<unknown>> = {}
  for (const [name, chapter] of Object.entries(steps)) all[name] = yield* Effect.forEach(chapter, answer)
  return all
})

const live = <A, E>(effect: Effect.Effect<A, E>) => Effect.runPromise(effect)

describe.skipIf(!isHere)(title("the simulated cluster answers as a real one does"), async () => {
  const both = isHere
    ? await live(
        Effect.all({
          real: Effect.provide(told, OnRealCluster),
          simulated: Effect.provide(told, Clustered)
        }).pipe(Effect.orDie)
      )
    : { real: {}, simulated: {} }
  for (const name of Object.keys(steps)) {
    it(name, () => assert.deepStrictEqual(both.simulated[name], both.real[name]))
  }
})
