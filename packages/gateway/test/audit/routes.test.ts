import { assert, layer } from "@effect/vitest"
import { sampled } from "@portico/testing/sample/sampled"
import { documents } from "@portico/contract/openapi/documents"
import { patternOf } from "@portico/gateway/audit/routes"
import { Effect, Layer } from "effect"
import { recordOf } from "./records.ts"
import { Cast, operator } from "../harness/Cast.ts"
import { everyRow } from "../harness/everyRow.ts"
import type { Asked } from "../harness/http.ts"
import { canary } from "../routes/refusals.ts"
import { nameOf, type Route, routes } from "../routes/routes.ts"
import { successes } from "../routes/successes.ts"
import { type Plane, planes, TestGateway } from "../harness/TestGateway.ts"

const live = { excludeTestServices: true }
const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))

/** Who calls, and who it is said to have been. */
interface Kind {
  readonly token: (cast: Cast["Service"]) => string | undefined
  readonly is: (cast: Cast["Service"]) => { readonly credential_id: string | null; readonly tier: number | null }
  readonly project: (cast: Cast["Service"]) => string | null
}

const machine = (tier: 0 | 2): Kind => ({
  token: ({ acme }) => acme.tokens[tier],
  is: ({ acme }) => ({ credential_id: acme.credentialIds[tier], tier }),
  project: ({ acme }) => acme.projectId
})

const nobody: Kind = {
  token: () => undefined,
  is: () => ({ credential_id: null, tier: null }),
  project: () => null
}

const kinds: Readonly<Record<string, Kind>> = {
  nobody,
  "tier 0": machine(0),
  "tier 2": machine(2),
  "a platform administrator": {
    token: () => operator,
    is: () => ({ credential_id: null, tier: 2 }),
    project: () => null
  }
}

/** What is in the place of an id in a path: it could be one, or could not. */
const paths = (route: Route, id: string) => route.path.replaceAll(/:[a-z_]+/g, id).replace("*", `compute/servers/${id}`)

/** Where a path is, as a record has it. */
const placeOf = (route: Route, plane: Plane): string | null => {
  if (!route.planes.has(plane)) return null
  if (!route.proxied) return route.path
  return route.path.startsWith("/v1/kubernetes/") ? "/v1/kubernetes/*" : "/v1/iaas/compute/servers/:id"
}

/** The record names the call that was made, and who made it. */
const checked = Effect.fnUntraced(function* (plane: Plane, route: Route, kind: Kind, path: string, asked: Asked) {
  const cast = yield* Cast
  const answer = yield* (yield* TestGateway).call(plane, route.method, path, { ...asked, token: kind.token(cast) })
  const { data, key, project_id } = yield* recordOf(answer)
  // A path that is not there is not asked who goes there, and neither is one that is everybody's.
  const who = route.planes.has(plane) && route.authenticated ? kind : nobody
  assert.deepInclude(data, {
    method: route.method,
    route: placeOf(route, plane),
    status: answer.status,
    source: "127.0.0.1",
    ...who.is(cast)
  })
  assert.strictEqual(project_id, who.project(cast))
  assert.strictEqual(key, data.credential_id ?? data.user_id ?? "unknown")
  assert.strictEqual(data.user_id === null, who === nobody)
  return { answer, data }
})

/** What stands in the place of each parameter, as the operation reads it; a text with a space is no id. */
const idsIn = (route: Route, path: string): ReadonlyArray<string> =>
  (patternOf(route.path).exec(path.split("?")[0] ?? "") ?? []).slice(1).map(decodeURIComponent)

const document: unknown = JSON.parse(JSON.stringify(documents.operator))

const get = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>((at, name) => (typeof at === "object" && at !== null ? Reflect.get(at, name) : undefined), value)

const resolved = (schema: unknown): unknown => {
  const ref = get(schema, "$ref")
  return typeof ref === "string" ? resolved(get(document, ...ref.replace("#/", "").split("/"))) : schema
}

/** A value of the schema with the canary wherever text may be. */
const poisoned = (given: unknown, depth = 0): unknown => {
  const schema = resolved(given)
  const properties = get(schema, "properties")
  const either = get(schema, "anyOf") ?? get(schema, "allOf")
  if (depth > 5) return canary
  if (typeof properties === "object" && properties !== null) {
    return Object.fromEntries(Object.entries(properties).map(([name, part]) => [name, poisoned(part, depth + 1)]))
  }
  if (Array.isArray(either)) return poisoned(either[0], depth + 1)
  if (get(schema, "type") === "array") return [poisoned(get(schema, "items"), depth + 1)]
  return canary
}

