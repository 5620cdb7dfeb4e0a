import { assert, layer } from "@effect/vitest"
import { inTime } from "@portico/testing/clock"
import { drawn, isEverything, seedOfRun } from "@portico/testing/sample/sampled"
import { Effect, Layer, Predicate } from "effect"
import { Cast, operator } from "../harness/Cast.ts"
import { type Plane, planes, TestGateway } from "../harness/TestGateway.ts"
import { documents, get } from "./conforms.ts"
import { nameOf, type Route, routes } from "./routes.ts"
import { successes } from "./successes.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** As a URL spells them: no character, half of one, bytes that are no UTF-8, and more than any text has. */
const inUrls: ReadonlyArray<string> = ["%00", "a%00b", "%ED%A0%80", "%FF", "a%C3", "x".repeat(5_000), "%F0%9F%98%80"]

/** The same in JSON. The last one becomes a byte that is no UTF-8. */
const lone = "\u{F8FF}"
const inBodies: ReadonlyArray<string> = ["\0", "a\0b", "\uD800", "\uDC00a", "x".repeat(30_000), "\u{1F600}", lone]

const inHeaders: ReadonlyArray<string> = ["\xFF", "\xED\xA0\x80", "x".repeat(9_000), 'a,b;c="d', ""]

interface Sent {
  readonly what: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array
}

type Good = { readonly path: string; readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> }

const jsonType = { "content-type": "application/json" }

const bytesOf = (body: unknown): Buffer => {
  const text = Buffer.from(JSON.stringify(body))
  const at = text.indexOf(lone)
  return at < 0 ? text : Buffer.concat([text.subarray(0, at), Buffer.of(0xff), text.subarray(at + 3)])
}

/** The value with one of its texts or names changed, for each of them. */
const changes = (value: unknown, odd: string): ReadonlyArray<readonly [at: string, value: unknown]> =>
  typeof value === "string"
    ? [["", odd]]
    : Array.isArray(value)
      ? value.flatMap((item, i) =>
          changes(item, odd).map(([at, changed]) => [`[${i}]${at}`, value.with(i, changed)] as const)
        )
      : Predicate.isObject(value)
        ? [
            [`{${odd.slice(0, 5)}}`, { ...value, [odd]: "x" }] as const,
            ...Object.entries(value).flatMap(([name, member]) =>
              changes(member, odd).map(([at, changed]) => [`.${name}${at}`, { ...value, [name]: changed }] as const)
            )
          ]
        : []

/** The values of the path that stand where the route has parameters. */
const inPath = ({ path: declared }: Route, path: string, odd: string): ReadonlyArray<string> => {
  const [bare = "", query] = path.split("?")
  const segments = bare.split("/")
  return declared
    .split("/")
    .flatMap((part, i) =>
      part.startsWith(":") ? [segments.with(i, odd).join("/") + (query === undefined ? "" : `?${query}`)] : []
    )
}

/** The good request of a route, with one odd text in each of its places. */
const oddly = (route: Route, plane: Plane, good: Good): ReadonlyArray<Sent> => {
  const declared = get(documents[plane], "paths", route.documented, route.method.toLowerCase(), "parameters")
  const named = (where: string) =>
    (Array.isArray(declared) ? declared : []).filter((_) => get(_, "in") === where).map((_) => String(get(_, "name")))
  const { body, headers = {}, path } = good
  const whole = body === undefined ? { headers } : { headers: { ...jsonType, ...headers }, body: bytesOf(body) }
  return [
    ...inUrls.flatMap((odd) => [
      ...inPath(route, path, odd).map((_) => ({ ...whole, what: `path ${odd.slice(0, 12)}`, path: _ })),
      ...[...named("query"), "x"].map((name) => ({
        ...whole,
        what: `query ${name}=${odd.slice(0, 12)}`,
        path: `${path}${path.includes("?") ? "&" : "?"}${name}=${odd}`
      }))
    ]),
    ...inHeaders.flatMap((odd) =>
      [...named("header"), "Idempotency-Key", "Accept", "If-Match", "traceparent"].map((name) => ({
        ...whole,
        what: `header ${name}: ${odd.slice(0, 12)}`,
        path,
        headers: { ...whole.headers, [name]: odd }
      }))
    ),
    ...(body === undefined ? [] : inBodies).flatMap((odd) =>
      changes(body, odd).map(([at, changed]) => ({
        what: `body ${at} ${JSON.stringify(odd.slice(0, 5))}`,
        path,
        headers: { ...jsonType, ...headers },
        body: bytesOf(changed)
      }))
    )
  ]
}

const some = (of: string, all: ReadonlyArray<Sent>) => drawn(seedOfRun, of, isEverything ? 60 : 6, all)

layer(Everything)("malformed texts", (it) => {
  for (const route of routes.filter((_) => !_.proxied)) {
    const row = successes[nameOf(route)]
    if (row === undefined) continue
    it.effect(`cause no 500 of ${nameOf(route)}, and close no connection`, () =>
      Effect.gen(function* () {
        const cast = yield* Cast
        const { call } = yield* TestGateway
        for (const plane of planes.filter((_) => route.planes.has(_))) {
          const tenants = row.roles === undefined ? cast.acme.tokens[2] : cast.customerOwner
          const token = route.platformAdmin ? operator : tenants
          const good = yield* inTime(row.prepare)
          for (const { what, ...sent } of some(`${plane} ${nameOf(route)}`, oddly(route, plane, good))) {
            const { path, ...rest } = sent
            const answer = yield* inTime(call(plane, route.method, path, { token, ...rest }))
            assert.isBelow(answer.status, 500, `${plane} ${what}: ${answer.text}`)
          }
        }
        if (row.after !== undefined) yield* row.after
      })
    )
  }
})
