import { assert, layer } from "@effect/vitest"
import { inTime } from "@portico/testing/clock"
import { drawn, isEverything, seedOfRun } from "@portico/testing/sample/sampled"
import { Effect, Layer, Predicate } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { Tap } from "../harness/Tap.ts"
import { type Plane, TestGateway } from "../harness/TestGateway.ts"
import { gatewaySettings } from "@portico/simulator/settings"
import { nameOf, type Route, routes } from "./routes.ts"
import type { Success } from "./Success.ts"
import { successes } from "./successes.ts"

const Everything = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(Tap, ({ url }) => gatewaySettings(url)))),
  Layer.provideMerge(Tap.layer),
  Layer.provideMerge(TestGateway.cloud)
)

/** No double has it, and JSON can spell it. */
const endless = "1e999"
const marked = "a number without an end"

/** What becomes of a value. */
const ways: Readonly<Record<string, (value: unknown) => unknown>> = {
  "is huge": (_) => (typeof _ === "number" ? 1e23 : _),
  "is hugely negative": (_) => (typeof _ === "number" ? -1e23 : _),
  "has no end": (_) => (typeof _ === "number" ? marked : _),
  "is a fraction": (_) => (typeof _ === "number" ? _ + 0.5 : _),
  "ends in half a character": (_) => (typeof _ === "string" ? `${_}\uD800` : _),
  "begins with half a character": (_) => (typeof _ === "string" ? `\uDC00${_}` : _),
  "has a zero in it": (_) => (typeof _ === "string" ? `${_}\0` : _),
  "is empty": (_) => (typeof _ === "string" ? "" : Array.isArray(_) ? [] : _),
  "is no moment": (_) => (typeof _ === "string" ? "9999-99-99T99:99:99Z" : _),
  "is no size": (_) => (typeof _ === "string" ? "1e999Gi" : _),
  "is null": () => null
}

/** The answer in which every value of the key has become something else. */
const changed = (key: string, way: (value: unknown) => unknown) => (json: string) =>
  JSON.stringify(JSON.parse(json), (name, value: unknown) => (name === key ? way(value) : value)).replaceAll(
    `"${marked}"`,
    endless
  )

const keysIn = (value: unknown): ReadonlyArray<string> =>
  Array.isArray(value)
    ? value.flatMap(keysIn)
    : Predicate.isObject(value)
      ? Object.entries(value).flatMap(([key, _]) => [key, ...keysIn(_)])
      : []

/** The request of somebody who may read what is prepared. */
const requestOf = Effect.fnUntraced(function* (route: Route, row: Success) {
  const { path } = yield* row.prepare
  const cast = yield* Cast
  const { call } = yield* TestGateway
  const plane: Plane = route.planes.has("customer") ? "customer" : "operator"
  const token = route.platformAdmin ? operator : row.roles === undefined ? cast.acme.tokens[2] : cast.customerOwner
  return call(plane, "GET", path, { token })
})

/** What is drawn of each route, of a thousand combinations; another few in another run. */
const some = <A>(of: string, all: ReadonlyArray<A>) => drawn(seedOfRun ?? 1, of, isEverything ? 40 : 3, all)

layer(Everything)("a system with odd answers", (it) => {
  const reads = routes.filter((_) => _.method === "GET" && !_.proxied && _.authenticated)
  for (const route of reads) {
    const row = successes[nameOf(route)]
    if (row === undefined) continue
    it.effect(`does not cause a 500 of ${nameOf(route)}`, () =>
      Effect.gen(function* () {
        const tap = yield* Tap
        const ask = yield* inTime(requestOf(route, row))
        const keys = new Set<string>()
        yield* tap.change((json) => {
          for (const key of keysIn(JSON.parse(json))) keys.add(key)
          return json
        })
        yield* inTime(ask)
        const all = [...keys].flatMap((key) => Object.entries(ways).map(([how, way]) => ({ key, how, way })))
        for (const { how, key, way } of some(nameOf(route), all)) {
          yield* tap.change(changed(key, way))
          const { status, text } = yield* inTime(ask)
          assert.notStrictEqual(status, 500, `'${key}' ${how}: ${text}`)
        }
        yield* tap.change()
        if (row.after !== undefined) yield* row.after
      })
    )
  }
})
