import { assert, describe, it, layer } from "@effect/vitest"
import { concernedBy, type Route, RouteCache } from "@portico/gateway/proxy/RouteCache"
import type { ConcernedCaller, Rule } from "@portico/gateway/proxy/rules/Rule"
import { rules } from "@portico/gateway/proxy/rules/rules"
import { Effect } from "effect"
import { Cast } from "../harness/Cast.ts"
import { TestGateway } from "../harness/TestGateway.ts"
import { Tapped } from "./odd.ts"

const everyCaller: ReadonlyArray<ConcernedCaller> = ([0, 1, 2] as const).flatMap((tier) =>
  [true, false].flatMap((admin) =>
    [true, false].flatMap((human) =>
      [null, { suspended: true }, { suspended: false }].map((tenant) => ({ tier, admin, human, tenant }))
    )
  )
)

const calls = [
  ["POST", "compute", "servers/*/action"],
  ["POST", "compute", "servers"],
  ["GET", "compute", "servers/*"],
  ["DELETE", "volume", "volumes/*"],
  ["PATCH", "image", "images/*"],
  ["GET", "key-manager", "v1/secrets/*"],
  ["PUT", "network", "routers/*"]
] as const

describe("the cache of routes", () => {
  for (const [method, service, path] of calls) {
    it(`the rules of a call are the same after another caller's: ${method} ${service}/${path}`, () => {
      const call = { method, service, segments: path.split("/") }
      for (const first of everyCaller) {
        const remembered = concernedBy(rules, call)
        remembered(first)
        for (const caller of everyCaller) {
          assert.deepStrictEqual(remembered(caller), concernedBy(rules, call)(caller), JSON.stringify(caller))
        }
      }
    })
  }

  it("a caller with policies is never cached", () => {
    let asked = 0
    const rule: Rule = { concerns: () => (asked++, "nothing"), check: () => Effect.void }
    const concerned = concernedBy([rule], { method: "GET", service: "compute", segments: [] })
    const caller: ConcernedCaller = { tier: 2, admin: false, human: false, tenant: null }
    concerned(caller)
    concerned(caller)
    assert.strictEqual(asked, 1)
    concerned({ ...caller, denies: [] })
    concerned({ ...caller, denies: [] })
    assert.strictEqual(asked, 3)
  })

  it("is limited, and excludes long targets", () => {
    const routes = new RouteCache()
    const route: Route = {
      method: "GET",
      service: "compute",
      segments: [],
      project: undefined,
      query: undefined,
      base: { origin: "", path: "", root: "", version: undefined },
      tier: 0,
      billing: undefined,
      renamed: false,
      concerned: () => ({ rules: [], body: false })
    }
    for (let i = 0; i <= 1_000; i++) routes.keep(`/${i}`, route)
    assert.deepStrictEqual(
      [routes.get("GET", "/0"), routes.get("GET", "/1"), routes.get("GET", "/1000"), routes.get("POST", "/1")],
      [undefined, route, route, undefined]
    )
    routes.keep("x".repeat(513), route)
    assert.isUndefined(routes.get("GET", "x".repeat(513)))
  })
})

layer(Tapped)("a path with a leading project id", (it) => {
  it.effect("is served to its own project, and stays unknown to every other one afterwards", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { call } = yield* TestGateway
      const statusOf = (token: string) =>
        Effect.map(call("customer", "GET", `/v1/iaas/compute/${acme.projectId}/servers`, { token }), (_) => _.status)
      const seen = yield* Effect.forEach([acme, acme, globex, acme, globex], (_) => statusOf(_.tokens[2]))
      assert.deepStrictEqual(seen, [200, 200, 404, 200, 404])
    })
  )
})
