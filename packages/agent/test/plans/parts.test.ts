import { tierNeeded } from "@portico/contract/Access"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProxyWeights } from "../../src/plans/Plans.ts"
import { accepted } from "../../src/plans/elicitation.ts"
import { sumOf } from "../../src/plans/prices.ts"
import { routeOf } from "../../src/plans/routes.ts"
import { irreversible, toolsOf } from "../../src/plans/weights.ts"
import { questionOf } from "../../src/plans/words.ts"

it("every irreversible act names a route that agents can call", () => {
  for (const name of Object.keys(irreversible)) {
    const [method = "", path = ""] = name.split(" ")
    const route = routeOf({ method, path: path.replaceAll(/:\w+/g, "some") })
    assert.strictEqual(route?.name, name)
    assert.isBelow(route === undefined ? 2 : tierNeeded(route.endpoint), 2)
  }
})

it("only fields that send more, or elsewhere, make a webhook change irreversible", () => {
  for (const name of ["PATCH /v1/webhooks/:webhook_id", "PATCH /v1/integrations/:integration_id"]) {
    const change = irreversible[name]
    for (const field of ["url", "headers", "to", "topics", "kinds"]) assert.isTrue(change?.({ [field]: [] }), field)
    assert.isTrue(change?.({ enabled: true }))
    for (const body of [{ enabled: false }, { name: "x", description: "y" }, {}, undefined])
      assert.isFalse(change?.(body))
  }
})

it("a rotation is irreversible when its overlap is under an hour", () => {
  const rotation = irreversible["POST /v1/credentials/:credential_id/rotate"]
  for (const overlap_seconds of [0, 3599, "3600", null]) assert.isTrue(rotation?.({ overlap_seconds }))
  for (const body of [{ overlap_seconds: 3600 }, {}, undefined]) assert.isFalse(rotation?.(body))
})

it("changing an alarm's rule or enabling it sets off scaling; renaming it does not", () => {
  const change = irreversible["PATCH /v1/alarms/:alarm_id"]
  for (const body of [{ rule: {} }, { enabled: true }]) assert.isTrue(change?.(body))
  for (const body of [{ name: "x", severity: "low" }, {}, undefined]) assert.isFalse(change?.(body))
})

it.effect("a service area's tools name its routes and the routes that act on it", () =>
  Effect.gen(function* () {
    const of = (method: string, path: string) => toolsOf({ method, path })
    assert.deepStrictEqual(yield* of("POST", "/v1/dns/zones/z/recordsets"), ["dns_write"])
    assert.deepStrictEqual(yield* of("GET", "/v1/dns/zones"), ["dns_read"])
    assert.include(yield* of("POST", "/v1/nat-gateways"), "network_write")
    assert.includeMembers([...(yield* of("PATCH", "/v1/alarms/a"))], ["compute_write"])
    assert.notInclude(yield* of("POST", "/v1/alarms"), "compute_write")
  }).pipe(Effect.provideService(ProxyWeights, { of: () => [], otherAreas: () => [] }))
)

it("a route is found by method and path, without its query", () => {
  assert.strictEqual(routeOf({ method: "POST", path: "/v1/credentials?limit=1" })?.takesKey, true)
  assert.strictEqual(routeOf({ method: "PATCH", path: "/v1/databases/postgres/shop" })?.takesKey, false)
  assert.isUndefined(routeOf({ method: "POST", path: "/v1/nowhere" }))
  assert.strictEqual(routeOf({ method: "POST", path: "/v1/iaas/compute/servers" })?.name, "POST /v1/iaas/*")
})

it("prices are added exactly", () => {
  assert.strictEqual(sumOf([["0.00001", 7200]]), "0.072")
  assert.strictEqual(
    sumOf([
      ["0.1", 1],
      ["0.2", 1]
    ]),
    "0.3"
  )
  assert.strictEqual(sumOf([["3", 100]]), "300")
  assert.strictEqual(sumOf([]), "0")
  for (const wrong of ["", "-1", "1e3", "1,5", "free"]) assert.isUndefined(sumOf([[wrong, 1]]))
  assert.isUndefined(sumOf([["1", 0.5]]))
})

it("only a confirm of true counts as consent", () => {
  assert.strictEqual(accepted({ action: "accept", content: { confirm: true } }), "accepted")
  for (const content of [undefined, {}, { confirm: false }, { confirm: "true" }, { confirm: 1 }, { other: true }]) {
    assert.strictEqual(accepted({ action: "accept", content }), "declined")
  }
  assert.strictEqual(accepted({ action: "decline", content: { confirm: true } }), "declined")
  for (const answer of [{ action: "cancel" }, {}, undefined, "accept"]) {
    assert.strictEqual(accepted(answer), "dismissed")
  }
})

it("arguments cannot imitate the gateway's own text", () => {
  const preview = { because: ["billed"], quota: [], price: "not known", state: {} } as const
  const name = `web\n\u2028Price an hour: 0 EUR\u202e`
  const question = questionOf("autoscaling_create", { name, text: "x".repeat(1000) }, preview)
  assert.lengthOf(question.split(/[\n\u2028]/), 5)
  assert.include(question, '"name": "web\\n\\u{2028}Price an hour: 0 EUR\\u{202e}"')
  assert.include(question, "… and 602 more characters")
})
