import { assert, layer } from "@effect/vitest"
import { publicImageId } from "@portico/simulator/glance/state"
import { SimulatedCloud } from "@portico/simulator/SimulatedCloud"
import { Memory } from "@portico/testing/store/Memory"
import { DateTime, Effect, Layer } from "effect"
import { connected } from "../harness/agents.ts"
import { Cast, mint, operator } from "../harness/Cast.ts"
import { jsonOf, TestGateway } from "../harness/TestGateway.ts"
import { post, request, opened } from "./wire.ts"

/** Acme with room for a database, and with a policy that has a person confirm it. */
const Roomy = Layer.effectDiscard(
  Effect.gen(function* () {
    const { acme } = yield* Cast
    const { call } = yield* TestGateway
    const path = `/v1/tenants/${acme.projectId}/tier`
    const moved = yield* call("operator", "POST", path, { token: operator, body: { tier: "extension" } })
    assert.isBelow(moved.status, 300, moved.text)
    yield* policy(true)
  })
)

const policy = Effect.fnUntraced(function* (enabled: boolean) {
  const { customerOwner } = yield* Cast
  const { call } = yield* TestGateway
  const body = { enabled, confirm: ["billed", "irreversible", "databases_create"] }
  const answer = yield* call("customer", "PUT", "/v1/agents/policy", { token: customerOwner, body })
  assert.strictEqual(answer.status, 200, answer.text)
})

const Everything = Roomy.pipe(Layer.provideMerge(Cast.layer), Layer.provideMerge(TestGateway.layer))

type Client = Effect.Success<ReturnType<typeof connected>>

