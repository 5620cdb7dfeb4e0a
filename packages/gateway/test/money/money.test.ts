import { assert, layer } from "@effect/vitest"
import { BudgetBreached } from "@portico/contract/Money"
import { reconcileBilling } from "@portico/domain/money/reconcile"
import { fixtures } from "@portico/simulator/Fixtures"
import { publicImageId } from "@portico/simulator/glance/state"
import { Server } from "@portico/simulator/Server"
import { gatewaySettings } from "@portico/simulator/settings"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { inTime, pass, repeatInTime } from "@portico/testing/clock"
import { Memory } from "@portico/testing/store/Memory"
import { Inventory, inventoryTypes } from "@portico/upstream/billing/Inventory"
import { Effect, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Cast, operator, tenant } from "../harness/Cast.ts"
import type { Asked } from "../harness/http.ts"
import { jsonOf, type Plane, TestGateway } from "../harness/TestGateway.ts"

const settings = Effect.map(Server, ({ url }) => gatewaySettings(url))

/** So that the day before is in the same month. */
const inMidMonth = Layer.effectDiscard(TestClock.setTime(14 * 86_400_000))

/** A gateway whose jobs run every second. */
const Everything = Cast.layer.pipe(
  Layer.provideMerge(
    TestGateway.layerOf(
      Effect.map(settings, (_) => ({ ..._, BILLING_RELAY_SECONDS: "1", BILLING_BUDGET_SECONDS: "1" }))
    )
  ),
  Layer.provideMerge(TestGateway.cloud),
  Layer.provide(inMidMonth)
)

/** On a cloud that has no billing service. */
const Moneyless = Cast.layer.pipe(
  Layer.provideMerge(TestGateway.layerOf(Effect.map(settings, (_) => ({ ..._, BILLING_URL: "" })))),
  Layer.provideMerge(TestGateway.cloud)
)

const ask = Effect.fnUntraced(function* (token: string, method: string, path: string, asked: Asked = {}) {
  return yield* (yield* TestGateway).call("customer", method, path, { token, ...asked })
})

const reads = ["/v1/cost/breakdown", "/v1/cost/forecast", "/v1/budgets", "/v1/invoices"]

const routes = [
  ...reads.map((path) => ["GET", path, undefined] as const),
  ["POST", "/v1/budgets", { amount_cents: 1 }] as const,
  ["DELETE", "/v1/budgets/some-id", undefined] as const
]

/** What the billing service was asked, by path and query, from now on. */
const billed = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const cloud = yield* SimulatedCloud
  const before = (yield* cloud.calls).length
  yield* effect
  return (yield* cloud.calls)
    .slice(before)
    .filter((_) => _.service === "billing" && _.path !== "/v1/breaches")
    .map((_) => `${_.method} ${_.path}?${_.query}`)
})

