import { serviceQuotas } from "@portico/contract/Tiers"
import { assert, it } from "@effect/vitest"
import type { Fault } from "@portico/simulator/Fault"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { Effect, Layer } from "effect"
import { operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { Administrator } from "./Administrator.ts"
import { FaultProxy, type Passed } from "./FaultProxy.ts"
import { leavesAtTheEnd, unique } from "./Guests.ts"
import { findUser } from "./ObjectGateway.ts"
import { assertQuotas } from "./quotas.ts"
import { realCloudWith } from "./RealGateway.ts"

/** A gateway that was just started, whose way to the real services leads through the proxy. */
const Spoilt = realCloudWith(Effect.map(FaultProxy, (_) => _.settings)).pipe(Layer.provideMerge(FaultProxy.layer))

const onboarded = Effect.fnUntraced(function* (slug: string) {
  yield* leavesAtTheEnd(slug)
  const { call } = yield* TestGateway
  return yield* call("operator", "POST", "/v1/tenants", { token: operator, body: { name: slug, tier: "discovery" } })
})

/** The path with what is another one in every run as `*`. */
const routeOf = ({ path }: Passed): string =>
  path
    .split("/")
    .map((_) => (/^[0-9a-f]{32}$|^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(_) ? "*" : _))
    .join("/")

/** The calls of an onboarding to the real services, each by what it is and the how manieth of its kind. */
const calls = await Effect.gen(function* () {
  const answer = yield* onboarded(unique("rollback"))
  assert.strictEqual(answer.status, 201, answer.text)
  const passed = yield* (yield* FaultProxy).passed
  const routes = passed.map((_) => `${_.service} ${_.method} ${routeOf(_)}`)
  return passed.map(({ method, service }, index) => ({
    service,
    method,
    path: routeOf(passed[index] as Passed),
    nth: routes.slice(0, index + 1).filter((_) => _ === routes[index]).length
  }))
}).pipe(Effect.scoped, Effect.provide(Spoilt), Effect.runPromise)

/** The projects that the real Keystone has made, whether or not the gateway heard of them. */
const projectsMade = Effect.map(
  Effect.flatMap(FaultProxy, (_) => _.passed),
  (passed) =>
    passed
      .filter((_) => _.method === "POST" && _.path.endsWith("/projects") && _.answer?.status === 201)
      .map((_): string => JSON.parse(String(_.answer?.body)).project.id)
)

/** What the real services, and nobody else, still hold of an attempt: all of it by its name, so that a failing test says it. */
const leftovers = Effect.fnUntraced(function* (slug: string) {
  const { ask, read } = yield* Administrator
  const left: Array<string> = []
  const { projects } = yield* read("identity", `/projects?name=${slug}`)
  for (const { id } of projects) left.push(`project ${id}`)

  for (const id of yield* projectsMade) {
    if ((yield* ask("GET", "identity", `/projects/${id}`)).status !== 404) left.push(`project ${id}`)
    const { users } = yield* read("identity", `/users?name=gw-${id}`)
    for (const user of users) left.push(`user ${user.name}`)
    for (const kind of ["networks", "subnets", "routers", "ports", "floatingips"]) {
      const found = yield* read("network", `/${kind}?project_id=${id}`)
      for (const thing of found[kind]) left.push(`${kind} ${thing.id}`)
    }
    // Asked for those of one project, Neutron would make the default one.
    const { security_groups } = yield* read("network", "/security-groups?fields=id&fields=project_id")
    for (const group of security_groups) if (group.project_id === id) left.push(`security group ${group.id}`)
    const { quotas } = yield* read("network", "/quotas")
    for (const quota of quotas) if (quota.project_id === id) left.push("network quotas")
    const cinder = yield* read("volume", `/os-quota-sets/${id}`)
    if (cinder.quota_set.gigabytes === serviceQuotas("discovery").cinder.gigabytes) left.push("block storage quotas")
    // Octavia keeps the row, and forgets what is in it.
    const { quotas: balancers } = yield* read("load-balancer", `/lbaas/quotas?project_id=${id}`)
    if (balancers[0]?.loadbalancer != null) left.push("load balancer quotas")
    if ((yield* findUser(id)) !== undefined) left.push("object storage user")
  }

  const people = (yield* (yield* SimulatedCloud).state)["zitadel.users"] ?? []
  if (JSON.stringify(people).includes(slug)) left.push("machine user")
  const { credentials, tenants } = yield* Memory
  for (const [table, rows] of Object.entries({ credentials, tenants })) {
    if (JSON.stringify([...rows.values()]).includes(slug)) left.push(`a row of ${table}`)
  }
  return left
})

/** Whole or not at all: a fault that the gateway gets over leaves a tenant, any other nothing. */
const story = Effect.fnUntraced(
  function* (fault: Fault) {
    yield* (yield* FaultProxy).fault(fault)
    const slug = unique("rollback")
    const answer = yield* onboarded(slug)
    if (answer.status === 201) {
      const { tenant } = jsonOf(answer)
      yield* assertQuotas(tenant.project_id, serviceQuotas("discovery"))
      const { router } = yield* (yield* Administrator).read("network", `/routers/${tenant.network.router_id}`)
      assert.isTrue(router.external_gateway_info.enable_snat)
      return
    }
    assert.include([409, 502], answer.status, answer.text)
    assert.notProperty(jsonOf(answer), "left", answer.text)
    assert.deepStrictEqual(yield* leftovers(slug), [], answer.text)
  },
  Effect.scoped,
  Effect.provide(Spoilt)
)

for (const call of calls) {
  it.live(`leaves nothing when the real ${call.service} ${call.method} ${call.path} (${call.nth}) fails`, () =>
    Effect.all(
      [story({ ...call, when: "before", as: { status: 503 } }), story({ ...call, when: "after", as: "reset" })],
      {
        concurrency: 2
      }
    )
  )
}