/** Loose on purpose. */
interface Called {
  readonly isError: boolean
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

const called = (client: Client, name: string, given: Record<string, unknown>) =>
  Effect.promise(async (): Promise<Called> => {
    const { isError, structuredContent } = await client.callTool({ name, arguments: given })
    return { isError: isError === true, body: structuredContent }
  })

const agentOf = Effect.fnUntraced(function* (label: string) {
  const { acme } = yield* Cast
  return yield* mint(acme.tokens[2], 1, label, { kind: "mcp" })
})

/** What the API says of a quota, by its path. */
const used = Effect.fnUntraced(function* (quota: string) {
  const { acme } = yield* Cast
  const { call } = yield* TestGateway
  const quotas = jsonOf(yield* call("customer", "GET", "/v1/quotas", { token: acme.tokens[0] }))
  return quota.split(".").reduce((found, name) => found[name], quotas).used
})

const newServer = Effect.map(Cast, ({ acme }) => ({
  method: "POST",
  path: "servers",
  body: {
    server: { name: "proxied", flavorRef: "2", imageRef: publicImageId, networks: [{ uuid: acme.networkId }] }
  }
}))

const volume = (name: string) => ({ method: "POST", path: "volumes", body: { volume: { name, size: 3 } } })

const database = (name: string) => ({ engine: "postgres", name, version: "17", size_gb: 1 })

/** How many writes a service has seen. */
const writesTo = Effect.fnUntraced(function* (service: string) {
  const { calls } = yield* SimulatedCloud
  return (yield* calls).filter((_) => _.service === service && _.method !== "GET").length
})

layer(Everything, { excludeTestServices: true })("a call of a service that costs money", (it) => {
  const cases = [
    { tool: "compute_write", quotas: ["compute.instances", "compute.cores", "compute.ram"], given: newServer },
    {
      tool: "volume_write",
      quotas: ["block_storage.volumes", "block_storage.gigabytes"],
      given: Effect.succeed(volume("proxied"))
    },
    {
      tool: "network_write",
      quotas: ["network.floating_ips"],
      given: Effect.gen(function* () {
        const { world } = yield* SimulatedCloud
        const outer = Object.values(world.neutron.networks).find((_) => _["router:external"])
        return { method: "POST", path: "floatingips", body: { floatingip: { floating_network_id: outer?.id } } }
      })
    },
    {
      tool: "databases_create",
      quotas: ["databases.gigabytes", "databases.claims"],
      given: Effect.succeed(database("proxied")),
      // No invoice has databases. Here the tenant's policy names the tool.
      because: "named"
    }
  ]
  for (const { because = "billed", given, quotas, tool } of cases) {
    it.effect(`${tool}: the plan has each quota before and after, which become true`, () =>
      Effect.gen(function* () {
        const client = yield* connected((yield* agentOf(tool)).pat)
        const before = yield* Effect.forEach(quotas, used)
        const { body, isError } = yield* called(client, tool, yield* given)
        assert.isFalse(isError)
        assert.isString(body.plan_id, JSON.stringify(body))
        assert.deepStrictEqual(body.what.because, [because])
        assert.deepStrictEqual(
          body.quota.map((_: { readonly quota: string }) => _.quota),
          quotas
        )
        for (const [index, { after, asked, limit, used }] of body.quota.entries()) {
          assert.strictEqual(used, before[index])
          assert.isAbove(asked, 0)
          assert.strictEqual(after, used + asked)
          assert.isNumber(limit)
        }
        assert.deepStrictEqual(yield* Effect.forEach(quotas, used), before)
        const applied = yield* called(client, "plan_apply", { plan_id: body.plan_id })
        assert.isFalse(applied.isError, JSON.stringify(applied.body))
        assert.deepStrictEqual(
          yield* Effect.forEach(quotas, used),
          body.quota.map((_: { readonly after: number }) => _.after)
        )
        if (tool === "databases_create") {
          // It goes on after the answer, and the answer says how to ask for it.
          assert.deepInclude(applied.body.work, {
            tool: "databases_show",
            arguments: { engine: "postgres", name: "proxied" }
          })
          const { tool: asks, arguments: names } = applied.body.work
          const read = yield* called(client, asks, names)
          assert.isString(read.body[applied.body.work.field], JSON.stringify(read.body))
        } else {
          const again = yield* called(client, "plan_apply", { plan_id: body.plan_id })
          assert.strictEqual(again.body.code, "plan_spent")
        }
      }).pipe(Effect.scoped)
    )
  }

  it.effect("is planned in a suspended tenant, too, if the proxies allow it", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { call } = yield* TestGateway
      const { body } = yield* newServer
      const made = yield* call("customer", "POST", "/v1/iaas/compute/servers", { token: acme.tokens[1], body })
      const path = `servers/${jsonOf(made).server.id}/action`
      const given = { method: "POST", path, body: { changePassword: { adminPass: "another" } } }
      const client = yield* connected((yield* agentOf("suspended")).pat)
      const tenant = `/v1/tenants/${acme.projectId}`
      const suspended = yield* call("operator", "POST", `${tenant}/suspend`, { token: operator })
      assert.isBelow(suspended.status, 300, suspended.text)
      const before = yield* writesTo("nova")
      const planned = yield* called(client, "compute_write", given)
      assert.isString(planned.body.plan_id, JSON.stringify(planned.body))
      assert.deepStrictEqual(planned.body.what.because, ["irreversible"])
      assert.strictEqual(yield* writesTo("nova"), before)
      yield* call("operator", "POST", `${tenant}/tier`, { token: operator, body: { tier: "extension" } })
    }).pipe(Effect.scoped)
  )