const poisonedBody = (route: Route): unknown =>
  poisoned(
    get(
      document,
      "paths",
      route.documented,
      route.method.toLowerCase(),
      "requestBody",
      "content",
      "application/json",
      "schema"
    )
  )

const queries = (route: Route): string => {
  const parameters = get(document, "paths", route.documented, route.method.toLowerCase(), "parameters")
  const named = Array.isArray(parameters) ? parameters.filter((_) => get(_, "in") === "query") : []
  return [...named.map((_) => `${String(get(_, "name"))}=${canary}`), `stray=${canary}`].join("&")
}

layer(Everything, live)("the audit of every writing route", (it) => {
  for (const route of routes.filter((_) => _.audited)) {
    for (const plane of planes) {
      const name = `${plane} ${nameOf(route)}`
      it.effect(`${plane}: ${nameOf(route)} leaves a record for any caller`, () => {
        const asked: Asked = route.takesBody ? { body: { "no such field": 1 } } : {}
        return everyRow(
          sampled(name, 2, Object.entries(kinds)).map(([who, kind]) => [
            who,
            Effect.gen(function* () {
              const { data } = yield* checked(plane, route, kind, paths(route, "some-id"), asked)
              if (!route.planes.has(plane)) assert.deepStrictEqual(data.resources, [])
              else if (!route.proxied) assert.lengthOf(data.resources, route.path.match(/:[a-z_]+/g)?.length ?? 0)
            })
          ])
        )
      })

      it.effect(`${plane}: ${nameOf(route)} stores no value of the request`, () =>
        Effect.gen(function* () {
          const { acme } = yield* Cast
          const token = route.platformAdmin ? operator : acme.tokens[2]
          const headers = {
            "user-agent": canary,
            "x-forwarded-for": canary,
            traceparent: canary,
            "x-request-id": canary,
            cookie: `session=${canary}`,
            "x-auth-token": canary
          }
          const path = paths(route, `%20${canary}`)
          const calls: ReadonlyArray<readonly [path: string, asked: Asked]> = [
            [path, { headers, ...(route.takesBody ? { body: poisonedBody(route) } : {}) }],
            [`${path}?${queries(route)}`, { headers, ...(route.takesBody ? { body: canary } : {}) }],
            [path, { headers: { ...headers, "content-type": "text/plain" }, body: canary }],
            [path, { headers, body: [{ [canary]: canary }, canary] }],
            [paths(route, "some-id"), { headers: { ...headers, authorization: `Bearer ${canary}` } }]
          ]
          for (const [path, asked] of sampled(`${name} keeps`, 2, calls)) {
            const answer = yield* (yield* TestGateway).call(plane, route.method, path, { token, ...asked })
            assert.notInclude(JSON.stringify(yield* recordOf(answer)), canary, path)
          }
        })
      )
    }
  }

  for (const route of routes.filter((_) => _.audited)) {
    const row = successes[nameOf(route)]
    if (row === undefined) continue
    it.effect(`${nameOf(route)} leaves a record when it succeeds`, () =>
      Effect.gen(function* () {
        const cast = yield* Cast
        const plane: Plane = route.planes.has("customer") ? "customer" : "operator"
        const tokens = route.platformAdmin ? [operator] : [cast.customerOwner, cast.acme.tokens[2], operator]
        const prepared = yield* row.prepare
        const { call } = yield* TestGateway
        for (const token of tokens) {
          const answer = yield* call(plane, route.method, prepared.path, {
            ...(row.ownLogin ? {} : { token }),
            body: prepared.body,
            headers: prepared.headers
          })
          const { data } = yield* recordOf(answer)
          assert.strictEqual(data.status, answer.status)
          if (answer.status !== row.status) continue
          if (row.after !== undefined) yield* row.after
          if (!route.proxied) assert.strictEqual(data.route, route.path)
          if (!route.proxied) assert.deepStrictEqual(data.resources, idsIn(route, prepared.path))
          return
        }
        assert.fail(`${nameOf(route)} does not succeed`)
      })
    )
  }
})