layer(Everything)("money", (it) => {
  it.effect("is metered soon after a billable resource is created, and a reached budget alerts", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const { world } = yield* SimulatedCloud
      const { events } = yield* Memory
      const made = yield* ask(acme.tokens[1], "POST", "/v1/iaas/volume/volumes", { body: { volume: { size: 10 } } })
      assert.strictEqual(made.status, 202)
      const rows = Effect.map(ask(acme.tokens[0], "GET", "/v1/cost/breakdown"), (_) => jsonOf(_).rows)
      const found = yield* repeatInTime(rows, (_) => _.length > 0)
      assert.deepInclude(found[0], { service: "block-storage", unit: "GiB-second", currency: "EUR" })
      assert.deepStrictEqual(jsonOf(yield* ask(globex.tokens[0], "GET", "/v1/cost/breakdown")).rows, [])

      // As if it were there since the day before.
      for (const [id, event] of Object.entries(world.billing.events)) {
        world.billing.events[id] = { ...event, at: event.at - 86_400_000, size_gb: 10_000_000 }
      }
      const budget = jsonOf(yield* ask(acme.tokens[1], "POST", "/v1/budgets", { body: { amount_cents: 1 } }))
      const alerts = Effect.sync(() => [...events.values()].filter((_) => _.topic === "billing.budgets"))
      const [alert] = yield* repeatInTime(alerts, (_) => _.length > 0)
      const { data, key, project_id } = yield* Schema.decodeUnknownEffect(BudgetBreached)(alert?.envelope)
      assert.deepStrictEqual([key, project_id, data.amount_cents], [budget.budget_id, acme.projectId, 1])
      const marked = Effect.map(
        ask(acme.tokens[0], "GET", "/v1/budgets"),
        (_) => jsonOf(_).budgets[0].last_breached_period
      )
      yield* repeatInTime(marked, (_) => _ === data.period)
      yield* pass(60)
      assert.lengthOf(yield* alerts, 1)
    })
  )

  it.effect("in the ledger matches the platform's resources, for everything billed", () =>
    Effect.gen(function* () {
      const initech = yield* tenant("Initech", "standard")
      const [, operate] = initech.tokens
      const { world } = yield* SimulatedCloud
      const make = Effect.fnUntraced(function* (path: string, body: object) {
        const answer = yield* ask(operate, "POST", `/v1/iaas/${path}`, { body })
        assert.include([200, 201, 202], answer.status, answer.text)
      })
      yield* make("volume/volumes", { volume: { size: 3 } })
      yield* make("compute/servers", {
        server: { name: "s", flavorRef: "3", imageRef: publicImageId, networks: [{ uuid: initech.networkId }] }
      })
      yield* make("network/floatingips", { floatingip: { floating_network_id: fixtures.externalNetworkId } })
      yield* make("load-balancer/lbaas/loadbalancers", {
        loadbalancer: { name: "l", vip_network_id: initech.networkId }
      })
      const own = Effect.sync(() =>
        Object.entries(world.billing.events).filter(([, _]) => _.project_id === initech.projectId)
      )
      yield* repeatInTime(own, (_) => _.length === 4)
      // Until the platform is done with what it accepted.
      const inventory = yield* Inventory
      const lists = Effect.forEach(inventoryTypes, (type) =>
        Effect.map(inventory.list(type), (_) => _.filter((one) => one.project_id === initech.projectId))
      )
      yield* repeatInTime(lists, (_) => _.flat().length === 4 && _.flat().every((one) => !one.busy))
      // As if all of it were an hour old.
      const { cinder, neutron, nova, octavia } = world
      const made = [nova.servers, cinder.volumes, neutron.floatingips, octavia.loadbalancers]
      for (const [id, event] of yield* own) world.billing.events[id] = { ...event, at: event.at - 3_600_000 }
      for (const things of made) {
        for (const one of Object.values(things)) {
          Object.assign(one, { created_at: typeof one.created_at === "number" ? 0 : "1970-01-01T00:00:00" })
        }
      }
      yield* reconcileBilling
      assert.lengthOf(yield* own, 4, "the two do not agree")

      for (const things of made) {
        for (const [id, one] of Object.entries(things)) if (one.project_id === initech.projectId) delete things[id]
      }
      yield* reconcileBilling
      const ended = (yield* own).filter(([, _]) => _.kind === "inventory.absent").map(([, _]) => _.resource_type)
      assert.sameMembers(ended, ["server", "volume", "floating_ip", "load_balancer"])
    })
  )

  it.effect("of a tenant is requested with the credential's tenant alone", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* Cast
      const headers = { "x-tenant-id": globex.projectId, "x-project-id": globex.projectId }
      for (const path of reads) {
        const asked = yield* billed(ask(acme.tokens[0], "GET", path, { headers }))
        assert.lengthOf(asked, 1)
        for (const _ of asked) {
          assert.include(_, `project_id=${acme.projectId}`)
          assert.notInclude(_, globex.projectId)
        }
        for (const project of [acme.projectId, globex.projectId, "", "%00"]) {
          const refused = billed(
            Effect.map(ask(acme.tokens[2], "GET", `${path}?project=${project}`, { headers }), (answer) => {
              assert.strictEqual(answer.status, 403)
              const detail = "The project parameter is for platform administrators"
              assert.deepStrictEqual(jsonOf(answer), { detail, code: "project_override_refused" })
            })
          )
          assert.deepStrictEqual(yield* refused, [], "billing was asked")
        }
      }
    })
  )

  it.effect("is shown to an administrator per named tenant, and of all in the operators' lists", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const status = (plane: Plane, path: string) =>
        Effect.map(call(plane, "GET", path, { token: operator }), (_) => _.status)
      for (const path of reads) {
        const isList = path === "/v1/budgets" || path === "/v1/invoices"
        assert.strictEqual(yield* status("operator", `${path}?project=${acme.projectId}`), 200)
        assert.strictEqual(yield* status("operator", `${path}?project=nobody`), 404)
        assert.strictEqual(yield* status("operator", `${path}?project=`), 404, "an empty project never means all")
        assert.strictEqual(yield* status("operator", path), isList ? 200 : 409)
        for (const project of [acme.projectId, "nobody", ""]) {
          assert.strictEqual(yield* status("customer", `${path}?project=${project}`), 403)
        }
        assert.strictEqual(yield* status("customer", path), 409)
      }
    })
  )

  it.effect("is shown to a member with billing access, until that is withdrawn", () =>
    Effect.gen(function* () {
      const { acme, customerAdmin, customerOwner } = yield* Cast
      const who = jsonOf(yield* ask(customerAdmin, "GET", "/v1/whoami")).user_id
      const grant = (billing_access: boolean) =>
        ask(customerOwner, "PUT", `/v1/org/users/${who}/billing`, { body: { billing_access } })
      const statuses = Effect.forEach(routes, ([method, path, body]) =>
        Effect.map(ask(customerAdmin, method, path, { body }), (_) => _.status)
      )
      const none = yield* billed(
        Effect.map(statuses, (_) =>
          assert.deepStrictEqual(
            _,
            routes.map(() => 403)
          )
        )
      )
      assert.deepStrictEqual(none, [], "billing was asked")
      const refused = yield* ask(customerAdmin, "GET", "/v1/invoices")
      assert.deepStrictEqual(jsonOf(refused), {
        detail:
          "This action requires billing access, which the account's owner grants under PUT /v1/org/users/{user_id}/billing",
        code: "billing_access_required"
      })
      // Before anything else is looked at.
      for (const path of ["/v1/invoices?x=1", `/v1/invoices?project=${acme.projectId}`]) {
        assert.deepStrictEqual(jsonOf(yield* ask(customerAdmin, "GET", path)), jsonOf(refused))
      }

      assert.strictEqual((yield* grant(true)).status, 200)
      assert.deepStrictEqual(yield* statuses, [200, 200, 200, 200, 201, 404])
      assert.strictEqual((yield* grant(false)).status, 200)
      assert.deepStrictEqual(
        yield* statuses,
        routes.map(() => 403)
      )
      assert.strictEqual((yield* ask(customerOwner, "GET", "/v1/invoices")).status, 200)
    })
  )

  it.effect("refused or failed by the billing service has its message", () =>
    Effect.gen(function* () {
      const { globex } = yield* Cast
      const cloud = yield* SimulatedCloud
      const [, operate] = globex.tokens
      const refused = yield* ask(operate, "POST", "/v1/budgets", { body: { amount_cents: 2_000_000_000 } })
      const detail = "amount_cents must not be above 1000000000"
      assert.deepStrictEqual([refused.status, jsonOf(refused)], [422, { detail, code: "billing_refused" }])

      const fault = { service: "billing", method: "GET", path: "/v1/invoices", times: "always", when: "after" } as const
      yield* cloud.fault({ ...fault, as: { status: 503, body: { error: { message: "closed for the night" } } } })
      const down = yield* inTime(ask(operate, "GET", "/v1/invoices"))
      yield* cloud.clearFaults
      assert.deepStrictEqual(
        [down.status, jsonOf(down)],
        [502, { detail: "billing list invoices: closed for the night", code: "upstream_failed", transient: true }]
      )
      yield* cloud.fault({ ...fault, as: { status: 200, body: { count: 0, invoices: [{}] } } })
      const odd = yield* inTime(ask(operate, "GET", "/v1/invoices"))
      yield* cloud.clearFaults
      assert.deepStrictEqual(
        [odd.status, jsonOf(odd).detail],
        [502, "billing list invoices: answered 200 with a body that is not understood"]
      )
    })
  )
})

layer(Moneyless)("money on a cloud without a billing service", (it) => {
  it.effect("is a 404 on every route", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      for (const [method, path, body] of routes) {
        const answer = yield* ask(acme.tokens[2], method, path, { body })
        const wanted = { detail: "No platform service at 'billing'", code: "service_not_found" }
        assert.deepStrictEqual([answer.status, jsonOf(answer)], [404, wanted], path)
      }
    })
  )
})