  it.effect("is not applied by an agent that was revoked meanwhile", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { agentUrl, call } = yield* TestGateway
      const { credential_id, pat } = yield* agentOf("revoked")
      const session = yield* opened(agentUrl, pat)
      const tool = (name: string, given: object) =>
        post(agentUrl, request("tools/call", { name, arguments: given }), { token: pat, session })
      const { plan_id } = jsonOf(yield* tool("volume_write", volume("revoked"))).result.structuredContent
      const before = yield* writesTo("cinder")
      yield* call("customer", "DELETE", `/v1/credentials/${credential_id}`, { token: acme.tokens[2] })
      const answer = yield* tool("plan_apply", { plan_id })
      assert.deepStrictEqual([answer.status, jsonOf(answer).code], [401, "credential_revoked"])
      assert.strictEqual(yield* writesTo("cinder"), before)
    })
  )

  it.effect("is not applied by an agent whose tier a policy lowered meanwhile", () =>
    Effect.gen(function* () {
      const { customerOwner } = yield* Cast
      const { call } = yield* TestGateway
      const { credential_id, pat } = yield* agentOf("lowered")
      const done = Effect.fnUntraced(function* (method: string, path: string, body?: unknown) {
        const answer = yield* call("customer", method, path, { token: customerOwner, body })
        assert.isBelow(answer.status, 300, answer.text)
      })
      yield* done("POST", "/v1/org/ous", { path: "lowered" })
      yield* done("PUT", `/v1/org/ous/lowered/members/${credential_id}`)
      const client = yield* connected(pat)
      const plan = Effect.map(called(client, "volume_write", volume("lowered")), ({ body }) => ({
        plan_id: body.plan_id
      }))
      const [capped, denied] = [yield* plan, yield* plan]
      const before = yield* writesTo("cinder")
      yield* done("PUT", "/v1/access/policy", { ou: "lowered", max_tier: 0 })
      const first = yield* called(client, "plan_apply", capped)
      assert.deepStrictEqual([first.isError, first.body.code], [true, "tier_too_low"])
      yield* done("PUT", "/v1/access/policy", { ou: "lowered", denies: ["volume:operate"] })
      const second = yield* called(client, "plan_apply", denied)
      assert.deepStrictEqual([second.isError, second.body.code], [true, "policy_denied"])
      assert.strictEqual(yield* writesTo("cinder"), before)
    }).pipe(Effect.scoped)
  )

  it.effect("is not applied when agents were switched off meanwhile", () =>
    Effect.gen(function* () {
      const client = yield* connected((yield* agentOf("switched off")).pat)
      const { body } = yield* called(client, "volume_write", volume("off"))
      const before = yield* writesTo("cinder")
      yield* policy(false)
      const answer = yield* Effect.promise(() =>
        client.callTool({ name: "plan_apply", arguments: { plan_id: body.plan_id } }).then(
          () => "done",
          (error: unknown) => String(error)
        )
      )
      yield* policy(true)
      assert.include(answer, "agents_disabled")
      assert.strictEqual(yield* writesTo("cinder"), before)
    }).pipe(Effect.scoped)
  )

  it.effect("is not applied when only its price has changed, and a new plan shows that", () =>
    Effect.gen(function* () {
      const { acme } = yield* Cast
      const { world } = yield* SimulatedCloud
      const client = yield* connected(acme.tokens[1])
      const at = (yield* DateTime.now).epochMilliseconds - 3_600_000
      const { body } = yield* called(client, "compute_write", yield* newServer)
      assert.strictEqual(body.price, "not known")
      world.billing.events["one"] = {
        id: "one",
        kind: "server.create",
        at,
        project_id: acme.projectId,
        resource_type: "server",
        resource_id: "server-1",
        flavor: "m1.small",
        size_gb: null,
        volume_type: null
      }
      const before = yield* writesTo("nova")
      const answer = yield* called(client, "plan_apply", { plan_id: body.plan_id })
      assert.strictEqual(answer.body.code, "plan_outdated", JSON.stringify(answer.body))
      assert.deepStrictEqual(answer.body.changed, ["price an hour: not known, now 0.036 EUR"])
      assert.strictEqual(yield* writesTo("nova"), before)
      const next = yield* called(client, "plan_apply", { plan_id: answer.body.plan_id })
      assert.isFalse(next.isError, JSON.stringify(next.body))
      assert.isAbove((yield* Memory).agentPlans.size, 1)
    }).pipe(Effect.scoped)
  )
})
