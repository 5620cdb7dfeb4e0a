import { assert, layer } from "@effect/vitest"
import { isEverything, sampled } from "@portico/testing/sample/sampled"
import { Effect, Layer } from "effect"
import { Cast, operator, type Tenant } from "../harness/Cast.ts"
import { everyRow } from "../harness/everyRow.ts"
import { foreignResources, ownBucket, policy, resourceBodies, zoneOf } from "./foreignResources.ts"
import { withoutChance } from "../harness/http.ts"
import { nameOf, operatorOnly, type Route, routes } from "./routes.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"

const Everything = Cast.layer.pipe(Layer.provideMerge(TestGateway.layer))
const methods = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"]

/** The unit whose members are asked about, which is there. */
const unit = "there"

/** The path with an id in it, and what stands around it there. */
const filled = (
  { method, path }: Route,
  id: string,
  around: { readonly bucket: string; readonly zone: string }
): string =>
  path
    .replace(":path/members", `${unit}/members`)
    .replace("/databases/:engine/", "/databases/postgres/")
    // What an upload names is not there yet, unlike its bucket.
    .replace(
      "/buckets/:name/objects/:key",
      method === "POST" ? "/buckets/:name/objects/new" : `/buckets/${around.bucket}/objects/:key`
    )
    .replace("/zones/:zone_id/recordsets/:", `/zones/${around.zone}/recordsets/:`)
    .replace("/policies/:policy/", `/policies/${policy}/`)
    .replaceAll(/:[a-z_]+/g, id)

layer(Everything, { excludeTestServices: true })("operators' routes on the customer plane", (it) => {
  const paths = [...new Set(operatorOnly.map((_) => filled(_, "some-id", { bucket: "some", zone: "some" })))]

  const tokens: Readonly<Record<string, (cast: Cast["Service"]) => string | undefined>> = {
    nobody: () => undefined,
    garbage: () => "garbage",
    "a tenant": ({ acme }) => acme.tokens[2],
    "an operator": () => operator
  }
  const bodies: Readonly<Record<string, unknown>> = {
    "no body": undefined,
    "a good body": { name: "Initech", tier: "standard" },
    "a broken body": '{"name": ',
    "too much of a body": "x".repeat(70_000)
  }

  /** Everybody with every body; of a sample each of those with a token, with one body, and one more. */
  const asksOf = (of: string) => {
    const all = Object.keys(tokens).flatMap((who) => Object.keys(bodies).map((what) => ({ who, what })))
    if (isEverything) return all
    return ["a tenant", "an operator", undefined].flatMap((who) =>
      sampled(`${of} ${who}`, 1, who === undefined ? all : all.filter((_) => _.who === who))
    )
  }

  for (const path of paths) {
    it.effect(`${path} answers like an unknown path`, () =>
      everyRow(
        methods.flatMap((method) =>
          asksOf(`${method} ${path}`).map(({ what, who }) => [
            `${method} by ${who} with ${what}`,
            Effect.gen(function* () {
              const { call } = yield* TestGateway
              const token = tokens[who]?.(yield* Cast)
              const asked = { token, body: method === "HEAD" ? undefined : bodies[what] }
              const here = yield* call("customer", method, path, asked)
              const nowhere = yield* call("customer", method, "/v1/nowhere", asked)
              assert.strictEqual(here.status, 404)
              assert.deepStrictEqual(withoutChance(here), withoutChance(nowhere))
              assert.match(here.headers["x-request-id"] ?? "", /^[0-9a-f]{32}$/)
            })
          ])
        )
      )
    )
  }

  it.effect("exist", () => Effect.sync(() => assert.isNotEmpty(paths)))
})

/** Ids that name nothing, as they stand in the path, and as the gateway reads them. */
const nothings: Readonly<Record<string, string>> = {
  "well formed and absent": "cred-0123456789ab",
  "an absent project": "0123456789abcdef0123456789abcdef",
  "an absent attempt": "0b5e7d1c-8f0a-4c6e-9d43-1c1f0a9b8e77",
  "a number": "0",
  "a word": "null",
  "a slash, encoded": "..%2F..%2Ftenants",
  "a null byte": "cred-%00",
  "a quote": "'%20OR%201%3D1%20--",
  markup: "%3Cscript%3Ealert(1)%3C%2Fscript%3E",
  "an emoji": "%F0%9F%92%A9",
  "a line break": "a%0D%0Ax-injected%3A%201",
  "a wildcard": "*",
  percents: "%25s%25n",
  "500 characters": "x".repeat(500),
  "8,000 characters": "x".repeat(8000),
  "12,000 characters": "x".repeat(12_000)
}

/** The list may only shrink. */
const exceptions: Readonly<Record<string, string>> = {
  // No route can be matched before the path is decoded, so that these are unknown paths.
  "bytes that are no UTF-8": "%ff",
  "half an escape": "%4"
}

/** An owner of the tenant. */
const ownerOf = (_: Tenant) =>
  Effect.gen(function* () {
    const email = `owner@${_.name.toLowerCase()}.example`
    const asked = { token: operator, body: { email, role: "customer-owner", project_id: _.projectId } }
    return jsonOf(yield* (yield* TestGateway).call("operator", "POST", "/v1/org/users/invite", asked)).user_id
  })

/** An organisation unit of the tenant. */
let units = 0
const unitOf = (_: Tenant) =>
  Effect.gen(function* () {
    const asked = { token: operator, body: { path: `unit-${(units += 1)}` } }
    const { call } = yield* TestGateway
    return jsonOf(yield* call("operator", "POST", `/v1/org/ous?project_id=${_.projectId}`, asked)).path
  })

/** A database of the tenant. */
const databaseOf = (_: Tenant) =>
  Effect.gen(function* () {
    const body = { engine: "postgres", name: "theirs", version: "17", size_gb: 1 }
    yield* (yield* TestGateway).call("customer", "POST", "/v1/databases", { token: _.tokens[2], body })
    return body.name
  })

/** The one exposure that the tenant may have. */
const exposureOf = (_: Tenant) =>
  Effect.gen(function* () {
    const { call } = yield* TestGateway
    const token = _.tokens[2]
    const body = { name: "theirs", target: { service: "web", port: 80 }, domain: "theirs.example" }
    yield* call("customer", "POST", "/v1/edge/exposures", { token, body })
    return jsonOf(yield* call("customer", "GET", "/v1/edge/exposures", { token })).exposures[0].exposure_id
  })

/** How each id route is asked about another tenant's thing. On the operator plane an administrator may see all of it. */
const foreign: Readonly<Record<string, (_: Tenant) => string | Effect.Effect<string, never, TestGateway>>> = {
  ...foreignResources,
  "GET /v1/databases/:engine/:name": databaseOf,
  "PATCH /v1/databases/:engine/:name": databaseOf,
  "DELETE /v1/databases/:engine/:name": databaseOf,
  "GET /v1/databases/:engine/:name/credentials": databaseOf,
  "POST /v1/databases/:engine/:name/rotate-credentials": databaseOf,
  "POST /v1/databases/:engine/:name/restore": databaseOf,
  "GET /v1/edge/exposures/:exposure_id": exposureOf,
  "DELETE /v1/edge/exposures/:exposure_id": exposureOf,
  "POST /v1/edge/exposures/:exposure_id/verify": exposureOf,
  "DELETE /v1/budgets/:budget_id": (_) =>
    Effect.gen(function* () {
      const asked = { token: _.tokens[2], body: { amount_cents: 100 } }
      return jsonOf(yield* (yield* TestGateway).call("customer", "POST", "/v1/budgets", asked)).budget_id
    }),
  "GET /v1/projects/:project_id": (_) => _.projectId,
  "GET /v1/projects/:project_id/contents": (_) => _.projectId,
  "DELETE /v1/projects/:project_id": (_) => _.projectId,
  "PUT /v1/org/users/:user_id/billing": ownerOf,
  "DELETE /v1/org/users/:user_id": ownerOf,
  "DELETE /v1/org/ous/:path": unitOf,
  "PUT /v1/org/ous/:path/members/:id": (_) => _.credentialIds[0],
  "DELETE /v1/org/ous/:path/members/:id": (_) => _.credentialIds[0],
  "POST /v1/credentials/:credential_id/rotate": (_) => _.credentialIds[0],
  "DELETE /v1/credentials/:credential_id": (_) => _.credentialIds[0]
}

/** Of routes that take no tier. */
const bodies: Readonly<Record<string, object>> = {
  ...resourceBodies,
  "PATCH /v1/databases/:engine/:name": { size_gb: 2 },
  "POST /v1/databases/:engine/:name/restore": { name: "restored" },
  "PATCH /v1/workload-identity/issuers/:issuer_id": { tier: 0 },
  "POST /v1/tenants/accounts/:number/finalize": { reason: "a test" },
  "POST /v1/credentials/:credential_id/rotate": {},
  "PUT /v1/org/users/:user_id/billing": { billing_access: true }
}

layer(Everything, { excludeTestServices: true })("ids without a resource", (it) => {
  const idRoutes = routes.filter((_) => /:[a-z_]+/.test(_.path))

  /** What the caller has around ids that name nothing. */
  let around: { readonly bucket: string; readonly zone: string } | undefined

  const ask = Effect.fnUntraced(function* (route: Route, plane: Plane, id: string) {
    const { call } = yield* TestGateway
    // Whoever may do everything in the account: a refusal by role would tell nothing of ids.
    const { acme, customerOwner } = yield* Cast
    around ??= { bucket: yield* ownBucket(acme), zone: yield* zoneOf(acme) }
    if (route.path.includes("/members/")) {
      yield* call("customer", "POST", "/v1/org/ous", { token: customerOwner, body: { path: unit } })
    }
    const token = route.platformAdmin ? operator : customerOwner
    const body = route.takesBody ? (bodies[nameOf(route)] ?? { tier: "standard" }) : undefined
    return yield* call(plane, route.method, filled(route, id, around), { token, body })
  })

  /** Without the id that the caller sent itself; the length must be right, whatever it is. */
  const withoutId = Effect.fnUntraced(function* (route: Route, plane: Plane, id: string) {
    const answer = withoutChance(yield* ask(route, plane, id))
    const spelled = JSON.stringify(decodeURIComponent(id)).slice(1, -1)
    assert.deepInclude(answer.headers, ["content-length", String(Buffer.byteLength(answer.text))])
    return {
      ...answer,
      headers: answer.headers.filter(([name]) => name !== "content-length"),
      text: answer.text.replace(`'${spelled}'`, "'{id}'")
    }
  })

  const equals = <A, R>(asked: Effect.Effect<A, never, R>, wanted: A) =>
    Effect.map(asked, (_) => assert.deepStrictEqual(_, wanted))

  for (const route of idRoutes) {
    for (const plane of route.planes) {
      it.effect(`${plane}: ${nameOf(route)} has one answer for all of them`, () =>
        Effect.gen(function* () {
          const { call, trace } = yield* TestGateway
          const wanted = yield* withoutId(route, plane, "absent")
          assert.strictEqual(wanted.status, 404)
          assert.include(wanted.text, "'{id}'")
          const { customerOwner, globex } = yield* Cast
          const other = foreign[nameOf(route)]
          const theirs = other?.(globex) ?? "absent"
          const ids = [
            ...sampled(`${plane} ${nameOf(route)}`, 4, Object.entries(nothings)),
            ["another tenant's", typeof theirs === "string" ? theirs : yield* theirs] as const
          ]
          const before = yield* trace
          // By the same caller: on the customer plane the answer tells a tenant of its allowance.
          const token = route.platformAdmin ? operator : customerOwner
          const nowhere = withoutChance(yield* call(plane, "GET", "/v1/nowhere", { token }))
          yield* everyRow([
            ...ids.map(([what, id]) => [what, equals(withoutId(route, plane, id), wanted)] as const),
            ...Object.entries(exceptions).map(
              ([what, id]) => [what, equals(Effect.map(ask(route, plane, id), withoutChance), nowhere)] as const
            )
          ])
          assert.deepStrictEqual(yield* trace, before)
        })
      )
    }
  }

  it.effect("every id route open to tenants has a foreign id to test", () =>
    Effect.sync(() => assert.sameMembers(Object.keys(foreign), idRoutes.filter((_) => !_.platformAdmin).map(nameOf)))
  )

  it.effect("the foreign resource exists, and its owner can still use it", () =>
    Effect.gen(function* () {
      const { call } = yield* TestGateway
      const { globex } = yield* Cast
      assert.strictEqual((yield* call("customer", "GET", "/v1/whoami", { token: globex.tokens[0] })).status, 200)
    })
  )
})
